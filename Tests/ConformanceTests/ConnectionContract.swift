import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: connections")
struct ConnectionContract {
  @Test("Both sides of a connection agree on who they are", arguments: networks)
  func endpoints(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      #expect(link.ann.localEndpoint == link.bob.remoteEndpoint)
      #expect(link.ann.remoteEndpoint == link.bob.localEndpoint)
      #expect(link.bob.localEndpoint == link.listener.localEndpoint)
      #expect(link.ann.localEndpoint.port > 0)
    }
  }

  @Test("Nobody listening is a refusal, which comes after the call", arguments: networks)
  func refused(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let recorder = ConnectionRecorder()
      // Not one that was listened at: real hosts give it to the next that asks for any, maybe another test.
      _ = try hosts.connect(to: 1, recorder)
      #expect(recorder.state.callCount == 0)
      let state = try await recorder.seen.wait { $0.error != nil }
      #expect(state.error?.code == .connectionRefused)
      #expect(!state.isOpen)
    }
  }

  @Test("Nobody there is unreachable, or a timeout", arguments: networks)
  func unreachable(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      guard let nowhere = hosts.nowhere else { return }
      let recorder = ConnectionRecorder()
      _ = try hosts.ann.network.connect(
        to: Endpoint(nowhere, port: 7100), options: ConnectionOptions(), handler: recorder)
      let state = try await recorder.seen.wait { $0.error != nil }
      #expect([.hostUnreachable, .timedOut].contains(state.error?.code))
    }
  }

  @Test("A connection is written to when it is open, and until its end", arguments: networks)
  func writing(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let listener = try hosts.listen(ListenerRecorder())
      let recorder = ConnectionRecorder()
      let connection = try hosts.connect(to: listener.localEndpoint.port, recorder)
      func write() throws(NetworkError) { _ = try connection.write([1].span) }
      #expect(code(write) == .notConnected)
      try await recorder.seen.wait { $0.isOpen }
      #expect(code(write) == nil)
      connection.finishWriting()
      #expect(code(write) == .brokenPipe)
    }
  }

  @Test("Each direction ends by itself", arguments: networks)
  func halfClose(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try link.annSaw.send([1, 2], ending: true, over: link.ann)
      try await link.bobSaw.seen.wait { $0.isEnded }
      #expect(link.bobSaw.state.received == [1, 2])
      try link.bobSaw.send([3, 4, 5], ending: true, over: link.bob)
      let state = try await link.annSaw.seen.wait { $0.isEnded }
      #expect(state.received == [3, 4, 5])
      #expect(state.error == nil && link.bobSaw.state.error == nil)
    }
  }

  @Test("A reset is seen as one, also by whoever waits for the end", arguments: networks)
  func reset(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      link.bob.finishWriting()
      try await link.annSaw.seen.wait { $0.isEnded }
      link.bob.reset()
      let state = try await link.annSaw.seen.wait { $0.error != nil }
      #expect(state.error?.code == .connectionReset)
      let failure = code { () throws(NetworkError) in _ = try link.ann.write([1].span) }
      #expect(failure == .brokenPipe)
    }
  }

  @Test("Closing sends what was written, and then ends", arguments: networks)
  func close(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      let bytes = [UInt8](repeating: 7, count: 100_000)
      let count = try link.ann.write(bytes.span)
      link.ann.close()
      let state = try await link.bobSaw.seen.wait { $0.isEnded }
      #expect(state.received == Array(bytes[..<count]))
      #expect(state.error == nil)
      #expect(link.annSaw.state.callCount == 1)
    }
  }

  @Test("Closing with bytes that were not read is a reset", arguments: networks)
  func closeUnread(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link { ConnectionRecorder(pausesAfterFirst: true) }
      try link.annSaw.send([1], over: link.ann)
      try await link.bobSaw.seen.wait { $0.received == [1] }
      try link.annSaw.send([UInt8](repeating: 2, count: 50_000), over: link.ann)
      try await hosts.passTime(.milliseconds(300))
      #expect(link.bobSaw.state.received == [1])
      link.bob.close()
      let state = try await link.annSaw.seen.wait { $0.error != nil }
      #expect(state.error?.code == .connectionReset)
    }
  }

  @Test("Bytes that come after a close are answered with a reset", arguments: networks)
  func writeToClosed(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      link.bob.close()
      try await link.annSaw.seen.wait { $0.isEnded }
      _ = try link.ann.write([1].span)
      let state = try await link.annSaw.seen.wait { $0.error != nil }
      #expect([.connectionReset, .brokenPipe].contains(state.error?.code))
    }
  }

  @Test("A handler without a connection hears nothing any more", arguments: networks)
  func silence(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link()
      try link.bobSaw.send([1, 2, 3], over: link.bob)
      link.ann.reset()
      try await link.bobSaw.seen.wait { $0.error != nil }
      #expect(link.annSaw.state.callCount == 1)
    }
  }
}

extension TwoHosts {
  /// Waits for so much of Ann's time.
  func passTime(_ duration: Duration) async throws {
    let isOver = Watched(false)
    let timer = ann.network.makeTimer { isOver.update { $0 = true } }
    timer.arm(at: ann.network.now + duration)
    try await isOver.wait { $0 }
  }
}
