import Earshot
import EarshotCore
import EarshotSimulator

/// A scenario, what was recorded of its run, and what follows from both.
struct Evidence {
  let record: Recorder.Record
  let end: Duration
  let spans: MembershipSpans
  private let links: LinkPlan
  private let plans: [String: PeerPlan]
  /// How much longer than on a quiet link it may take on any, where all are alike.
  private let commonDelay: Duration?
  /// What programs did of themselves: they left, slept, removed members, stopped.
  private let deeds: [Timeline.Entry]
  /// When each peer was stopped first.
  private let stops: [String: Duration]
  /// All peers, in the order of the scenario.
  let names: [String]

  /// What was recorded of a run up to a time, which is its end for all that follows.
  init(_ scenario: Scenario, _ record: Recorder.Record, until end: Duration) {
    (self.record, self.end, links) = (record, end, scenario.links)
    spans = MembershipSpans(record.timeline)
    names = scenario.peerNames
    commonDelay = links.exceptions.isEmpty ? Self.delay(of: links.defaults) : nil
    deeds = record.timeline.entries.filter { $0.kind.isDeed }
    stops = deeds.reduce(into: [:]) { stops, entry in
      if entry.kind == .stopped, let name = entry.observer, stops[name] == nil {
        stops[name] = entry.time
      }
    }
    plans = Dictionary(
      scenario.peers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: What was planned

  /// How long a session waits for a member whose link is broken.
  func patience(of name: String, in session: String) -> Duration {
    plans[name]?.session(session)?.patience ?? Session.Configuration().patience
  }

  /// How many peers a session takes, its own included.
  func capacity(of name: String, in session: String) -> Int {
    plans[name]?.session(session)?.capacity ?? Session.Configuration().peersMax
  }

  /// Whether there are more peers than some session has room for.
  var isCrowded: Bool {
    let smallest = names.flatMap { plans[$0]?.sessions.map(\.capacity) ?? [] }
      .map { $0 ?? Session.Configuration().peersMax }.min()
    return names.count > smallest ?? Session.Configuration().peersMax
  }

  /// The names of all sessions, each once.
  var sessions: [String] {
    var seen: Set<String> = []
    return names.flatMap { plans[$0]?.sessions.map(\.name) ?? [] }.filter {
      seen.insert($0).inserted
    }
  }

  /// Whether discovery can tell one peer all the time of a range where another one is.
  ///
  /// A peer looks for a member that it misses under the services that it advertises and browses for.
  func mayDiscover(_ name: String, _ other: String, in range: ClosedRange<Duration>) -> Bool {
    guard let own = plans[name]?.discovery, let theirs = plans[other]?.discovery else {
      return false
    }
    let types = own.advertised.map(\.type) + own.browsed
    return theirs.advertised.contains { types.contains($0.type) }
      && !record.disturbances.hide(name, other, in: range)
  }

  /// Whether a program takes its events at once from a time on: what it says is then what it was told.
  func isPrompt(_ name: String, from time: Duration) -> Bool {
    guard let reading = plans[name]?.reading else { return true }
    guard let start = reading.promptFrom else { return false }
    // Who stands still then catches up when it runs again.
    return record.disturbances.standstill(of: name, from: start) < time
  }

  /// How a program reads streams.
  func streamReading(of name: String) -> StreamReading {
    plans[name]?.streamReading ?? StreamReading()
  }

  /// Whether the program of a peer has its transfers stand still at some time of a range.
  func pausesFiles(_ name: String, in range: ClosedRange<Duration>) -> Bool {
    guard let plan = plans[name] else { return false }
    let pauses = [plan.fileReceiving.pause] + plan.files.map(\.pause)
    return pauses.contains { $0.map { $0.overlaps(range) } ?? false }
  }

  /// Whether a program takes its time, and may not have been told yet, when the run ends, what befell it at a time.
  func isBehind(_ name: String, with time: Duration) -> Bool {
    guard let reading = plans[name]?.reading else { return false }
    return reading.promptFrom.map { $0 >= end } ?? (end < time + Self.calm)
  }

  /// Whether what goes from one peer to the other may be lost by chance, whatever befalls them.
  func isLossy(_ left: String, _ right: String) -> Bool {
    directions(left, right).contains(where: \.isLossy)
  }

  /// How much longer than on a quiet link it may take until two peers know of each other what is so.
  func delay(between left: String, _ right: String) -> Duration {
    commonDelay ?? directions(left, right).map(Self.delay(of:)).max() ?? .zero
  }

  /// The delays of all couples, each once, the shortest first.
  var delays: [Duration] {
    if let commonDelay { return [commonDelay] }
    return Set(PeerPairs(names: names).couples.map { delay(between: $0, $1) }).sorted()
  }

  private static func delay(of change: LinkChange) -> Duration {
    let lossy: Duration = change.isLossy ? lossDelay : .zero
    let latency = ((change.latency ?? .zero) + (change.jitter ?? .zero)) * 10
    return lossy + latency + (change.burst?.time ?? .zero)
      + time(of: change.queue ?? LinkConditions.lan.queueBytes, at: change.bandwidth)
  }

  /// The same, when messages as large as those of a sender are on their way.
  func messageDelay(from sender: String, to receiver: String) -> Duration {
    let bytes = plans[sender]?.workloads.map(\.size).max() ?? 0
    let change = links.change(for: Direction(sender, receiver))
    return delay(between: sender, receiver) + Self.time(of: bytes, at: change.bandwidth)
  }

  /// How long an acknowledgement may take from the arrival of a message, when nothing is lost.
  func acknowledgementTime(of sender: String, from receiver: String) -> Duration {
    let change = links.change(for: Direction(receiver, sender))
    let link = LinkConditions.lan.changed(by: change)
    return InboundLog.acknowledgementDelayDefault + link.latency + link.jitter
      + (link.reordering > .zero ? link.reorderingDelay : .zero)
      + Self.time(of: link.queueBytes, at: change.bandwidth)
  }

  /// How long a farewell that a program began may take, if its plan says so.
  func farewellLimit(of departure: Timeline.Entry) -> Duration? {
    let step = plans[departure.observer ?? ""]?.steps.last { step in
      guard step.at <= departure.time else { return false }
      switch step.kind {
      case .disconnect(let session, _):
        return departure.kind == .disconnected && session == departure.session
      case .stop: return departure.kind == .stopped
      case .rejoin, .remove, .update, .rename: return false
      }
    }
    switch step?.kind {
    case .disconnect(_, let limit), .stop(let limit): return limit
    case .rejoin, .remove, .update, .rename, nil: return nil
    }
  }

  private func directions(_ left: String, _ right: String) -> [LinkChange] {
    [
      links.change(for: Direction(left, right)),
      links.change(for: Direction(right, left)),
    ]
  }

  /// How long so many bytes take twice over.
  static func time(of bytes: Int, at bitsPerSecond: Int?) -> Duration {
    bitsPerSecond.map { .nanoseconds(Int64(bytes) * 16_000_000_000 / Int64(max(1, $0))) } ?? .zero
  }

  // MARK: What happened

  /// Whether a peer did something of itself in a range: to another one, or to a session.
  func did(
    _ kind: Timeline.Kind, _ name: String, to subject: String? = nil, in session: String? = nil,
    _ range: ClosedRange<Duration>
  ) -> Bool {
    precondition(kind.isDeed, "a program does not do that of itself")
    return deeds.contains { entry in
      entry.kind == kind && entry.observer == name && range.contains(entry.time)
        && (subject == nil || entry.subject == subject)
        && (session == nil || entry.session == session)
    }
  }

  /// Whether a peer ended its session, or itself, in a range.
  func ended(_ name: String, _ session: String, _ range: ClosedRange<Duration>) -> Bool {
    did(.disconnected, name, in: session, range) || did(.stopped, name, range)
  }

  /// Whether a peer's program runs all the time of a range, and its peer has not been stopped.
  func isAwake(_ name: String, in range: ClosedRange<Duration>) -> Bool {
    let absent = record.disturbances.all.contains { disturbance in
      (disturbance.crashed == name || disturbance.suspended == name) && disturbance.overlaps(range)
    }
    return !absent && stops[name].map { $0 > range.upperBound } ?? true
  }

  /// Whether an identity is the one that a peer has in the end.
  func isLast(_ identity: Int, of name: String) -> Bool {
    record.identities[name].map { identity == $0 - 1 } ?? false
  }

  /// Whether nothing stands between two peers in a range, and both are there.
  func isQuiet(_ left: String, _ right: String, in range: ClosedRange<Duration>) -> Bool {
    isAwake(left, in: range) && isAwake(right, in: range)
      && !record.disturbances.touch(left, right, in: range)
  }

  /// The time that a fault which is over may still have effects: three times the silence after which a
  /// link counts as broken.
  static let calm: Duration = .seconds(15)
  private static let lossDelay: Duration = .seconds(45)
}

extension BurstLoss {
  /// How long a burst lasts on a link of which only those make use who look for each other: a packet a second.
  fileprivate var time: Duration {
    .seconds(Int64(Ratio.one.billionths) / max(1, Int64(leave.billionths)))
  }
}

extension Timeline.Kind {
  /// Whether it is what a program does of itself, and others have to bear.
  fileprivate var isDeed: Bool {
    switch self {
    case .suspended, .disconnected, .rejoined, .removed, .stopped: true
    case .found, .updated, .lost, .invited, .answered, .outcome, .joined, .interrupted, .resumed,
      .left, .streamOpened, .streamEnded, .fileOffered, .fileAccepted, .filePaused,
      .fileContinued, .fileEnded, .started, .awoke, .crashed, .failed, .fault, .faultEnded:
      false
    }
  }
}
