import Earshot
import EarshotCore
import EarshotNetwork
import Testing

/// What `events`, `messages` and `activity` are to each other.
@Suite("Streams of a session", .timeLimit(.minutes(30)))
struct SessionStreamTests {
  private static let tight = Session.Configuration(
    sendBufferBytes: 128 << 10, receiveWindowBytes: 128 << 10)

  @Test(
    "Messages that no loop takes do not hold up the news of members", arguments: Ground.allCases)
  func newsBesideMessages(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let message = [UInt8](repeating: 1, count: 60_000)
      let stuck = bob.addTask { while true { try await session.send(message) } }
      var events = meeting.session.events(from: .unread).makeAsyncIterator()
      #expect(
        await [events.next()?.told, events.next()?.told] == [.joining(bob.id), .joined(bob.id)])
      #expect(await meeting.session.take(1) == [1])
      stuck.cancel()
      _ = await stuck.result
      await bob.stop(within: .zero)
      guard case .left(bob.id, _, _)? = await events.next()?.told else {
        Issue.record("not left"); return
      }
    }
  }

  @Test("News that no loop takes do not hold up messages")
  func messagesBesideNews() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      let sending = bob.addTask {
        for number in 0..<50 {
          try await session.send([UInt8](repeating: UInt8(number), count: 60_000))
        }
      }
      #expect(await meeting.session.take(50) == Array(0..<50))
      try await sending.value
      await session.stop()
      let events = await meeting.session.events(from: .unread).prefix(3).reduce(into: []) {
        $0.append($1)
      }
      #expect(
        events.map(\.told)
          == [.joining(bob.id), .joined(bob.id), .left(bob.id, .left, undelivered: 0)])
    }
  }

  @Test(
    "Both in one order: messages stand between the joining and the leaving of their sender",
    arguments: Ground.allCases)
  func order(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      for number in 0..<3 { try await session.send([UInt8(number)]) }
      await session.stop()
      let heard = await meeting.session.activity.prefix(6).reduce(into: []) { $0.append($1) }
      let member = Member(id: bob.id, name: "Bob")
      let joining = Member(id: bob.id, name: "Bob", state: .joining)
      let messages = (0..<3).map {
        SessionActivity.message(Message(sender: bob.id, bytes: [UInt8($0)]))
      }
      #expect(
        heard
          == [.event(.joining(joining)), .event(.joined(member))] + messages
          + [.event(.left(member, .left, undelivered: 0))])
    }
  }

  @Test(
    "A message goes to each loop over messages and activity, and holds the window until all have it"
  )
  func severalConsumers() async throws {
    try await Ground.simulated.meet { ann, bob in
      let meeting = try await Meeting(of: ann, Self.tight)
      let session = try await meeting.join(bob, Self.tight)
      var slow = meeting.session.activity.makeAsyncIterator()
      var fast = meeting.session.messages.makeAsyncIterator()
      let message = [UInt8](repeating: 7, count: 60_000)
      let sending = bob.addTask { for _ in 0..<6 { try await session.send(message) } }
      #expect(await fast.next()?.bytes == message)
      #expect(await fast.next()?.bytes == message)
      try await bob.wait(milliseconds: 500)
      #expect(await session.statistics(of: ann.id)?.messagesUnacknowledged != 0)
      for round in 0..<6 {
        if round >= 2 { #expect(await fast.next()?.bytes == message) }
        while let activity = await slow.next() { if case .message = activity { break } }
      }
      try await sending.value
    }
  }

  @Test("All three end with the session", arguments: Ground.allCases)
  func ends(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      await session.stop()
      for await _ in session.events(from: .unread) {}
      for await _ in session.messages {}
      for await _ in session.activity {}
    }
  }
}
