import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An invariant about calls")
struct CallInvariantTests {
  private static let calls = "every call returns in time"
  private static let answers = "both ends of an invitation are told the same"
  private static let causes = "nobody is interrupted or leaves without a cause"

  private static func call(_ kind: Call.Kind = .accept, about subject: String? = "bob") -> Call {
    Call(kind, by: "ann", about: subject, at: .seconds(5), limit: .seconds(10))
  }

  @Test("Is violated by a call that never returns, and by one that takes too long")
  func late() throws {
    let never = try Recording()
    _ = never.recorder.begin(Self.call())
    #expect(never.complaints == ["1 of 1 had not when the world had"])
    never.recorder.close(at: .seconds(60))
    #expect(never.violated == [Self.calls])
    let long = try Recording()
    let call = long.recorder.begin(Self.call())
    long.recorder.end(call, at: .seconds(15.5))
    #expect(long.violated == [Self.calls])
    #expect(
      long.complaints == [
        "ann called accept about bob at 5s, which takes 10.5s and may take 10s"
      ])
    let right = try Recording()
    right.recorder.end(right.recorder.begin(Self.call()), at: .seconds(15))
    #expect(right.violated.isEmpty)
  }

  @Test("Gives a call the time that a fault took, and forgets those of a program that is gone")
  func excused() throws {
    let suspended = try Recording()
    let call = suspended.recorder.begin(Self.call(about: nil))
    suspended.fault(.suspend("ann", grace: .zero), from: 6, to: 16)
    suspended.recorder.end(call, at: .seconds(25))
    #expect(suspended.violated.isEmpty)
    let other = try Recording()
    let second = other.recorder.begin(Self.call(about: nil))
    other.fault(.suspend("bob", grace: .zero), from: 6, to: 16)
    other.recorder.end(second, at: .seconds(25))
    #expect(other.violated == [Self.calls])
    let apart = try Recording()
    let third = apart.recorder.begin(Self.call())
    apart.fault(.partition([["ann"], ["bob"]]), from: 0, to: 16)
    apart.recorder.end(third, at: .seconds(25))
    #expect(apart.violated.isEmpty)
    let crashed = try Recording()
    let fourth = crashed.recorder.begin(Self.call())
    crashed.fault(.crash("ann"), from: 7)
    crashed.recorder.end(fourth, at: .seconds(50))
    #expect(crashed.violated.isEmpty)
    // Told to end before the call, which it survives or not.
    for (end, isGone) in [(7.0, true), (4.0, false)] {
      let leaving = try Recording()
      let fifth = leaving.recorder.begin(Self.call())
      leaving.fault(.hosts(["ann"], .leave(within: .seconds(2))), from: 3, to: end)
      leaving.recorder.end(fifth, at: .seconds(50))
      #expect(leaving.violated == (isGone ? [] : [Self.calls]))
    }
  }

  @Test("Lets an answer wait for one that sleeps until that one's time is over, and for no other")
  func asleep() throws {
    for (sleeper, end, isInTime) in [("bob", 45.0, true), ("bob", 45.1, false), ("cy", 45, false)] {
      let recording = try Recording()
      let call = recording.recorder.begin(
        Call(
          .accept, by: "ann", about: "bob", at: .seconds(5), limit: .seconds(10),
          inSleep: .seconds(40)))
      recording.fault(.suspend(sleeper, grace: .zero), from: 6, to: 8)
      recording.recorder.end(call, at: .seconds(end))
      #expect(recording.violated == (isInTime ? [] : [Self.calls]), "\(sleeper) \(end)")
    }
  }

  // MARK: Invitations

  /// Ann invites Bob at 5 s and is told something at 8 s; Bob answers at 7 s.
  private static func invitation(
    _ outcome: String?, _ answer: (Call.Kind, String?)?, joined: [String] = []
  ) throws -> Recording {
    let recording = try Recording()
    let key = recording.invite("ann", "bob", at: 5, outcome, by: 8)
    if let answer { recording.answer(key, answer.0, at: 7, answer.1) }
    for observer in joined {
      recording.note(7, observer, .joined, observer == "ann" ? "bob" : "ann")
    }
    return recording
  }

  @Test("Holds when both ends were told the same")
  func same() throws {
    let recordings = [
      try Self.invitation("accepted", (.accept, "accepted"), joined: ["ann", "bob"]),
      try Self.invitation("accepted", nil, joined: ["ann", "bob"]),
      try Self.invitation("declined", (.decline, "declined")),
      try Self.invitation("timedOut", (.accept, "invitationEnded")),
      try Self.invitation("timedOut", nil), try Self.invitation("unknownPeer", nil),
      try Self.invitation("cancelled", (.decline, "declined")),
      try Self.invitation(nil, (.accept, nil)),
    ]
    for recording in recordings {
      #expect(recording.violated.isEmpty, "\(recording.complaints)")
    }
  }

  @Test("Is violated when the ends were told different things")
  func different() throws {
    let recordings = [
      try Self.invitation("accepted", (.accept, "accepted"), joined: ["ann"]),
      try Self.invitation("accepted", (.accept, "accepted"), joined: ["bob"]),
      try Self.invitation("accepted", nil),
      try Self.invitation("timedOut", (.accept, "accepted"), joined: ["bob"]),
      try Self.invitation("declined", (.accept, "accepted"), joined: ["bob"]),
      try Self.invitation("declined", (.accept, "invitationEnded")),
      try Self.invitation("declined", nil),
      try Self.invitation("accepted", (.accept, "invitationEnded"), joined: ["ann"]),
    ]
    for recording in recordings {
      #expect(recording.violated.contains(Self.answers), "\(recording.results.map(\.observed))")
    }
    let late = try Recording()
    let key = late.invite("ann", "bob", at: 5, "timedOut", by: 10)
    late.answer(key, .decline, at: 7, "declined")
    #expect(late.complaints == ["ann invited bob at 5s: timedOut, and bob declined in time"])
  }

  @Test("Takes invitations to one session that go on at once for one")
  func joined() throws {
    for (start, isExplained) in [(6.0, true), (9.0, false)] {
      let recording = try Recording()
      let key = recording.invite("ann", "bob", at: 5, "declined", by: 8)
      recording.answer(key, .decline, at: 7, "declined")
      _ = recording.invite("ann", "bob", at: start, "declined", by: start + 2)
      #expect(recording.violated.contains(Self.answers) == !isExplained)
    }
  }

  @Test("Lets one end find the session full after it had joined")
  func full() throws {
    let peers = "{ name: 'ann', session: { capacity: 2 } }, 'bob', 'cy'"
    let guest = try Recording(peers)
    guest.answer(guest.invite("ann", "bob", at: 5, "full", by: 8), .accept, at: 8, "accepted")
    guest.note(8, "bob", .joined, "ann")
    guest.note(8, "bob", .left, "ann", "full")
    #expect(guest.violated.isEmpty, "\(guest.complaints)")
    let inviter = try Recording(peers)
    let key = inviter.invite("ann", "bob", at: 5, "accepted", by: 8)
    inviter.answer(key, .accept, at: 8, "invitationEnded")
    inviter.note(8, "ann", .joined, "bob")
    inviter.note(8, "ann", .left, "bob", "full")
    #expect(inviter.violated.isEmpty, "\(inviter.complaints)")
  }

  @Test("Says nothing of an inviter that is gone, or of ends that could not hear each other")
  func gone() throws {
    let crashed = try Self.invitation(nil, (.accept, "accepted"))
    crashed.fault(.crash("ann"), from: 6)
    #expect(crashed.violated.isEmpty)
    let apart = try Self.invitation("accepted", nil, joined: ["ann"])
    apart.fault(.partition([["ann"], ["bob", "cy"]]), from: 8)
    #expect(!apart.violated.contains(Self.answers))
  }

  @Test("Lets a guest take back that it accepted, or its own invitation where the two crossed")
  func takenBack() throws {
    for (answer, withdrawal, isExplained) in [
      ("cancelled", nil, true), (nil, 7.9, true), (nil, 1, false), (nil, nil, false),
    ] as [(String?, Double?, Bool)] {
      let recording = try Recording()
      if let withdrawal { _ = recording.invite("bob", "ann", at: 0, "cancelled", by: withdrawal) }
      let key = recording.invite("ann", "bob", at: 5, "accepted", by: 8)
      if let answer { recording.answer(key, .accept, at: 7, answer) }
      recording.note(8, "ann", .joined, "bob")
      recording.note(8.1, "ann", .left, "bob", "left")
      #expect(
        recording.violated == (isExplained ? [] : [Self.answers, Self.causes]), "\(answer ?? "")")
    }
  }

  @Test("Lets an acceptance be void that a slow link has confirmed too late")
  func void() throws {
    for (latency, isExplained) in [("200ms", true), ("20ms", false)] {
      let recording = try Recording(more: "links: { latency: '\(latency)' }")
      let key = recording.invite("ann", "bob", at: 5, "accepted", by: 8)
      recording.answer(key, .accept, at: 7.9, "invitationEnded")
      recording.note(8, "ann", .joined, "bob")
      recording.note(8.5, "ann", .left, "bob", "lost")
      #expect(recording.violated == (isExplained ? [] : [Self.answers, Self.causes]))
    }
  }

  @Test("Waits until an inviter that gave up can have heard that it is in")
  func heardLater() throws {
    for (peers, answer, cut, isExplained) in [
      ("'ann', 'bob'", 30, nil, false), ("'ann', 'bob'", 50, nil, true),
      ("'ann', 'bob'", 30, 31, true),
      ("{ name: 'ann', read: { pause: ['0s', '60s'] } }, 'bob'", 30, nil, true),
    ] as [(String, Double, Double?, Bool)] {
      let recording = try Recording(peers)
      let key = recording.invite("ann", "bob", at: 5, "timedOut", by: 8)
      recording.note(answer, "bob", .joined, "ann")
      recording.answer(key, .accept, at: answer, "accepted")
      if let cut { recording.fault(.partition([["ann"], ["bob"]]), from: cut, to: cut + 5) }
      #expect(recording.violated.contains(Self.answers) == !isExplained, "\(peers) \(answer)")
    }
  }

  @Test("The context of an invitation says which it is, and nothing else is taken for one")
  func context() {
    let context = InvitationContext("hi\u{1F} there", number: 12, session: "side")
    #expect(InvitationContext(context.bytes) == context)
    #expect(context.bytes.count == 9 + 1 + 8 + 1 + 4)
    for text in ["", "hello", "hello\u{1F}", "hello\u{1F}x main", "\u{1F}1", "\u{1F}1 2 3"] {
      #expect(InvitationContext(Array(text.utf8)) == nil, "\(text)")
    }
  }
}
