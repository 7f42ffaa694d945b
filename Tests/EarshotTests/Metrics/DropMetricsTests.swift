import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

@Suite("Metrics of what was dropped")
struct DropMetricsTests {
  /// Checks that the metrics of a peer say what the statistics of a member say, for each reason.
  static func expectCounted(
    _ peer: Peer, _ session: Session, with member: PeerID,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    guard let statistics = await session.statistics(of: member)?.unreliable else { return }
    let metrics = await peer.metrics
    let drops = metrics.numbers.filter { number in
      [.unreliableMessagesDropped, .datagramsDropped].contains(number.metric)
        && number.peer == member
    }
    for drop in drops {
      let isInMessages = drop.metric == .unreliableMessagesDropped
      let isListed = countedInMessages.contains(drop.reason ?? "")
      #expect(isInMessages == isListed, "\(drop)", sourceLocation: sourceLocation)
    }
    let expected = Dictionary(
      uniqueKeysWithValues: statistics.dropped.map { ($0.key.rawValue, $0.value) })
    let found = Dictionary(uniqueKeysWithValues: drops.map { ($0.reason ?? "", $0.value) })
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(
      metrics.value(of: .unreliableMessagesSent, with: member) == statistics.messagesSent
        && metrics.value(of: .unreliableMessagesSentOverLink, with: member)
          == statistics.messagesSentOverLink
        && metrics.value(of: .unreliableMessagesReceived, with: member)
          == statistics.messagesReceived,
      sourceLocation: sourceLocation)
    let (stray, lost) = (await peer.strayDatagramCount, await peer.lostDatagramCount)
    #expect(
      metrics.value(of: .datagramsDropped, for: "stray") == stray
        && metrics.value(of: .datagramsDropped, for: "lost") == lost,
      sourceLocation: sourceLocation)
  }

  /// The reasons that are counted in messages; all others are counted in datagrams.
  private static let countedInMessages: Set = [
    "queueFull", "notLinked", "linkBusy", "congested", "unread", "incomplete",
  ]
  private static let group = Endpoint(.v4(0xE000_00FB), port: 5_353)

  @Test("Packets of discovery that are not looked at are counted by reason")
  func discovery() {
    Scene.play { scene in
      let eve = scene.world.makeHost("eve")
      let source = Endpoint(eve.address, port: 5_353)
      let drops = { (reason: String) in
        await scene.bob.metrics.value(of: .discoveryPacketsDropped, for: reason)
      }
      #expect(await scene.bob.metrics[.discoveryPacketsDropped] == 0)
      eve.forge([1, 2, 3], from: source, to: Self.group)
      try await scene.milliseconds(100)
      #expect(await drops("malformed") == 1)
      let query = DNSMessage(asking: [DNSQuestion(DNSName("_room", "_tcp", "local"), .ptr)])
      let packet = try #require(query.packets().first)
      eve.forge(packet, from: Endpoint(.v4(0xCB00_7109), port: 5_353), to: Self.group)
      try await scene.milliseconds(100)
      #expect(await drops("offLink") == 1)
      #expect(await drops("malformed") == 1)
      for _ in 0..<2_500 { eve.forge(packet, from: source, to: Self.group) }
      try await scene.milliseconds(500)
      #expect(await drops("rateLimited") >= 400)
      #expect(await scene.ann.metrics.value(of: .discoveryPacketsDropped, for: "offLink") == 1)
    }
  }

  @Test("Packets of discovery that are not sent, since too many were, are counted")
  func sendRateLimited() {
    Scene.play { scene in
      let drops = { (metrics: PeerMetrics) in
        metrics.value(of: .discoveryPacketsDropped, for: "sendRateLimited")
      }
      let before = await scene.ann.metrics
      #expect(drops(before) == 0)
      for number in 0..<70 { scene.keep(try await scene.ann.advertise("room\(number)")) }
      try await scene.sleep(.seconds(1))
      let after = await scene.ann.metrics
      #expect(drops(after) > 0)
      #expect(after[.discoveryPacketsSent] > before[.discoveryPacketsSent])
    }
  }
}
