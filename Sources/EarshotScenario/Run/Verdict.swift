public import EarshotCore
public import EarshotSimulator

/// What came out of one run: what held, what did not, and everything needed to see it again.
public struct Verdict: Hashable, Sendable {
  /// One thing that had to hold.
  public struct Result: Hashable, Sendable {
    /// What had to hold.
    public let name: String
    /// Whether it did.
    public let held: Bool
    /// What was seen instead, or what shows that it held.
    public let observed: String
    /// Whether it had to hold because it always has to, and not because the scenario says so.
    public let isInvariant: Bool
    /// The last packets, timers, faults and choices of the schedule that led to it, a line each; only in reports of
    /// what did not hold.
    public internal(set) var why: [String] = []
    /// When it became certain that it did not hold, and the peers and messages concerned; `nil` of what held.
    package internal(set) var focus: Focus?

    package init(_ name: String, held: Bool, observed: String, isInvariant: Bool = false) {
      (self.name, self.held, self.observed) = (name, held, observed)
      self.isInvariant = isInvariant
    }
  }

  /// The messages from one peer to another.
  public struct Messages: Hashable, Sendable {
    /// The sender's name.
    public let from: String
    /// The receiver's name.
    public let to: String
    /// How many were taken by the session.
    public let sent: Int
    /// How many arrived.
    public let delivered: Int

    package init(_ from: String, _ to: String, sent: Int, delivered: Int) {
      (self.from, self.to, self.sent, self.delivered) = (from, to, sent, delivered)
    }
  }

  /// Whether a second run of the same seed was the same.
  public enum Determinism: Hashable, Sendable {
    /// There was no second run.
    case unchecked
    /// Both runs were the same.
    case same
    /// They were not, which is a bug of the program; what differed first.
    case different(String)
  }

  /// The faults that were planned for a run.
  package struct Faults: Hashable, Sendable {
    /// Those that were drawn from the seed, as they can be written in a scenario.
    package var drawn: [String] = []
    /// Why those that struck nothing did not, by their place among those that were drawn.
    package var idleness: [Int: String] = [:]
    /// What survives them all; `nil` without faults.
    package var guarantees: Set<Guarantee>?
  }

  /// What a command line put in the place of what a scenario says.
  package struct Variation: Hashable, Sendable {
    /// The name of the policy of the schedule.
    package var policy: String?
    /// The variables that were set: `n=8`.
    package var settings: [String] = []
    /// Whether BUGGIFY was turned on.
    package var isBuggified = false
  }

  /// The points of BUGGIFY that took effect, by name.
  public var buggified: [String] { properties.buggified }

  /// The scenario's name.
  public let scenario: String
  /// What the scenario shows.
  public let summary: String
  /// The seed of the run.
  public let seed: UInt64
  /// The hash of everything that happened: equal for equal runs.
  public let traceHash: RollingHash
  /// How many events the simulated world had.
  public let eventCount: Int
  /// How much virtual time passed.
  public let virtualDuration: Duration
  /// How much time of the processor it took.
  public let cpuSeconds: Double
  /// What happened.
  public let timeline: Timeline
  /// The messages, by sender and receiver in the order of the scenario.
  public let messages: [Messages]
  /// The directions of streams that were opened, in the order of their opening.
  public internal(set) var streams: [Stream] = []
  /// The files that were offered, in the order of their offers.
  public internal(set) var files: [File] = []
  /// The faults that were planned.
  package var faults = Faults()
  /// What had to hold: the scenario's expectations, then the invariants.
  public internal(set) var results: [Result]
  /// Why a run in which nothing was violated shows nothing; `nil` when something was checked.
  public let gap: String?
  /// What of the scenario is probably not as it was meant, a sentence each.
  public package(set) var warnings: [String] = []
  /// The peers, in the order of the scenario.
  package var peers: [String] = []
  /// The invitations, in the order in which they were made.
  package var attempts: [InvitationRecord] = []
  /// What of the scenario was not its own.
  package var variation = Variation()
  /// What the policy of the schedule has chosen.
  package var schedule = ScheduleRecord()
  /// What code under test has stated of itself, and how often it held.
  public package(set) var properties: [Property] = []
  /// When the run was stopped because something happened that never must; `nil` when it came to its end.
  ///
  /// What the scenario expects was not checked then.
  public package(set) var stopped: Duration?
  /// Whether the run is known to be repeatable.
  public package(set) var determinism = Determinism.unchecked

  package init(
    scenario: String, summary: String, seed: UInt64, traceHash: RollingHash, eventCount: Int,
    virtualDuration: Duration, cpuSeconds: Double, timeline: Timeline, messages: [Messages],
    drawnFaults: [String], results: [Result],
    gap: String? = nil
  ) {
    (self.scenario, self.summary, self.seed) = (scenario, summary, seed)
    (self.traceHash, self.eventCount) = (traceHash, eventCount)
    (self.virtualDuration, self.cpuSeconds) = (virtualDuration, cpuSeconds)
    (self.timeline, self.messages, faults.drawn) = (timeline, messages, drawnFaults)
    (self.results, self.gap) = (results, gap)
  }

  /// The faults that were drawn from the seed, as they can be written in a scenario.
  public var drawnFaults: [String] { faults.drawn }

  /// What survives the faults of the run, in the order of ``EarshotSimulator/Guarantee``; `nil` when there were none.
  ///
  /// With the shortest patience of any session of the scenario.
  public var guarantees: [Guarantee]? { faults.guarantees?.inOrder }

  /// Whether everything held, and something was checked.
  public var held: Bool { results.allSatisfy(\.held) && gap == nil }

  /// What a program that ran this should exit with: 0 held, 1 violated, 3 not deterministic, 4 nothing was
  /// checked.
  public var exitCode: Int32 {
    if case .different = determinism { return 3 }
    guard results.allSatisfy(\.held) else { return 1 }
    return gap == nil ? 0 : 4
  }
}

extension Verdict.Result {
  /// What is wrong about a world in which nothing can happen any more, while programs wait for calls; else nothing.
  ///
  /// A call of a program that has lost its memory, or stands still, is none that it waits for.
  static func deadlock(_ deadlock: Deadlock?, _ record: Recorder.Record) -> [Verdict.Result] {
    guard let deadlock else { return [] }
    let time = deadlock.time - Instant.zero
    let open = record.calls.open.sorted { $0.key < $1.key }.map(\.value)
      .filter { call in !record.disturbances.stop(call.caller, in: call.start...time) }
      .map { call in
        let subject = call.subject.map { " about \($0)" } ?? ""
        return (caller: call.caller, text: "\(call.caller) has called \(call.kind)\(subject)")
      }
    guard !open.isEmpty else { return [] }
    return [
      Verdict.Result(
        "what a program waits for can still happen",
        [
          Complaint(
            "\(open.map(\.text).joined(separator: ", ")); \(deadlock)", at: time,
            about: open.map(\.caller))
        ], end: time)
    ]
  }

  /// What was left when all peers had been stopped.
  static func leaks(_ leaks: [Leak]?, end: Duration) -> Verdict.Result? {
    guard let leaks else { return nil }
    return Verdict.Result(
      "nothing is left of a peer that has stopped",
      leaks.map { Complaint("\($0)", about: [$0.host]) }, end: end)
  }

  /// A statement of the code under test that did not hold.
  init(_ violation: PropertyViolation) {
    self.init(
      "\(violation.kind) \(violation.name)",
      [
        Complaint(
          violation.description, at: violation.time - .zero,
          about: [violation.host].compactMap(\.self), isEvent: true)
      ], end: violation.time - .zero)
  }
}

extension [Property] {
  /// The names of the points of BUGGIFY that took effect, sorted.
  package var buggified: [String] {
    filter { $0.held > 0 && $0.name.hasPrefix(Property.buggifyPrefix) }
      .map { String($0.name.dropFirst(Property.buggifyPrefix.count)) }.sorted()
  }
}
