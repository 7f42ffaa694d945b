import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Counters")
struct CounterTests {
  private final class Looks: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
  }

  /// The counters of a peer, by metric and reason.
  private static func counters(_ metrics: PeerMetrics) -> [String: Int] {
    var counters: [String: Int] = [:]
    for number in metrics.numbers where number.metric.kind == .counter {
      counters["\(number.metric) \(number.reason ?? "")", default: 0] += number.value
    }
    return counters
  }

  /// Looks at a peer ten times a second, and complains when a counter is less than before.
  private static func watch(_ peer: Peer, _ looked: () -> Void) async throws {
    var before: [String: Int] = [:]
    while true {
      let metrics = await peer.metrics
      let now = counters(metrics)
      for (name, value) in before where now[name, default: 0] < value {
        Issue.record("\(peer.name): \(name) was \(value), and is \(now[name, default: 0])")
      }
      for number in metrics.numbers where number.value < 0 { Issue.record("\(number)") }
      LinkMetricsTests.expectBalance(metrics)
      looked()
      before = now
      try await peer.wait(milliseconds: 100)
    }
  }

  @Test("No counter decreases, and no link gets lost, whatever happens", arguments: Seed.some(8))
  func monotonic(seed: Seed) {
    let room = Room(seed: seed.value, isSecure: seed.value == 0)
    let looks = Looks()
    for name in ["ann", "bob", "cy"] {
      _ = room.addGuest(name) { peer, session in
        peer.addTask("watches") { try await Self.watch(peer) { looks.add() } }
        for round in 0..<40 {
          _ = try? session.trySend([UInt8](repeating: 1, count: 20_000), to: .present)
          try? session.sendUnreliably([UInt8](repeating: 2, count: 2_000), to: .present)
          if name == "cy", round % 10 == 9 {
            await peer.suspend()
            try await peer.wait(milliseconds: 700)
            try await peer.resume()
          }
          if name == "bob", round == 25, let member = await session.members.first {
            await session.remove(member.id)
          }
          try await peer.wait(milliseconds: 500)
        }
        await session.stop()
        await peer.stop()
      }
    }
    room.world.execute(
      drawing: RandomFaults(
        count: 12, kinds: [.partition, .cut, .link, .burst, .reset, .freeze, .unplug, .corruption],
        between: .seconds(2) ... .seconds(20)))
    room.world.run(for: .seconds(40))
    #expect(looks.count > 600)
  }
}
