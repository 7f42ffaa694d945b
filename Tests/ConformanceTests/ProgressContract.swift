import EarshotCore
import EarshotNetwork
import EarshotSimulator
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

  @Test(
    "Nothing is sent again without loss, and the count never decreases, also after the end",
    arguments: networks)
  func retransmissions(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let link = try await hosts.link(options: Self.patient)
      var counts: [UInt64] = []
      for round in 1...5 {
        try link.annSaw.send([UInt8](repeating: 1, count: 100_000), over: link.ann)
        try await link.bobSaw.seen.wait { $0.received.count == round * 100_000 }
        counts.append(try #require(link.ann.progress.retransmissionCount))
        #expect(link.bob.progress.retransmissionCount != nil)
      }
      #expect(counts == counts.sorted())
      // A busy machine may have Linux send a tail again, even over the loopback interface.
      if network is SimulatedPair { #expect(counts.last == 0) }
      link.ann.reset()
      _ = try await link.bobSaw.seen.wait { $0.error != nil }
      #expect(try #require(link.ann.progress.retransmissionCount) >= counts[4])
      #expect(link.bob.progress.retransmissionCount != nil)
    }
  }

  @Test("What a link loses is sent again and counted; the SYN, too")
  func lossy() async throws {
    try await SimulatedPair().run { (world: World, hosts: TwoHosts) in
      let fault = world.inject(.cut(.between("ann", and: "bob")))
      let accepting = ListenerRecorder { ConnectionRecorder() }
      let listener = try hosts.listen(accepting)
      let recorder = ConnectionRecorder()
      let connection = try hosts.connect(
        to: listener.localEndpoint.port, recorder, options: Self.patient)
      try await hosts.passTime(.milliseconds(2_500))
      fault.end()
      try await recorder.seen.wait { $0.isOpen }
      let repeated = try #require(connection.progress.retransmissionCount)
      #expect(repeated == 3)
      var change = LinkChange()
      change.loss = .percent(10)
      let loss = world.inject(.link(.between("ann", and: "bob"), change))
      try recorder.send([UInt8](repeating: 1, count: 500_000), over: connection)
      let accepted = try await accepting.seen.wait { !$0.accepted.isEmpty }.accepted[0]
      try await accepted.recorder.seen.wait { $0.received.count == 500_000 }
      loss.end()
      let count = try #require(connection.progress.retransmissionCount)
      #expect((repeated + 20...repeated + 200).contains(count))
      connection.close()
      #expect(connection.progress.retransmissionCount == count)
      listener.close()
    }
  }

  @Test(
    "A connection that is not open has no progress, but for what it has sent again",
    arguments: networks)
  func closed(under network: any NetworkUnderTest) async throws {
    try await network.run { hosts in
      let listener = try hosts.listen(ListenerRecorder())
      let recorder = ConnectionRecorder()
      let connection = try hosts.connect(to: listener.localEndpoint.port, recorder)
      #expect(connection.progress == TransportProgress())
      try await recorder.seen.wait { $0.isOpen }
      let count = connection.progress.retransmissionCount
      connection.reset()
      #expect(connection.progress == TransportProgress(retransmissionCount: count))
    }
  }
}
