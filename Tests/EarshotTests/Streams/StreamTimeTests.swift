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
}
