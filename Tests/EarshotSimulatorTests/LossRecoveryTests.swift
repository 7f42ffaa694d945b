import EarshotSimulator
import Testing

@Suite("Acknowledgements, and the recovery from losses")
struct LossRecoveryTests {
  private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

  @Test("The first segments over a slow link are acknowledged at once")
  func quickAcknowledgements() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    let start = watched.world.now
    _ = try connection.write([1].span)
    watched.world.run(for: .milliseconds(25))
    let answer = try #require(watched.segments.last { $0.kind == .sent && $0.from == "bob" })
    #expect(answer.time - (start - .zero) < .milliseconds(11))
    watched.world.finish()
  }

  @Test("After sixteen of them an acknowledgement waits for a second segment, or 40 ms")
  func delayedAcknowledgements() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    var delays: [Duration] = []
    for _ in 0..<20 {
      let start = watched.world.now
      _ = try connection.write([1].span)
      watched.world.run(for: .milliseconds(100))
      let answer = try #require(watched.segments.last { $0.kind == .sent && $0.from == "bob" })
      delays.append(answer.time - (start - .zero))
    }
    #expect(delays.prefix(16).allSatisfy { $0 < .milliseconds(11) })
    #expect(delays.dropFirst(16).allSatisfy { $0 >= .milliseconds(50) && $0 < .milliseconds(51) })
    watched.world.finish()
  }

  @Test("Where segments are smaller, several of them are in flight all the same")
  func smallSegments() throws {
    var conditions = WatchedConnection.fast
    conditions.maximumTransmissionUnit = 1_400
    let watched = try WatchedConnection(conditions)
    let connection = try watched.open()
    let start: Duration = watched.world.now - .zero
    _ = try connection.write(bytes(10 * 1_348).span)
    watched.world.run(for: .milliseconds(5))
    let atOnce = watched.sent.filter { $0.time <= start + .milliseconds(1) }
    #expect(atOnce.map(\.count) == [Int](repeating: 1_348, count: 10))
    watched.world.finish()
  }

  @Test("What has arrived twice is told of")
  func duplicate() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    var told: [Range<Int>] = []
    watched.world.record { event in
      guard event.kind == .sent, event.from == "bob" else { return }
      told += event.packet?.tcp?.selectiveAcknowledgements ?? []
    }
    var isFirst = true
    _ = watched.world.add(
      Rule { packet, _ in
        guard packet.from == "bob", packet.kind == .tcp else { return nil }
        defer { isFirst = false }
        return isFirst ? .drop : nil
      })
    _ = try connection.write([1, 2, 3].span)
    watched.world.run(for: .seconds(1))
    #expect(told == [0..<3])
    watched.world.finish()
  }

  @Test("While the window shrinks, a segment is sent for about every second that arrives")
  func rateReduction() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    _ = try connection.write(bytes(10 * 1_448).span)
    watched.world.run(for: .milliseconds(100))
    let before = watched.sent.count
    _ = watched.lose { $0 == 0 }
    _ = try connection.write(bytes(100 * 1_448).span)
    let start = watched.world.now
    watched.world.run(for: .milliseconds(38))
    let flight = watched.sent.dropFirst(before)
    let first = flight.count { $0.time - (start - .zero) < .milliseconds(10) }
    let next = flight.count - first
    #expect(first >= 15)
    #expect(next >= first / 3 && next <= first * 2 / 3 + 2)
    watched.world.finish()
  }

  /// A window that shrank at once would let nothing be sent until half of the flight has arrived (RFC 6937 §3).
  @Test("While the window shrinks, at most three acknowledgements in a row let nothing be sent")
  func evenReduction() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    _ = try connection.write(bytes(10 * 1_448).span)
    watched.world.run(for: .milliseconds(100))
    let before = watched.segments.count
    _ = watched.lose { $0 == 0 }
    _ = try connection.write(bytes(100 * 1_448).span)
    watched.world.run(for: .milliseconds(30))
    let retransmission = try #require(watched.resent.first)
    let recovery = watched.segments.dropFirst(before).drop { $0.time < retransmission.time }
    var (silent, longest, acknowledgements) = (0, 0, 0)
    for segment in recovery {
      if segment.kind == .delivered, segment.from == "bob" {
        silent += 1
        acknowledgements += 1
      } else if segment.kind == .sent, segment.from == "ann" {
        silent = 0
      }
      longest = max(longest, silent)
    }
    #expect(acknowledgements > 12)
    #expect(longest <= 3)
    watched.world.finish()
  }

  /// Nothing says yet that the time-out was not needless (RFC 5682 §2.1).
  @Test("After a time-out something new is sent before what is lost is sent again")
  func forwardRecovery() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    let sent = bytes(20 * 1_448)
    // The ten that the window allows, and the probe.
    _ = watched.lose { $0 <= 10 }
    _ = try connection.write(sent.span)
    watched.world.run(for: .seconds(2))
    let order = watched.sent.dropFirst(11).map { $0.sequence / 1_448 }
    #expect(order.prefix(5) == [0, 11, 12, 1, 2])
    #expect(watched.server.received == sent)
    watched.world.finish()
  }

  /// That the acknowledgement answers a newer segment than the one that was sent again hides it from timestamps.
  @Test("A segment that was sent again and has arrived twice gives the window back")
  func duplicateUndoes() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    let (world, start) = (watched.world, watched.world.now)
    var firstCount = 0
    world.add(
      Rule { packet, now in
        let time = now - start
        if packet.from == "bob" {
          let isLost = time > .milliseconds(49) && time < .milliseconds(75)
          return isLost ? .drop : nil
        }
        // The first segment is late, and so is what is sent again.
        guard packet.payloadBytes > 0 else { return nil }
        firstCount += 1
        switch firstCount {
        case 1: return .deliver(after: .milliseconds(50))
        case 6: return .deliver(after: .milliseconds(60))
        default: return nil
        }
      })
    _ = try connection.write(bytes(5 * 1_448).span)
    world.run(for: .milliseconds(45))
    #expect(watched.resent.map(\.sequence) == [0])
    _ = try connection.write(bytes(1_448).span)
    world.run(for: .milliseconds(55))
    #expect(watched.server.received.count == 6 * 1_448)
    let count = watched.sent.count
    _ = try connection.write(bytes(20 * 1_448).span)
    #expect(watched.sent.count == count + 10)
    world.finish()
  }

  @Test(
    "What was sent again and is lost again is found by what was sent after it, without a time-out")
  func lostRetransmission() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    // The first segment; then a new one goes before it is sent again.
    _ = watched.lose { $0 == 0 || $0 == 11 }
    let start = watched.world.now
    let sent = bytes(30 * 1_448)
    _ = try connection.write(sent.span)
    watched.world.run(for: .milliseconds(150))
    #expect(watched.server.received == sent)
    try #require(watched.resent.map(\.sequence) == [0, 0])
    let times = watched.resent.map { $0.time - (start - .zero) }
    #expect(times[0] > .milliseconds(20) && times[0] < .milliseconds(25))
    #expect(times[1] > .milliseconds(40) && times[1] < .milliseconds(50))
    watched.world.finish()
  }

  /// Linux enters recovery again, with half of what the window has grown to.
  @Test("After a time-out a segment that is lost again shrinks the window again")
  func lostAgainAfterTimeOut() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    // The flight and the probe; after the time-out the second segment, which is sent again behind two new ones.
    _ = watched.lose { $0 <= 10 || $0 == 14 }
    let sent = bytes(30 * 1_448)
    _ = try connection.write(sent.span)
    watched.world.run(for: .milliseconds(400))
    #expect(watched.sent[14...16].map { $0.sequence / 1_448 } == [1, 2, 1])
    // Slow start would have sent twice as much in each of the three rounds since.
    #expect(watched.sent.count - 14 <= 12)
    watched.world.run(for: .seconds(3))
    #expect(watched.server.received == sent)
    watched.world.finish()
  }

  @Test("Behind what was sent again something else is found lost, although nothing shows a gap")
  func lostBehindRetransmission() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    // The first of ten; and the last before it is sent again.
    _ = watched.lose { $0 == 0 || $0 == 11 }
    let sent = bytes(12 * 1_448)
    let start = watched.world.now
    _ = try connection.write(sent.span)
    watched.world.run(for: .milliseconds(65))
    #expect(watched.resent.map(\.sequence) == [0, 11 * 1_448])
    let last = try #require(watched.resent.last)
    #expect(last.time - (start - .zero) < .milliseconds(45))
    watched.world.run(for: .milliseconds(50))
    #expect(watched.server.received == sent)
    watched.world.finish()
  }

  @Test("A second time-out sends again what is lost, and nothing new")
  func secondTimeOut() throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    // The flight and the probe; then both new segments that follow the first one.
    _ = watched.lose { $0 <= 10 || $0 == 12 || $0 == 13 }
    _ = try connection.write(bytes(30 * 1_448).span)
    watched.world.run(for: .seconds(1))
    #expect(watched.sent[11...14].map { $0.sequence / 1_448 } == [0, 11, 12, 1])
    watched.world.finish()
  }
}
