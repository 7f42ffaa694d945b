import EarshotSimulator
import TestKit
import Testing

@Suite("Retransmissions")
struct RetransmissionTests {
  private func bytes(_ count: Int) -> [UInt8] {
    var random = RandomStream(seed: UInt64(count))
    return random.bytes(count)
  }

  @Test("A segment lost in the middle is sent again after one round trip, and no other")
  func fastRetransmit() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    _ = watched.lose { $0 == 3 }
    let start = watched.world.now
    let sent = bytes(10 * 1_448)
    _ = try connection.write(sent.span)
    watched.world.run(for: .seconds(1))
    #expect(watched.server.received == sent)
    #expect(watched.resent.map(\.sequence) == [3 * 1_448])
    let delay = try #require(watched.resent.first).time - (start - .zero)
    #expect(delay > .milliseconds(20) && delay < .milliseconds(22))
    watched.world.finish()
  }

  @Test("What has arrived behind gaps is kept, and only the gaps are sent again")
  func gaps() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    _ = watched.lose { [0, 2, 3, 6].contains($0) }
    let sent = bytes(10 * 1_448)
    _ = try connection.write(sent.span)
    watched.world.run(for: .milliseconds(150))
    #expect(watched.server.received == sent)
    #expect(watched.resent.map(\.sequence) == [0, 2, 3, 6].map { $0 * 1_448 })
    watched.world.finish()
  }

  @Test("The loss of the last segments is found by a probe, long before a time-out")
  func tailLoss() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    _ = watched.lose { $0 == 8 || $0 == 9 }
    let start = watched.world.now
    let sent = bytes(10 * 1_448)
    _ = try connection.write(sent.span)
    watched.world.run(for: .milliseconds(150))
    #expect(watched.server.received == sent)
    #expect(watched.resent.map(\.sequence) == [9 * 1_448, 8 * 1_448])
    let delay = try #require(watched.resent.first).time - (start - .zero)
    #expect(delay > .milliseconds(40) && delay < .milliseconds(100))
    watched.world.finish()
  }

  @Test("A probe sends what is new if there is any, beyond the congestion window")
  func probeOfNewData() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    let loss = watched.lose { _ in true }
    _ = try connection.write(bytes(20 * 1_448).span)
    watched.world.run(for: .milliseconds(100))
    #expect(watched.sent.map { $0.sequence / 1_448 } == Array(0...10))
    loss.end()
    watched.world.run(for: .seconds(5))
    #expect(watched.server.received == bytes(20 * 1_448))
    watched.world.finish()
  }

  @Test(
    "A lone segment that is lost is sent again after a round trip and 200 ms, by the kernel's ticks"
  )
  func timeOut() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    _ = watched.lose { $0 == 0 }
    let start = watched.world.now
    _ = try connection.write([1, 2, 3].span)
    watched.world.run(for: .seconds(1))
    #expect(watched.server.received == [1, 2, 3])
    let delay = try #require(watched.resent.first).time - (start - .zero)
    #expect(delay >= .milliseconds(220) && delay <= .milliseconds(228))
    #expect(watched.resent.count == 1)
    watched.world.finish()
  }

  @Test(
    "After a probe the time-out doubles up to two minutes, and after 16 of them the connection is given up"
  )
  func backOff() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    watched.world.partition([[watched.ann], [watched.bob]])
    _ = try connection.write([1].span)
    watched.world.run(for: .seconds(2_000))
    let times = watched.sent.map(\.time)
    let waits = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(waits.count == 16)
    // One that is as far away is up to an eighth late.
    let timeouts = [220] + (0..<15).map { min(220 << $0, 120_000) }
    #expect(
      zip(waits, timeouts).allSatisfy {
        $0 >= .milliseconds($1 - 8) && $0 <= .milliseconds($1 + $1 / 7 + 8)
      })
    #expect(watched.client.events == ["opened", "timedOut"])
    watched.world.finish()
  }

  // Linux does so over the link of the benchmark `Calibration` at 32 kbit/s and 50 ms: 0.634 s after the first flight.
  @Test("While a probe is not answered, the time-out counts from the sending of the first segment")
  func timeOutBehindProbe() throws {
    let watched = try WatchedConnection(
      LinkConditions(
        latency: .milliseconds(25), jitter: .zero, bandwidth: 4_000, queueBytes: 30_000))
    let connection = try watched.open()
    let start = watched.world.now
    _ = try connection.write(bytes(24_000).span)
    watched.world.run(for: .seconds(10))
    #expect(watched.server.received == bytes(24_000))
    #expect(watched.resent.map(\.sequence) == [1_448])
    let delay = try #require(watched.resent.first).time - (start - .zero)
    #expect(delay >= .milliseconds(618) && delay < .milliseconds(645))
    watched.world.finish()
  }

  @Test("A SYN and its answer take the sixty bytes of a link that their options need")
  func sizeOfSYN() throws {
    let watched = try WatchedConnection(
      LinkConditions(latency: .milliseconds(10), jitter: .zero, bandwidth: 6_000))
    try watched.connect()
    watched.world.run(for: .seconds(1))
    let arrivals = watched.segments.filter { $0.kind == .delivered }.prefix(2).map(\.time)
    #expect(arrivals == [.milliseconds(20), .milliseconds(40)])
    watched.world.finish()
  }

  @Test("What was in vain is forgotten once something is acknowledged")
  func recoveryOfTimeOut() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    let loss = watched.lose { _ in true }
    _ = try connection.write([1].span)
    watched.world.run(for: .seconds(20))
    loss.end()
    watched.world.run(for: .seconds(20))
    #expect(watched.server.received == [1])
    let count = watched.sent.count
    _ = watched.lose { $0 == 0 }
    _ = try connection.write([2].span)
    watched.world.run(for: .milliseconds(400))
    #expect(watched.sent.count == count + 2)
    #expect(watched.server.received == [1, 2])
    watched.world.finish()
  }

  @Test("A delay that grows at once causes one needless time-out, which is undone")
  func needlessTimeOut() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    let sent = bytes(10 * 1_448)
    watched.world.setDefaultLink(
      LinkConditions(latency: .milliseconds(400), jitter: .zero, bandwidth: 100_000_000))
    _ = try connection.write(sent.span)
    watched.world.run(for: .milliseconds(820))
    #expect(watched.server.received == sent)
    // The probe, and the first segment after the time-out; not all ten.
    #expect(watched.resent.count <= 3)
    let count = watched.sent.count
    _ = try connection.write(bytes(9 * 1_448).span)
    watched.world.run(for: .milliseconds(1))
    #expect(watched.sent.count == count + 9)
    watched.world.run(for: .seconds(5))
    #expect(watched.sent.count == count + 9)
    watched.world.finish()
  }

  @Test("Segments that overtake a few others cause no retransmission", arguments: Seed.some(5))
  func reordering(seed: Seed) throws {
    let watched = try WatchedConnection(
      LinkConditions(
        latency: .milliseconds(20), jitter: .zero, reordering: .percent(10),
        reorderingDelay: .milliseconds(3), bandwidth: 1_000_000), seed: seed.value)
    let connection = try watched.open()
    let sent = bytes(40_000)
    _ = try connection.write(sent.span)
    watched.world.run(for: .seconds(2))
    #expect(watched.server.received == sent)
    #expect(watched.resent.isEmpty)
    watched.world.finish()
  }

  @Test("A segment larger than the link carries by now is sent again in parts")
  func parts() throws {
    let watched = try WatchedConnection(LinkConditions(latency: .milliseconds(10), jitter: .zero))
    let connection = try watched.open()
    let loss = watched.lose { _ in true }
    let sent = bytes(10_000)
    _ = try connection.write(sent.span)
    #expect(watched.sent.map(\.count) == [10_000])
    loss.end()
    watched.world.setDefaultLink(WatchedConnection.fast)
    connection.finishWriting()
    watched.world.run(for: .seconds(5))
    #expect(watched.server.received == sent)
    #expect(watched.server.events.last == "end")
    #expect(watched.resent.allSatisfy { $0.count <= 1_448 })
    #expect(watched.resent.map(\.count).reduce(0, +) == 10_000)
    watched.world.finish()
  }

  @Test("A SYN is sent again five times after a second, then after two, by the kernel's ticks")
  func lostSYN() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    watched.world.partition([[watched.ann], [watched.bob]])
    try watched.connect()
    watched.world.run(for: .milliseconds(9_000))
    let times = watched.segments.filter { $0.kind == .sent && $0.flags == "SYN" }.map(\.time)
    let waits = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(waits.count == 6)
    for (wait, seconds) in zip(waits, [1, 1, 1, 1, 1, 2]) {
      #expect(wait >= .seconds(seconds) && wait < .milliseconds(1_000 * seconds + 260))
    }
    watched.world.heal()
    watched.world.run(for: .seconds(10))
    #expect(watched.client.events == ["opened"])
    watched.world.finish()
  }

  @Test("A SYN that is not answered is sent ten times more, then the connection has timed out")
  func silence() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    watched.world.partition([[watched.ann], [watched.bob]])
    try watched.connect()
    watched.world.run(for: .seconds(300))
    #expect(watched.segments.count { $0.kind == .sent } == 11)
    #expect(watched.client.events == ["timedOut"])
    watched.world.finish()
  }

  @Test("A connection that stood still begins with a small window again")
  func idle() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    for _ in 0..<20 {
      _ = try connection.write(bytes(40_000).span)
      watched.world.run(for: .milliseconds(100))
    }
    let before = watched.sent.count
    _ = try connection.write(bytes(40_000).span)
    #expect(watched.sent.count - before > 20)
    watched.world.run(for: .seconds(60))
    let after = watched.sent.count
    _ = try connection.write(bytes(40_000).span)
    #expect(watched.sent.count - after == 10)
    watched.world.run(for: .seconds(5))
    #expect(watched.server.received.count == 22 * 40_000)
    watched.world.finish()
  }

  @Test("The end of a stream that is lost is sent again, alone", arguments: [0, 2_000])
  func lostEnd(count: Int) throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    if count > 0 { _ = try connection.write(bytes(count).span) }
    watched.world.run(for: .milliseconds(300))
    watched.world.cut(watched.ann, to: watched.bob)
    connection.finishWriting()
    watched.world.run(for: .milliseconds(100))
    watched.world.heal()
    watched.world.run(for: .seconds(2))
    #expect(watched.server.events == ["accepted", "end"])
    #expect(watched.server.received.count == count)
    #expect(watched.resent.isEmpty)
    #expect(watched.segments.count { $0.kind == .sent && $0.flags == "ACK FIN" } == 2)
    watched.world.finish()
  }

  @Test("A full buffer is asked about less and less often, and given up after 15 silent answers")
  func probesOfAFullBuffer() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    watched.world.run(for: .milliseconds(20))
    watched.server.connection?.pauseReading()
    _ = try connection.write(bytes(40_000).span)
    watched.world.run(for: .seconds(1))
    _ = try connection.write(bytes(40_000).span)
    watched.world.run(for: .seconds(10))
    watched.world.partition([[watched.ann], [watched.bob]])
    watched.world.run(for: .seconds(3_000))
    let probes = watched.segments.filter { $0.kind == .sent && $0.flags == "ACK probe" }
    let waits = zip(probes.map(\.time), probes.dropFirst().map(\.time)).map { $1 - $0 }
    #expect(probes.count > 15)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 == min($0 * 2, .seconds(120)) })
    #expect(watched.client.events == ["opened", "timedOut"])
    watched.world.finish()
  }

  @Test("A segment that was overtaken does not take back the room that a later one told of")
  func overtakenWindow() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    watched.world.run(for: .milliseconds(20))
    let server = try #require(watched.server.connection)
    server.pauseReading()
    for count in [40_000, 25_536] {
      _ = try connection.write(bytes(count).span)
      watched.world.run(for: .seconds(1))
    }
    // Bob's buffer is full. What he says of that arrives behind what he says once he has read it all.
    var isFirst = true
    watched.world.add(
      Rule { packet, _ in
        guard packet.from == "bob", packet.payloadBytes > 0, isFirst else { return nil }
        isFirst = false
        return .deliver(after: .milliseconds(100))
      })
    _ = try server.write([1, 2, 3].span)
    server.resumeReading()
    watched.world.run(for: .milliseconds(150))
    #expect(watched.client.received == [1, 2, 3])
    #expect(watched.server.received.count == 65_536)
    _ = try connection.write(bytes(1_000).span)
    watched.world.run(for: .milliseconds(15))
    #expect(watched.server.received.count == 66_536)
    watched.world.finish()
  }
}
