/// DATAGRAMS: where the sender takes the datagrams of the membership that the link carries.
///
/// ```
/// connection (8 bytes) | port (varint, 0 for none)
/// ```
///
/// Each side sends it when it first has something to send unreliably, or has received the other side's. Sent again, it
/// gives another port; the connection stays the same as long as the link lasts.
package struct DatagramOffer: FramePayload {
  /// DATAGRAMS.
  package static let type = FrameType.datagrams

  /// What the sender wants its datagrams to be addressed by.
  package var connection: UInt64
  /// The UDP port, at the address that the link leads to; 0 when datagrams cannot be taken.
  package var port: UInt16

  /// An offer with the given parts.
  package init(connection: UInt64, port: UInt16) {
    (self.connection, self.port) = (connection, port)
  }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    connection = try reader.readUInt64()
    port = try reader.readPort()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.write(connection)
    writer.writeVarint(UInt64(port))
  }
}

/// UNRELIABLE: a message that goes over the link for want of a path for datagrams.
///
/// Its payload is the message; at most ``messageBytesMax`` bytes.
package struct UnreliableMessage: FramePayload {
  /// UNRELIABLE.
  package static let type = FrameType.unreliable
  /// The largest message that is sent unreliably: what one frame carries.
  package static let messageBytesMax = FrameEncoder.payloadBytesMax

  /// The message.
  package let bytes: [UInt8]

  /// A message.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the message.
  package init(reading reader: inout ByteReader) throws(WireError) { bytes = reader.readRest() }

  /// Writes the message.
  package func write(to writer: inout ByteWriter) { writer.write(bytes) }
}
