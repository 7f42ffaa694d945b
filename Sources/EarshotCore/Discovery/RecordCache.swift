/// What others said, with an end to everything.
///
/// Bounded in records and bytes, in total and per source. A source that has used up its share is refused; when the whole is
/// full, a source with far more records than a host has peers gives up its latest one, and if there is none, what is
/// there stays: sources can be forged, and those that have few records are the living.
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
  private static let overheadBytes = 64
  /// What strangers say against a record is not heard beyond that, unless one of them has said more
  /// than others.
  private static let siblingsMax = 8
  /// How long what may be as true as what stands is held though that is said again: for as long as
  /// a host may be silent.
  private static let held = Duration.seconds(3)
  /// A source with no more records than that gives up none.
  private static let modestCount = 64

  private let limits: Limits
  private var records = RecordSlots()
  private var deadlines = DeadlineHeap<UInt64>()
  private var sources = RecordSources()
  private var bytes = 0
  private var lastFarewell: Instant?
  /// The pointers in the order of their arrival, and so of their sequence numbers.
  private var pointers: [UInt64] = []

  init(limits: Limits = Limits()) {
    precondition(limits.records <= RecordSlots.countMax)
    self.limits = limits
  }

  var count: Int { records.count }
  /// Whether so much is remembered that newcomers should wait until they have been heard twice.
  var isCrowded: Bool { records.count * 2 >= limits.records || bytes * 2 >= limits.bytes }
  var nextDeadline: Instant? { deadlines.next(in: records) }

  /// The records of a name, the oldest first; pointers by the name that they point to.
  func records(_ name: DNSName, _ type: DNSType, on interface: UInt32) -> [CachedRecord] {
    var found: [CachedRecord] = []
    forEach(name, type, on: interface) { found.append($0) }
    return found
  }

  /// Whether there are records of a name; pointers by the name that they point to.
  func hasRecords(_ name: DNSName, _ type: DNSType, on interface: UInt32) -> Bool {
    first(name, type, on: interface) { _ in true } != nil
  }

  /// Whether a record is remembered, and is not leaving.
  func remembers(_ record: DNSRecord, on interface: UInt32) -> Bool {
    guard let same = records.matches(of: record, on: interface).same else { return false }
    return records[same]?.trust != .leaving
  }

  /// The oldest record of a name that meets a condition.
  func first(
    _ name: DNSName, _ type: DNSType, on interface: UInt32, where isWanted: (CachedRecord) -> Bool
  ) -> CachedRecord? {
    var first: CachedRecord?
    records.forEach(of: name) { cached in
      guard cached.interface == interface, cached.record.type == type, isWanted(cached) else {
        return true
      }
      first = cached
      return false
    }
    return first
  }

  /// Calls a closure with the records of a name, the oldest first.
  func forEach(
    _ name: DNSName, _ type: DNSType, on interface: UInt32, _ body: (CachedRecord) -> Void
  ) {
    records.forEach(of: name) { cached in
      if cached.interface == interface, cached.record.type == type { body(cached) }
      return true
    }
  }

  /// All pointers that came in on an interface, the oldest first.
  func pointers(on interface: UInt32) -> [CachedRecord] {
    pointers.compactMap { records[$0] }.filter { $0.interface == interface }
  }

  /// Whether a record came from a source.
  func isFrom(_ source: IPAddress, _ cached: CachedRecord) -> Bool {
    sources[source] == cached.source
  }

  /// Takes in what a response said.
  ///
  /// Sources have no proof, so who was not heard saying a record, and is not known to be its host either, cannot end it:
  /// what such a stranger says against the record has it asked for, and what it says instead stands behind. What its own
  /// host says instead is true unless strangers speak, too, or it is asked and says it again: from
  /// then on all are strangers. A goodbye of its host is true unless it is asked and says the
  /// record again, however often that was so.
  ///
  /// - Parameters:
  ///   - record: What was said.
  ///   - source: The address that it came from.
  ///   - interface: Where it came in.
  ///   - isAnnounced: Whether the same message announces the whole instance. So does a host that
  ///     stops and starts again; one that is asked whether it is leaving answers with less. Thus the
  ///     goodbye before was true.
  ///   - now: The time.
  ///   - random: The chance of the machine.
  /// - Returns: Whether anything is different now, but for the time until which it is believed; and what had
  ///   to make room.
  mutating func insert(
    _ record: DNSRecord, from source: IPAddress, on interface: UInt32, isAnnounced: Bool = false,
    at now: Instant, random: inout RandomStream
  ) -> (isNews: Bool, evicted: [CachedRecord]) {
    let (same, others) = siblings(of: record, on: interface)
    if record.lifetimeSeconds == 0 {
      guard let same else { return (false, []) }
      leave(same, saidBy: source, at: now)
      return (true, [])
    }
    let isRival = others.contains { !$0.isRival && !mayReplace($0, by: record, saidBy: source) }
    var outdated: [CachedRecord] = []
    if record.flushesCache {
      // What came within the last second belongs to the same whole, if it was not said against it.
      outdated = others.filter {
        $0.isRival
          ? !isRival && !($0.isEqual && now - $0.received <= Self.held)
          : now - $0.received > CachedRecord.farewell
      }
    }
    let gone = outdated.filter { $0.isRival || mayReplace($0, by: record, saidBy: source) }
    for cached in outdated { change(cached.sequence) { $0.distrust(.questioned, at: now) } }
    for cached in gone { replace(cached, at: now) }
    if let same {
      let isRescue =
        !isAnnounced && (same.wasAskedToStay || hasReturned(same, others))
        && isOfHost(same, source)
      change(same.sequence) {
        $0.confirm(
          lifetimeSeconds: record.lifetimeSeconds, isRescue: isRescue, at: now, random: &random)
        if !isRival { $0.stand() }
      }
      if isRescue { contest(others, at: now) }
      let isRescued = !isAnnounced && rescueInstance(of: same, saidBy: source, at: now)
      let wasBehind = same.trust == .leaving || same.isRival || isBehind(same, others)
      return (wasBehind || isRescued || !outdated.isEmpty, [])
    }
    let known = sources[source]
    guard !isRival || makeRoom(among: others, for: known),
      let evicted = makeRoom(for: record, from: known, inPlaceOf: gone)
    else { return (!outdated.isEmpty, []) }
    let number = sources.add(source, numbered: evicted.isEmpty ? known : sources[source])
    let isEqual = isRival && question(others, at: now)
    add(record, from: number, on: interface, at: now, random: &random) {
      if isRival { $0.contest(isEqual: isEqual, at: now) }
    }
    return (true, evicted)
  }

  /// Has what stands asked for, if all of it is so young that what is said against it may be as
  /// true.
  ///
  /// - Returns: Whether it is.
  private mutating func question(_ others: [CachedRecord], at now: Instant) -> Bool {
    let standing = others.filter { !$0.isRival }
    guard standing.allSatisfy({ $0.isRecent(at: now) }) else { return false }
    for cached in standing { change(cached.sequence) { $0.distrust(.questioned, at: now) } }
    return true
  }

  /// A record goes, since another one took its place.
  ///
  /// Its host is asked about that, but for the strings of an instance: they change often, and hurt nobody.
  private mutating func replace(_ cached: CachedRecord, at now: Instant) {
    lastFarewell = now
    let hasSpoken = hasSpoken(for: cached, at: now)
    change(cached.sequence) {
      if cached.isOf(.text) {
        $0.giveWay(at: now)
      } else {
        $0.leave(at: now, isDisputed: hasSpoken)
      }
    }
  }

  /// Takes in a goodbye.
  ///
  /// A goodbye of the host is true if the host, when asked, is silent. After that of another
  /// source, the record is asked for, and expires after ten seconds.
  private mutating func leave(_ cached: CachedRecord, saidBy source: IPAddress, at now: Instant) {
    guard speaks(source, for: cached) else {
      return change(cached.sequence) { $0.distrust(.questioned, at: now) }
    }
    lastFarewell = now
    let isDisputed =
      cached.isRescued || isContested(cached) || hasSpoken(for: cached, at: now)
    change(cached.sequence) { $0.leave(at: now, isDisputed: isDisputed) }
  }

  /// Whether something was said to leave within the last seconds.
  func hasFarewells(at now: Instant) -> Bool {
    lastFarewell.map { now - $0 <= CachedRecord.farewell * 2 } ?? false
  }

  /// What stands in the place of a record that is true: a stranger's word from now on.
  private mutating func contest(_ others: [CachedRecord], at now: Instant) {
    for cached in others where !cached.isRival && !cached.isRescued && cached.trust == .fresh {
      change(cached.sequence) { $0.contest(at: now) }
    }
  }

  /// An instance whose host was asked, and says its service, is not leaving.
  ///
  /// - Returns: Whether it was believed to.
  private mutating func rescueInstance(
    of service: CachedRecord, saidBy source: IPAddress, at now: Instant
  ) -> Bool {
    guard service.isOf(.service), hasFarewells(at: now), isOfHost(service, source) else {
      return false
    }
    let leaving = leaving(of: service.record.name, at: [], on: service.interface)
      .filter { !$0.isOf(.service) && $0.wasAskedToStay }
    for part in leaving { change(part.sequence) { $0.spare(at: now) } }
    return !leaving.isEmpty
  }

  /// The record of the same name, type and data, and those that a record can replace.
  private func siblings(
    of record: DNSRecord, on interface: UInt32
  ) -> (same: CachedRecord?, others: [CachedRecord]) {
    let matches = records.matches(of: record, on: interface)
    let same = matches.same.flatMap { records[$0] }
    guard matches.others, record.type != .ptr else { return (same, []) }
    let all = records(record.key, record.type, on: interface)
    return (same, all.filter { !$0.record.hasData(of: record) })
  }

  private mutating func add(
    _ record: DNSRecord, from source: UInt16, on interface: UInt32, at now: Instant,
    random: inout RandomStream, _ change: (inout CachedRecord) -> Void
  ) {
    var cached = CachedRecord(
      record, sequence: records.makeSequence(), from: source, on: interface, at: now,
      random: &random)
    change(&cached)
    records.add(cached)
    if record.type == .ptr { pointers.append(cached.sequence) }
    deadlines.set(cached.sequence, at: cached.deadline, in: &records)
    bytes += Self.bytes(of: record)
  }

  /// Makes room for one more record against what stands, from the source that has said most against
  /// it.
  ///
  /// - Returns: Whether there is room.
  private mutating func makeRoom(among others: [CachedRecord], for source: UInt16?) -> Bool {
    guard others.count >= Self.siblingsMax else { return true }
    let rivals = others.filter(\.isRival)
    func count(of source: UInt16?) -> Int { rivals.count { $0.source == source } }
    guard let greediest = rivals.max(by: { count(of: $0.source) < count(of: $1.source) })?.source,
      count(of: greediest) > count(of: source) + 1,
      let latest = rivals.last(where: { $0.source == greediest })
    else { return false }
    remove(latest.sequence)
    return true
  }

  /// Evicts what must go, or answers `nil` when the source has had its share; what is outdated goes at once before the
  /// news of it is refused.
  private mutating func makeRoom(
    for record: DNSRecord, from source: UInt16?, inPlaceOf outdated: [CachedRecord]
  ) -> [CachedRecord]? {
    if let evicted = makeRoom(for: record, from: source) { return evicted }
    return outdated.isEmpty ? nil : outdated.compactMap { remove($0.sequence) }
  }

  /// Evicts what must go, or answers `nil` when the source has had its share, or all others have modest ones.
  private mutating func makeRoom(for record: DNSRecord, from source: UInt16?) -> [CachedRecord]? {
    let used = source.map { sources.count(of: $0) } ?? 0
    let size = Self.bytes(of: record)
    guard used < limits.recordsPerSource, size <= limits.bytes else { return nil }
    var evicted: [CachedRecord] = []
    while records.count >= limits.records || bytes + size > limits.bytes {
      guard sources.greatestCount > max(used, Self.modestCount), let latest = latestOfGreediest,
        let removed = remove(latest)
      else { return nil }
      evicted.append(removed)
    }
    return evicted
  }

  /// The latest of what the source with the most records has said; of several such, the one that began first.
  private var latestOfGreediest: UInt64? {
    let most = sources.greatestCount
    let first = records.all.filter { sources.count(of: $0.source) == most }
      .min { $0.sequence < $1.sequence }
    return records.all.filter { $0.source == first?.source }.map(\.sequence).max()
  }

  /// The record of a sequence number.
  subscript(sequence: UInt64) -> CachedRecord? { records[sequence] }

  /// Changes a record and moves its deadline.
  mutating func change(_ sequence: UInt64, _ body: (inout CachedRecord) -> Void) {
    deadlines.tidy(&records)
    guard let deadline = records.change(sequence, body) else { return }
    deadlines.set(sequence, at: deadline, in: &records)
  }

  /// Takes the next record that has come due: to be asked for again, or gone.
  mutating func popDue(at now: Instant) -> Due? {
    guard let sequence = deadlines.popDue(at: now, from: &records), let cached = records[sequence]
    else {
      return nil
    }
    if cached.expiry <= now { return remove(sequence).map { .expired($0) } }
    change(sequence) { $0.noteAsked() }
    return .asking(cached)
  }

  /// Has what was heard only once be forgotten soon, unless it is heard again.
  mutating func doubtUnproven(at now: Instant) {
    for sequence in sequences where records[sequence].map({ !$0.isProven }) ?? false {
      change(sequence) { if $0.trust == .fresh { $0.distrust(.unproven, at: now) } }
    }
  }

  /// The records that come due within some seconds, the earliest first: of many, the first few.
  func upcoming(until limit: Instant, countMax: Int) -> [CachedRecord] {
    deadlines.upcoming(until: limit, countMax: countMax, in: records).compactMap { records[$0] }
  }

  /// Removes all that meets a condition.
  mutating func removeAll(where isGone: (CachedRecord) -> Bool) -> [CachedRecord] {
    sequences.filter { sequence in records[sequence].map(isGone) ?? false }
      .compactMap { remove($0) }
  }

  /// The sequence numbers of all records, in the order of arrival.
  var sequences: [UInt64] { records.sequences }

  /// Removes a record.
  @discardableResult
  mutating func remove(_ sequence: UInt64) -> CachedRecord? {
    guard let cached = records.remove(sequence) else { return nil }
    deadlines.tidy(&records)
    bytes -= Self.bytes(of: cached.record)
    if cached.record.type == .ptr { removePointer(sequence) }
    sources.remove(cached.source)
    if !cached.isRival { putForward(inPlaceOf: cached) }
    return cached
  }

  private mutating func removePointer(_ sequence: UInt64) {
    var (low, high) = (0, pointers.count)
    while low < high {
      let middle = (low + high) / 2
      if pointers[middle] < sequence { low = middle + 1 } else { high = middle }
    }
    if low < pointers.count, pointers[low] == sequence { pointers.remove(at: low) }
  }

  /// The source that first spoke against the last record that stood is believed now, in what it
  /// said last.
  private mutating func putForward(inPlaceOf gone: CachedRecord) {
    let others = siblings(of: gone.record, on: gone.interface).others
    guard let first = others.first, others.allSatisfy(\.isRival),
      let last = others.filter({ $0.source == first.source }).max(by: { $0.isOlder(than: $1) })
    else { return }
    change(last.sequence) { $0.stand() }
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
