import EarshotCore
import EarshotNetwork
import Testing

@Suite("Contract: progress of connections")
struct ProgressContract {
  private static let patient = ConnectionOptions(userTimeout: nil)

  @Test("What is written counts until the other side's system has it", arguments: networks)
  func acknowledged(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: Self.patient)
      let (before, bobBefore) = (link.ann.progress, link.bob.progress)
      #expect(before.unacknowledgedBytes == 0)
      try link.annSaw.send([UInt8](repeating: 1, count: 10_000), over: link.ann)
      try await link.bobSaw.seen.wait { $0.received.count == 10_000 }
      try await hosts.passTime(.milliseconds(300))
      let (after, bobAfter) = (link.ann.progress, link.bob.progress)
      #expect(after.unacknowledgedBytes == 0)
      #expect(after.deliveredCount > before.deliveredCount)
      #expect(after.arrivedCount == before.arrivedCount)
      #expect(bobAfter.arrivedCount > bobBefore.arrivedCount)
      #expect(bobAfter.deliveredCount == bobBefore.deliveredCount)
    }
  }

  @Test("Both sides know how long a round trip takes at least", arguments: networks)
  func roundTrip(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: Self.patient)
      for connection in [link.ann, link.bob] {
        let time = try #require(connection.progress.leastRoundTrip)
        #expect(time > .zero && time < .seconds(1))
      }
    }
  }

  @Test(
    "A system whose application reads nothing takes some, and then nothing", arguments: networks)
  func full(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: Self.patient)
      link.bob.pauseReading()
      try link.annSaw.send([UInt8](repeating: 1, count: 8_000_000), over: link.ann)
      try await hosts.passTime(.seconds(2))
      let stalled = link.ann.progress
      #expect(stalled.deliveredCount > 0 && stalled.unacknowledgedBytes > 0)
      try await hosts.passTime(.seconds(3))
      #expect(link.ann.progress.deliveredCount == stalled.deliveredCount)
      #expect(link.ann.progress.unacknowledgedBytes >= stalled.unacknowledgedBytes)
      #expect(link.annSaw.state.error == nil)
      link.bob.resumeReading()
      try await link.bobSaw.seen.wait { $0.received.count == 8_000_000 }
    }
  }

  @Test("A connection that is not open has no progress", arguments: networks)
  func closed(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let listener = try hosts.listen(ListenerRecorder())
      let recorder = ConnectionRecorder()
      let connection = try hosts.connect(to: listener.localEndpoint.port, recorder)
      #expect(connection.progress == TransportProgress())
      try await recorder.seen.wait { $0.isOpen }
      connection.reset()
      #expect(connection.progress == TransportProgress())
    }
  }
}
