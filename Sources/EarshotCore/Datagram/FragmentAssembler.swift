/// Puts the fragments of messages together again, in whatever order they come.
///
/// Bounded in memory and in time: a message that is not whole after a second is given up, and so are the oldest ones
/// when more than 256 KiB are waiting.
package struct FragmentAssembler: Hashable, Sendable {
  /// How long the fragments of a message are kept.
  package static let lifetime = Duration.seconds(1)
  /// How many bytes of fragments are kept at most.
  package static let bytesMax = 262_144

  private struct Partial: Hashable {
    let message: UInt64
    let began: Instant
    let count: Int
    var present: UInt64 = 0  // One bit for each fragment.
    var bytes: [UInt8]
    var lastBytes = 0

    var isWhole: Bool { present.nonzeroBitCount == count }

    /// The message, when all of it is there.
    var whole: [UInt8] {
      Array(bytes.prefix((count - 1) * DatagramContents.fragmentBytes + lastBytes))
    }

    mutating func put(_ payload: Span<UInt8>, at index: Int) {
      present |= 1 << index
      let start = index * DatagramContents.fragmentBytes
      for offset in payload.indices { bytes[start + offset] = payload[offset] }
      if index == count - 1 { lastBytes = payload.count }
    }
  }
  private var partials: [Partial] = []  // In the order in which they began.
  /// How many messages were given up, since a fragment of theirs did not come in time.
  package private(set) var incompleteCount = 0

  /// How many messages were given up, or will be as soon as something comes.
  package func incompleteCount(at now: Instant) -> Int {
    incompleteCount + partials.count { now - $0.began >= Self.lifetime }
  }

  /// Expects the first fragment.
  package init() {}

  /// How many bytes are reserved for messages that are not whole.
  package var bufferedBytes: Int { partials.reduce(0) { $0 + $1.bytes.count } }

  /// Takes in a fragment.
  ///
  /// - Returns: The message, if this makes it whole.
  package mutating func take(
    _ fragment: DatagramContents.Fragment, _ payload: Span<UInt8>, at now: Instant
  ) -> [UInt8]? {
    discard { now - $0.began >= Self.lifetime }
    var index = partials.firstIndex { $0.message == fragment.message }
    if index == nil {
      makeRoom(for: fragment.count * DatagramContents.fragmentBytes)
      partials.append(
        Partial(
          message: fragment.message, began: now, count: fragment.count,
          bytes: [UInt8](
            repeating: 0, count: fragment.count * DatagramContents.fragmentBytes)))
      index = partials.count - 1
    }
    // One that contradicts the others, or was there before, changes nothing.
    guard let index, partials[index].count == fragment.count,
      partials[index].present >> fragment.index & 1 == 0
    else { return nil }
    partials[index].put(payload, at: fragment.index)
    guard partials[index].isWhole else { return nil }
    return partials.remove(at: index).whole
  }

  private mutating func makeRoom(for bytes: Int) {
    var room = Self.bytesMax - bufferedBytes
    discard { partial in
      guard room < bytes else { return false }
      room += partial.bytes.count
      return true
    }
  }

  /// Gives up those that are to be, the oldest first.
  private mutating func discard(where isOver: (Partial) -> Bool) {
    let kept = partials.drop(while: isOver)
    incompleteCount += partials.count - kept.count
    if kept.count < partials.count { partials = Array(kept) }
  }
}
