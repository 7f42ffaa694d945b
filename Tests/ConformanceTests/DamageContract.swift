import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: packets that are harmed")
struct DamageContract {
  private static let group = IPAddress.v4(0xEFFF_2A02)  // 239.255.42.2, of the local scope.
  private static let port: UInt16 = 42_102

  /// Has Bob open a socket on his address.
  private static func open(
    _ recorder: DatagramRecorder, on hosts: DisturbedHosts
  ) async throws -> any DatagramSocket {
    let address = hosts.bob.address
    return try await hosts.bob.perform {
      try $0.openDatagramSocket(
        on: Endpoint(address, port: 0), options: DatagramOptions(), handler: recorder)
    }
  }

  @Test(
    "A stream arrives whole although a third of its segments is harmed",
    arguments: disturbedNetworks, [Disturbance.corrupted(33), .truncated(33)])
  func stream(under network: any DisturbedNetwork, damage: Disturbance) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try await hosts.begin(damage)
      var random = RandomStream(seed: 3)
      let bytes = random.bytes(20_000)
      try link.annSaw.send(bytes, ending: true, over: link.ann)
      let state = try await link.bobSaw.seen.wait { $0.isEnded }
      #expect(state.received == bytes)
      #expect(link.annSaw.state.error == nil && link.bobSaw.state.error == nil)
    }
  }

  @Test(
    "A datagram whose harm no checksum shows arrives with it, by itself",
    arguments: disturbedNetworks
  )
  func corrupted(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (bob, ann) = (
        try await Self.open(seen, on: hosts), try hosts.ann.open(DatagramRecorder())
      )
      let bytes = [UInt8](repeating: 0x55, count: 100)
      try await hosts.begin(.corrupted(100))
      try ann.send(bytes.span, to: bob.localEndpoint, on: nil)
      try await seen.seen.wait { $0.received.count == 1 }
      try await hosts.end(.corrupted(100))
      try await hosts.begin(.truncated(100))
      try ann.send(bytes.span, to: bob.localEndpoint, on: nil)
      try await seen.seen.wait { $0.received.count == 2 }
      try await hosts.end(.truncated(100))
      try ann.send(bytes.span, to: bob.localEndpoint, on: nil)
      let payloads = try await seen.seen.wait { $0.received.count == 3 }.payloads
      #expect(payloads[0].count == 100 && payloads[0] != bytes)
      #expect(payloads[1].count < 100 && bytes.starts(with: payloads[1]))
      #expect(payloads[2] == bytes)
    }
  }

  @Test("A datagram that arrives twice is received twice", arguments: disturbedNetworks)
  func duplicated(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (bob, ann) = (
        try await Self.open(seen, on: hosts), try hosts.ann.open(DatagramRecorder())
      )
      try await hosts.begin(.duplicated)
      try ann.send([1].span, to: bob.localEndpoint, on: nil)
      try ann.send([2].span, to: bob.localEndpoint, on: nil)
      let state = try await seen.seen.wait { $0.received.count == 4 }
      #expect(state.payloads == [[1], [1], [2], [2]])
      #expect(Set(state.received.map(\.header.source)) == [ann.localEndpoint])
    }
  }

  @Test(
    "Multicasts that are lost are not heard, and datagrams to the host are",
    arguments: disturbedNetworks)
  func multicast(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let (seen, interface) = (DatagramRecorder(), hosts.bob.interface)
      try await hosts.bob.perform { network in
        let socket = try network.openDatagramSocket(
          on: Endpoint(.anyV4, port: Self.port), options: DatagramOptions(sharesPort: true),
          handler: seen)
        try socket.join(Self.group, on: interface)
      }
      let ann = try hosts.ann.openShared(DatagramRecorder(), port: Self.port)
      let (all, bob) = (
        Endpoint(Self.group, port: Self.port), Endpoint(hosts.bob.address, port: Self.port)
      )
      try await hosts.begin(.multicastLost)
      try ann.send([1].span, to: all, on: hosts.ann.interface)
      try ann.send([2].span, to: bob, on: nil)
      try await seen.seen.wait { $0.payloads == [[2]] }
      try await hosts.end(.multicastLost)
      try ann.send([3].span, to: all, on: hosts.ann.interface)
      let received = try await seen.seen.wait { $0.received.count == 2 }.received
      #expect(received.map(\.bytes) == [[2], [3]])
      #expect(received.map(\.header.destination) == [hosts.bob.address, Self.group])
    }
  }

  @Test("A multicast with a hop limit of 0 stays on its host", arguments: disturbedNetworks)
  func hopLimit(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let (annSaw, bobSaw) = (DatagramRecorder(), DatagramRecorder())
      let endpoint = Endpoint(.anyV4, port: Self.port)
      let interface = hosts.bob.interface
      try await hosts.bob.perform { network in
        let socket = try network.openDatagramSocket(
          on: endpoint, options: DatagramOptions(sharesPort: true), handler: bobSaw)
        try socket.join(Self.group, on: interface)
      }
      let sockets = try [0, 1].map { hops in
        try hosts.ann.network.openDatagramSocket(
          on: endpoint, options: DatagramOptions(sharesPort: true, multicastHopLimit: hops),
          handler: annSaw)
      }
      try sockets[0].join(Self.group, on: hosts.ann.interface)
      for (byte, socket) in zip(UInt8(0)..., sockets) {
        try socket.send(
          [byte].span, to: Endpoint(Self.group, port: Self.port), on: hosts.ann.interface)
      }
      try await annSaw.seen.wait { $0.payloads == [[0], [1]] }
      try await bobSaw.seen.wait { !$0.received.isEmpty }
      #expect(bobSaw.state.payloads == [[1]])
    }
  }

  @Test(
    "A datagram larger than a packet arrives whole, up to 65,507 bytes",
    arguments: disturbedNetworks)
  func fragments(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (bob, ann) = (
        try await Self.open(seen, on: hosts), try hosts.ann.open(DatagramRecorder())
      )
      var random = RandomStream(seed: 5)
      let sent = [1_472, 1_473, 8_000, 65_507].map { random.bytes($0) }
      for bytes in sent { try ann.send(bytes.span, to: bob.localEndpoint, on: nil) }
      let state = try await seen.seen.wait { $0.received.count == 4 }
      #expect(state.payloads == sent)
      let failure = code { () throws(NetworkError) in
        try ann.send([UInt8](repeating: 0, count: 65_508).span, to: bob.localEndpoint, on: nil)
      }
      #expect(failure == .messageTooLong)
    }
  }
}
