import Earshot
import EarshotCore
import EarshotScenario
import Testing

@Suite("Runs that are looked at while they go on")
struct InspectionTests {
  @Test("A run stops where a program fails: the trace ends there, expectations are not checked")
  func stopped() throws {
    // One more than a peer may browse for.
    let services = (1...65).map { "'s\($0)'" }.joined(separator: ",")
    let text = """
      { name: 's', duration: '60s', peers: ['ann', { name: 'bob', start: '10s', browse: [\(services)] }],
        expect: [{ members: { ann: 7 }, by: '60s' }] }
      """
    let verdict = ScenarioRun.run(try Scenario(json5: text, file: "s.json5"))
    #expect(verdict.stopped == .seconds(10) && verdict.virtualDuration == .seconds(10))
    #expect(verdict.results.filter { !$0.held }.map(\.name) == ["no program fails"])
    #expect(verdict.results.allSatisfy(\.isInvariant) && verdict.exitCode == 1)
    let report = Report(verdict, file: "s.json5")
    #expect(report.text().contains("stopped at 10s, where something happened that never must"))
    #expect(report.json.contains("\"stoppedAt\":10.000000"))
    let watched = ScenarioRun.run(try Scenario(json5: text, file: "s.json5"), progress: { _ in })
    #expect(watched.traceHash == verdict.traceHash)
  }

  @Test("A run that comes to its end was not stopped")
  func whole() throws {
    let text = """
      { name: 'w', duration: '10s', peers: ['ann'], expect: [{ members: { ann: 1 }, by: '5s' }] }
      """
    let verdict = ScenarioRun.run(try Scenario(json5: text, file: "w.json5"))
    #expect(verdict.stopped == nil && verdict.virtualDuration == .seconds(10))
    #expect(!Report(verdict, file: "w.json5").json.contains("stoppedAt"))
    #expect(verdict.results.first?.held == false)
    #expect(
      verdict.properties.count > 20 && verdict.properties.allSatisfy { $0.kind == .reachable })
  }

  @Test("What is violated so far is what would be violated if the run ended now")
  func soFar() throws {
    let recording = try Recording()
    recording.join(1, "ann", "bob")
    #expect(!recording.isViolated(at: 5))
    recording.note(6, "ann", .joined, "bob")
    #expect(recording.isViolated(at: 6))
    let alone = try Recording()
    alone.note(1, "ann", .joined, "bob")
    #expect(!alone.isViolated(at: 10) && alone.isViolated(at: 20))
  }

  // MARK: Links

  private static let one = Session.Carrier(local: port(1), remote: port(2))
  private static let two = Session.Carrier(local: port(3), remote: port(4))

  private static func port(_ number: UInt16) -> Endpoint { Endpoint(.anyV4, port: number) }

  /// The times at which something is wrong about what ann and bob send over, looked at every five seconds.
  private func complaints(_ other: Session.Carrier, noiseAt noise: Int? = nil) -> [Int] {
    var links = LinkInspection()
    return stride(from: 0, to: 40, by: 5).filter { seconds in
      let ends = [
        CarrierEnd(of: "ann", to: "bob", in: "main", Self.one),
        CarrierEnd(of: "bob", to: "ann", in: "main", other),
        CarrierEnd(of: "ann", to: "cy", in: "main", Self.two),
      ]
      return links.complaint(about: ends, at: .seconds(seconds)) { left, right, range in
        left == "ann" && right == "bob" && noise.map { !range.contains(.seconds($0)) } ?? true
      } limit: { _, _ in
        .seconds(15)
      } != nil
    }
  }

  @Test(
    "Two ends that send over one link are right; over two, they are wrong after some quiet time")
  func links() {
    let reversed = Session.Carrier(local: Self.one.remote, remote: Self.one.local)
    #expect(complaints(reversed) == [])
    #expect(complaints(Self.two) == [20, 25, 30, 35])
    #expect(complaints(Self.two, noiseAt: 12) == [35])
  }
}

extension Recording {
  /// Whether something is violated in the run up to a time.
  fileprivate func isViolated(at seconds: Double) -> Bool {
    Invariants(scenario, recorder.everything, until: .seconds(seconds)).isViolatedSoFar
  }
}
