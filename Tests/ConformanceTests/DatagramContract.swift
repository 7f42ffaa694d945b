import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: datagrams")
struct DatagramContract {
  @Test("A datagram arrives whole and says where it came from", arguments: networks)
  func header(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (annSaw, bobSaw) = (DatagramRecorder(), DatagramRecorder())
      let (ann, bob) = (try hosts.ann.open(annSaw), try hosts.bob.open(bobSaw))
      try ann.send([1, 2, 3].span, to: bob.localEndpoint, on: nil)
      #expect(bobSaw.state.received.isEmpty)
      let received = try await bobSaw.seen.wait { !$0.received.isEmpty }.received
      #expect(received.map(\.bytes) == [[1, 2, 3]])
      #expect(received.first?.header.source == ann.localEndpoint)
      #expect(received.first?.header.destination == hosts.bob.address)
      try bob.send([4].span, to: ann.localEndpoint, on: nil)
      try await annSaw.seen.wait { $0.payloads == [[4]] }
    }
  }

  @Test("A datagram arrives with the hop limit of the socket that sent it", arguments: networks)
  func hopLimit(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let bob = try hosts.bob.open(seen)
      for hops in [nil, 1, 255] as [UInt8?] {
        var options = DatagramOptions()
        if let hops { options.hopLimit = hops }
        let ann = try hosts.ann.network.openDatagramSocket(
          on: Endpoint(hosts.ann.address, port: 0), options: options, handler: DatagramRecorder())
        try ann.send([hops ?? 64].span, to: bob.localEndpoint, on: nil)
      }
      let received = try await seen.seen.wait { $0.received.count == 3 }.received
      #expect(received.map { [$0.header.hopLimit] } == received.map(\.bytes))
    }
  }

  @Test("Datagrams are kept apart, also empty ones", arguments: networks)
  func boundaries(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (ann, bob) = (try hosts.ann.open(DatagramRecorder()), try hosts.bob.open(seen))
      let sent: [[UInt8]] = [[1], [], [2, 3], []]
      for bytes in sent { try ann.send(bytes.span, to: bob.localEndpoint, on: nil) }
      let state = try await seen.seen.wait { $0.received.count == 4 }
      #expect(state.payloads == sent)
    }
  }

  @Test("Many datagrams in one call arrive one by one, in order", arguments: networks)
  func batch(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (ann, bob) = (try hosts.ann.open(DatagramRecorder()), try hosts.bob.open(seen))
      let bytes = (0..<100_500).map { UInt8(truncatingIfNeeded: $0 / 1_000) }
      let sent = try ann.send(bytes.span, inDatagramsOf: 1_000, to: bob.localEndpoint)
      #expect(sent == 100_500)
      let payloads = try await seen.seen.wait { $0.received.count == 101 }.payloads
      #expect(payloads.map(\.count) == [Int](repeating: 1_000, count: 100) + [500])
      #expect(payloads.flatMap { $0 } == bytes)
    }
  }

  @Test("What the system has no room for is counted with the next datagram", arguments: networks)
  func overflow(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let ann = try hosts.ann.open(DatagramRecorder())
      let bob = try hosts.bob.open(seen, receiveBufferBytes: 4_096)
      let (payload, count) = ([UInt8](repeating: 1, count: 1_000), 300)
      for round in 1...2 {
        // None is read meanwhile, where both share a loop.
        for _ in 0..<count { try ann.send(payload.span, to: bob.localEndpoint, on: nil) }
        try await seen.seen.wait { $0.pausedAfter ?? 0 > 0 && $0.pausedAfter == $0.received.count }
        try ann.send([UInt8(round)].span, to: bob.localEndpoint, on: nil)
        try await seen.seen.wait { $0.received.last?.bytes == [UInt8(round)] }
        #expect(seen.state.received.count + bob.lostCount == round * (count + 1))
      }
      if network is LoopbackPair { #expect(bob.lostCount > count) }
    }
  }

  @Test("Behind what has come stands a pause, so that it can be dealt with", arguments: networks)
  func pauses(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (ann, bob) = (
        try hosts.ann.open(DatagramRecorder()),
        try hosts.bob.open(seen, receiveBufferBytes: 1 << 20)
      )
      for count in 1...3 {
        for _ in 0..<100 { try ann.send([1].span, to: bob.localEndpoint, on: nil) }
        try await seen.seen.wait {
          $0.received.count == count * 100 && $0.pausedAfter == count * 100
        }
      }
    }
  }

  @Test("65,507 bytes are a datagram, one more is too long", arguments: networks)
  func limit(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let (ann, bob) = (try hosts.ann.open(DatagramRecorder()), try hosts.bob.open(seen))
      let bytes = [UInt8](repeating: 9, count: 65_508)
      func send(_ count: Int) throws(NetworkError) {
        try ann.send(bytes.span.extracting(0..<count), to: bob.localEndpoint, on: nil)
      }
      let failure = code { () throws(NetworkError) in try send(65_508) }
      #expect(failure == .messageTooLong)
      try send(65_507)
      let state = try await seen.seen.wait { !$0.received.isEmpty }
      #expect(state.payloads == [Array(bytes.dropLast())])
    }
  }

  @Test("A datagram to nobody is lost, and the socket goes on", arguments: networks)
  func nobody(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let seen = DatagramRecorder()
      let closed = try hosts.bob.open(DatagramRecorder())
      closed.close()
      let (ann, bob) = (try hosts.ann.open(DatagramRecorder()), try hosts.bob.open(seen))
      try ann.send([1].span, to: closed.localEndpoint, on: nil)
      try await hosts.passTime(.milliseconds(50))
      try ann.send([2].span, to: bob.localEndpoint, on: nil)
      try await seen.seen.wait { $0.payloads == [[2]] }
    }
  }

  @Test("A port has one socket, unless all of them share it", arguments: networks)
  func portInUse(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (endpoint, socket) = try hosts.ann.openOnUnchosenPort(DatagramRecorder())
      func open(sharing: Bool) -> NetworkError.Code? {
        code { () throws(NetworkError) in
          _ = try hosts.ann.network.openDatagramSocket(
            on: endpoint, options: DatagramOptions(sharesPort: sharing),
            handler: DatagramRecorder())
        }
      }
      #expect(hosts.ann.network.isDatagramPortTaken(endpoint.port))
      #expect(open(sharing: false) == .addressInUse)
      #expect(open(sharing: true) == .addressInUse)
      socket.close()
      // A process that another test starts has the descriptor, too, until it runs its own program.
      var first = open(sharing: true)
      for _ in 0..<500 where first == .addressInUse {
        try await hosts.ann.network.clock.sleep(for: .milliseconds(10))
        first = open(sharing: true)
      }
      #expect(first == nil)
      #expect(hosts.ann.network.isDatagramPortTaken(endpoint.port))
      #expect(open(sharing: true) == nil)
      #expect(open(sharing: false) == .addressInUse)
    }
  }

  @Test("A port that no socket has is not taken, and is not by asking", arguments: networks)
  func freePort(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      // No system chooses it, and no other test asks for it.
      for _ in 0..<3 { #expect(!hosts.ann.network.isDatagramPortTaken(31_999)) }
    }
  }

  @Test("The system chooses ports that nobody has", arguments: networks)
  func chosenPorts(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let sockets = try (0..<20).map { _ in try hosts.ann.open(DatagramRecorder()) }
      #expect(Set(sockets.map(\.localEndpoint.port)).count == 20)
    }
  }

  @Test("A closed socket sends nothing and hears nothing", arguments: networks)
  func closing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (annSaw, bobSaw) = (DatagramRecorder(), DatagramRecorder())
      let (ann, bob) = (try hosts.ann.open(annSaw), try hosts.bob.open(bobSaw))
      try bob.send([1].span, to: ann.localEndpoint, on: nil)
      ann.close()
      let failure = code { () throws(NetworkError) in
        try ann.send([2].span, to: bob.localEndpoint, on: nil)
      }
      #expect(failure != nil)
      try await hosts.passTime(.milliseconds(50))
      #expect(annSaw.state.received.isEmpty && annSaw.state.error == nil)
      #expect(bobSaw.state.received.isEmpty)
    }
  }
}
