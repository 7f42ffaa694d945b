/// Where the elements of a table are found by a hash: for each of its last bits the first and the last element, from
/// which the table itself goes on to the next ones.
///
/// Four bytes an element, where a dictionary takes the key and the value twice over.
struct ChainIndex: Hashable, Sendable {
  static let none: Int32 = -1
  private static let bucketsMin = 16

  private var buckets: [Int32] = []

  /// The first element whose hash has the same last bits, or ``none``.
  subscript(hash: Int) -> Int32 {
    get { buckets.isEmpty ? Self.none : buckets[hash & (buckets.count - 1)] }
    set { buckets[hash & (buckets.count - 1)] = newValue }
  }

  /// Whether so many elements need more buckets than there are: then all are to be entered anew.
  func isFull(with count: Int) -> Bool { count > buckets.count }

  /// Empties the index, with enough buckets for twice so many elements.
  mutating func reset(for count: Int) {
    var size = Self.bucketsMin
    while size <= count { size *= 2 }
    buckets = Array(repeating: Self.none, count: size)
  }
}
