import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: interfaces that change")
struct InterfaceContract {
  private static let bytes = [UInt8](0..<200)

  /// Counts how often the interfaces of a host change while it is held.
  private static func observe(
    _ host: TwoHosts.Host
  ) -> (changes: Watched<Int>, observation: any NetworkObservation) {
    let changes = Watched(0)
    return (changes, host.network.observeInterfaces { changes.update { $0 += 1 } })
  }

  @Test(
    "An interface that is down is told of and not there, and comes back",
    arguments: disturbedNetworks)
  func told(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let before = hosts.ann.network.interfaces
      let (changes, observation) = Self.observe(hosts.ann)
      try await hosts.begin(.unplugged(.ann))
      try await changes.wait { $0 > 0 }
      #expect(hosts.ann.network.interfaces.isEmpty)
      let count = changes.state
      try await hosts.end(.unplugged(.ann))
      try await changes.wait { $0 > count }
      #expect(hosts.ann.network.interfaces == before)
      withExtendedLifetime(observation) {}
    }
  }

  @Test(
    "A connection survives its interface's absence, and what was written then arrives",
    arguments: disturbedNetworks, [Disturbance.Side.ann, .bob])
  func replugged(under network: any DisturbedNetwork, side: Disturbance.Side) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try await hosts.begin(.unplugged(side))
      try link.annSaw.send(Self.bytes, over: link.ann)
      try await hosts.passTime(.milliseconds(300))
      #expect(link.bobSaw.state.received.isEmpty && link.annSaw.state.error == nil)
      try await hosts.end(.unplugged(side))
      try await link.bobSaw.seen.wait { $0.received == Self.bytes }
      #expect(link.annSaw.state.error == nil)
    }
  }

  @Test(
    "A connection whose interface stays away is given up after the user timeout",
    arguments: disturbedNetworks)
  func gone(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: ConnectionOptions(userTimeout: .seconds(1)))
      try await hosts.begin(.unplugged(.ann))
      try link.annSaw.send(Self.bytes, over: link.ann)
      let state = try await link.annSaw.seen.wait { $0.error != nil }
      #expect(state.error?.code == .timedOut)
    }
  }

  @Test(
    "A host with another address says so, connects from it, and is not reached at the old one",
    arguments: disturbedNetworks)
  func readdressed(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: ConnectionOptions(userTimeout: .seconds(1)))
      let (changes, observation) = Self.observe(hosts.ann)
      try await hosts.begin(.readdressed(.ann))
      try await changes.wait { _ in
        let addresses = hosts.ann.network.interfaces.flatMap(\.addresses)
        return !addresses.isEmpty && !addresses.contains(hosts.ann.address)
      }
      withExtendedLifetime(observation) {}
      try link.annSaw.send(Self.bytes, over: link.ann)
      let state = try await link.annSaw.seen.wait { $0.error != nil }
      #expect(state.error?.code == .timedOut)
      #expect(link.bobSaw.state.received.isEmpty && link.bobSaw.state.error == nil)

      let (connection, recorder) = try hosts.dial(link.listener.localEndpoint.port)
      try await recorder.seen.wait { $0.isOpen }
      #expect(connection.localEndpoint.address != hosts.ann.address)
      let opening = code { () throws(NetworkError) in _ = try hosts.ann.open(DatagramRecorder()) }
      #expect(opening == .addressNotAvailable)
    }
  }

  @Test("A listener on every address is reached at the new one", arguments: disturbedNetworks)
  func reached(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try await hosts.bob.perform {
        try $0.listen(on: Endpoint(.anyV4, port: 0), handler: accepting)
      }
      let before = hosts.bob.address
      try await hosts.begin(.readdressed(.bob))
      let changed = Watched(hosts.bob.network.interfaces)
      let observation = try await hosts.bob.perform { network in
        let observation = network.observeInterfaces { changed.update { $0 = network.interfaces } }
        changed.update { $0 = network.interfaces }
        return observation
      }
      let interfaces = try await changed.wait { interfaces in
        interfaces.flatMap(\.addresses).contains { $0.family == .v4 && $0 != before }
      }
      withExtendedLifetime(observation) {}
      let address = interfaces.flatMap(\.addresses).first { $0.family == .v4 && $0 != before }
      let recorder = ConnectionRecorder()
      _ = try hosts.ann.network.connect(
        to: Endpoint(try #require(address), port: listener.localEndpoint.port),
        options: ConnectionOptions(), handler: recorder)
      try await recorder.seen.wait { $0.isOpen }
      let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
      #expect(accepted.connection.localEndpoint.address == address)
    }
  }
}
