import Earshot
import EarshotSimulator
import Testing

/// Who goes first when there is not room for all.
@Suite("Priorities of streams", .timeLimit(.minutes(30)))
struct StreamPriorityTests {
  /// Has two peers play over a link of so many bytes a second, with a round trip of 50 ms.
  private static func play(
    bandwidth: Int,
    _ body: @escaping @Sendable (StreamPair, World) async throws -> Void
  ) throws {
    let links = LinkConditions(
      latency: .milliseconds(25), bandwidth: bandwidth, queueBytes: bandwidth / 10)
    try StreamPair.play(over: links, body)
  }

  /// Writes to a stream until the task is cancelled, and reads it on the other side.
  private static func saturate(
    _ pair: StreamPair, _ priority: ByteStream.Priority
  ) async throws -> (stream: ByteStream, tasks: [Task<Void, any Error>]) {
    let (bobs, anns) = try await pair.open("\(priority)", priority: priority)
    let writing = pair.bob.start {
      while !Task.isCancelled { try await bobs.write(StreamPair.bytes(65_536)) }
    }
    let reading = pair.ann.start { for try await _ in anns.chunks {} }
    return (anns, [writing, reading])
  }

  @Test("High, normal and low share by weight, and the lowest gets its share")
  func weights() throws {
    try Self.play(bandwidth: 1_250_000) { pair, _ in
      var (streams, tasks): ([ByteStream], [Task<Void, any Error>]) = ([], [])
      for priority in [ByteStream.Priority.high, .normal, .low] {
        let (stream, more) = try await Self.saturate(pair, priority)
        streams.append(stream)
        tasks += more
      }
      try await pair.bob.wait(milliseconds: 5_000)
      let before = streams.map(\.statistics.bytesReceived)
      try await pair.bob.wait(milliseconds: 20_000)
      let bytes = zip(streams, before).map { Double($0.statistics.bytesReceived - $1) }
      let total = bytes.reduce(0, +)
      #expect(total > 0.85 * 25_000_000)
      for (bytes, share) in zip(bytes, [16.0, 4, 1]) {
        #expect(abs(bytes / total - share / 21) < 0.02)
      }
      for task in tasks { task.cancel() }
    }
  }

  @Test("An urgent stream leaves the others a few per cent, and messages four fifths")
  func urgent() throws {
    try Self.play(bandwidth: 1_250_000) { pair, _ in
      let (urgent, first) = try await Self.saturate(pair, .urgent)
      let (low, second) = try await Self.saturate(pair, .low)
      try await pair.bob.wait(milliseconds: 5_000)
      let (before, lowBefore) = (urgent.statistics.bytesReceived, low.statistics.bytesReceived)
      try await pair.bob.wait(milliseconds: 10_000)
      let carried = Double(urgent.statistics.bytesReceived - before)
      let share = Double(low.statistics.bytesReceived - lowBefore) / carried
      #expect(0.02 < share && share < 0.06)
      let sending = pair.bob.start {
        while !Task.isCancelled { try await pair.guest.send([UInt8](repeating: 7, count: 20_000)) }
      }
      let taking = pair.ann.start { for await _ in pair.host.messages {} }
      try await pair.bob.wait(milliseconds: 5_000)
      let beside = urgent.statistics.bytesReceived
      try await pair.bob.wait(milliseconds: 10_000)
      let fifth = Double(urgent.statistics.bytesReceived - beside) / carried
      #expect(0.15 < fifth && fifth < 0.25)
      for task in first + second { task.cancel() }
      sending.cancel()
      taking.cancel()
    }
  }

  @Test("A priority may be changed while a stream is open")
  func changed() throws {
    try Self.play(bandwidth: 1_250_000) { pair, _ in
      let (bobs, anns) = try await pair.open("changed", priority: .low)
      #expect(bobs.priority == .low && anns.priority == .low)
      bobs.priority = .urgent
      #expect(bobs.priority == .urgent && anns.priority == .low)
    }
  }

  @Test(
    "A message beside a saturating stream is 30 ms late at most: 10 Mbit/s, a round trip of 50 ms")
  func messageBesideAStream() throws {
    try Self.play(bandwidth: 1_250_000) { pair, world in
      func latencies() async throws -> [Duration] {
        let taking = pair.ann.start {
          var times: [Duration] = []
          for await message in pair.host.messages {
            let sent = message.bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            times.append(world.now - Instant(nanoseconds: sent))
            if times.count == 500 { break }
          }
          return times.sorted()
        }
        for _ in 0..<500 {
          let now = world.now.nanoseconds
          let stamp = (0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - 8 * Int64($0))) }
          try await pair.guest.send(stamp + [UInt8](repeating: 0, count: 56))
          try await pair.bob.wait(milliseconds: 20)
        }
        return try await taking.value
      }
      let idle = try await latencies()
      let (stream, tasks) = try await Self.saturate(pair, .normal)
      try await pair.bob.wait(milliseconds: 5_000)
      let before = stream.statistics.bytesReceived
      let beside = try await latencies()
      let rate = Double(stream.statistics.bytesReceived - before) / 10
      #expect(beside[495] - idle[495] <= .milliseconds(30), "\(idle[495]), \(beside[495])")
      #expect(rate > 0.85 * 1_250_000, "\(rate) bytes a second")
      for task in tasks { task.cancel() }
    }
  }
}
