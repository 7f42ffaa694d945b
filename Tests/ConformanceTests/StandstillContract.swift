import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: a program that stands still")
struct StandstillContract {
  private static let bytes = [UInt8](0..<200)

  @Test(
    "The system takes in and acknowledges what the program reads later, in order",
    arguments: disturbedNetworks)
  func acknowledged(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try await hosts.begin(.frozen)
      try link.annSaw.send(Self.bytes, ending: true, over: link.ann)
      try await hosts.passTime(.milliseconds(300))
      #expect(link.ann.progress.unacknowledgedBytes == 0)
      #expect(link.bobSaw.state.callCount == 0)
      try await hosts.end(.frozen)
      let state = try await link.bobSaw.seen.wait { $0.isEnded }
      #expect(state.received == Self.bytes && state.error == nil)
    }
  }

  @Test(
    "A full buffer holds the writer back, and nothing of what it held is lost",
    arguments: disturbedNetworks)
  func full(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try await hosts.begin(.frozen)
      var random = RandomStream(seed: 7)
      let bytes = random.bytes(12_000_000)
      try link.annSaw.send(bytes, ending: true, over: link.ann)
      try await hosts.passTime(.seconds(2))
      let stalled = link.ann.progress
      try await hosts.passTime(.seconds(2))
      #expect(link.ann.progress.deliveredCount == stalled.deliveredCount)
      #expect(!link.annSaw.state.unsent.isEmpty && link.annSaw.state.error == nil)
      try await hosts.end(.frozen)
      let state = try await link.bobSaw.seen.wait { $0.isEnded }
      #expect(state.received == bytes)
    }
  }

  @Test(
    "Connections open without the program, which is handed them later", arguments: disturbedNetworks
  )
  func opening(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try await hosts.listen(accepting)
      try await hosts.begin(.frozen)
      let (connection, recorder) = try hosts.dial(listener.localEndpoint.port)
      try await recorder.seen.wait { $0.isOpen }
      try recorder.send(Self.bytes, ending: true, over: connection)
      try await hosts.passTime(.milliseconds(300))
      #expect(accepting.seen.state.accepted.isEmpty)
      try await hosts.end(.frozen)
      let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
      let state = try await accepted.recorder.seen.wait { $0.isEnded }
      #expect(state.received == Self.bytes)
    }
  }

  @Test(
    "A listener has room for 129 connections that the program was not handed; the next waits for room",
    arguments: disturbedNetworks)
  func backlog(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try await hosts.listen(accepting)
      try await hosts.begin(.frozen)
      let patient = ConnectionOptions(connectTimeout: .seconds(30))
      for _ in 0..<129 {
        let (_, recorder) = try hosts.dial(listener.localEndpoint.port, options: patient)
        try await recorder.seen.wait { $0.isOpen }
      }
      let (_, late) = try hosts.dial(listener.localEndpoint.port, options: patient)
      try await hosts.passTime(.milliseconds(1_500))
      #expect(late.state.callCount == 0)
      try await hosts.end(.frozen)
      try await late.seen.wait { $0.isOpen }
      try await accepting.seen.wait { $0.accepted.count == 130 }
    }
  }

  @Test(
    "A connection that was closed before the program was handed it is handed over with what it carried",
    arguments: disturbedNetworks)
  func closed(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let accepting = ListenerRecorder()
      let listener = try await hosts.listen(accepting)
      try await hosts.begin(.frozen)
      let (connection, recorder) = try hosts.dial(listener.localEndpoint.port)
      try await recorder.seen.wait { $0.isOpen }
      try recorder.send(Self.bytes, over: connection)
      connection.close()
      try await hosts.passTime(.milliseconds(300))
      try await hosts.end(.frozen)
      let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
      let state = try await accepted.recorder.seen.wait { $0.isEnded }
      #expect(state.received == Self.bytes && state.error == nil)
    }
  }

  @Test("Datagrams wait for the program, in order", arguments: disturbedNetworks)
  func datagrams(under network: any DisturbedNetwork) async throws {
    try await network.run { hosts in
      let (seen, address) = (DatagramRecorder(), hosts.bob.address)
      let bob = try await hosts.bob.perform {
        try $0.openDatagramSocket(
          on: Endpoint(address, port: 0), options: DatagramOptions(), handler: seen)
      }
      let ann = try hosts.ann.open(DatagramRecorder())
      try await hosts.begin(.frozen)
      for byte in UInt8(0)..<20 { try ann.send([byte].span, to: bob.localEndpoint, on: nil) }
      try await hosts.passTime(.milliseconds(100))
      #expect(seen.state.received.isEmpty)
      try await hosts.end(.frozen)
      let state = try await seen.seen.wait { $0.received.count == 20 }
      #expect(state.payloads == (UInt8(0)..<20).map { [$0] })
    }
  }
}
