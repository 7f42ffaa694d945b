import EarshotCore
import TestKit
import Testing

/// A path with a bottleneck, in steps of a millisecond, and a link that always has more of a stream to write.
private struct BulkPath {
  var bytesPerMillisecond: Int
  let roundTrip: Int  // In milliseconds.
  /// How long the acknowledgement of what was written last waits for company.
  let acknowledgementDelay: Int
  var budget = BulkBudget()
  private(set) var now = 0
  private(set) var written = 0
  private(set) var arrived = 0
  /// The longest that a byte has waited in the queue, in milliseconds, since it was last reset.
  var longestWait = 0
  private var passed = 0  // The bottleneck.
  private var history = [0]  // What had passed after each millisecond.
  private var look = 0

  init(bytesPerMillisecond: Int, roundTrip: Int, acknowledgementDelay: Int = 0) {
    (self.bytesPerMillisecond, self.roundTrip) = (bytesPerMillisecond, roundTrip)
    self.acknowledgementDelay = acknowledgementDelay
  }

  mutating func step() {
    now += 1
    passed = min(written, passed + bytesPerMillisecond)
    history.append(passed)
    // Whole segments are acknowledged two at a time; the last one waits.
    func earlier(_ milliseconds: Int) -> Int { history[max(0, now - milliseconds)] }
    arrived = max(
      arrived, earlier(roundTrip) / 2_920 * 2_920,
      earlier(roundTrip + acknowledgementDelay))
    let time = Instant.zero + .milliseconds(now)
    budget.rest(written: written, lastWritten: time - .milliseconds(1), at: time)
    if budget.room(written: written) <= 0, now >= look { observe() }
    let room = budget.room(written: written)
    if room > 0 {
      written += room
      look = now
    }
    longestWait = max(longestWait, (written - passed) / bytesPerMillisecond)
  }

  private mutating func observe() {
    look = now + 5
    let progress = TransportProgress(
      unacknowledgedBytes: written - arrived, leastRoundTrip: .milliseconds(roundTrip))
    budget.observe(written: written, progress, at: .zero + .milliseconds(now))
  }

  /// - Returns: The share of what the path carries that it has carried.
  mutating func run(milliseconds: Int) -> Double {
    let before = passed
    longestWait = 0
    for _ in 0..<milliseconds { step() }
    return Double(passed - before) / Double(milliseconds * bytesPerMillisecond)
  }
}

@Suite("How much of streams is under way")
struct BulkBudgetTests {
  @Test(
    "A path is filled, and a message behind is hardly late",
    arguments: [250, 1_250, 12_500, 60_000], [2, 10, 50, 150])
  func filled(bytesPerMillisecond: Int, roundTrip: Int) {
    for delay in [0, 40] {
      var path = BulkPath(
        bytesPerMillisecond: bytesPerMillisecond, roundTrip: roundTrip, acknowledgementDelay: delay)
      _ = path.run(milliseconds: 5_000)
      let share = path.run(milliseconds: 5_000)
      // A link has no more than 4 MiB under way.
      let carried =
        Double(FlightBudget.bytesMax) / Double(bytesPerMillisecond * (roundTrip + delay))
      #expect(share > min(0.9, 0.9 * carried), "\(delay) ms: \(share)")
      #expect(path.longestWait <= 35, "\(delay) ms: \(path.longestWait) ms")
    }
  }

  @Test("A path that becomes slower, or faster, is followed, once what was under way has arrived")
  func followed() {
    var path = BulkPath(bytesPerMillisecond: 1_250, roundTrip: 20)
    _ = path.run(milliseconds: 3_000)
    for rate in [125, 12_500, 250, 1_250] {
      let underWay = path.budget.bytes
      path.bytesPerMillisecond = rate
      _ = path.run(milliseconds: 1_500 + underWay / rate)
      #expect(path.run(milliseconds: 2_000) > 0.9, "\(rate)")
      #expect(path.longestWait <= 45, "\(rate): \(path.longestWait) ms")
    }
  }

  @Test(
    "A path that was slow, and whose last acknowledgements are late, is filled again",
    arguments: [10, 25, 40])
  func recovered(delay: Int) {
    for rate in [125, 250, 1_250] {
      for roundTrip in [2, 20] {
        var path = BulkPath(
          bytesPerMillisecond: 5, roundTrip: roundTrip, acknowledgementDelay: delay)
        _ = path.run(milliseconds: 5_000)
        path.bytesPerMillisecond = rate
        _ = path.run(milliseconds: 4_000)
        #expect(path.run(milliseconds: 2_000) > 0.85, "\(rate), \(roundTrip) ms")
        // And what is acknowledged at a time, two segments.
        let most = 35 + 2_920 / rate
        #expect(path.longestWait <= most, "\(rate), \(roundTrip) ms: \(path.longestWait) ms")
      }
    }
  }

  @Test("Frames carry a third of what takes 20 ms, from 1 KiB up to what a frame may have")
  func parts() {
    #expect(BulkBudget().partBytesMax == BulkBudget.bytesAtFirst / 3)
    for (rate, least, most) in [
      (10, 1_024, 1_024), (1_250, 7_000, 10_000), (60_000, 60_000, StreamData.bytesMax),
    ] {
      var path = BulkPath(bytesPerMillisecond: rate, roundTrip: 50)
      _ = path.run(milliseconds: 5_000)
      #expect((least...most).contains(path.budget.partBytesMax), "\(rate)")
      #expect(path.budget.bytes >= BulkBudget.bytesMin)
      #expect(path.budget.bytesUnderWayMax >= BulkBudget.bytesUnderWayMin)
    }
  }

  @Test("A pause of the program is no slow path")
  func pause() {
    var path = BulkPath(bytesPerMillisecond: 1_250, roundTrip: 20)
    _ = path.run(milliseconds: 3_000)
    let (before, written) = (path.budget, path.written)
    var budget = before
    for second in 1...20 {
      budget.observe(
        written: written, TransportProgress(leastRoundTrip: .milliseconds(20)),
        at: .zero + .seconds(10 + second))
    }
    #expect(budget.bytes == before.bytes)
  }

  @Test("A budget that is hardly used for a second begins anew, and one that is used does not")
  func rested() {
    var path = BulkPath(bytesPerMillisecond: 12_500, roundTrip: 10)
    _ = path.run(milliseconds: 3_000)
    let (before, written, start) = (path.budget, path.written, Instant.zero + .seconds(3))
    #expect(before.bytes > 10 * BulkBudget.bytesAtFirst)
    /// The budget after so long, with so many bytes written every 100 ms.
    func budget(after time: Duration, writing bytes: Int) -> Int {
      var (budget, written, now) = (before, written, start)
      while now < start + time {
        now = now + .milliseconds(100)
        budget.rest(written: written, lastWritten: now - .milliseconds(100), at: now)
        written += bytes
      }
      return budget.bytes
    }
    #expect(budget(after: .seconds(3), writing: 1_000) == BulkBudget.bytesAtFirst)
    #expect(budget(after: .seconds(10), writing: before.bytes / 8) == before.bytes)
    #expect(budget(after: .milliseconds(900), writing: 1_000) == before.bytes)
    // However much was written before nothing was.
    for (time, bytes) in [(999, before.bytes), (1_040, BulkBudget.bytesAtFirst)] {
      var quiet = before
      quiet.rest(written: written, lastWritten: start, at: start + .milliseconds(time))
      #expect(quiet.bytes == bytes)
      #expect((quiet.bytesUnderWayMax < before.bytesUnderWayMax) == (bytes < before.bytes))
    }
  }

  @Test("Whatever a transport says, the budget stays within its bounds", arguments: Seed.some(50))
  func extremes(seed: Seed) {
    var random = seed.generator
    var (budget, now) = (BulkBudget(), Instant.zero)
    var written = 0
    for _ in 0..<200 {
      written += Int(random.below(1 << 30))
      now = now + .nanoseconds(Int64(random.below(1 << random.below(50))))
      let unacknowledged = Int(random.below(UInt64(written) + 1))
      let roundTrip: Duration? =
        random.below(4) == 0 ? nil : .nanoseconds(Int64(random.below(1 << random.below(62))))
      budget.observe(
        written: written,
        TransportProgress(unacknowledgedBytes: unacknowledged, leastRoundTrip: roundTrip), at: now)
      #expect((BulkBudget.bytesMin...FlightBudget.bytesMax).contains(budget.bytes))
      #expect((1_024...StreamData.bytesMax).contains(budget.partBytesMax))
      #expect(budget.bytesUnderWayMax >= BulkBudget.bytesUnderWayMin)
      #expect(budget.bytesUnderWayMax <= BulkBudget.bytesUnderWayMin + 2 * FlightBudget.bytesMax)
    }
  }
}
