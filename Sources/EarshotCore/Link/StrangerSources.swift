/// Where strangers come from: how many there are of each source, and what became of those before them.
struct StrangerSources: Hashable {
  struct Record: Hashable {
    var count = 0  // Of those that are there.
    var greeted = 0  // Of these, how many are being greeted.
    var turn: UInt64 = 0  // The number of the last greeting, from 1; 0 before the first.
    var failures = 0  // Greetings that have not led to anything, or not yet.
    var last = Instant.zero  // When a greeting began.
  }
  private var records: [IPAddress: Record] = [:]
  private var turns: UInt64 = 0

  subscript(source: IPAddress) -> Record { records[source] ?? Record() }

  /// One more is there; what its source did long ago is forgotten.
  mutating func add(_ source: IPAddress, at now: Instant) {
    var record = self[source]
    if now - record.last >= Self.memory { (record.turn, record.failures) = (0, 0) }
    record.count += 1
    records[source] = record
  }

  /// One is being greeted.
  mutating func greet(_ source: IPAddress, at now: Instant) {
    turns += 1
    records[source, default: Record()].greeted += 1
    records[source]?.turn = turns
    records[source]?.failures += 1
    records[source]?.last = now
  }

  /// One is there no longer.
  mutating func remove(_ source: IPAddress, wasGreeted: Bool, inVain: Bool) {
    guard var record = records[source] else { return }
    record.count -= 1
    if wasGreeted { record.greeted -= 1 }
    if !inVain { record.failures = max(0, record.failures - 1) }
    records[source] = record.count == 0 && record.turn == 0 ? nil : record
    if records.count > Self.recordsMax { forgetOne() }
  }

  /// Forgets the source whose last turn was longest ago, of those without strangers.
  private mutating func forgetOne() {
    let idle = records.filter { $0.value.count == 0 }
    if let oldest = idle.min(by: { $0.value.turn < $1.value.turn }) { records[oldest.key] = nil }
  }

  private static let recordsMax = 256
  private static let memory = Duration.seconds(60)
}
