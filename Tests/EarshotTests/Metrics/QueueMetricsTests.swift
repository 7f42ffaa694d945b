import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Foundation
import Testing

@Suite("Metrics of queues, sessions and invitations")
struct QueueMetricsTests {
  @Test("Messages that wait count at the sender, and those that were not taken at the receiver")
  func messages() throws {
    var configuration = Session.Configuration()
    (configuration.sendBufferBytes, configuration.receiveWindowBytes) = (1 << 20, 4 << 20)
    try StreamPair.play(configuration: configuration) { pair, world in
      let before = await pair.bob.metrics
      #expect(before[.sendBufferBytes] == 0 && before[.messagesUnacknowledged] == 0)
      let fault = world.inject(.cut(.between("ann", and: "bob")))
      for _ in 0..<10 { try await pair.guest.send([UInt8](repeating: 1, count: 100_000)) }
      let waiting = pair.bob.start {
        try await pair.guest.send([UInt8](repeating: 2, count: 100_000))
      }
      try await pair.bob.wait(milliseconds: 1_000)
      let cut = await pair.bob.metrics
      #expect(cut.value(of: .sendBufferBytes, with: pair.ann.id) ?? 0 >= 1_000_000)
      #expect(cut.value(of: .messagesUnacknowledged, with: pair.ann.id) == 10)
      #expect(cut.value(of: .messagesSent, with: pair.ann.id) == 10)
      #expect(cut[.sendsWaiting] == 1)
      #expect(cut[.transportQueueBytes] > 0)
      fault.end()
      _ = try await waiting.value
      try await pair.bob.wait(milliseconds: 20_000)
      let sender = await pair.bob.metrics
      #expect(sender[.sendBufferBytes] == 0 && sender[.messagesUnacknowledged] == 0)
      #expect(sender[.messagesSent] == 11 && sender[.sendsWaiting] == 0)
      #expect(sender[.transportQueueBytes] == 0)
      let receiver = await pair.ann.metrics
      #expect(receiver.value(of: .messagesReceived, with: pair.bob.id) == 11)
      #expect(receiver[.messageBytesUnread] == 11 * (100_000 + 64))
      #expect(receiver[.eventsWaiting] >= 11)
      #expect(await pair.host.take(11).count == 11)
      let after = await pair.ann.metrics
      #expect(after[.messageBytesUnread] == 0)
      #expect(after[.eventsWaiting] <= receiver[.eventsWaiting] - 11)
      #expect(after[.messagesReceived] == 11)
      let roundTrip = try #require(sender.value(of: .roundTrip, with: pair.ann.id))
      #expect(roundTrip > 0 && roundTrip < 1_000_000_000)
      #expect(sender[.leastRoundTrip] <= roundTrip)
    }
  }

  @Test("A stream that is not read counts with its bytes, until it is read and over")
  func streams() throws {
    try StreamPair.play { pair, _ in
      let (bobs, anns) = try await pair.open()
      #expect(await pair.bob.metrics.value(of: .streamsOpen, with: pair.ann.id) == 1)
      #expect(await pair.ann.metrics[.streamsOpen] == 1)
      #expect(try bobs.tryWrite([UInt8](repeating: 1, count: 10_000)) == 10_000)
      #expect(await pair.bob.metrics[.sendBufferBytes] >= 10_000)
      try await pair.bob.wait(milliseconds: 1_000)
      #expect(await pair.bob.metrics[.sendBufferBytes] == 0)
      #expect(await pair.ann.metrics.value(of: .streamBytesUnread, with: pair.bob.id) == 10_000)
      #expect(try await anns.read(upTo: 4_000)?.count == 4_000)
      #expect(await pair.ann.metrics[.streamBytesUnread] == 6_000)
      bobs.finish()
      anns.finish()
      _ = try await anns.readAll()
      _ = try await bobs.readAll()
      try await pair.bob.wait(milliseconds: 1_000)
      for peer in [pair.ann, pair.bob] {
        #expect(await peer.metrics[.streamsOpen] == 0)
        #expect(await peer.metrics[.streamBytesUnread] == 0)
      }
    }
  }

  @Test("A transfer counts from the offer to its end")
  func transfers() throws {
    try Delivery.play { delivery in
      delivery.write(1_000_000)
      #expect(await delivery.pair.bob.metrics[.transfersOpen] == 0)
      let transfer = try await delivery.pair.guest.sendResource(
        at: Delivery.source, to: delivery.pair.ann.id)
      try await delivery.pair.bob.wait(milliseconds: 1_000)
      let open = await delivery.pair.bob.metrics
      #expect(open.value(of: .transfersOpen, with: delivery.pair.ann.id) == 1)
      for await offer in delivery.pair.host.resources {
        _ = try await offer.accept(into: Delivery.inbox)
        break
      }
      try await delivery.pair.bob.wait(milliseconds: 10_000)
      #expect(await delivery.pair.bob.metrics[.transfersOpen] == 0)
      withExtendedLifetime(transfer) {}
    }
  }

  @Test("An open invitation counts on both sides until it is answered")
  func invitations() {
    Scene.play { scene in
      let session = try await scene.bob.makeSession()
      #expect(await scene.bob.metrics[.invitationsOutbound] == 0)
      let call = scene.invite(to: session)
      let invitation = await scene.invitation()
      #expect(await scene.bob.metrics[.invitationsOutbound] == 1)
      #expect(await scene.ann.metrics[.invitationsInbound] == 1)
      #expect(await scene.ann.metrics[.invitationsOutbound] == 0)
      #expect(await scene.bob.metrics[.invitationsInbound] == 0)
      await invitation?.decline()
      #expect(await call.end() == "declined")
      try await scene.sleep(.seconds(1))
      #expect(await scene.bob.metrics[.invitationsOutbound] == 0)
      #expect(await scene.ann.metrics[.invitationsInbound] == 0)
    }
  }

  @Test("Members and sessions count on each peer alone, also when two peers share a host")
  func members() {
    Scene.play { scene in
      let cy = try await Peer("Cy", trusting: .anyPeer, on: scene.hosts[0])
      let (anns, bobs) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
      let call = scene.invite(to: bobs)
      if let invitation = await scene.invitation() { scene.accept(invitation, into: anns) }
      #expect(await call.end() == "accepted")
      try await bobs.send([1])
      #expect(await anns.take(1) == [1])
      let (first, second) = (await scene.ann.metrics, await cy.metrics)
      #expect(first[.sessionsOpen] == 1 && first[.members] == 1 && first[.messagesReceived] == 1)
      #expect(first[.membersInterrupted] == 0)
      for metric in PeerMetrics.Metric.allCases where metric != .discoveryPacketsSent {
        #expect(second[metric] == 0, "\(metric)")
      }
      await bobs.stop()
      try await scene.sleep(.seconds(2))
      let left = await scene.ann.metrics
      #expect(left[.members] == 0 && left[.sessionsOpen] == 1)
      #expect(left[.messagesReceived] == 1)
      #expect(left.value(of: .messagesReceived, with: scene.bob.id) == nil)
      #expect(await scene.bob.metrics[.messagesSent] == 1)
      #expect(await scene.bob.metrics[.sessionsOpen] == 0)
      await anns.stop()
      await cy.stop()
      await scene.ann.stop()
      let stopped = await scene.ann.metrics
      #expect(stopped[.messagesReceived] == 1 && stopped[.sessionsOpen] == 0)
      LinkMetricsTests.expectBalance(stopped)
    }
  }
}
