import Earshot
import EarshotSimulator
import Synchronization
import Testing

/// Resuming a peer while its host has no network.
@Suite("Resuming without a network")
struct ResumingTests {
  /// The ways in which a call that waits for the network ends.
  enum End: CaseIterable { case network, cancellation, suspension, stop }

  @Test(
    "The call waits for the network, unless it is cancelled, or the peer suspended or stopped",
    arguments: End.allCases)
  func ends(end: End) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let base = world.makeHost("ann")
    let host = ChangingHost(base)
    let playing = base.addTask("script") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let session = try await ann.makeSession()
      await ann.suspend()
      host.isWithoutNetwork = true
      let calls = (0..<2).map { _ in ann.start { try await ann.resume() } }
      try await host.sleep(for: .seconds(20))
      #expect(await ann.events.first { _ in true } == .suspended)
      switch end {
      case .network: host.isWithoutNetwork = false
      case .cancellation: calls[0].cancel()
      case .suspension: await ann.suspend()
      case .stop: await ann.stop()
      }
      let begun = host.now
      let first = await failure { try await calls[0].value }
      if end == .cancellation { host.isWithoutNetwork = false }
      let second = await failure { try await calls[1].value }
      #expect(host.now - begun <= .seconds(1))
      switch end {
      case .network: #expect(first == nil && second == nil)
      case .cancellation: #expect(first?.code == .cancelled && second == nil)
      case .suspension: #expect(first?.code == .suspended && second?.code == .suspended)
      case .stop: #expect(first?.code == .stopped && second?.code == .stopped)
      }
      let state = await ann.events.first { _ in true }
      switch end {
      case .network, .cancellation: #expect(state == .running)
      case .suspension: #expect(state == .suspended)
      case .stop: #expect(state == .stopped || state == nil)
      }
      host.isWithoutNetwork = false
      if end == .suspension { try await ann.resume() }
      await session.stop()
      await ann.stop()
    }
    #expect(world.run(until: { playing.result != nil }, within: .seconds(60)))
    try playing.value
  }
}
