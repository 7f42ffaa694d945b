/// What an advertiser owes to one interface: announcements and answers, by when.
///
/// No set is multicast twice within a second (RFC 6762 §6), but for the defence of a name, which may follow
/// after a quarter of one. What comes due soon goes along with what is due (§6.4).
struct AnswerQueue: Hashable, Sendable {
  /// Answers to one source: after more known answers, or to it alone.
  struct Reserved: Hashable, Sendable {
    let source: Endpoint
    let isUnicast: Bool
    var sets: AdvertisedSets
    var due: Instant
    let latest: Instant
  }
  private struct Announcing: Hashable, Sendable {
    var sets: AdvertisedSets
    var sent: Int
    var next: Instant
  }

  static let gap = Duration.seconds(1)
  static let defenceGap = Duration.milliseconds(250)
  private static let aggregation = Duration.milliseconds(500)
  private static let reservedMax = 64
  private static let announcementsMax = 3

  let interface: NetworkInterface
  private(set) var reserved: [Reserved] = []
  private var due = [Instant?](repeating: nil, count: AdvertisedSets.count)
  private var sent = [Instant?](repeating: nil, count: AdvertisedSets.count)
  private var announcing: Announcing?

  init(_ interface: NetworkInterface) { self.interface = interface }

  /// A queue for an interface whose addresses changed, which remembers what was sent.
  init(_ interface: NetworkInterface, continuing queue: AnswerQueue) {
    self.interface = interface
    (due, sent) = (queue.due, queue.sent)
  }

  /// When there is something to do next.
  var next: Instant? {
    var next = announcing?.next
    for entry in reserved { next = min(next ?? entry.due, entry.due) }
    for case let time? in due { next = min(next ?? time, time) }
    return next
  }

  /// Announces some sets at the given time, and twice more after one and two seconds.
  mutating func announce(_ sets: AdvertisedSets, at start: Instant) {
    announcing = Announcing(
      sets: sets.union(announcing?.sets ?? []), sent: 0, next: start)
  }

  /// Owes some sets by a time, or as soon after as the gap allows.
  mutating func owe(_ sets: AdvertisedSets, at time: Instant, gap: Duration = AnswerQueue.gap) {
    for (index, _) in sets.each {
      let earliest = max(time, sent[index].map { $0 + gap } ?? time)
      due[index] = min(due[index] ?? earliest, earliest)
    }
  }

  /// Owes sets to one source; `false` when too many wait already.
  mutating func reserve(_ entry: Reserved) -> Bool {
    guard reserved.count < Self.reservedMax else { return false }
    reserved.append(entry)
    return true
  }

  /// More known answers of a source arrived: less is owed to it, and later if still more follow.
  mutating func learn(
    from source: Endpoint, knowing known: AdvertisedSets, waitingUntil due: Instant?
  ) {
    for index in reserved.indices
    where reserved[index].source == source && !reserved[index].isUnicast {
      reserved[index].sets.subtract(known)
      if let due { reserved[index].due = min(due, reserved[index].latest) }
    }
  }

  /// It was said, here or by another host: it is not owed any more.
  mutating func noteSent(_ sets: AdvertisedSets, at now: Instant) {
    for (index, _) in sets.each { (due[index], sent[index]) = (nil, now) }
  }

  /// Whether a set was multicast within a quarter of its lifetime.
  func wasSentRecently(_ set: AdvertisedSets, at now: Instant) -> Bool {
    let quarter = Duration.seconds(Int(AdvertisedRecords.lifetimeSeconds(of: set))) / 4
    return set.each.allSatisfy { index, _ in sent[index].map { now - $0 < quarter } ?? false }
  }

  /// The sets that may be multicast now.
  func allowed(_ sets: AdvertisedSets, at now: Instant) -> AdvertisedSets {
    sets.each.filter { index, _ in sent[index].map { now - $0 >= Self.gap } ?? true }
      .reduce(into: []) { $0.insert($1.set) }
  }

  /// Moves announcements and held answers that are due to what is owed.
  mutating func advance(at now: Instant) {
    if var current = announcing, current.next <= now {
      // What all peers say alike, another one has just announced.
      let isSaid = allowed(.serviceTypes, at: now).isEmpty
      owe(isSaid ? current.sets.subtracting(.serviceTypes) : current.sets, at: now)
      current.sent += 1
      current.next = now + .seconds(1 << (current.sent - 1))
      announcing = current.sent < Self.announcementsMax ? current : nil
    }
    guard !reserved.isEmpty else { return }
    for entry in reserved where entry.due <= now && !entry.isUnicast { owe(entry.sets, at: now) }
    reserved.removeAll { $0.due <= now && !$0.isUnicast }
  }

  /// Takes what is to be sent to single sources now.
  mutating func takeUnicast(at now: Instant) -> [Reserved] {
    guard !reserved.isEmpty else { return [] }
    defer { reserved.removeAll { $0.due <= now && $0.isUnicast } }
    return reserved.filter { $0.due <= now && $0.isUnicast }
  }

  /// Takes what is to be multicast now: nothing, or all that is due, with what will be soon.
  mutating func takeMulticast(at now: Instant) -> AdvertisedSets {
    guard due.contains(where: { $0.map { $0 <= now } ?? false }) else { return [] }
    var sets: AdvertisedSets = []
    let all = AdvertisedSets(rawValue: .max)
    for (index, set) in all.each {
      guard let time = due[index] else { continue }
      let isSoon = time <= now + Self.aggregation && allowed(set, at: now) == set
      if time <= now || isSoon { sets.insert(set) }
    }
    return sets
  }

  /// Owes and announces nothing any more.
  mutating func clear() {
    due = due.map { _ in nil }
    reserved = []
    announcing = nil
  }
}
