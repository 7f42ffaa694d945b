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
}
