import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("What a plan leaves whole")
struct GuaranteeInvariantTests {
  private static let law = "no fault breaks what its plan leaves whole"
  private static let cut = Fault.Kind.cut(.between("ann", and: "bob"))

  /// A membership of ann and bob that ends, or breaks, in a run with a fault.
  private func violates(
    _ kind: Fault.Kind = cut, for seconds: Double, links: String = "{}", peers: String? = nil,
    _ happen: (Recording) -> Void
  ) throws -> Bool {
    let recording = try Recording(peers ?? "'ann', 'bob', 'cy'", more: "links: \(links)")
    let fault = Fault(at: .seconds(10), kind, lasting: .seconds(seconds))
    recording.recorder.know(FaultPlan([fault]))
    recording.join(1, "ann", "bob")
    recording.fault(kind, from: 10, to: 10 + seconds)
    happen(recording)
    return recording.violated.contains(Self.law)
  }

  private func lose(_ recording: Recording) {
    recording.note(11, "ann", .interrupted, "bob", "linkBroken")
    recording.note(20, "ann", .left, "bob", "lost")
  }

  private func interrupt(_ recording: Recording) {
    recording.note(11, "ann", .interrupted, "bob", "silence")
    recording.note(12, "ann", .resumed, "bob")
  }

  @Test("Is violated by a membership that ends though its plan leaves it, and not by others")
  func memberships() throws {
    #expect(try violates(for: 10, lose))
    #expect(try !violates(for: 20, lose))
    #expect(try !violates(.hosts(["bob"], .crash), for: 1, lose))
    // It is the shorter patience that counts.
    let patience = "'ann', { name: 'bob', session: { patience: '12s' } }"
    #expect(try !violates(for: 10, peers: patience, lose))
    for reason in ["restarted", "unreachable"] {
      #expect(try violates(for: 10) { $0.note(20, "ann", .left, "bob", reason) })
    }
    for reason in ["left", "full", "disconnected", "removed"] {
      #expect(try !violates(for: 10) { $0.note(20, "ann", .left, "bob", reason) })
    }
  }

  @Test("Is violated by a link that breaks though its plan leaves it, and not by others")
  func links() throws {
    #expect(try violates(for: 0.5, interrupt))
    #expect(try !violates(for: 5, interrupt))
    #expect(try violates(.hosts(["bob"], .hide), for: 20, interrupt))
    #expect(try !violates(for: 0.5) { $0.note(11, "ann", .interrupted, "bob", "suspending") })
  }

  @Test("Is violated by a further identity, unless a peer comes back as a stranger")
  func identities() throws {
    #expect(try violates(for: 1) { $0.know("bob") })
    #expect(try !violates(.hosts(["bob"], .restart(erased: true)), for: 0) { $0.know("bob") })
  }

  @Test(
    "Excuses what programs do, links that lose packets or are slow, and memberships that one end never had"
  )
  func excuses() throws {
    #expect(try !violates(for: 10, links: "{ loss: 0.01 }", lose))
    #expect(try !violates(for: 10, links: "{ bandwidth: '10kbit/s' }", lose))
    #expect(try !violates(for: 0.5, links: "{ latency: '200ms' }", interrupt))
    for kind in [Timeline.Kind.disconnected, .stopped, .rejoined] {
      #expect(
        try !violates(for: 10) { recording in
          recording.note(10.5, "bob", kind)
          lose(recording)
        })
    }
    #expect(
      try !violates(for: 10) { recording in
        recording.note(10.5, "bob", .removed, "ann")
        lose(recording)
      })
    #expect(
      try !violates(for: 10, peers: "{ name: 'ann', read: { every: '1s' } }, 'bob'", lose))
    #expect(
      try !violates(for: 10, peers: "'ann', 'bob', { name: 'cy', session: { capacity: 2 } }", lose))
    let recording = try Recording()
    recording.recorder.know(FaultPlan([Fault(at: .seconds(10), Self.cut, lasting: .seconds(9))]))
    recording.fault(Self.cut, from: 10, to: 19)
    recording.note(9.5, "ann", .joined, "bob")
    recording.note(20, "ann", .left, "bob", "lost")
    #expect(!recording.violated.contains(Self.law))
  }
}
