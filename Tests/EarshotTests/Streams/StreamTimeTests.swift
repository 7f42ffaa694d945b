import Earshot
import EarshotSimulator
import Testing

/// What a stream does not wait for.
@Suite("The time that streams take", .timeLimit(.minutes(30)))
struct StreamTimeTests {
  @Test("The end of a stream is known to have arrived after one round trip")
  func end() throws {
    try StreamPair.play(over: LinkConditions(latency: .milliseconds(2))) { pair, world in
      let (bobs, anns) = try await pair.open()
      try await bobs.write([1, 2, 3])
      try await bobs.waitForDelivery()
      let start = world.now
      try await bobs.write([4, 5, 6])
      bobs.finish()
      try await bobs.waitForDelivery()
      #expect(world.now - start < .milliseconds(5))
      #expect(try await anns.readAll() == [1, 2, 3, 4, 5, 6])
    }
  }

  @Test("What is written first goes out as fast as the path takes it", arguments: [0, 1, 4])
  func beginning(milliseconds: Int) throws {
    let links = LinkConditions(latency: .milliseconds(milliseconds))
    try StreamPair.play(over: links) { pair, world in
      let (bobs, anns) = try await pair.open(isOneWay: true)
      let start = world.now
      let writing = pair.bob.start { try await bobs.write(StreamPair.bytes(65_536)) }
      #expect(try await anns.read(exactly: 65_536).isSame(as: StreamPair.bytes(65_536)))
      // A few round trips, in which it is found out what the path carries.
      #expect(world.now - start < .milliseconds(10 + 12 * milliseconds))
      _ = try await writing.value
    }
  }

  @Test("What a call does is known at once, also where nothing is written behind it")
  func told() throws {
    try StreamPair.play(over: LinkConditions(latency: .milliseconds(2))) { pair, world in
      /// Waits until nothing is on its way that would take along what comes next.
      func quiet() async throws -> Instant {
        try await world.hosts[0].sleep(for: .milliseconds(300))
        return world.now
      }
      var start = try await quiet()
      let (bobs, anns) = try await pair.open()
      #expect(world.now - start < .milliseconds(5), "open")

      let writing = pair.bob.start { try await bobs.write(StreamPair.bytes(40_000)) }
      start = try await quiet()
      #expect(try await anns.read(exactly: 40_000).isSame(as: StreamPair.bytes(40_000)))
      #expect(world.now - start < .milliseconds(20), "read")
      _ = try await writing.value

      start = try await quiet()
      bobs.finish()
      #expect(try await anns.read(upTo: 1) == nil)
      #expect(world.now - start < .milliseconds(5), "finish")

      start = try await quiet()
      anns.reset(code: 7)
      await #expect(throws: EarshotError.self) { try await bobs.read(upTo: 1) }
      #expect(world.now - start < .milliseconds(5), "reset")

      let (unread, unwritten) = try await pair.open()
      start = try await quiet()
      unwritten.stopReading(code: 2)
      await #expect(throws: EarshotError.self) {
        while world.now - start < .milliseconds(5) {
          try await unread.write([])
          try await world.hosts[0].sleep(for: .milliseconds(1))
        }
      }

      let (others, read) = try await pair.open()
      let blocked = pair.bob.start { try await others.write(StreamPair.bytes(1_000_000)) }
      start = try await quiet()
      read.stopReading(code: 3)
      _ = await blocked.result
      #expect(world.now - start < .milliseconds(5), "stop")

      let (few, reader) = try await pair.open()
      let much = pair.ann.start { try await reader.read(exactly: 10) }
      let little = pair.ann.start { try await reader.read(upTo: 10) }
      try await few.write([1, 2])
      start = try await quiet()
      much.cancel()
      #expect(try await little.value == [1, 2])
      #expect(world.now - start < .milliseconds(5), "cancel")
    }
  }
}
