import Earshot
import EarshotCore
import EarshotNetwork
import Testing

/// What an application gets of what its session's members sent.
@Suite("Consuming", .timeLimit(.minutes(30)))
struct ConsumingTests {
  @Test(
    "A loop that is left keeps what its body did not get for the next",
    arguments: Ground.allCases)
  func leavingLoopKeeps(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      for number in 0..<10 { try await session.send([UInt8(number)]) }
      await session.stop()
      var got: [UInt8] = []
      for count in [1, 2, 3, 4] { got += await meeting.session.take(count) }
      #expect(got == Array(0..<10))
      #expect(await meeting.session.departure() == .left(bob.id, .left, undelivered: 0))
    }
  }

  @Test(
    "A loop whose task is cancelled keeps what its body did not get for the next",
    arguments: Ground.allCases)
  func cancelledLoopKeeps(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      let session = try await meeting.join(bob)
      for number in 0..<10 { try await session.send([UInt8(number)]) }
      await session.stop()
      let messages = meeting.session.messages
      async let early = withTaskGroup(of: [UInt8].self) { group in
        group.addTask {
          var got: [UInt8] = []
          for await message in messages {
            got += message.bytes
            if got.count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
          }
          return got
        }
        return await group.next() ?? []
      }
      #expect(await early == [0, 1, 2])
      #expect(await meeting.session.take(7) == [3, 4, 5, 6, 7, 8, 9])
    }
  }

  @Test(
    "What no loop has got holds its sender up, and what one got does not",
    arguments: Ground.allCases)
  func window(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let small = Session.Configuration(sendBufferBytes: 64 << 10, receiveWindowBytes: 128 << 10)
      let meeting = try await Meeting(of: ann, small)
      let session = try await meeting.join(bob, small)
      async let sent = {
        for number in 0..<100 {
          try await session.send([UInt8](repeating: UInt8(number), count: 32 << 10))
        }
        return true
      }()
      var got: [UInt8] = []
      for count in 1...13 { got += await meeting.session.take(count) }
      #expect(got == Array(0..<91))
      #expect(await meeting.session.take(9) == Array(91..<100))
      #expect(try await sent)
      await session.stop()
    }
  }

  @Test(
    "A member that sends, leaves and joins again before anything was taken loses and breaks nothing",
    arguments: Ground.allCases)
  func rejoining(ground: Ground) async throws {
    try await ground.meet { ann, bob in
      let meeting = try await Meeting(of: ann)
      var last: Session?
      for round in 0..<3 {
        await last?.stop()
        let session = try await meeting.join(bob)
        for number in 0..<10 {
          try await session.send([UInt8](repeating: UInt8(10 * round + number), count: 3_000))
        }
        last = session
      }
      #expect(await meeting.session.take(30) == Array(0..<30))
      // The present membership has its whole window: several of them go through.
      let session = try #require(last)
      async let taken = meeting.session.take(100)
      for number in 0..<100 {
        try await session.send([UInt8](repeating: UInt8(number), count: 60_000))
      }
      #expect(await taken == Array(0..<100))
      await session.stop()
    }
  }

  @Test("The window comes back whole, however many messages are taken at once")
  func wholeWindow() async throws {
    try await Ground.simulated.meet { ann, bob in
      let small = Session.Configuration(sendBufferBytes: 64 << 10, receiveWindowBytes: 128 << 10)
      let meeting = try await Meeting(of: ann, small)
      let session = try await meeting.join(bob, small)
      let numbers = Array<UInt8>(0..<40)
      for _ in 0..<1_000 {
        for number in numbers { try await session.send([number]) }
        try await bob.wait(milliseconds: 20)
        #expect(await meeting.session.take(numbers.count) == numbers)
      }
    }
  }
}
