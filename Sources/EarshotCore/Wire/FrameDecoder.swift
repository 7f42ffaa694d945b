/// Finds the frames in a stream of bytes, however the stream is cut into chunks.
///
/// Frames that lie whole within a chunk are lent in place; only a frame that a chunk cuts off is
/// buffered, and its buffer grows as its bytes arrive, to four times what is there at most. A length above
/// the bound is refused when its header is complete, before anything is allocated for it. Memory is bounded
/// by one frame.
package struct FrameDecoder: Hashable, Sendable {
  /// Takes one frame and answers whether to go on with the next one.
  ///
  /// The arguments are its number, its payload, which is lent for the time of the call, and the
  /// length of the whole frame on the wire, header included.
  package typealias Body = (FrameNumber, Span<UInt8>, Int) throws(FrameError) -> Bool

  private static let keptBytesMax = 4_096  // What an idle link may hold on to.
  private static let reservedShare = 4  // A fourth must be there before the whole gets room.
  private var partial: [UInt8] = []
  private let payloadBytesMax: Int

  /// Expects the first frame.
  package init(payloadBytesMax: Int = FrameEncoder.payloadBytesMax) {
    precondition(payloadBytesMax >= 0, "a payload has no negative length")
    self.payloadBytesMax = payloadBytesMax
  }

  /// How many bytes of an unfinished frame are buffered; at most one frame's.
  package var bufferedBytes: Int { partial.count }

  /// Takes in the next bytes and lends every frame that they complete, in order.
  ///
  /// - Parameters:
  ///   - bytes: The next bytes of the stream, any number of them.
  ///   - body: Takes a frame.
  /// - Returns: How many bytes were used: all, unless `body` asked to stop. The rest is to be handed in
  ///   again when the frames after it are wanted.
  /// - Throws: The error of `body`, or that a frame is too large. The stream has ended then: nothing
  ///   that follows can be made sense of.
  @discardableResult
  package mutating func decode(_ bytes: Span<UInt8>, _ body: Body) throws(FrameError) -> Int {
    var offset = 0
    if !partial.isEmpty {
      guard try finishPartial(with: bytes, upTo: &offset, body) else { return offset }
    }
    while let header = try header(of: bytes, at: offset) {
      guard header.frameBytes <= bytes.count - offset else { break }
      let start = offset + header.headerBytes
      offset += header.frameBytes
      let payload = bytes.extracting(start..<offset)
      guard try body(header.number, payload, header.frameBytes) else { return offset }
    }
    let rest = bytes.extracting(offset...)
    if let frameBytes = try header(of: rest, at: 0)?.frameBytes,
      rest.count >= frameBytes / Self.reservedShare
    {
      partial.reserveCapacity(frameBytes)
    }
    partial.append(copying: rest)
    return bytes.count
  }

  /// Completes the frame that an earlier chunk began.
  ///
  /// - Returns: Whether to go on with the rest of the bytes.
  private mutating func finishPartial(
    with bytes: Span<UInt8>, upTo offset: inout Int, _ body: Body
  ) throws(FrameError) -> Bool {
    while true {
      let header = try header(of: partial.span, at: 0)
      let missing = (header?.frameBytes ?? partial.count + 1) - partial.count
      if let header, missing == 0 { return try lendPartial(header, body) }
      guard offset < bytes.count else { return false }
      let end = offset + min(missing, bytes.count - offset)
      partial.append(copying: bytes.extracting(offset..<end))
      offset = end
    }
  }

  private mutating func lendPartial(
    _ header: FrameHeader, _ body: Body
  ) throws(FrameError) -> Bool {
    var frame: [UInt8] = []
    swap(&frame, &partial)
    defer {
      if frame.capacity <= Self.keptBytesMax { swap(&frame, &partial) }
      partial.removeAll(keepingCapacity: true)
    }
    let payload = frame.span.extracting(header.headerBytes...)
    return try body(header.number, payload, header.frameBytes)
  }

  /// The header at a position, or `nil` when it is not complete.
  private func header(
    of bytes: Span<UInt8>, at offset: Int
  ) throws(FrameError) -> FrameHeader? {
    guard let header = FrameHeader(bytes, at: offset) else { return nil }
    guard header.payloadBytes <= payloadBytesMax else {
      throw FrameError(.tooLarge, number: header.number, payloadBytes: header.payloadBytes)
    }
    return header
  }
}
