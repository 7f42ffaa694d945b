import EarshotCore
import TestKit
import Testing

@Suite("Link: progress is life")
struct LinkProgressTests {
  /// A link over a transport that a test describes at every wake.
  private struct Course {
    var now = Instant.zero
    var machine: LivenessMachine
    var signs = LivenessMachine.Signs()
    private(set) var log: [(at: Instant, action: LivenessMachine.Action)] = []
    private(set) var hasBeenSuspected = false
    private var wakeAt: Instant?

    init() {
      var actions: [LivenessMachine.Action] = []
      machine = LivenessMachine(at: .zero, into: &actions)
      take(actions)
    }

    private mutating func take(_ actions: [LivenessMachine.Action]) {
      for action in actions {
        if case .wake(let at) = action { wakeAt = at } else { log.append((now, action)) }
        if action == .closeTransport { wakeAt = nil }
      }
      hasBeenSuspected = hasBeenSuspected || !machine.isTrusted
    }

    /// Wakes the machine at its deadlines up to a time, each time with the signs as they are then.
    mutating func run(
      until end: Duration, _ look: (inout LivenessMachine.Signs, Instant) -> Void = { _, _ in }
    ) {
      while let at = wakeAt, at <= .zero + end {
        (now, wakeAt) = (at, nil)
        look(&signs, now)
        var actions: [LivenessMachine.Action] = []
        machine.handle(.deadlineReached(signs), at: now, into: &actions)
        take(actions)
      }
      now = .zero + end
    }

    mutating func touch() {
      var actions: [LivenessMachine.Action] = []
      machine.handle(.bytesReceived, at: now, into: &actions)
      take(actions)
    }

    func times(of action: LivenessMachine.Action) -> [Instant] {
      log.filter { $0.action == action }.map(\.at)
    }

    var downs: [Instant] { times(of: .reportDown(.silence)) }
  }

  @Test("What the other side's system acknowledges in front of a question is life, for hours")
  func delivered() {
    var course = Course()
    course.run(until: .seconds(7_200)) { signs, now in
      signs.isQuestionUnderWay = true
      signs.transport.deliveredCount = UInt64(now.nanoseconds / 1_500_000_000)
    }
    #expect(course.downs.isEmpty)
    #expect(!course.hasBeenSuspected)
    #expect(course.times(of: .sendPing(token: 1)).count == 1)
    #expect(course.times(of: .sendPing(token: 2)).isEmpty)
  }

  @Test("What it acknowledges behind a question says nothing of whoever is to answer")
  func deliveredBehind() {
    var course = Course()
    course.run(until: .seconds(60)) { signs, _ in signs.transport.deliveredCount += 1 }
    #expect(course.downs == [.zero + .seconds(5)])
  }

  @Test("Bytes that arrive and cannot be handed over yet are life, whatever became of the question")
  func arrived() {
    var course = Course()
    course.run(until: .seconds(600)) { signs, now in
      signs.transport.arrivedCount = UInt64(now.nanoseconds / 1_500_000_000)
    }
    #expect(course.downs.isEmpty)
    #expect(!course.hasBeenSuspected)
  }

  @Test(
    "A silence is found within five seconds of the last progress, whenever that was",
    arguments: Seed.some(100))
  func silence(seed: Seed) throws {
    var random = seed.generator
    let last = Instant.zero + .seconds(2) + random.duration(below: .seconds(20))
    let pace = Duration.milliseconds(1) + random.duration(below: .milliseconds(1_800))
    let isOurs = random.below(2) == 0
    var course = Course()
    course.run(until: .seconds(60)) { signs, now in
      let count = UInt64(min(now, last).nanoseconds / pace.nanoseconds)
      signs.isQuestionUnderWay = true
      if isOurs {
        signs.transport.deliveredCount = count
      } else {
        signs.transport.arrivedCount = count
      }
    }
    let progress = Instant(nanoseconds: last.nanoseconds / pace.nanoseconds * pace.nanoseconds)
    let down = try #require(course.downs.first)
    #expect(down <= max(progress, .zero) + .seconds(5))
    #expect(down > progress + .seconds(3))
  }

  @Test("A link that was suspected and makes progress again is trusted again")
  func trustedAgain() {
    var course = Course()
    course.run(until: .milliseconds(3_100))
    #expect(!course.machine.isTrusted)
    course.run(until: .seconds(20)) { signs, _ in signs.transport.arrivedCount += 1 }
    #expect(course.machine.isTrusted)
  }

  @Test(
    "Who receives a large frame slowly says so once a second, unless something else was said",
    arguments: [100, 330, 900])
  func slowFrame(milliseconds: Int64) {
    var course = Course()
    var lastSaid = Instant.zero
    for step in 1...Int64(60_000 / milliseconds) {
      course.run(until: .milliseconds(step * milliseconds)) { signs, now in
        signs.unansweredSince = lastSaid
      }
      let said = course.times(of: .sendPong(token: 0)).last ?? .zero
      #expect(course.now - max(said, lastSaid) <= .seconds(1) + .milliseconds(milliseconds))
      lastSaid = max(said, lastSaid)
      course.touch()
    }
    #expect(course.times(of: .sendPong(token: 0)).count >= 30)
    #expect(course.times(of: .sendPing(token: 1)).isEmpty)
  }

  @Test("Whole frames are answered by whoever they are for, not by the link")
  func wholeFrames() {
    var course = Course()
    for step in 1...100 {
      course.run(until: .milliseconds(100 * step))
      course.touch()
    }
    #expect(course.log.isEmpty)
    for step in 101...200 {
      course.run(until: .milliseconds(100 * step)) { signs, now in
        signs.unansweredSince = now - .milliseconds(300)  // Something is said all the time.
      }
      course.touch()
    }
    #expect(course.log.isEmpty)
  }
}
