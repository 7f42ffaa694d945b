/// What others said, with an end to everything.
///
/// Bounded in records and bytes, in total and per source. A source that has used up its share is refused; when
/// the whole is full, the source with the most records gives up its latest one.
struct RecordCache: Hashable, Sendable {
  struct Limits: Hashable, Sendable {
    var records = 16_384
    var recordsPerSource = 512
    var bytes = 4 << 20
  }
  /// What has come due of a record.
  enum Due: Hashable, Sendable {
    case asking(CachedRecord)
    case expired(CachedRecord)
  }
  /// Pointers are found by where they point, all others by their name.
  private struct Key: Hashable, Sendable {
    let name: DNSName
    let type: DNSType
    let interface: UInt32
  }
  private static let overheadBytes = 64

  private let limits: Limits
  private var records: [UInt64: CachedRecord] = [:]
  private var index: [Key: [UInt64]] = [:]
  private var deadlines = DeadlineHeap<UInt64>()
  /// How much each source said: the sequence numbers in the order of arrival.
  private var sources: [IPAddress: [UInt64]] = [:]
  private var bytes = 0
  private var sequence: UInt64 = 0
  /// The pointers in the order of their arrival.
  private var pointers: [UInt64] = []

  init(limits: Limits = Limits()) { self.limits = limits }

  var count: Int { records.count }
  var nextDeadline: Instant? { deadlines.next }

  /// The records of a name, the oldest first; pointers by the name that they point to.
  func records(_ name: DNSName, _ type: DNSType, on interface: UInt32) -> [CachedRecord] {
    index[Key(name: name, type: type, interface: interface), default: []]
      .compactMap { records[$0] }
  }

  /// All pointers that came in on an interface, the oldest first.
  func pointers(on interface: UInt32) -> [CachedRecord] {
    pointers.compactMap { records[$0] }.filter { $0.interface == interface }
  }

  /// Takes in what a response said.
  ///
  /// - Returns: Whether anything is different now, but for the time until which it is believed; and what had
  ///   to make room.
  mutating func insert(
    _ record: DNSRecord, from source: IPAddress, on interface: UInt32, at now: Instant,
    random: inout RandomStream
  ) -> (isNews: Bool, evicted: [CachedRecord]) {
    let key = Self.key(of: record, on: interface)
    let same = index[key, default: []].first { records[$0]?.record.data == record.data }
    if record.lifetimeSeconds == 0 {
      if let same { change(same) { $0.distrust(.leaving, at: now) } }
      return (same != nil, [])
    }
    var isNews = flush(key, butFor: record, at: now)
    if let same {
      isNews = isNews || records[same]?.trust == .leaving
      change(same) {
        $0.confirm(lifetimeSeconds: record.lifetimeSeconds, at: now, random: &random)
      }
      return (isNews, [])
    }
    guard let evicted = makeRoom(for: record, from: source) else { return (isNews, []) }
    add(record, key, from: source, on: interface, at: now, random: &random)
    return (true, evicted)
  }

  /// Lets go what a record replaces; what came within the last second belongs to the same whole.
  private mutating func flush(_ key: Key, butFor record: DNSRecord, at now: Instant) -> Bool {
    guard record.flushesCache, record.type != .ptr else { return false }
    let old = index[key, default: []].filter { sequence in
      records[sequence].map {
        $0.record.data != record.data && now - $0.received > CachedRecord.farewell
      } ?? false
    }
    for sequence in old { change(sequence) { $0.distrust(.leaving, at: now) } }
    return !old.isEmpty
  }

  private mutating func add(
    _ record: DNSRecord, _ key: Key, from source: IPAddress, on interface: UInt32,
    at now: Instant, random: inout RandomStream
  ) {
    sequence += 1
    let cached = CachedRecord(
      record, sequence: sequence, from: source, on: interface, at: now, random: &random)
    records[sequence] = cached
    index[key, default: []].append(sequence)
    if record.type == .ptr { pointers.append(sequence) }
    deadlines.set(sequence, at: cached.deadline)
    bytes += Self.bytes(of: record)
    sources[source, default: []].append(sequence)
  }

  /// Evicts what must go, or answers `nil` when the source has had its share.
  private mutating func makeRoom(for record: DNSRecord, from source: IPAddress) -> [CachedRecord]? {
    let used = sources[source]?.count ?? 0
    let size = Self.bytes(of: record)
    guard used < limits.recordsPerSource, size <= limits.bytes else { return nil }
    var evicted: [CachedRecord] = []
    while records.count >= limits.records || bytes + size > limits.bytes {
      guard let greediest = greediest, greediest.count > used, let latest = greediest.last,
        let removed = remove(latest)
      else { return nil }
      evicted.append(removed)
    }
    return evicted
  }

  /// What the source with the most records has said; of several, the one that began first.
  private var greediest: [UInt64]? {
    sources.values.max { ($0.count, $1.first ?? 0) < ($1.count, $0.first ?? 0) }
  }

  /// The record of a sequence number.
  subscript(sequence: UInt64) -> CachedRecord? { records[sequence] }

  /// Changes a record and moves its deadline.
  mutating func change(_ sequence: UInt64, _ body: (inout CachedRecord) -> Void) {
    guard var cached = records[sequence] else { return }
    body(&cached)
    records[sequence] = cached
    deadlines.set(sequence, at: cached.deadline)
  }

  /// Takes the next record that has come due: to be asked for again, or gone.
  mutating func popDue(at now: Instant) -> Due? {
    guard let sequence = deadlines.popDue(at: now), let cached = records[sequence] else {
      return nil
    }
    if cached.expiry <= now { return remove(sequence).map { .expired($0) } }
    change(sequence) { $0.noteAsked() }
    return .asking(cached)
  }

  /// The records that come due within some seconds, the earliest first: of many, the first few.
  func upcoming(until limit: Instant, countMax: Int) -> [CachedRecord] {
    deadlines.upcoming(until: limit, countMax: countMax).compactMap { records[$0] }
  }

  /// Removes all that came in on interfaces that are gone.
  mutating func removeAll(notOn interfaces: [UInt32]) -> [CachedRecord] {
    records.keys.sorted().filter { sequence in
      records[sequence].map { !interfaces.contains($0.interface) } ?? false
    }.compactMap { remove($0) }
  }

  /// The sequence numbers of all records, in the order of arrival.
  var sequences: [UInt64] { records.keys.sorted() }

  private mutating func remove(_ sequence: UInt64) -> CachedRecord? {
    guard let cached = records.removeValue(forKey: sequence) else { return nil }
    deadlines.remove(sequence)
    bytes -= Self.bytes(of: cached.record)
    let key = Self.key(of: cached.record, on: cached.interface)
    index[key]?.removeAll { $0 == sequence }
    if index[key]?.isEmpty ?? false { index[key] = nil }
    if cached.record.type == .ptr { pointers.removeAll { $0 == sequence } }
    sources[cached.source]?.removeAll { $0 == sequence }
    if sources[cached.source]?.isEmpty ?? false { sources[cached.source] = nil }
    return cached
  }

  private static func key(of record: DNSRecord, on interface: UInt32) -> Key {
    guard case .pointer(let target) = record.data else {
      return Key(name: record.name, type: record.type, interface: interface)
    }
    return Key(name: target, type: .ptr, interface: interface)
  }

  private static func bytes(of record: DNSRecord) -> Int {
    let content =
      switch record.data {
      case .text(let strings): strings.count
      case .other(_, let content): content.count
      case .pointer(let name): name.wire.count
      case .service(_, _, _, let host): host.wire.count
      case .address, .types: 16
      }
    return record.name.wire.count + content + overheadBytes
  }
}
