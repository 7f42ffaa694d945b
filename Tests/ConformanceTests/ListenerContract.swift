import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: listeners")
struct ListenerContract {
  @Test("Every one of many connections carries its own bytes", arguments: networks)
  func many(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try hosts.listen(accepting)
      let dialled = try (0..<50).map { _ in
        let recorder = ConnectionRecorder()
        return (try hosts.connect(to: listener.localEndpoint.port, recorder), recorder)
      }
      for (index, (connection, recorder)) in dialled.enumerated() {
        try await recorder.seen.wait { $0.isOpen }
        try recorder.send(
          [UInt8](repeating: UInt8(index), count: 1_000), ending: true, over: connection)
      }
      let accepted = try await accepting.seen.wait { $0.accepted.count == 50 }.accepted
      #expect(Set(accepted.map(\.connection.remoteEndpoint)).count == 50)
      for one in accepted {
        let bytes = try await one.recorder.seen.wait { $0.isEnded }.received
        let index = dialled.firstIndex {
          $0.0.localEndpoint == one.connection.remoteEndpoint
        }
        #expect(bytes == [UInt8](repeating: UInt8(index ?? 255), count: 1_000))
      }
    }
  }

  @Test("A connection that the listener does not want is reset", arguments: networks)
  func unwanted(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let listener = try hosts.listen(ListenerRecorder(nil))
      let recorder = ConnectionRecorder()
      _ = try hosts.connect(to: listener.localEndpoint.port, recorder)
      let state = try await recorder.seen.wait { $0.error != nil }
      #expect([.connectionReset, .connectionRefused].contains(state.error?.code))
    }
  }

  @Test("A closed listener refuses, and what it accepted lives on", arguments: networks)
  func closing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      link.listener.close()
      let late = ConnectionRecorder()
      _ = try hosts.connect(to: link.listener.localEndpoint.port, late)
      let code = try await late.seen.wait { $0.error != nil }.error?.code
      #expect(code == .connectionRefused)
      try link.annSaw.send([5], over: link.ann)
      try await link.bobSaw.seen.wait { $0.received == [5] }
    }
  }

  @Test("A port has one listener at a time, and is free again afterwards", arguments: networks)
  func portInUse(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let listener = try hosts.listen(ListenerRecorder())
      let endpoint = listener.localEndpoint
      func again() throws(NetworkError) {
        try hosts.bob.network.listen(on: endpoint, handler: ListenerRecorder()).close()
      }
      #expect(code(again) == .addressInUse)
      listener.close()
      #expect(code(again) == nil)
    }
  }

  @Test("An address that is not ours cannot be listened on", arguments: networks)
  func foreign(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      guard let nowhere = hosts.nowhere else { return }
      let failure = code { () throws(NetworkError) in
        _ = try hosts.bob.network.listen(
          on: Endpoint(nowhere, port: 0), handler: ListenerRecorder())
      }
      #expect(failure == .addressNotAvailable)
    }
  }

  @Test("The system chooses ports that nobody has", arguments: networks)
  func chosenPorts(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let ports = try (0..<20).map { _ in
        try hosts.listen(ListenerRecorder()).localEndpoint.port
      }
      #expect(Set(ports).count == 20)
      #expect(ports.allSatisfy { $0 >= 1_024 })
    }
  }

  @Test("A listener on every address of a family is reached at each", arguments: networks)
  func unspecified(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try hosts.bob.network.listen(
        on: Endpoint(.anyV4, port: 0), handler: accepting)
      let recorder = ConnectionRecorder()
      _ = try hosts.connect(to: listener.localEndpoint.port, recorder)
      try await recorder.seen.wait { $0.isOpen }
      let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
      #expect(accepted.connection.localEndpoint.address == hosts.bob.address)
    }
  }
}
