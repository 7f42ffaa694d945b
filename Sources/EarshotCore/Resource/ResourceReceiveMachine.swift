/// The receiver's side of a transfer: an offer, an answer, pieces with their digests, an end.
///
/// Decides what the sender may say when, and where its bytes belong. Hashing and writing are left
/// to the caller, which carries the steps out in their order:
///
/// ```
/// offering ──OFFER──▶ offered ──accept()──▶ receiving ──END──▶ ended
///                                            │  ▲
///                            BYTES, ZEROS, PIECE
/// ```
///
/// A piece has 1 MiB, but for the last one. No frame reaches beyond its piece, and each piece ends
/// with its digest before the next one begins.
package struct ResourceReceiveMachine: Hashable, Sendable {
  /// What to do with a part of the input.
  package enum Step: Hashable, Sendable {
    /// The sender offers a resource.
    case offer(ResourceDescription)
    /// The sender stands still, or goes on.
    case pause(ResourcePause)
    /// Bytes of the input belong at an offset.
    case write(Range<Int>, at: Int64)
    /// Zeros belong at an offset; at most those of one piece.
    case zeros(Int, at: Int64)
    /// The piece ends, and is to have a digest.
    case check(digest: [UInt8])
    /// The resource ends, and the digests of its pieces are to have a digest.
    case finish(byteCount: Int64, digest: [UInt8])
  }

  private enum State: Hashable {
    case offering
    case offered(ResourceDescription)
    case receiving(ResourceDescription)
    case ended
  }
  private var state = State.offering
  private var reader = ResourceFrameReader()
  private var position: Int64 = 0
  private var pieceBytes = 0  // Of the piece that has not ended.
  private var isLastPiece = false  // The last piece that ended had fewer than 1 MiB.

  /// A transfer before its offer.
  package init() {}

  /// Whether the stream may end here.
  package var isComplete: Bool { state == .ended && reader.isBetweenFrames }

  /// Takes in that this side has accepted.
  package mutating func accept() {
    if case .offered(let description) = state { state = .receiving(description) }
  }

  /// Takes in bytes of the stream.
  ///
  /// - Parameters:
  ///   - input: The bytes, to which the ranges of the steps refer.
  ///   - steps: Where to append what to do.
  /// - Throws: `violation` or `tooLarge`; the transfer is over then.
  package mutating func receive(
    _ input: [UInt8], into steps: inout [Step]
  ) throws(ResourceFailure) {
    var offset = 0
    while let part = try reader.part(of: input, at: &offset) {
      switch part {
      case .frame(let frame): try receive(frame, into: &steps)
      case .payload(let range):
        steps.append(.write(range, at: position))
        advance(by: range.count)
      }
    }
  }

  private mutating func receive(
    _ frame: ResourceFrame, into steps: inout [Step]
  ) throws(ResourceFailure) {
    switch (state, frame) {
    case (.offering, .offer(let description)):
      state = .offered(description)
      steps.append(.offer(description))
    case (.offered, .pause(let pause)), (.receiving, .pause(let pause)):
      guard pause != .diskFull else { throw .violation }
      steps.append(.pause(pause))
    case (.receiving(let description), .bytes(let count)):
      try checkRoom(for: Int64(count), of: description)
    case (.receiving(let description), .zeros(let count)):
      try checkRoom(for: count, of: description)
      steps.append(.zeros(Int(count), at: position))
      advance(by: Int(count))
    case (.receiving, .piece(let digest)):
      guard pieceBytes > 0 else { throw .violation }
      isLastPiece = pieceBytes < ResourceFrame.pieceBytes
      pieceBytes = 0
      steps.append(.check(digest: digest))
    case (.receiving(let description), .end(let byteCount, let digest)):
      guard pieceBytes == 0, byteCount == position,
        !description.isCountExact || byteCount == description.byteCount
      else { throw .violation }
      state = .ended
      steps.append(.finish(byteCount: byteCount, digest: digest))
    case (.offering, _), (.offered, _), (.receiving, _), (.ended, _): throw .violation
    }
  }

  private func checkRoom(
    for count: Int64, of description: ResourceDescription
  ) throws(ResourceFailure) {
    guard !isLastPiece, count <= Int64(ResourceFrame.pieceBytes - pieceBytes) else {
      throw .violation
    }
    guard count <= description.byteCount - position else { throw .tooLarge }
  }

  private mutating func advance(by count: Int) {
    position += Int64(count)
    pieceBytes += count
  }
}
