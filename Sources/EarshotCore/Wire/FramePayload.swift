/// A value that travels as the payload of one frame.
///
/// Encoders are total for values within the bounds of the protocol; decoders are strict: what is not
/// exactly one value is an error.
package protocol FramePayload: Hashable, Sendable {
  /// The type of the frame that carries such a value.
  static var type: FrameType { get }

  /// Whether a payload may go on behind what is known of it, so that later versions can add to it.
  static var mayGrow: Bool { get }

  /// Reads the fields in their order.
  init(reading reader: inout ByteReader) throws(WireError)

  /// Writes the fields in their order.
  func write(to writer: inout ByteWriter)

  /// The value of a whole payload.
  init(payload: Span<UInt8>) throws(WireError)

  /// Appends the whole frame under its own type, or another one that carries such a value.
  func encode(as type: FrameType, into wire: inout [UInt8])
}

extension FramePayload {
  /// Most payloads are closed.
  package static var mayGrow: Bool { false }

  /// The value of a whole payload.
  package init(payload: Span<UInt8>) throws(WireError) {
    var reader = ByteReader(copying: payload)
    try self.init(reading: &reader)
    guard reader.isAtEnd || Self.mayGrow else { throw .malformed }
  }

  /// Appends the whole frame, header included.
  package func encode(into wire: inout [UInt8]) { encode(as: Self.type, into: &wire) }

  /// Appends the whole frame under its own type, or another one that carries such a value.
  package func encode(as type: FrameType, into wire: inout [UInt8]) {
    var writer = ByteWriter()
    write(to: &writer)
    FrameEncoder.append(type, payload: writer.bytes.span, to: &wire)
  }
}

extension ByteReader {
  mutating func readSessionID() throws(WireError) -> SessionID {
    SessionID(rawValue: try readUInt64())
  }

  mutating func readInvitationID() throws(WireError) -> InvitationID {
    guard remaining >= 16 else { throw .truncated }
    return InvitationID(high: try readUInt64(), low: try readUInt64())
  }

  mutating func readPeerID() throws(WireError) -> PeerID {
    guard let peer = PeerID(try readBytes(PeerID.byteCount)) else { throw .malformed }
    return peer
  }

  /// A display name: 1 through 63 bytes of UTF-8.
  mutating func readDisplayName() throws(WireError) -> String {
    let name = try readPrefixedString(maxBytes: FrameBounds.displayNameBytesMax)
    guard !name.isEmpty else { throw .malformed }
    return name
  }

  mutating func readPort() throws(WireError) -> UInt16 {
    guard let port = UInt16(exactly: try readVarint()) else { throw .malformed }
    return port
  }
}

extension ByteWriter {
  mutating func write(_ invitation: InvitationID) {
    write(invitation.high)
    write(invitation.low)
  }

  mutating func write(_ session: SessionID) { write(session.rawValue) }
}

/// The bounds of what frames carry.
package enum FrameBounds {
  /// The longest display name, in bytes of UTF-8.
  package static let displayNameBytesMax = 63
  /// The longest service type, in bytes.
  package static let serviceTypeBytesMax = 15
  /// The longest context of an invitation, in bytes.
  package static let contextBytesMax = 16_384
  /// The longest text of CLOSE, in bytes of UTF-8.
  package static let closeTextBytesMax = 256
  /// The longest name of a stream, in bytes of UTF-8.
  package static let streamNameBytesMax = 255
  /// The most endpoints of one introduction.
  package static let endpointsMax = 8
  /// The most ended memberships of one invitation.
  package static let endedMax = 8
  /// The most members of a session, the local one included.
  package static let membersMax = 1_024
  /// The most bytes of a message, of what waits for an acknowledgement, and of a window: 1 GiB.
  ///
  /// A varint can express more, but memory holds whole messages.
  package static let messageBytesMax = 1 << 30
}
