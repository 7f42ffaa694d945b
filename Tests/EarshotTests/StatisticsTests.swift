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
      #expect(sender.messagesSent == 3 && sender.messagesReceived == 0)
      #expect(receiver.messagesSent == 0 && receiver.messagesReceived == 3)
      #expect(sender.messagesUnacknowledged == 0)
      #expect(sender.links == 1 && receiver.links == 1)
      #expect(sender.bytesSent > 30_000 && receiver.bytesReceived > 30_000)
      #expect(sender.bytesReceived > 0 && sender.bytesReceived < 30_000)
      #expect(receiver.bytesSent > 0 && receiver.bytesSent < 30_000)
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
      try await bob.resume()
      for await event in bobs.events { if case .resumed = event { break } }
      try await bob.wait(milliseconds: 1_000)
      let sender = try #require(await bobs.statistics(of: ann.id))
      let receiver = try #require(await meeting.session.statistics(of: bob.id))
      #expect(sender.links == 2 && receiver.links == 2)
      #expect(sender.messagesSent == 3 && receiver.messagesReceived == 3)
      #expect(sender.bytesSent > 0 && sender.bytesSent < 30_000)
    }
  }
}
