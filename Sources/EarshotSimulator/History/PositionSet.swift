/// Positions that are taken from the front on, more or less in order.
///
/// Words that are full lie in front of a base, so that the size is that of the part in disorder.
package struct PositionSet: Hashable, Sendable {
  private var fullWords = 0
  private var words: [UInt64] = []

  /// A set without positions.
  package init() {}

  /// The first position that is not in the set.
  package var firstMissing: Int {
    64 * fullWords + (words.first.map { (~$0).trailingZeroBitCount } ?? 0)
  }

  /// Adds a position.
  package mutating func insert(_ position: Int) {
    let word = position / 64 - fullWords
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt64(position % 64)
    var full = 0
    while full < words.count, words[full] == .max { full += 1 }
    if full > 0 {
      words.removeFirst(full)
      fullWords += full
    }
  }

  /// Takes out a position that is in the set.
  package mutating func remove(_ position: Int) {
    let word = position / 64
    if word < fullWords {
      words.insert(contentsOf: repeatElement(.max, count: fullWords - word), at: 0)
      fullWords = word
    }
    words[word - fullWords] &= ~(1 << UInt64(position % 64))
    while words.last == 0 { words.removeLast() }
  }
}
