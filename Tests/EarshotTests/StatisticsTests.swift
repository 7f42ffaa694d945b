import Earshot
import Testing

@Suite("Statistics of a member")
struct StatisticsTests {
  @Test("Messages are counted from the beginning, bytes from the beginning of the link")
  func counted() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      for number in 0..<3 { try await bobs.send([UInt8](repeating: UInt8(number), count: 10_000)) }
      #expect(await meeting.session.take(3) == [0, 1, 2])
      try await bob.wait(milliseconds: 20_000)
      let sender = try #require(await bobs.statistics(of: ann.id))
      let receiver = try #require(await meeting.session.statistics(of: bob.id))
      let (sendersLink, receiversLink) = (try #require(sender.link), try #require(receiver.link))
      #expect(sender.messagesSent == 3 && sender.messagesReceived == 0)
      #expect(receiver.messagesSent == 0 && receiver.messagesReceived == 3)
      #expect(sender.messagesUnacknowledged == 0)
      #expect(sender.linkCount == 1 && receiver.linkCount == 1)
      #expect(sendersLink.bytesSent > 30_000 && receiversLink.bytesReceived > 30_000)
      #expect(sendersLink.bytesReceived > 0 && sendersLink.bytesReceived < 30_000)
      #expect(receiversLink.bytesSent > 0 && receiversLink.bytesSent < 30_000)
      let roundTrip = try #require(sender.roundTrip)
      #expect(roundTrip > .zero && roundTrip < .seconds(1))
      #expect(await bobs.statistics(of: bob.id) == nil)
    }
  }

  @Test("A link that comes back is one more, begins with no bytes, and forgets no messages")
  func resumed() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let bobs = try await meeting.join(bob)
      for number in 0..<3 { try await bobs.send([UInt8](repeating: UInt8(number), count: 10_000)) }
      #expect(await meeting.session.take(3) == [0, 1, 2])
      await bob.suspend()
      let interrupted = try #require(await bobs.statistics(of: ann.id))
      #expect(interrupted.link == nil && interrupted.linkCount == 1)
      try await bob.resume()
      for await event in bobs.events(from: .unread) { if case .resumed = event { break } }
      try await bob.wait(milliseconds: 1_000)
      let sender = try #require(await bobs.statistics(of: ann.id))
      let receiver = try #require(await meeting.session.statistics(of: bob.id))
      let sendersLink = try #require(sender.link)
      #expect(sender.linkCount == 2 && receiver.linkCount == 2)
      #expect(sender.messagesSent == 3 && receiver.messagesReceived == 3)
      #expect(sendersLink.bytesSent > 0 && sendersLink.bytesSent < 30_000)
    }
  }
}
