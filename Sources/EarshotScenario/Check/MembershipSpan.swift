import EarshotSimulator

/// One membership as one of its two ends saw it.
struct MembershipSpan: Hashable {
  /// A time in which the link was broken.
  struct Interruption: Hashable {
    let start: Duration
    let reason: String
    var end: Duration?
  }
  /// The observer and its member, and the session of each.
  struct Key: Hashable {
    let observer: String
    let subject: String
    let session: String
    /// The member's session, which has the same name unless the two have crossed.
    let otherSession: String

    init(observer: String, subject: String, session: String, with otherSession: String? = nil) {
      (self.observer, self.subject, self.session) = (observer, subject, session)
      self.otherSession = otherSession ?? session
    }

    /// The other end.
    var reversed: Key {
      Key(observer: subject, subject: observer, session: otherSession, with: session)
    }
    /// Whether the two sessions have different names.
    var isMixed: Bool { session != otherSession }
    /// What the observer knows of it by what happens.
    fileprivate var named: Key { Key(observer: observer, subject: subject, session: session) }
  }

  let key: Key
  /// Which identity of the subject.
  let identity: Int
  /// Which of the observer's sessions of that name.
  let sessionNumber: Int
  let start: Duration
  /// When the observer saw it end, or lost its memory; `nil` when it has not.
  var end: Duration?
  /// The place of its end in the timeline, which tells what came first at one instant.
  var endOrder: Int?
  /// Why it ended; `nil` when the observer never said.
  var reason: String?
  /// What the observer was told that the subject did not get.
  var undelivered = 0
  var interruptions: [Interruption] = []
  /// Its place among all spans of the run, in the order in which they began.
  let number: Int

  /// Whether it went on during the whole of a range.
  func covers(_ range: ClosedRange<Duration>) -> Bool {
    start <= range.lowerBound && (end.map { $0 >= range.upperBound } ?? true)
  }

  /// Whether it went on at some time of a range.
  func overlaps(_ range: ClosedRange<Duration>) -> Bool {
    start <= range.upperBound && (end.map { $0 >= range.lowerBound } ?? true)
  }

  /// Whether its link was up at some time of a range.
  func isLinked(in range: ClosedRange<Duration>) -> Bool {
    guard overlaps(range) else { return false }
    return !interruptions.contains { interruption in
      interruption.start <= max(range.lowerBound, start)
        && (interruption.end.map { $0 >= min(range.upperBound, end ?? range.upperBound) } ?? true)
    }
  }

  /// Whether its observer waited for the subject at some time of a range.
  func isAwaited(in range: ClosedRange<Duration>) -> Bool {
    overlaps(range)
      && interruptions.contains {
        $0.start <= range.upperBound && ($0.end ?? end ?? range.upperBound) >= range.lowerBound
      }
  }

  /// When its link broke for the last time and did not come back, if it ended so.
  var lastBreak: Duration? {
    guard let last = interruptions.last, last.end == nil else { return nil }
    return last.start
  }
}

/// All memberships of a run, in the order in which they began.
struct MembershipSpans {
  private(set) var all: [MembershipSpan] = []
  /// What was told of a membership that there was not, or that was there already.
  private(set) var disorder: [Complaint] = []
  /// Those of two sessions with different names.
  private var mixed: [Int] = []
  private var places: [MembershipSpan.Key: [Int]] = [:]
  private var open: [MembershipSpan.Key: [Part: Int]] = [:]

  /// What memberships of one key, which go on at one time, differ in.
  private struct Part: Hashable {
    let identity: Int
    let sessionNumber: Int

    init(_ entry: Timeline.Entry) {
      (identity, sessionNumber) = (entry.identity, entry.sessionNumber)
    }
  }

  init(_ timeline: Timeline) {
    for (order, entry) in timeline.entries.enumerated() { apply(entry, order) }
  }

  /// What one end saw of the other, in the order of time.
  func spans(_ key: MembershipSpan.Key) -> [MembershipSpan] {
    (places[key] ?? []).map { all[$0] }
  }

  /// What one end saw of the other in sessions with different names.
  func mixedSpans(of observer: String, with subject: String) -> [MembershipSpan] {
    mixed.lazy.map { all[$0] }.filter { $0.key.observer == observer && $0.key.subject == subject }
  }

  private mutating func apply(_ entry: Timeline.Entry, _ order: Int) {
    guard let observer = entry.observer else { return }
    if entry.kind == .crashed { return forget(observer, at: entry.time) }
    guard let subject = entry.subject else { return }
    let key = MembershipSpan.Key(observer: observer, subject: subject, session: entry.session)
    switch entry.kind {
    case .joined: join(key, entry)
    case .interrupted:
      change(key, entry) { span in
        span.interruptions.append(
          MembershipSpan.Interruption(start: entry.time, reason: entry.detail))
      }
    case .resumed:
      change(key, entry) { span in
        if let last = span.interruptions.indices.last { span.interruptions[last].end = entry.time }
      }
    case .left:
      change(key, entry) { span in
        (span.end, span.endOrder) = (entry.time, order)
        (span.reason, span.undelivered) = (entry.reason, entry.undelivered)
      }
      open[key]?[Part(entry)] = nil
    case .found, .updated, .lost, .invited, .answered, .outcome, .started, .suspended, .awoke,
      .disconnected, .rejoined, .removed, .stopped, .crashed, .failed, .fault, .faultEnded,
      .streamOpened, .streamEnded, .fileOffered, .fileAccepted, .filePaused, .fileContinued,
      .fileEnded:
      break
    }
  }

  private mutating func join(_ key: MembershipSpan.Key, _ entry: Timeline.Entry) {
    if let earlier = open[key]?[Part(entry)] {
      complain(key, entry)
      all[earlier].end = entry.time
    }
    let whole = MembershipSpan.Key(
      observer: key.observer, subject: key.subject, session: key.session, with: entry.otherSession)
    if whole.isMixed { mixed.append(all.count) }
    places[whole, default: []].append(all.count)
    open[key, default: [:]][Part(entry)] = all.count
    all.append(
      MembershipSpan(
        key: whole, identity: entry.identity, sessionNumber: entry.sessionNumber,
        start: entry.time, number: all.count))
  }

  private mutating func change(
    _ key: MembershipSpan.Key, _ entry: Timeline.Entry, _ change: (inout MembershipSpan) -> Void
  ) {
    guard let place = open[key]?[Part(entry)] else {
      if !isLateRemoval(key, entry) { complain(key, entry) }
      return
    }
    let isBroken = all[place].lastBreak != nil
    if entry.kind == .interrupted && isBroken || entry.kind == .resumed && !isBroken {
      complain(key, entry)
    }
    change(&all[place])
  }

  /// Whether one that has given up a membership hears that it was removed from it.
  private func isLateRemoval(_ key: MembershipSpan.Key, _ entry: Timeline.Entry) -> Bool {
    guard entry.kind == .left, entry.reason == DepartureReason.removed.rawValue else {
      return false
    }
    return all.contains { span in
      (span.key.observer, span.key.subject) == (key.observer, key.subject)
        && (span.key.session, span.identity, span.sessionNumber)
          == (key.session, entry.identity, entry.sessionNumber)
    }
  }

  private mutating func complain(_ key: MembershipSpan.Key, _ entry: Timeline.Entry) {
    disorder.append(
      Complaint(
        "at \(Quantity.moment(entry.time)) \(key.observer) is told that \(key.subject) "
          + "\(entry.kind.rawValue), which cannot follow what it was told before",
        at: entry.time, about: [key.observer, key.subject], isEvent: true))
  }

  /// A peer's memory is lost.
  private mutating func forget(_ observer: String, at time: Duration) {
    for index in all.indices where all[index].key.observer == observer && all[index].end == nil {
      all[index].end = time
      open[all[index].key.named] = nil
    }
  }
}
