/// PING and PONG: a question whether the other side is alive, and its answer, which has the same token.
///
/// ```
/// token (varint)
/// ```
package struct Ping: FramePayload {
  /// PING; the answer is encoded with ``encodePong(into:)``.
  package static let type = FrameType.ping

  /// What comes back in the answer.
  package var token: UInt64

  /// A question with a token.
  ///
  /// - Precondition: `token <= Varint.max`.
  package init(token: UInt64) { self.token = token }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    token = try reader.readVarint()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) { writer.writeVarint(token) }

  // Every link has one a second: without buffers in between.
  /// The value of a whole payload.
  package init(payload: Span<UInt8>) throws(WireError) {
    var offset = 0
    token = try Varint.next(of: payload, at: &offset)
    guard offset == payload.count else { throw .malformed }
  }

  /// Appends the whole frame, as PING or as PONG.
  package func encode(as type: FrameType, into wire: inout [UInt8]) {
    FrameEncoder.appendHeader(type, payloadBytes: Varint.length(of: token), to: &wire)
    Varint.append(token, to: &wire)
  }

  /// Appends the answer to this question.
  package func encodePong(into wire: inout [UInt8]) { encode(as: .pong, into: &wire) }
}

/// ACK: how much of the log of a membership was received.
///
/// ```
/// received (varint)
/// ```
package struct Acknowledgement: FramePayload {
  /// ACK.
  package static let type = FrameType.acknowledgement

  /// Everything before may be forgotten.
  package var received: UInt64

  /// An acknowledgement of everything before a position.
  package init(received: UInt64) { self.received = received }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    received = try reader.readVarint()
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) { writer.writeVarint(received) }

  // Every message is answered with one: without buffers in between.
  /// The value of a whole payload.
  package init(payload: Span<UInt8>) throws(WireError) {
    var offset = 0
    received = try Varint.next(of: payload, at: &offset)
    guard offset == payload.count else { throw .malformed }
  }

  /// Appends the whole frame.
  package func encode(as type: FrameType, into wire: inout [UInt8]) {
    FrameEncoder.appendHeader(type, payloadBytes: Varint.length(of: received), to: &wire)
    Varint.append(received, to: &wire)
  }
}

/// CLOSE: the last frame of a link, with the reason.
///
/// ```
/// code (varint) | text (string, ≤ 256 bytes, for people)
/// ```
package struct Close: FramePayload {
  /// CLOSE.
  package static let type = FrameType.close

  /// Why.
  package let code: CloseCode
  /// One sentence for people; at most 256 bytes of UTF-8.
  package let text: String

  /// An ending with a reason; a text that is too long is cut between two characters.
  package init(code: CloseCode, text: String = "") {
    self.code = code
    var text = text
    while text.utf8.count > FrameBounds.closeTextBytesMax { text.removeLast() }
    self.text = text
  }

  /// The ending that a broken protocol has.
  package init(_ error: FrameError) { self.init(code: error.closeCode, text: error.description) }

  /// Reads the fields in their order.
  package init(reading reader: inout ByteReader) throws(WireError) {
    code = CloseCode(rawValue: try reader.readVarint())
    text = try reader.readPrefixedString(maxBytes: FrameBounds.closeTextBytesMax)
  }

  /// Writes the fields in their order.
  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(code.rawValue)
    writer.writePrefixed(text)
  }
}
