/// Takes the frames of a transfer out of the bytes of its stream, however they are cut.
///
/// Keeps an incomplete header and the payload of one small frame, and no bytes of the resource.
package struct ResourceFrameReader: Hashable, Sendable {
  /// The next part of the input.
  package enum Part: Hashable, Sendable {
    /// A frame that is complete; BYTES before its payload.
    case frame(ResourceFrame)
    /// Bytes of the resource, as a range of the input.
    case payload(Range<Int>)
  }

  private var partial: [UInt8] = []  // Of a small frame, with its header.
  private var payloadLeft = 0  // Of BYTES.

  /// A reader at the beginning of a stream.
  package init() {}

  /// Whether the input may end here.
  package var isBetweenFrames: Bool { partial.isEmpty && payloadLeft == 0 }

  /// Takes out the next part.
  ///
  /// - Parameters:
  ///   - input: The bytes.
  ///   - offset: Where to go on, which moves past what is taken.
  /// - Returns: The part; `nil` if the input has no more.
  /// - Throws: An error if the bytes are no frame.
  package mutating func next(
    of input: [UInt8], at offset: inout Int
  ) throws(WireError) -> Part? {
    if payloadLeft > 0, offset < input.count {
      let range = offset..<offset + min(payloadLeft, input.count - offset)
      payloadLeft -= range.count
      offset = range.upperBound
      return .payload(range)
    }
    while offset < input.count {
      partial.append(input[offset])
      offset += 1
      guard let (kind, length, headerBytes) = try header() else { continue }
      if ResourceFrame.isStreamed(kind) {
        payloadLeft = length
        partial = []
        return .frame(.bytes(length))
      }
      let missing = headerBytes + length - partial.count
      let taken = min(missing, input.count - offset)
      partial += input[offset..<offset + taken]
      offset += taken
      guard taken == missing else { return nil }
      let frame = try ResourceFrame(kind: kind, payload: Array(partial[headerBytes...]))
      partial = []
      return .frame(frame)
    }
    return nil
  }

  /// Takes out the next part, of a side for which bytes that are no frame break the rules.
  ///
  /// - Throws: `violation`.
  mutating func part(
    of input: [UInt8], at offset: inout Int
  ) throws(ResourceFailure) -> Part? {
    do throws(WireError) { return try next(of: input, at: &offset) } catch { throw .violation }
  }

  /// The header of the small frame under way, as soon as it is complete.
  private func header() throws(WireError) -> (kind: UInt8, length: Int, headerBytes: Int)? {
    guard partial.count > 1 else { return nil }
    let lengthBytes = Varint.length(first: partial[1])
    guard partial.count >= 1 + lengthBytes else { return nil }
    let length = Varint.value(of: partial[1...lengthBytes])
    let isStreamed = ResourceFrame.isStreamed(partial[0])
    let lengthMax = isStreamed ? ResourceFrame.pieceBytes : ResourceFrame.payloadBytesMax
    guard length <= UInt64(lengthMax) else { throw .tooLong }
    guard !isStreamed || length > 0 else { throw .malformed }
    return (partial[0], Int(length), 1 + lengthBytes)
  }
}
