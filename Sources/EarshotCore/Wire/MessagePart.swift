/// MESSAGE: one part of a message's bytes.
///
/// ```
/// 0       1
/// +-------+---------------------- … -+
/// | flags | a part of the bytes      |    flags: bit 0 = the last part, the other bits are 0
/// +-------+---------------------- … -+
/// ```
///
/// A part that is not the last has at least one byte, so that nothing can be sent for ever that never
/// becomes a message.
package enum MessagePart {
  /// The most bytes of a message that one part carries.
  package static let partBytesMax = FrameEncoder.payloadBytesMax - 1
  /// The largest message that is sent and taken unless a session says otherwise, 4 MiB.
  package static let messageBytesMaxDefault = 4 << 20

  /// How many bytes a message takes on the wire, with the headers of its parts.
  package static func wireBytes(messageBytes: Int) -> Int {
    let (fullParts, rest) = messageBytes.quotientAndRemainder(dividingBy: partBytesMax)
    let full = fullParts * FrameEncoder.frameBytes(.message, payloadBytes: partBytesMax + 1)
    if rest == 0, fullParts > 0 { return full }
    return full + FrameEncoder.frameBytes(.message, payloadBytes: rest + 1)
  }

  /// Appends a message of any size as so many parts as it takes.
  @inlinable
  package static func append(message: Span<UInt8>, to wire: inout [UInt8]) {
    var offset = 0
    while message.count - offset > partBytesMax {
      appendPart(message.extracting(offset..<offset + partBytesMax), isLast: false, to: &wire)
      offset += partBytesMax
    }
    appendPart(message.extracting(offset...), isLast: true, to: &wire)
  }

  @usableFromInline
  static func appendPart(_ part: Span<UInt8>, isLast: Bool, to wire: inout [UInt8]) {
    appendHeader(partBytes: part.count, isLast: isLast, to: &wire)
    wire.append(copying: part)
  }

  /// Appends what stands in front of a part's bytes.
  @usableFromInline
  static func appendHeader(partBytes: Int, isLast: Bool, to wire: inout [UInt8]) {
    FrameEncoder.appendHeader(.message, payloadBytes: partBytes + 1, to: &wire)
    wire.append(isLast ? 1 : 0)
  }
}

/// Puts the parts of messages together again.
///
/// A message of one part is copied once, out of the lent bytes. Memory is bounded by one message.
package struct MessageAssembler: Hashable, Sendable {
  private var partial: [UInt8] = []
  private let messageBytesMax: Int

  /// Expects the first part of a message.
  package init(messageBytesMax: Int = MessagePart.messageBytesMaxDefault) {
    precondition(messageBytesMax >= 0, "a message has no negative length")
    self.messageBytesMax = messageBytesMax
  }

  /// How many bytes of an unfinished message are buffered; at most the bound of a message.
  package var bufferedBytes: Int { partial.count }

  /// Takes in the payload of one MESSAGE.
  ///
  /// - Returns: The message, when this was its last part.
  /// - Throws: That the payload is none, or that the message grows beyond the bound.
  package mutating func take(_ payload: Span<UInt8>) throws(FrameError) -> [UInt8]? {
    guard payload.count > 0, payload[0] <= 1, payload.count > 1 || payload[0] == 1 else {
      throw FrameError(.malformed(.malformed), type: .message, payloadBytes: payload.count)
    }
    guard payload.count - 1 <= messageBytesMax - partial.count else {
      throw FrameError(.messageTooLarge, type: .message, payloadBytes: payload.count)
    }
    let (isLast, part) = (payload[0] == 1, payload.extracting(1...))
    if isLast, partial.isEmpty { return [UInt8](copying: part) }
    if partial.isEmpty { partial.reserveCapacity(2 * part.count) }  // More will follow.
    partial.append(copying: part)
    guard isLast else { return nil }
    defer { partial = [] }
    return partial
  }
}
