import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: what cannot be reached")
struct UnreachableContract {
  /// An address of no network that a host is attached to (RFC 5737).
  private static let elsewhere = Endpoint(.v4(0xC000_0201), port: 7100)

  /// What connecting throws at once, or what the handler is told.
  private static func failure(
    of host: TwoHosts.Host, to endpoint: Endpoint, within timeout: Duration = .seconds(10)
  ) async throws -> (error: NetworkError?, isThrown: Bool) {
    let recorder = ConnectionRecorder()
    do throws(NetworkError) {
      _ = try host.network.connect(
        to: endpoint, options: ConnectionOptions(connectTimeout: timeout), handler: recorder)
    } catch {
      return (error, true)
    }
    return (try await recorder.seen.wait { $0.error != nil }.error, false)
  }

  @Test("A port that is not listened on refuses, behind the call", arguments: disturbedNetworks)
  func refused(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let (error, isThrown) = try await Self.failure(
        of: hosts.ann, to: Endpoint(hosts.bob.address, port: 7_100))
      #expect(error?.code == .connectionRefused && error?.errno == 111)
      #expect(!isThrown)
    }
  }

  @Test(
    "An address of the network that no host has is unreachable, behind the call",
    arguments: disturbedNetworks)
  func vacant(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let nowhere = try #require(hosts.pair.nowhere)
      let (error, isThrown) = try await Self.failure(
        of: hosts.ann, to: Endpoint(nowhere, port: 7_100))
      #expect(error?.code == .hostUnreachable && error?.errno == 113)
      #expect(!isThrown)
    }
  }

  @Test(
    "Another network is unreachable at once, by connections and datagrams",
    arguments: disturbedNetworks)
  func elsewhere(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let (error, isThrown) = try await Self.failure(of: hosts.ann, to: Self.elsewhere)
      #expect(error?.code == .networkUnreachable && error?.errno == 101)
      #expect(isThrown)
      let socket = try hosts.ann.open(DatagramRecorder())
      let failure = code { () throws(NetworkError) in
        try socket.send([1].span, to: Self.elsewhere, on: nil)
      }
      #expect(failure == .networkUnreachable)
    }
  }

  @Test(
    "A host that is cut off costs the time to connect, in whichever direction",
    arguments: disturbedNetworks, [Disturbance.Side.ann, .bob])
  func silent(under network: any DisturbedNetwork, side: Disturbance.Side) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try await hosts.listen(accepting)
      try await hosts.begin(.mute(side))
      let (error, isThrown) = try await Self.failure(
        of: hosts.ann, to: listener.localEndpoint, within: .milliseconds(500))
      #expect(error?.code == .timedOut)
      #expect(!isThrown)
      #expect(accepting.seen.state.accepted.isEmpty)
    }
  }

  @Test(
    "A host whose interface is down reaches nothing, and says so at once",
    arguments: disturbedNetworks)
  func unplugged(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let listener = try await hosts.listen(ListenerRecorder())
      let socket = try hosts.ann.open(DatagramRecorder())
      try await hosts.begin(.unplugged(.ann))
      let (error, isThrown) = try await Self.failure(of: hosts.ann, to: listener.localEndpoint)
      #expect(error?.code == .networkUnreachable && error?.errno == 101)
      #expect(isThrown)
      let failure = code { () throws(NetworkError) in
        try socket.send([1].span, to: listener.localEndpoint, on: nil)
      }
      #expect(failure == .networkUnreachable)
      try await hosts.end(.unplugged(.ann))
      let (_, recorder) = try hosts.dial(listener.localEndpoint.port)
      try await recorder.seen.wait { $0.isOpen }
    }
  }

  @Test(
    "A connection leaves first by the interface that it names, whatever the routes say",
    arguments: disturbedNetworks)
  func routedAway(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let listener = try await hosts.listen(ListenerRecorder())
      try await hosts.begin(.routedAway)
      let options = ConnectionOptions(userTimeout: nil, firstInterface: hosts.ann.interface)
      let (connection, recorder) = try hosts.dial(listener.localEndpoint.port, options: options)
      try await recorder.seen.wait { $0.isOpen }
      #expect(connection.localEndpoint.address == hosts.ann.address)
      try await hosts.end(.routedAway)
    }
  }

  @Test(
    "A connection that names an interface which its host has not leaves by the routes",
    arguments: disturbedNetworks, [UInt32(0), 9_999, .max])
  func noSuchInterface(under network: any DisturbedNetwork, index: UInt32) async throws {
    try await network.run { hosts in
      let listener = try await hosts.listen(ListenerRecorder())
      let options = ConnectionOptions(userTimeout: nil, firstInterface: index)
      let (_, recorder) = try hosts.dial(listener.localEndpoint.port, options: options)
      try await recorder.seen.wait { $0.isOpen }
    }
  }

  @Test(
    "Whatever interface a connection names first, it fails within its time to connect",
    arguments: disturbedNetworks)
  func namedInVain(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let listener = try await hosts.listen(ListenerRecorder())
      try await hosts.begin(.routedAway, .mute(.ann))
      let start = hosts.ann.network.now
      let options = ConnectionOptions(
        connectTimeout: .milliseconds(600), userTimeout: nil, firstInterface: hosts.ann.interface)
      let (_, recorder) = try hosts.dial(listener.localEndpoint.port, options: options)
      let error = try await recorder.seen.wait { $0.error != nil }.error
      #expect(error?.code == .timedOut)
      #expect(hosts.ann.network.now - start >= .milliseconds(600))
    }
  }

  @Test(
    "Where every port is taken none can be chosen, and what is open goes on",
    arguments: disturbedNetworks)
  func portsTaken(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try await hosts.begin(.portsTaken)
      let (error, isThrown) = try await Self.failure(
        of: hosts.ann, to: link.listener.localEndpoint)
      #expect(error?.code == .addressNotAvailable && error?.errno == 99)
      #expect(isThrown)
      let chosen = Endpoint(hosts.ann.address, port: 0)
      let listening = code { () throws(NetworkError) in
        _ = try hosts.ann.network.listen(on: chosen, handler: ListenerRecorder())
      }
      let opening = code { () throws(NetworkError) in _ = try hosts.ann.open(DatagramRecorder()) }
      #expect(listening == .addressInUse)
      #expect(opening == .addressInUse)
      try link.annSaw.send([1, 2, 3], over: link.ann)
      try await link.bobSaw.seen.wait { $0.received == [1, 2, 3] }
      try await hosts.end(.portsTaken)
      let (_, recorder) = try hosts.dial(link.listener.localEndpoint.port)
      try await recorder.seen.wait { $0.isOpen }
    }
  }
}
