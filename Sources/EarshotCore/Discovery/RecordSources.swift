/// Who said how many of the records of a cache.
struct RecordSources: Hashable, Sendable {
  private struct Source: Hashable, Sendable {
    let address: IPAddress
    var count: UInt16
  }

  private var sources: [Source] = []
  private var numbers: [IPAddress: UInt16] = [:]
  private var free: [UInt16] = []

  /// The number of a source, or `nil` when it has said nothing.
  subscript(address: IPAddress) -> UInt16? { numbers[address] }

  /// How many records a source has.
  func count(of address: IPAddress) -> Int { numbers[address].map { count(of: $0) } ?? 0 }

  /// How many records the source of a number has.
  func count(of number: UInt16) -> Int { Int(sources[Int(number)].count) }

  /// The most records of one source.
  var greatestCount: Int { Int(sources.lazy.map(\.count).max() ?? 0) }

  /// A source has one more record.
  ///
  /// - Returns: Its number, until it has none.
  mutating func add(_ address: IPAddress) -> UInt16 {
    if let number = numbers[address] {
      sources[Int(number)].count += 1
      return number
    }
    let number = free.popLast() ?? UInt16(sources.count)
    let source = Source(address: address, count: 1)
    if Int(number) == sources.count {
      sources.append(source)
    } else {
      sources[Int(number)] = source
    }
    numbers[address] = number
    return number
  }

  /// The source of a number has one record less.
  mutating func remove(_ number: UInt16) {
    sources[Int(number)].count -= 1
    guard sources[Int(number)].count == 0 else { return }
    numbers[sources[Int(number)].address] = nil
    free.append(number)
  }
}
