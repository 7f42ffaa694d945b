import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An invariant about messages")
struct MessageInvariantTests {
  private static let counts = "what counts as undelivered did not arrive"
  private static let order = "messages arrive in order, once and unharmed"
  private static let losses = "no message is lost while its membership lasts"

  /// Ann says ten things to Bob, one a second from the second on, of which some arrive, and one leaves.
  private static func farewell(
    arrived: Int, undelivered: Int, of leaver: String = "ann", _ peers: String = "'ann', 'bob'"
  ) throws -> Recording {
    let recording = try Recording(peers)
    recording.join(1, "ann", "bob")
    recording.send(10, from: "ann", to: "bob", at: 2, arrived: arrived)
    recording.note(12, leaver, .disconnected)
    let detail = undelivered == 0 ? "" : ", \(undelivered) undelivered"
    recording.note(
      12.1, "ann", .left, "bob", (leaver == "ann" ? "disconnected" : "left") + detail)
    recording.note(12.1, "bob", .left, "ann", leaver == "ann" ? "left" : "disconnected")
    return recording
  }

  @Test(
    "Is violated by a wrong number of undelivered messages",
    arguments: ["ann", "bob"], [(10, 1), (10, 10), (7, 2), (7, 4), (0, 9), (10, 11)])
  func wrong(leaver: String, numbers: (arrived: Int, told: Int)) throws {
    let recording = try Self.farewell(
      arrived: numbers.arrived, undelivered: numbers.told, of: leaver)
    #expect(recording.violated == [Self.counts])
    let right = 10 - numbers.arrived
    #expect(
      recording.complaints.allSatisfy {
        $0.hasSuffix("with \(numbers.told) messages undelivered; it was \(right)")
      })
  }

  @Test(
    "Holds for the right number of undelivered messages", arguments: ["ann", "bob"], [0, 7, 10])
  func right(leaver: String, arrived: Int) throws {
    let recording = try Self.farewell(arrived: arrived, undelivered: 10 - arrived, of: leaver)
    #expect(recording.violated.isEmpty, "\(recording.complaints)")
  }

  @Test("Lets a farewell that took no time count what was on its way, and no other one")
  func sudden() throws {
    for (seconds, isRight) in [(12.0, true), (12.1, false)] {
      let recording = try Recording("'ann', 'bob'")
      recording.join(1, "ann", "bob")
      recording.send(10, from: "ann", to: "bob", at: 2, arrived: 10)
      recording.note(12, "ann", .disconnected)
      recording.note(seconds, "ann", .left, "bob", "disconnected, 1 undelivered")
      recording.note(12.2, "bob", .left, "ann", "left")
      #expect(recording.violated == (isRight ? [] : [Self.counts]))
    }
  }

  @Test(
    "Lets a farewell whose time is over count what was not acknowledged by then, and nothing else")
  func unacknowledged() throws {
    // The last message arrived 115 ms before the end, the one before a second earlier.
    for (within, latency, told, isRight) in [
      ("125ms", "100ms", 0, true), ("125ms", "100ms", 1, true), ("125ms", "100ms", 2, false),
      ("125ms", "10ms", 1, false), ("1s", "100ms", 1, false),
    ] {
      let recording = try Recording(
        "{ name: 'ann', disconnect: { at: '12s', within: '\(within)' } }, 'bob'",
        more: "links: { latency: '\(latency)' }")
      recording.join(1, "ann", "bob")
      recording.send(10, from: "ann", to: "bob", at: 3, arrived: 10)
      recording.note(12, "ann", .disconnected)
      let detail = told == 0 ? "" : ", \(told) undelivered"
      recording.note(12.125, "ann", .left, "bob", "disconnected" + detail)
      recording.note(12.2, "bob", .left, "ann", "left")
      #expect(recording.violated == (isRight ? [] : [Self.counts]), "\(within) \(latency) \(told)")
    }
  }

  @Test("Takes what is sent in the instant between two memberships as part of either")
  func between() throws {
    // Two messages before that instant and one in it, of which none arrives.
    for (told, next, isRight) in [
      (1, 0, false), (2, 1, true), (3, 0, true), (4, 0, false), (2, 2, false),
    ] {
      let recording = try Recording("{ name: 'ann', session: { patience: '5s' } }, 'bob'")
      recording.join(1, "ann", "bob")
      recording.fault(.partition([["ann"], ["bob"]]), from: 2)
      recording.note(6, "ann", .interrupted, "bob", "silence")
      recording.note(6, "bob", .interrupted, "ann", "silence")
      recording.send(3, from: "ann", to: "bob", at: 9, arrived: 0)
      recording.note(11, "ann", .left, "bob", "lost, \(told) undelivered")
      recording.note(11, "ann", .joined, "bob")
      recording.note(20, "ann", .interrupted, "bob", "silence")
      let detail = next == 0 ? "" : ", \(next) undelivered"
      recording.note(25, "ann", .left, "bob", "lost" + detail)
      #expect(recording.violated.contains(Self.counts) == !isRight, "\(told) \(next)")
    }
  }

  @Test(
    "Has bounds where the sender cannot know what arrived: no less than what did not, no more than")
  func bounds() throws {
    for (told, isRight) in [(2, false), (3, true), (9, true), (10, true), (11, false)] {
      let recording = try Recording("{ name: 'ann', session: { patience: '5s' } }, 'bob'")
      recording.join(1, "ann", "bob")
      recording.send(10, from: "ann", to: "bob", at: 2, arrived: 7)
      recording.fault(.crash("bob"), from: 12)
      recording.note(12, "bob", .crashed)
      recording.note(14, "ann", .interrupted, "bob", "silence")
      recording.note(19, "ann", .left, "bob", "lost, \(told) undelivered")
      #expect(recording.violated == (isRight ? [] : [Self.counts]), "\(told)")
    }
  }

  @Test("Asks no more of what a slow reader has not got than that it is counted at most")
  func slowReader() throws {
    let peers = "'ann', { name: 'bob', read: { every: '1s' } }"
    let some = try Self.farewell(arrived: 7, undelivered: 1, of: "ann", peers)
    #expect(some.violated.isEmpty)
    let many = try Self.farewell(arrived: 7, undelivered: 4, of: "ann", peers)
    #expect(many.violated == [Self.counts])
  }

  @Test("Is violated by messages that never arrive")
  func lost() throws {
    let recording = try Recording()
    recording.join(1, "ann", "bob")
    recording.send(10, from: "ann", to: "bob", at: 2, arrived: 9)
    #expect(recording.violated == [Self.losses])
    #expect(
      recording.complaints == ["1 messages from ann have not reached bob, and none has since 30s"])
  }

  @Test("Says nothing of messages that still have time, or whose way is not free")
  func underway() throws {
    let late = try Recording()
    late.join(1, "ann", "bob")
    late.send(10, from: "ann", to: "bob", at: 45, arrived: 3)
    #expect(late.violated.isEmpty)
    let cut = try Recording()
    cut.join(1, "ann", "bob")
    cut.send(10, from: "ann", to: "bob", at: 2, arrived: 3)
    cut.fault(.cut(LinkEnds(sources: ["ann"], destinations: ["bob"], isMutual: true)), from: 5)
    #expect(cut.violated.isEmpty)
    let crashed = try Recording()
    crashed.join(1, "ann", "bob")
    crashed.send(10, from: "ann", to: "bob", at: 2, arrived: 3)
    crashed.fault(.crash("ann"), from: 12, to: 13)
    crashed.note(12, "ann", .crashed)
    crashed.note(14, "bob", .left, "ann", "restarted")
    crashed.join(14, "ann", "bob")
    #expect(crashed.violated.isEmpty, "\(crashed.complaints)")
  }

  @Test("Lets be missing what was sent to one whose acceptance came to nothing")
  func voidAcceptance() throws {
    for (answer, isExplained) in [("invitationEnded", true), ("accepted", false)] {
      let recording = try Recording("{ name: 'ann', read: { pause: ['1s', '40s'] } }, 'bob'")
      let series = recording.recorder.openSeries(
        Direction("ann", "bob"), in: "main", isEcho: false)
      let key = MembershipLog.LedgerKey(
        sender: "ann", receiver: "bob", identity: 0, session: "main")
      _ = recording.recorder.sendBegins(on: series, key, at: .seconds(2))
      recording.note(7, "bob", .answered, "ann", answer)
      let number = recording.recorder.sendBegins(on: series, key, at: .seconds(8))
      let message = TestMessage(series: series, number: number, size: 16)
      _ = recording.recorder.arrived(message, from: "ann", to: "bob", in: "main", .seconds(9))
      #expect(recording.violated.contains(Self.order) != isExplained, "\(recording.complaints)")
    }
  }

  @Test("Knows in which sessions two are joined whose invitations crossed")
  func crossed() throws {
    for isMixed in [true, false] {
      let recording = try Recording("'ann', { name: 'bob', session: { name: 'side' } }")
      for (observer, subject, session, other) in [
        ("ann", "bob", "main", "side"), ("bob", "ann", "side", "main"),
      ] {
        let entry = Timeline.Entry(
          .seconds(1), observer, .joined, subject, in: session, with: isMixed ? other : nil)
        recording.recorder.note(entry)
      }
      let direction = Direction("bob", "ann")
      let series = recording.recorder.openSeries(direction, in: "side", isEcho: false)
      let key = MembershipLog.LedgerKey(
        sender: "bob", receiver: "ann", identity: 0, session: "side")
      let number = recording.recorder.sendBegins(on: series, key, at: .seconds(2))
      let message = TestMessage(series: series, number: number, size: 16)
      _ = recording.recorder.arrived(message, from: "bob", to: "ann", in: "main", .seconds(3))
      #expect(recording.violated.isEmpty == isMixed, "\(recording.complaints)")
    }
  }
}
