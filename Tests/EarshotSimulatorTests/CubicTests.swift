import EarshotSimulator
import Testing

/// A window under CUBIC that is acknowledged once a round trip, as a whole.
private struct Course {
  var cubic = CubicWindow()
  var window: Int
  let roundTrip: Int64
  private var now: Int64 = 1_000_000_000
  private var credit = 0

  init(window: Int, roundTrip: Int64) { (self.window, self.roundTrip) = (window, roundTrip) }

  mutating func lose() {
    window = max(2, cubic.reduce(window))
    credit = 0
  }

  /// Lets time pass, and returns the window at the end.
  mutating func grow(for seconds: Int64) -> Int {
    let end = now + seconds * 1_000_000_000
    while now < end {
      for _ in 0..<window {
        now += roundTrip / Int64(window)
        _ = cubic.note(roundTrip: roundTrip, at: now)
        let interval = cubic.interval(window, acknowledged: 1_448, at: now)
        credit += 1
        if credit >= interval { (window, credit) = (window + 1, 0) }
      }
    }
    return window
  }
}

@Suite("The course of CUBIC's window")
struct CubicTests {
  @Test("A loss leaves seven tenths of the window", arguments: [(10, 7), (100, 70), (3, 2)])
  func reduction(window: Int, reduced: Int) {
    var cubic = CubicWindow()
    let left = cubic.reduce(window)
    #expect(left == reduced)
  }

  // K = cube root of (W_max - cwnd) / 0.4 s (RFC 9438 §4.2): 300 segments less take 9.1 s.
  @Test(
    "Over a long path the window is back after K, stands there, and then grows faster and faster")
  func cubicFunction() {
    var course = Course(window: 1_000, roundTrip: 200_000_000)
    course.lose()
    let start = course.window
    let early = course.grow(for: 3) - start
    let late = course.grow(for: 6)
    let plateau = course.grow(for: 2)
    let beyond = course.grow(for: 7)
    #expect(start == 700)
    #expect(early > 180 && early < 230)
    #expect(late > 985 && late <= 1_003)
    #expect(plateau - late < 15)
    #expect(beyond > 1_100)
  }

  @Test(
    "Over a short path the window grows as Reno's of the same average, by 0.53 segments a round trip"
  )
  func renoFriendliness() {
    var course = Course(window: 20, roundTrip: 10_000_000)
    course.lose()
    let grown = course.grow(for: 1) - 14
    #expect(grown > 45 && grown < 60)
  }

  @Test("A window that is smaller than at the loss before makes room for others")
  func fastConvergence() {
    var course = Course(window: 1_000, roundTrip: 200_000_000)
    course.lose()
    course.lose()
    var once = Course(window: 700, roundTrip: 200_000_000)
    once.lose()
    // Its plateau lies at 85 % of 700, and that of the other at 700.
    #expect(course.window == once.window)
    let (converged, other) = (course.grow(for: 7), once.grow(for: 7))
    #expect(converged > 585 && converged < 610)
    #expect(other > 680)
  }

  @Test(
    "Before the first loss, and after a time-out, the window grows by a twentieth of what arrives")
  func unknownPath() {
    var fresh = Course(window: 100, roundTrip: 100_000_000)
    #expect(fresh.grow(for: 1) > 150)
    var course = Course(window: 100, roundTrip: 100_000_000)
    course.lose()
    course.cubic.reset()
    course.window = 100
    #expect(course.grow(for: 1) > 150)
  }

  @Test("Time in which nothing was in flight does not count")
  func pause() {
    func intervalAfterPause(isNoted: Bool) -> Int {
      var cubic = CubicWindow()
      _ = cubic.reduce(1_000)
      _ = cubic.interval(700, acknowledged: 1_448, at: 1_000_000_000)
      if isNoted { cubic.pause(from: 1_000_000_000, to: 9_000_000_000) }
      return cubic.interval(700, acknowledged: 1_448, at: 9_100_000_000)
    }
    #expect(intervalAfterPause(isNoted: true) > 20)
    #expect(intervalAfterPause(isNoted: false) < 4)
  }

  @Test("Round trips of the first second after a loss are not measured: they show the queue")
  func queueIsNotMeasured() {
    var cubic = CubicWindow()
    _ = cubic.note(roundTrip: 20_000_000, at: 1_000_000_000)
    _ = cubic.reduce(100)
    _ = cubic.interval(70, acknowledged: 1_448, at: 2_000_000_000)
    _ = cubic.note(roundTrip: 1_000_000, at: 2_900_000_000)
    #expect(cubic.leastRoundTrip == 20_000_000)
    _ = cubic.note(roundTrip: 1_000_000, at: 3_100_000_000)
    #expect(cubic.leastRoundTrip == 1_000_000)
  }
}

@Suite("The end of slow start")
struct HyStartTests {
  private static let millisecond: Int64 = 1_000_000

  /// Acknowledgements of one round trip that come so far apart, after one that began it.
  private func round(
    _ count: Int, every gap: Int64, roundTrip: Int64, least: Int64, window: Int = 32
  ) -> HyStart {
    var hyStart = HyStart()
    for number in 0..<count {
      hyStart.note(
        HyStart.Sample(
          roundTrip: roundTrip, least: least, now: 1_000_000_000 + Int64(number) * gap,
          acknowledged: (number + 1) * 1_448, next: 1_448_000, window: window))
    }
    return hyStart
  }

  @Test("It is found when a train of acknowledgements is half as long as the path")
  func train() {
    let path = 40 * Self.millisecond
    // The allowance for pieces is a millisecond: a train of 20.5 ms is long enough.
    #expect(!round(21, every: Self.millisecond, roundTrip: path, least: path).isOver)
    #expect(round(22, every: Self.millisecond, roundTrip: path, least: path).isOver)
  }

  @Test("Acknowledgements more than 2 ms apart are no train")
  func gaps() {
    let path = 40 * Self.millisecond
    #expect(!round(40, every: 2_100_000, roundTrip: path, least: path).isOver)
    #expect(round(40, every: 2_000_000, roundTrip: path, least: path).isOver)
  }

  @Test(
    "It is found when all of a round trip takes an eighth longer, within 4 to 16 ms, by the ninth sample",
    arguments: [(8, 4), (80, 10), (800, 16)])
  func delay(least: Int64, tolerance: Int64) {
    let (least, tolerance) = (least * Self.millisecond, tolerance * Self.millisecond)
    let gap = 3 * Self.millisecond
    #expect(round(9, every: gap, roundTrip: least + tolerance + 1, least: least).isOver)
    #expect(!round(8, every: gap, roundTrip: least + tolerance + 1, least: least).isOver)
    #expect(!round(9, every: gap, roundTrip: least + tolerance, least: least).isOver)
  }

  @Test("A window of fewer than sixteen segments is too small to tell")
  func smallWindow() {
    #expect(
      !round(40, every: 1_000_000, roundTrip: 90_000_000, least: 10_000_000, window: 15).isOver)
    #expect(
      round(40, every: 1_000_000, roundTrip: 90_000_000, least: 10_000_000, window: 16).isOver)
  }

  @Test("Every round trip is measured anew")
  func rounds() {
    var hyStart = HyStart()
    for number in 0..<40 {
      // Each acknowledges all that was sent when the one before arrived.
      hyStart.note(
        HyStart.Sample(
          roundTrip: 90 * Self.millisecond, least: 10 * Self.millisecond,
          now: 1_000_000_000 + Int64(number) * Self.millisecond,
          acknowledged: (number + 1) * 1_448, next: (number + 1) * 1_448 - 1, window: 32))
    }
    #expect(!hyStart.isOver)
  }

  @Test("A time-out begins slow start again")
  func reset() {
    var hyStart = round(40, every: 1_000_000, roundTrip: 90_000_000, least: 10_000_000)
    #expect(hyStart.isOver)
    hyStart.reset(at: 2_000_000_000, next: 0)
    #expect(!hyStart.isOver)
  }
}
