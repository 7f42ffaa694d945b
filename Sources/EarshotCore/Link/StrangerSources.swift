/// Where strangers come from: how many there are of each source, and what became of those before them.
///
/// Every stranger that comes is weighed against all that are there, so sources are numbers while they are looked at.
struct StrangerSources: Hashable {
  struct Record: Hashable {
    let source: IPAddress
    var count = 0  // Of those that are there.
    var greeted = 0  // Of these, how many are being greeted.
    var turn: UInt64 = 0  // The number of the last greeting, from 1; 0 before the first.
    var failures = 0  // Greetings that have not led to anything, or not yet.
    var last = Instant.zero  // When a greeting began.
  }
  private var records: [Record?] = []
  private var numbers: [IPAddress: Int] = [:]
  private var turns: UInt64 = 0

  /// What is known of the source of a stranger that is there.
  subscript(number: Int) -> Record {
    guard let record = records[number] else { preconditionFailure("source \(number) is forgotten") }
    return record
  }

  /// One more is there; what its source did long ago is forgotten.
  ///
  /// - Returns: The number of the source, as long as one of it is there.
  mutating func add(_ source: IPAddress, at now: Instant) -> Int {
    let number = numbers[source] ?? insert(source)
    if let last = records[number]?.last, now - last >= Self.memory {
      records[number]?.turn = 0
      records[number]?.failures = 0
    }
    records[number]?.count += 1
    return number
  }

  private mutating func insert(_ source: IPAddress) -> Int {
    let number = records.firstIndex { $0 == nil } ?? records.count
    if number == records.count { records.append(nil) }
    records[number] = Record(source: source)
    numbers[source] = number
    return number
  }

  /// One is being greeted.
  mutating func greet(_ number: Int, at now: Instant) {
    turns += 1
    records[number]?.greeted += 1
    records[number]?.turn = turns
    records[number]?.failures += 1
    records[number]?.last = now
  }

  /// One is there no longer.
  mutating func remove(_ number: Int, wasGreeted: Bool, inVain: Bool) {
    guard var record = records[number] else { return }
    record.count -= 1
    if wasGreeted { record.greeted -= 1 }
    if !inVain { record.failures = max(0, record.failures - 1) }
    records[number] = record
    if record.count == 0 && record.turn == 0 { forget(number) }
    if numbers.count > Self.recordsMax { forgetOne() }
  }

  /// Forgets the source whose last turn was longest ago, of those without strangers.
  private mutating func forgetOne() {
    let idle = records.indices.filter { records[$0]?.count == 0 }
    let oldest = idle.min { (records[$0]?.turn ?? 0) < (records[$1]?.turn ?? 0) }
    if let oldest { forget(oldest) }
  }

  private mutating func forget(_ number: Int) {
    if let source = records[number]?.source { numbers[source] = nil }
    records[number] = nil
  }

  private static let recordsMax = 256
  private static let memory = Duration.seconds(60)
}
