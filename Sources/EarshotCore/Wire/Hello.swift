/// HELLO: the first frame in each direction.
///
/// ```
/// version (varint) | listening port (varint, 0 for none) | display name (string, 1–63 bytes) | …
/// ```
///
/// The only frame that may grow: what follows the name is left to later versions.
package struct Hello: FramePayload {
  /// HELLO.
  package static let type = FrameType.hello
  /// What follows is skipped.
  package static let mayGrow = true
  /// The version spoken here.
  package static let currentVersion: UInt64 = 1

  /// The highest version that the sender speaks, from 1.
  package var version: UInt64
  /// The TCP port at which the sender can be dialled, or 0 when it does not listen.
  package var port: UInt16
  /// How the sender wishes to be called; 1 through 63 bytes of UTF-8.
  package var displayName: String

  /// A greeting with the given parts.
  ///
  /// - Precondition: `displayName` has 1 through 63 bytes.
  package init(version: UInt64 = currentVersion, port: UInt16, displayName: String) {
    precondition(
      1...FrameBounds.displayNameBytesMax ~= displayName.utf8.count,
      "a display name has 1 through 63 bytes")
    (self.version, self.port, self.displayName) = (version, port, displayName)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    version = try reader.readVarint()
    port = try reader.readPort()
    displayName = try reader.readDisplayName()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(version)
    writer.writeVarint(UInt64(port))
    writer.writePrefixed(displayName)
  }
}
