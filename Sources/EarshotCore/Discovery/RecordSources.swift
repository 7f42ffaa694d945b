/// Who said how many of the records of a cache.
struct RecordSources: Hashable, Sendable {
  private var counts = ChainedTable<IPAddress, UInt16>()
  /// How many sources have so many records.
  private var sourcesByCount: [Int] = [0]

  /// The number of a source, or `nil` when it has said nothing.
  subscript(address: IPAddress) -> UInt16? { counts.number(of: address).map { UInt16($0) } }

  /// How many records the source of a number has.
  func count(of number: UInt16) -> Int { Int(counts[Int(number)]) }

  /// The most records of one source.
  ///
  /// Known at once: in a full cache it is asked for with every record that a stranger sends.
  var greatestCount: Int { sourcesByCount.count - 1 }

  /// A source has one more record.
  ///
  /// - Parameters:
  ///   - address: The source.
  ///   - number: Its number, or `nil` when it had none.
  /// - Returns: Its number, until it has none.
  mutating func add(_ address: IPAddress, numbered number: UInt16?) -> UInt16 {
    guard let number else {
      note(1, from: 0)
      return UInt16(counts.add(1, for: address))
    }
    counts[Int(number)] += 1
    note(Int(counts[Int(number)]), from: Int(counts[Int(number)]) - 1)
    return number
  }

  /// The source of a number has one record less.
  mutating func remove(_ number: UInt16) {
    counts[Int(number)] -= 1
    note(Int(counts[Int(number)]), from: Int(counts[Int(number)]) + 1)
    if counts[Int(number)] == 0 { counts.remove(Int(number), leaving: 0) }
  }

  /// A source has another number of records than before.
  private mutating func note(_ count: Int, from before: Int) {
    if count == sourcesByCount.count { sourcesByCount.append(0) }
    if count > 0 { sourcesByCount[count] += 1 }
    if before > 0 { sourcesByCount[before] -= 1 }
    while sourcesByCount.count > 1, sourcesByCount.last == 0 { sourcesByCount.removeLast() }
  }
}
