import Earshot
import Testing

@Suite("The list of metrics")
struct MetricTests {
  @Test(
    "Each metric has a sentence, a kind, a unit and a name", arguments: PeerMetrics.Metric.allCases)
  func described(metric: PeerMetrics.Metric) {
    #expect(metric.description.hasSuffix("."))
    #expect(metric.description.first?.isUppercase == true)
    #expect(!metric.description.contains("\n") && !metric.description.contains("  "))
    #expect(metric.rawValue == "\(metric)")
    #expect(metric.rawValue.allSatisfy { $0.isLetter && $0.isASCII })
    #expect(PeerMetrics.Unit.allCases.contains(metric.unit))
    #expect(PeerMetrics.Kind.allCases.contains(metric.kind))
    #expect(!metric.hasReasons || metric.kind == .counter)
  }

  @Test("No two metrics have the same sentence, and each unit is used")
  func distinct() {
    let all = PeerMetrics.Metric.allCases
    #expect(Set(all.map(\.description)).count == all.count)
    #expect(Set(all.map(\.unit)) == Set(PeerMetrics.Unit.allCases))
    #expect(Set(all.map(\.kind)) == Set(PeerMetrics.Kind.allCases))
  }

  @Test("Numbers come in the order of the metrics, each combination once, and zeros are there")
  func order() async throws {
    try await Ground.simulated.meet(["Ann", "Bob", "Cy"]) { peers in
      let meeting = try await Meeting(of: peers[0])
      let sessions = [try await meeting.join(peers[1]), try await meeting.join(peers[2])]
      let metrics = await peers[0].metrics
      #expect(metrics.time == peers[0].host.now)
      var places: [String] = []
      var combinations: Set<String> = []
      for number in metrics.numbers {
        if places.last != number.metric.rawValue { places.append(number.metric.rawValue) }
        let peer = number.peer?.description ?? ""
        combinations.insert("\(number.metric) \(peer) \(number.reason ?? "")")
        #expect(number.value >= 0)
        #expect((number.reason != nil) == number.metric.hasReasons)
        #expect(number.peer == nil || [peers[1].id, peers[2].id].contains(number.peer))
      }
      #expect(combinations.count == metrics.numbers.count)
      let order = PeerMetrics.Metric.allCases.map(\.rawValue)
      #expect(places == order.filter(places.contains))
      for metric in PeerMetrics.Metric.allCases
      where !metric.hasReasons && ![.nanoseconds, .segments].contains(metric.unit) {
        #expect(places.contains(metric.rawValue), "\(metric)")
      }
      let members = metrics.numbers.filter { $0.metric == .messagesSent }.map(\.peer)
      let ids = [peers[1].id, peers[2].id].sorted()
      #expect(members == [nil, ids[0], ids[1]])
      for session in sessions { await session.stop() }
    }
  }
}
