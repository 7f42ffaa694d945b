import EarshotCore
import TestKit
import Testing

@Suite("Flight budget")
struct FlightBudgetTests {
  /// A path that carries so much, and a link with much to say that asks it as the budget wants.
  private struct Path {
    let bytesPerSecond: Int64
    let roundTrip: Duration
    var budget = FlightBudget()
    var now = Instant.zero
    var written = 0
    private var sent: [(end: Int, arrives: Instant)] = []
    private var busyUntil = Instant.zero
    /// What is written, when, and how long it took to arrive.
    private(set) var delays: [(at: Instant, delay: Duration)] = []
    private(set) var acknowledged = 0

    init(bitsPerSecond: Int64, roundTrip: Duration) {
      (bytesPerSecond, self.roundTrip) = (bitsPerSecond / 8, roundTrip)
    }

    private mutating func observe() {
      while let first = sent.first, first.arrives <= now {
        acknowledged = first.end
        sent.removeFirst()
      }
      let progress = TransportProgress(
        unacknowledgedBytes: written - acknowledged, leastRoundTrip: roundTrip)
      budget.observe(written: written, progress, at: now)
    }

    /// Each segment is acknowledged when it has arrived.
    private mutating func write(_ count: Int) {
      var rest = count
      while rest > 0 {
        let segment = min(rest, 1_448)
        rest -= segment
        written += segment
        let time = Duration.nanoseconds(Int64(segment) * 1_000_000_000 / bytesPerSecond)
        busyUntil = max(busyUntil, now) + time
        sent.append((written, busyUntil + roundTrip))
      }
      delays.append((now, busyUntil - now))
    }

    mutating func run(for duration: Duration) {
      let end = now + duration
      while now < end {
        if budget.room(written: written) <= 0 { observe() }
        while budget.room(written: written) > 0, delays.count < 200_000 {
          write(min(budget.partBytesMax, budget.room(written: written)))
        }
        now = now + budget.nextWait()
        if written > 400_000_000 { break }
      }
    }
  }

  @Test(
    "On a slow path what is written arrives soon, and the path is not idle",
    arguments: [8_000, 16_000, 32_000, 64_000, 96_000, 1_000_000], [2, 100, 800])
  func slow(bitsPerSecond: Int64, milliseconds: Int64) {
    var path = Path(bitsPerSecond: bitsPerSecond, roundTrip: .milliseconds(milliseconds))
    path.run(for: .seconds(120))
    let leastDelay =
      Double(FlightBudget.bytesMin + FlightBudget.partBytesMin) * 8
      / Double(bitsPerSecond)
    let allowed = max(leastDelay, 2.2 * (0.5 + Double(milliseconds) / 1_000))
    let settled = path.delays.filter { $0.at > .zero + .seconds(20) }
    let worst = settled.map { $0.delay / .seconds(1) }.max() ?? .infinity
    #expect(worst <= allowed)
    let carried = Double(path.acknowledged) * 8 / 120
    #expect(carried >= 0.8 * Double(bitsPerSecond))
  }

  @Test("On a fast path there is no bound to feel after a few round trips", arguments: [0, 1, 20])
  func fast(milliseconds: Int64) {
    var path = Path(bitsPerSecond: 8_000_000_000, roundTrip: .milliseconds(milliseconds))
    path.run(for: .milliseconds(10 + 10 * milliseconds))
    #expect(path.budget.bytes >= 1 << 20)
    #expect(path.budget.partBytesMax == MessagePart.partBytesMax)
  }

  @Test("A link with little to say keeps its budget, and one whose path slows down loses it")
  func changing() {
    var budget = FlightBudget()
    var now = Instant.zero
    var written = 0
    func exchange(_ bytes: Int, in time: Duration) {
      written += bytes
      let under = TransportProgress(unacknowledgedBytes: bytes)
      budget.observe(written: written, under, at: now)
      now = now + time
      budget.observe(written: written, TransportProgress(), at: now)
    }
    exchange(8_000, in: .milliseconds(2))
    let fast = budget.bytes
    #expect(fast > 1_000_000)
    for _ in 0..<20 { exchange(100, in: .milliseconds(200)) }
    #expect(budget.bytes == fast)
    exchange(1_000_000, in: .seconds(100))
    #expect(budget.bytes == 5_000)
    exchange(5_000, in: .seconds(60))
    #expect(budget.bytes == FlightBudget.bytesMin)
    #expect(budget.partBytesMax == FlightBudget.partBytesMin)
  }

  @Test("What was written long before a look, and arrives right after it, opens no gate")
  func lateLook() {
    var budget = FlightBudget()
    func look(unacknowledged bytes: Int, after time: Duration) {
      let progress = TransportProgress(
        unacknowledgedBytes: bytes, leastRoundTrip: .milliseconds(900))
      budget.observe(written: 7_000, progress, at: .zero + time)
    }
    look(unacknowledged: 7_000, after: .milliseconds(890))
    look(unacknowledged: 0, after: .milliseconds(900))
    look(unacknowledged: 0, after: .milliseconds(901))
    // 7,000 bytes in a round trip of 900 ms are 10,888 in 1.4 s.
    #expect(budget.bytes == 10_888)
  }

  @Test("Asking becomes rarer as long as nothing is acknowledged")
  func waits() {
    var budget = FlightBudget()
    let waits = (0..<9).map { _ in budget.nextWait() }
    #expect(waits.map { $0 / .milliseconds(1) } == [1, 2, 4, 8, 16, 32, 64, 100, 100])
    budget.observe(written: 10, TransportProgress(unacknowledgedBytes: 5), at: .zero)
    let wait = budget.nextWait()
    #expect(wait == .milliseconds(1))
  }

  @Test("A link may begin with another budget, within the bounds")
  func first() {
    #expect(FlightBudget().bytes == FlightBudget.bytesAtFirst)
    #expect(FlightBudget(bytesAtFirst: 50_000).room(written: 20_000) == 30_000)
  }
}
