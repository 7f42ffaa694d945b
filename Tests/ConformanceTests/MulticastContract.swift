import EarshotCore
import EarshotNetwork
import Testing

/// One test at a time: all real sockets of this machine share one group.
@Suite("Contract: multicast", .serialized)
struct MulticastContract {
  private static let group = IPAddress.v4(0xEFFF_2A01)  // 239.255.42.1, of the local scope.
  private static let port: UInt16 = 42_101

  @Test("Members hear what is sent to their group, and it says so", arguments: networks)
  func members(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (joined, other) = (DatagramRecorder(), DatagramRecorder())
      let bob = try hosts.bob.openShared(joined, port: Self.port)
      _ = try hosts.bob.openShared(other, port: Self.port)
      try bob.join(Self.group, on: hosts.bob.interface)
      try bob.join(Self.group, on: hosts.bob.interface)
      let ann = try hosts.ann.openShared(DatagramRecorder(), port: Self.port)
      try ann.send(
        [7].span, to: Endpoint(Self.group, port: Self.port), on: hosts.ann.interface)
      let received = try await joined.seen.wait { !$0.received.isEmpty }.received
      try await hosts.passTime(.milliseconds(50))
      #expect(joined.state.payloads == [[7]])
      #expect(received.first?.header.destination == Self.group)
      #expect(received.first?.header.interface == hosts.bob.interface)
      #expect(received.first?.header.hopLimit == 1)
      #expect(other.state.received.isEmpty)
    }
  }

  @Test("Every socket that shares the port and has joined hears its own copy", arguments: networks)
  func copies(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let recorders = [DatagramRecorder(), DatagramRecorder(), DatagramRecorder()]
      for recorder in recorders {
        let socket = try hosts.bob.openShared(recorder, port: Self.port)
        try socket.join(Self.group, on: hosts.bob.interface)
      }
      let ann = try hosts.ann.openShared(DatagramRecorder(), port: Self.port)
      try ann.send(
        [7].span, to: Endpoint(Self.group, port: Self.port), on: hosts.ann.interface)
      for recorder in recorders { try await recorder.seen.wait { $0.payloads == [[7]] } }
    }
  }

  @Test("Whoever has left a group hears nothing of it", arguments: networks)
  func leaving(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let (left, stayed) = (DatagramRecorder(), DatagramRecorder())
      let sockets = try [left, stayed].map { recorder in
        let socket = try hosts.bob.openShared(recorder, port: Self.port)
        try socket.join(Self.group, on: hosts.bob.interface)
        return socket
      }
      sockets[0].leave(Self.group, on: hosts.bob.interface)
      let ann = try hosts.ann.openShared(DatagramRecorder(), port: Self.port)
      try ann.send(
        [7].span, to: Endpoint(Self.group, port: Self.port), on: hosts.ann.interface)
      try await stayed.seen.wait { $0.payloads == [[7]] }
      try await hosts.passTime(.milliseconds(50))
      #expect(left.state.received.isEmpty)
    }
  }

  @Test("Our own multicast comes back if it is to loop, and only then", arguments: networks)
  func looping(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      for loops in [true, false] where loops || hosts.canKeepFromLooping {
        let recorder = DatagramRecorder()
        let socket = try hosts.ann.openShared(recorder, port: Self.port, loops: loops)
        try socket.join(Self.group, on: hosts.ann.interface)
        try socket.send(
          [7].span, to: Endpoint(Self.group, port: Self.port), on: hosts.ann.interface)
        try await hosts.passTime(.milliseconds(50))
        #expect(recorder.state.payloads == (loops ? [[7]] : []))
        socket.close()
      }
    }
  }

  @Test("Only a group can be joined, and only on an interface that there is", arguments: networks)
  func invalid(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let socket = try hosts.ann.openShared(DatagramRecorder(), port: Self.port)
      let noGroup = code { () throws(NetworkError) in
        try socket.join(hosts.bob.address, on: hosts.ann.interface)
      }
      let noInterface = code { () throws(NetworkError) in
        try socket.join(Self.group, on: 9_999)
      }
      #expect(noGroup == .invalidArgument)
      #expect(noInterface == .addressNotAvailable)
    }
  }
}
