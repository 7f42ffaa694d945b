import EarshotCore
import EarshotScenario
import Testing

@Suite("An invariant")
struct InvariantTests {
  private static func results(
    _ record: Recorder.Record, lastDisturbance: Duration = .zero
  ) -> [Verdict.Result] {
    Invariants(
      record: record, end: .seconds(60), awake: ["ann", "bob"], lastDisturbance: lastDisturbance
    ).results
  }

  private static func violated(_ record: Recorder.Record) -> [String] {
    results(record).filter { !$0.held }.map(\.name)
  }

  @Test("Holds when nothing happens")
  func nothing() {
    #expect(Self.violated(Recorder.Record()).isEmpty)
    #expect(Self.results(Recorder.Record()).allSatisfy { $0.isInvariant })
  }

  @Test("Is violated by calls that never end")
  func calls() {
    var record = Recorder.Record()
    (record.sends, record.openSends) = (5, 1)
    (record.invitations, record.openInvitations) = (2, 1)
    #expect(Self.violated(record) == ["every invitation ends once", "every send returns"])
  }

  @Test("Is violated by messages that arrive wrongly and programs that fail")
  func breaches() {
    let recorder = Recorder()
    #expect(recorder.arrived(nil, from: "ann", to: "bob", .zero))
    recorder.breach(.programs, "bob could not listen")
    recorder.breach(.programs, "bob could not browse")
    let violated = Self.results(recorder.everything).filter { !$0.held }
    #expect(
      violated.map(\.observed) == [
        "bob received a garbled message from ann", "bob could not listen (and 1 more)",
      ])
  }

  /// Ann has Bob as a member for long; Bob may have Ann.
  private static func oneSided(bobKnows: Bool) -> Recorder.Record {
    var record = Recorder.Record()
    (record.identities["ann"], record.identities["bob"]) = (1, 1)
    var entries = [Timeline.Entry(.seconds(1), "ann", .joined, "bob")]
    if bobKnows { entries.append(Timeline.Entry(.seconds(1), "bob", .joined, "ann")) }
    record.timeline = Timeline(entries)
    return record
  }

  @Test("Is violated by a member that knows nothing of it")
  func agreement() {
    #expect(
      Self.violated(Self.oneSided(bobKnows: false)) == [
        "both ends agree about a membership"
      ])
    #expect(Self.violated(Self.oneSided(bobKnows: true)).isEmpty)
  }

  @Test("Says nothing of memberships while faults are fresh")
  func disturbed() {
    let results = Self.results(Self.oneSided(bobKnows: false), lastDisturbance: .seconds(50))
    #expect(results.allSatisfy { $0.held })
  }
}
