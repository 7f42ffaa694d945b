/// Who said how many of the records of a cache.
struct RecordSources: Hashable, Sendable {
  private var counts = ChainedTable<IPAddress, UInt16>()

  /// The number of a source, or `nil` when it has said nothing.
  subscript(address: IPAddress) -> UInt16? { counts.number(of: address).map { UInt16($0) } }

  /// How many records a source has.
  func count(of address: IPAddress) -> Int { Int(counts[address] ?? 0) }

  /// How many records the source of a number has.
  func count(of number: UInt16) -> Int { Int(counts[Int(number)]) }

  /// The most records of one source.
  var greatestCount: Int { Int(counts.values.max() ?? 0) }

  /// A source has one more record.
  ///
  /// - Returns: Its number, until it has none.
  mutating func add(_ address: IPAddress) -> UInt16 {
    guard let number = counts.number(of: address) else {
      return UInt16(counts.add(1, for: address))
    }
    counts[number] += 1
    return UInt16(number)
  }

  /// The source of a number has one record less.
  mutating func remove(_ number: UInt16) {
    counts[Int(number)] -= 1
    if counts[Int(number)] == 0 { counts.remove(Int(number), leaving: 0) }
  }
}
