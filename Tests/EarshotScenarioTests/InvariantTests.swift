import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An invariant")
struct InvariantTests {
  private static let agreement = "both ends agree about a membership"
  private static let mesh = "who is in one session is linked with all in it"
  private static let causes = "nobody is interrupted or leaves without a cause"

  @Test("Holds when nothing happens")
  func nothing() throws {
    let results = try Recording().results
    #expect(results.allSatisfy { $0.held && $0.isInvariant })
    #expect(results.count == 20)
  }

  @Test("Is violated by messages that arrive wrongly and programs that fail")
  func breaches() throws {
    let recording = try Recording()
    #expect(recording.recorder.arrived(nil, from: "ann", to: "bob", in: "main", .zero))
    recording.recorder.breach(.programs, "bob could not listen")
    recording.recorder.breach(.programs, "bob could not browse")
    #expect(
      recording.complaints == [
        "bob received a garbled message from ann", "bob could not listen (and 1 more)",
      ])
  }

  // MARK: Two ends

  @Test("Is violated by a member that knows nothing of it")
  func agreementOfTwo() throws {
    let oneSided = try Recording()
    oneSided.note(1, "ann", .joined, "bob")
    #expect(oneSided.violated == [Self.agreement])
    let mutual = try Recording()
    mutual.join(1, "ann", "bob")
    #expect(mutual.violated.isEmpty)
  }

  @Test(
    "Is violated by a member that is waited for long after it has given up, whatever the patience")
  func ghost() throws {
    let recording = try Recording("{ name: 'ann', session: { patience: '2s' } }, 'bob', 'cy'")
    recording.join(1, "ann", "bob")
    recording.fault(.partition([["ann"], ["bob"]]), from: 5, to: 15)
    for (observer, subject) in [("ann", "bob"), ("bob", "ann")] {
      recording.note(10, observer, .interrupted, subject, "silence")
    }
    recording.note(12, "ann", .left, "bob", "lost")
    recording.note(40, "bob", .left, "ann", "lost")
    #expect(recording.violated == [Self.agreement])
    #expect(
      recording.complaints == ["from 15s on bob has ann as a member for 25s, but ann not bob"])
  }

  @Test("Says nothing of two ends that cannot hear each other, or have not had the time")
  func disturbed() throws {
    let cut = try Recording()
    cut.note(1, "ann", .joined, "bob")
    cut.fault(
      .cut(LinkEnds(sources: ["ann"], destinations: ["bob"], isMutual: false)), from: 0)
    #expect(cut.violated.isEmpty)
    let crashed = try Recording()
    crashed.note(1, "ann", .joined, "bob")
    crashed.fault(.crash("bob"), from: 2)
    #expect(crashed.violated.isEmpty)
    let fresh = try Recording()
    fresh.note(50, "ann", .joined, "bob")
    #expect(fresh.violated.isEmpty)
    let slow = try Recording("'ann', { name: 'bob', read: { every: '1s' } }, 'cy'")
    slow.note(1, "ann", .joined, "bob")
    #expect(slow.violated.isEmpty)
  }

  // MARK: A group

  @Test("Is violated by two members of a third who are not linked")
  func hole() throws {
    let recording = try Recording()
    recording.join(1, "ann", "bob")
    recording.join(1, "bob", "cy")
    #expect(recording.violated == [Self.mesh])
    recording.join(5, "ann", "cy")
    #expect(recording.violated.isEmpty)
  }

  @Test("Is violated by a link of a group that does not come back")
  func broken() throws {
    let recording = try Recording(
      "{ name: 'peer', count: 3, session: { patience: '2m' } }", more: "links: { loss: 0 }")
    recording.join(1, "peer1", "peer2", "peer3")
    recording.fault(.partition([["peer1"], ["peer2", "peer3"]]), from: 2, to: 10)
    recording.note(8, "peer1", .interrupted, "peer2", "silence")
    #expect(recording.violated == [Self.mesh])
    recording.note(40, "peer1", .resumed, "peer2")
    #expect(recording.violated.isEmpty)
  }

  @Test("Says nothing of two that cannot hear each other, or of whom one removed the other")
  func apart() throws {
    let cut = try Recording()
    cut.join(1, "ann", "bob")
    cut.join(1, "bob", "cy")
    cut.fault(.cut(LinkEnds(sources: ["ann"], destinations: ["cy"], isMutual: true)), from: 3)
    #expect(cut.violated.isEmpty)
    let removed = try Recording()
    removed.join(1, "ann", "bob", "cy")
    removed.note(9, "ann", .removed, "cy")
    removed.note(9, "ann", .left, "cy", "removed")
    removed.note(9, "cy", .left, "ann", "removed")
    #expect(removed.violated.isEmpty)
    let early = try Recording()
    early.join(1, "ann", "bob")
    early.join(1, "bob", "cy")
    early.note(2, "cy", .joined, "ann")
    early.note(2.05, "cy", .removed, "ann")
    early.note(2.1, "ann", .joined, "cy")  // Who is removed hears later of both.
    early.note(2.2, "ann", .left, "cy", "removed")
    early.note(2.3, "cy", .left, "ann", "removed")
    #expect(early.violated.isEmpty, "\(early.complaints)")
    let sessions = try Recording()
    sessions.join(1, "ann", "bob")
    sessions.join(1, "bob", "cy", session: "side")
    #expect(sessions.violated.isEmpty)
  }

  @Test("Lets a group be split as long as one that is waited for keeps the seat that it needs")
  func awaited() throws {
    for (capacity, end, isExplained) in [(3, 59.0, true), (4, 59, false), (3, 25, false)] {
      let recording = try Recording(
        "{ name: 'peer', count: 4, session: { capacity: \(capacity), patience: '2m' } }")
      recording.join(1, "peer1", "peer2")
      recording.join(1, "peer2", "peer3")
      recording.join(1, "peer3", "peer4")
      recording.fault(.crash("peer4"), from: 2)
      recording.note(2, "peer4", .crashed)
      recording.note(7, "peer3", .interrupted, "peer4", "silence")
      recording.note(end, "peer3", .left, "peer4", "restarted")
      #expect(recording.violated.contains(Self.mesh) == !isExplained, "\(capacity) \(end)")
    }
  }

  @Test(
    "Lets a group that does not fit be split when one has removed another, and no longer counts it")
  func removedAndReplaced() throws {
    for (capacity, hasRemoved, isExplained) in [
      (3, true, true), (3, false, false), (4, true, false),
    ] {
      let recording = try Recording(
        "{ name: 'peer', count: 4, session: { capacity: \(capacity) } }")
      recording.join(1, "peer1", "peer2", "peer3")
      recording.note(5, "peer1", .left, "peer2", "removed")
      if hasRemoved { recording.note(5, "peer1", .removed, "peer2") }
      recording.note(5.1, "peer2", .left, "peer1", "removed")
      recording.join(6, "peer1", "peer4")
      #expect(recording.violated.contains(Self.mesh) == !isExplained, "\(capacity) \(hasRemoved)")
    }
  }

  @Test(
    "Gives links that lose packets the time that they need, in which nothing may have begun or ended"
  )
  func lossy() throws {
    for (link, seconds, isViolated) in [
      ("latency: '1ms'", 29.0, false), ("latency: '1ms'", 31, true),
      ("loss: '5%'", 31, false), ("loss: '5%'", 80, true), ("corruption: '5%'", 31, false),
      ("burst: { enter: 0.01, leave: 0.01 }", 150, false),
      ("burst: { enter: 0.01, leave: 0.01 }", 180, true),
    ] {
      let recording = try Recording(
        more: "links: { \(link) }", lasting: .seconds(10) + .seconds(seconds))
      recording.join(1, "ann", "bob")
      recording.join(1, "bob", "cy")
      recording.fault(.partition([["ann", "bob"], ["cy"]]), from: 2, to: 10)
      #expect(recording.violated.contains(Self.mesh) == isViolated, "\(link) \(seconds)")
    }
  }

  // MARK: Causes

  @Test(
    "Is violated by an end that nothing explains",
    arguments: ["left", "lost", "removed", "disconnected", "restarted", "violation", "unreachable"])
  func causeless(reason: String) throws {
    let recording = try Recording()
    recording.join(1, "ann", "bob")
    recording.note(9, "ann", .left, "bob", reason)
    recording.note(9.1, "bob", .left, "ann", "disconnected")
    recording.note(9, "bob", .disconnected)
    let isExplained = reason == "left"
    #expect(recording.violated == (isExplained ? [] : [Self.causes]))
  }

  @Test("Holds when both were there for the end, and its cause")
  func explained() throws {
    let recording = try Recording()
    recording.join(1, "ann", "bob", "cy")
    recording.note(5, "ann", .removed, "cy")
    recording.note(5, "ann", .left, "cy", "removed")
    recording.note(5, "cy", .left, "ann", "removed")
    recording.fault(.crash("cy"), from: 7)
    recording.note(7, "cy", .crashed)
    recording.note(9, "bob", .interrupted, "cy", "silence")
    recording.note(39, "bob", .left, "cy", "lost")
    recording.note(50, "bob", .stopped)
    recording.note(50, "bob", .left, "ann", "disconnected")
    recording.note(50, "ann", .left, "bob", "left")
    #expect(recording.violated.isEmpty, "\(recording.complaints)")
  }

  @Test("Lets a program that takes its time hear of a break later than that was")
  func breakHeardLate() throws {
    for (pause, isExplained) in [("12s", true), ("6s", false)] {
      let recording = try Recording(
        "{ name: 'ann', session: { patience: '10s' }, read: { pause: ['2s', '\(pause)'] } }, 'bob'")
      recording.join(1, "ann", "bob")
      recording.fault(.partition([["ann"], ["bob"]]), from: 5)
      recording.note(12, "ann", .interrupted, "bob", "silence")
      recording.note(20, "ann", .left, "bob", "lost")
      #expect(recording.violated == (isExplained ? [] : [Self.causes]))
    }
  }

  @Test("Is violated when patience is over too early, and by a break that nothing explains")
  func impatient() throws {
    let recording = try Recording("{ name: 'peer', count: 2, session: { patience: '10s' } }")
    recording.join(1, "peer1", "peer2")
    recording.fault(.crash("peer2"), 1, from: 5)
    recording.note(8, "peer1", .interrupted, "peer2", "linkBroken")
    recording.note(18, "peer1", .left, "peer2", "lost")
    #expect(recording.violated.isEmpty)
    let early = try Recording("{ name: 'peer', count: 2, session: { patience: '10s' } }")
    early.join(1, "peer1", "peer2")
    early.fault(.partition([["peer1"], ["peer2"]]), from: 5)
    early.note(8, "peer1", .interrupted, "peer2", "silence")
    early.note(17.9, "peer1", .left, "peer2", "lost")
    #expect(early.violated == [Self.causes])
    let sudden = try Recording()
    sudden.join(1, "ann", "bob")
    sudden.note(5, "ann", .interrupted, "bob", "silence")
    sudden.note(6, "ann", .resumed, "bob")
    sudden.note(7, "ann", .interrupted, "bob", "suspending")
    sudden.note(8, "ann", .resumed, "bob")
    #expect(sudden.violated == [Self.causes])
    #expect(sudden.complaints.first?.hasSuffix("(and 1 more)") == true)
  }

  @Test("Lets a slow link go on with what is in its queue after one end has broken it")
  func slowQueue() throws {
    for (rate, isExplained) in [("32kbit/s", true), ("1Mbit/s", false)] {
      let recording = try Recording(
        more: "links: { exceptions: [{ between: ['ann', 'bob'], bandwidth: '\(rate)' }] }")
      recording.join(1, "ann", "bob")
      recording.fault(.partition([["ann"], ["bob", "cy"]]), from: 5, to: 9)
      recording.note(50, "ann", .interrupted, "bob", "linkBroken")
      recording.note(50.1, "bob", .interrupted, "ann", "linkBroken")
      recording.note(51, "ann", .resumed, "bob")
      recording.note(51, "bob", .resumed, "ann")
      #expect(recording.violated.contains(Self.causes) == !isExplained, "\(rate)")
    }
  }

  @Test("Needs a broken link and no interruption where there is no patience")
  func zeroPatience() throws {
    for isCut in [true, false] {
      let recording = try Recording("{ name: 'ann', session: { patience: '0s' } }, 'bob'")
      recording.join(1, "ann", "bob")
      if isCut { recording.fault(.partition([["ann"], ["bob"]]), from: 5) }
      recording.note(10, "ann", .left, "bob", "lost")
      recording.note(10, "bob", .left, "ann", "lost")
      #expect(recording.violated.contains(Self.causes) == !isCut)
    }
  }

  @Test("Lets a member be lost that never came to know of it, if something struck while they met")
  func unconfirmed() throws {
    for (isStruck, hasMet, wasMember) in [
      (true, false, false), (false, false, false), (true, true, false), (true, false, true),
    ] {
      let recording = try Recording("{ name: 'ann', session: { patience: '5s' } }, 'bob'")
      if wasMember {  // Of the ann that has been started again since, which bob still waits for.
        recording.join(1, "ann", "bob")
        recording.fault(.crash("ann"), 2, from: 2, to: 3)
        recording.note(9.6, "bob", .left, "ann", "restarted")
      }
      if isStruck { recording.fault(.partition([["ann"], ["bob"]]), from: 4.9, to: 8) }
      recording.note(5, "ann", .joined, "bob")
      if hasMet { recording.note(5, "bob", .joined, "ann") }
      if isStruck { recording.note(9, "ann", .interrupted, "bob", "silence") }
      recording.note(9.5, "ann", .left, "bob", "lost")
      #expect(recording.violated.contains(Self.causes) == !(isStruck && !hasMet))
    }
  }

  @Test("Hears later of a program that takes its time that it has given a member up")
  func slowWord() throws {
    for (reading, hasLeft, isExplained) in [
      ("read: { every: '1s' }", true, true), ("read: { every: '1s' }", false, false),
      ("", true, false),
    ] {
      let recording = try Recording(
        "'ann', { name: 'bob', session: { patience: '5s' }, \(reading) }")
      recording.join(1, "ann", "bob")
      recording.fault(.partition([["ann"], ["bob"]]), from: 5, to: 16)
      recording.note(10, "ann", .interrupted, "bob", "silence")
      recording.note(10, "bob", .interrupted, "ann", "silence")
      recording.note(16.2, "ann", .left, "bob", "lost")
      if hasLeft { recording.note(17, "bob", .left, "ann", "lost") }
      #expect(recording.violated.contains(Self.causes) == !isExplained, "\(reading) \(hasLeft)")
    }
  }

  @Test("Waits for the word of a program that is yet to look, if its patience may be over")
  func unheardWord() throws {
    for (pause, patience, isExplained) in [
      ("90s", "2s", true), ("90s", "40s", false), ("30s", "2s", false),
    ] {
      let (session, read) = ("{ patience: '\(patience)' }", "{ pause: ['0s', '\(pause)'] }")
      let recording = try Recording("'ann', { name: 'bob', session: \(session), read: \(read) }")
      recording.note(1, "ann", .joined, "bob")
      recording.fault(.partition([["ann"], ["bob"]]), from: 5, to: 16)
      recording.note(10, "ann", .interrupted, "bob", "silence")
      recording.note(16.2, "ann", .left, "bob", "lost")
      #expect(recording.violated.contains(Self.causes) == !isExplained, "\(pause) \(patience)")
    }
  }

  @Test("Looks for the cause of what a program is told late before it was told")
  func toldLate() throws {
    for (reason, isLate) in [
      ("restarted", true), ("restarted", false), ("lost", true), ("lost", false),
    ] {
      let reading = isLate ? "read: { pause: ['0s', '20s'] }" : ""
      let recording = try Recording("{ name: 'ann', \(reading) }, 'bob'")
      recording.note(1, "bob", .joined, "ann")
      let kind = reason == "lost" ? Fault.Kind.partition([["ann"], ["bob"]]) : .crash("bob")
      recording.fault(kind, from: 5, to: 8)
      recording.note(9, "bob", .left, "ann", "lost")
      recording.note(20, "ann", .joined, "bob")
      recording.note(20.5, "ann", .left, "bob", reason)
      #expect(recording.violated.contains(Self.causes) == !isLate, "\(reason) \(isLate)")
    }
  }

  @Test("Lets who takes no part in discovery wait for one that has moved, unless a member knows it")
  func unheard() throws {
    for (ann, isHidden, isIntroduced, isExplained) in [
      ("advertise: false", false, false, true),
      ("advertise: false, browse: true", false, false, false),
      ("", false, false, false), ("", true, false, true), ("advertise: false", false, true, false),
      ("advertise: false, session: { patience: '5s' }", false, false, false),
    ] {
      let recording = try Recording("{ name: 'ann', \(ann) }, 'bob', 'cy'")
      recording.join(1, "ann", "bob")
      if isHidden { recording.fault(.hosts(["ann"], .hide), 2, from: 3) }
      recording.fault(.crash("bob"), from: 5, to: 8)
      recording.note(5, "bob", .crashed)
      recording.note(10, "ann", .interrupted, "bob", "silence")
      if isIntroduced { recording.join(11, "ann", "cy") }
      if isIntroduced { recording.join(12, "bob", "cy") }
      recording.note(39.9, "ann", .left, "bob", "restarted")
      #expect(recording.violated.contains(Self.agreement) == !isExplained, "\(ann)")
    }
  }

  @Test("Counts patience by the clock of who waits")
  func ownClock() throws {
    for (clock, isExplained) in [
      (ClockChange(jump: .seconds(5)), true), (ClockChange(jump: .seconds(2)), false),
      (ClockChange(drift: 500_000), true), (ClockChange(drift: 10_000), false),
    ] {
      let recording = try Recording("{ name: 'peer', count: 2, session: { patience: '20s' } }")
      recording.join(1, "peer1", "peer2")
      recording.fault(.partition([["peer1"], ["peer2"]]), 1, from: 5)
      recording.note(10, "peer1", .interrupted, "peer2", "silence")
      recording.fault(.hosts(["peer1"], .clock(clock)), 2, from: 12, to: 25)
      recording.note(26, "peer1", .left, "peer2", "lost")
      #expect(recording.violated.contains(Self.causes) == !isExplained, "\(clock)")
    }
  }

  @Test("Lets a member be lost whose farewell may not have arrived")
  func cutOff() throws {
    for isCut in [true, false] {
      let recording = try Recording()
      recording.join(1, "ann", "bob")
      if isCut { recording.fault(.partition([["ann"], ["bob", "cy"]]), from: 18, to: 21) }
      recording.note(20, "bob", .disconnected)
      recording.note(22, "bob", .left, "ann", "disconnected")
      recording.note(23, "ann", .interrupted, "bob", "silence")
      recording.note(23.5, "ann", .left, "bob", "lost")
      #expect(recording.violated.contains(Self.causes) == !isCut)
    }
  }

  @Test("Lets only a crowd find a session full")
  func full() throws {
    for (count, isExplained) in [(9, true), (8, false)] {
      let recording = try Recording("{ name: 'peer', count: \(count) }")
      recording.join(1, "peer1", "peer2")
      recording.note(2, "peer1", .left, "peer2", "full")
      recording.note(2, "peer2", .left, "peer1", "full")
      #expect(recording.violated == (isExplained ? [] : [Self.causes]))
    }
  }

  @Test("Lets nobody be taken for restarted who only left")
  func notRestarted() throws {
    for isBack in [true, false] {
      let recording = try Recording()
      recording.join(1, "ann", "bob")
      recording.note(5, "bob", .disconnected)
      recording.note(5.1, "bob", .left, "ann", "disconnected")
      if isBack { recording.note(6, "bob", .rejoined) }
      recording.note(7, "ann", .left, "bob", "restarted")
      #expect(recording.violated == (isBack ? [] : [Self.causes]))
    }
  }

  @Test("Lets a peer join in a new session before it has left the one before")
  func twoSessionsOfOneName() throws {
    for number in [1, 0] {
      let recording = try Recording()
      recording.join(1, "ann", "bob")
      recording.note(5, "ann", .disconnected)
      recording.note(6, "ann", .rejoined)
      recording.note(7, "bob", .left, "ann", "restarted")
      recording.note(7, "bob", .joined, "ann")
      recording.note(7, "ann", .joined, "bob", sessionNumber: number)
      recording.note(8, "ann", .left, "bob", "disconnected")
      #expect(
        recording.violated.contains("events of a membership follow each other") == (number == 0))
    }
  }

  @Test("Is violated by events that cannot follow each other")
  func disorder() throws {
    let events: [[Timeline.Kind]] = [
      [.resumed], [.joined, .resumed], [.joined, .joined], [.left],
      [.joined, .interrupted, .interrupted], [.joined, .left, .left],
    ]
    for kinds in events {
      let recording = try Recording()
      for (index, kind) in kinds.enumerated() { recording.note(Double(index), "ann", kind, "bob") }
      #expect(recording.violated.contains("events of a membership follow each other"), "\(kinds)")
    }
  }
}
