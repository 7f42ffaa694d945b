import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("What peers are at which time")
struct PeerStatesTests {
  /// `discovering 1-2.5`, without the decimals that are not needed.
  private static func text(_ span: PeerStateSpan) -> String {
    let (start, end) = (span.start / .seconds(1), span.end / .seconds(1))
    return "\(span.state.rawValue) \(start)-\(end)".replacing(".0", with: "")
  }

  private static func states(
    of peer: String = "ann", _ entries: [Timeline.Entry], _ stops: [HostStop] = [],
    attempts: [InvitationRecord] = []
  ) -> [String] {
    var verdict = Verdict.of(Timeline(entries), peers: ["ann", "bob"], seconds: 60)
    verdict.attempts = attempts
    return PeerStates(verdict, stops).spans.filter { $0.peer == peer }.map(text)
  }

  private static func entry(
    _ seconds: Int, _ kind: Timeline.Kind, _ subject: String? = nil, identity: Int = 0,
    session: String = "main"
  ) -> Timeline.Entry {
    Timeline.Entry(.seconds(seconds), "ann", kind, subject, identity: identity, in: session)
  }

  @Test("A peer waits, discovers, is connected, waits for links, and stops")
  func life() {
    let entries = [
      Self.entry(1, .started), Self.entry(3, .joined, "bob"), Self.entry(5, .interrupted, "bob"),
      Self.entry(7, .resumed, "bob"), Self.entry(9, .left, "bob"), Self.entry(20, .stopped),
    ]
    #expect(
      Self.states(entries) == [
        "waiting 0-1", "discovering 1-3", "connected 3-5", "interrupted 5-7", "connected 7-9",
        "discovering 9-20", "stopped 20-60",
      ])
    #expect(Self.states(of: "bob", entries) == ["waiting 0-60"])
  }

  @Test("A peer is connected while one member's link is up, of whatever session and identity")
  func members() {
    let entries = [
      Self.entry(0, .started), Self.entry(1, .joined, "bob"),
      Self.entry(2, .joined, "bob", identity: 1), Self.entry(3, .joined, "bob", session: "side"),
      Self.entry(4, .left, "bob"), Self.entry(5, .interrupted, "bob", identity: 1),
      Self.entry(6, .interrupted, "bob", session: "side"), Self.entry(7, .left, "bob", identity: 1),
      Self.entry(8, .left, "bob", session: "side"), Self.entry(9, .interrupted, "bob"),
    ]
    #expect(
      Self.states(entries) == [
        "discovering 0-1", "connected 1-6", "interrupted 6-8", "discovering 8-60",
      ])
  }

  @Test("A peer that invites or answers is connecting until the calls have returned")
  func attempts() {
    var log = InvitationLog()
    let key = log.begin("ann", "bob", in: "main", at: .seconds(2))
    let answer = log.answer(key, .accept, at: .seconds(3))
    log.end(answer, to: key, InvitationRecord.Outcome(time: .seconds(4), text: "accepted"))
    log.end(key, InvitationRecord.Outcome(time: .seconds(6), text: "declined"))
    var record = log.all[0]
    let started = ["ann", "bob"].map { Timeline.Entry(.zero, $0, .started) }
    #expect(
      Self.states(started, attempts: [record]) == [
        "discovering 0-2", "connecting 2-6", "discovering 6-60",
      ])
    #expect(
      Self.states(of: "bob", started, attempts: [record]) == [
        "discovering 0-3", "connecting 3-4", "discovering 4-60",
      ])
    record.outcome = nil
    #expect(Self.states(started, attempts: [record]).last == "connecting 2-60")
  }

  @Test("What the host does hides what the program is; a crash makes it begin again")
  func hosts() {
    let entries = [
      Self.entry(1, .started), Self.entry(2, .joined, "bob"), Self.entry(20, .crashed),
      Self.entry(31, .started),
    ]
    let stops = [
      HostStop(.seconds(5), "ann", .suspended), HostStop(.seconds(7), "ann", .running),
      HostStop(.seconds(8), "ann", .frozen), HostStop(.seconds(9), "ann", .running),
      HostStop(.seconds(20), "ann", .crashed), HostStop(.seconds(30), "ann", .running),
      HostStop(.seconds(70), "ann", .frozen),
    ]
    #expect(
      Self.states(entries, stops) == [
        "waiting 0-1", "discovering 1-2", "connected 2-5", "suspended 5-7", "connected 7-8",
        "frozen 8-9", "connected 9-20", "crashed 20-30", "waiting 30-31", "discovering 31-60",
      ])
  }

  @Test("A world's faults of hosts are stops; its other events are not")
  func stops() throws {
    let world = World(seed: 1)
    let ann = world.makeHost("ann")
    var stops: [HostStop?] = []
    world.record { stops.append(HostStop($0)) }
    world.note(ann, kind: "crash", "")
    world.freeze(ann)
    world.resume(ann)
    world.suspend(ann)
    world.heal()
    _ = world.restart(ann)
    let conditions: [HostCondition?] = [
      nil, .frozen, .running, .suspended, nil, .crashed, .running,
    ]
    #expect(stops.map { $0?.condition } == conditions)
    world.finish()
  }
}

extension Verdict {
  /// What came out of a run in which nothing had to hold.
  static func of(
    _ timeline: Timeline, peers: [String], seconds: Int, messages: [Messages] = [],
    name: String = "n", summary: String = "", results: [Result] = []
  ) -> Verdict {
    var verdict = Verdict(
      scenario: name, summary: summary, seed: 7, traceHash: RollingHash(), eventCount: 0,
      virtualDuration: .seconds(seconds), cpuSeconds: 0, timeline: timeline, messages: messages,
      drawnFaults: [], results: results)
    verdict.peers = peers
    return verdict
  }
}
