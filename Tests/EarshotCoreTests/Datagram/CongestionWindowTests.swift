import EarshotCore
import TestKit
import Testing

@Suite("Congestion window")
struct CongestionWindowTests {
  /// A path of one speed, with a queue in front, and a remote peer that answers probes.
  struct Path {
    var bytesPerSecond: Int
    var roundTrip: Duration
    var queueBytes: Int
    /// How many of a hundred datagrams are lost wherever the queue is.
    var lossPercent = 0
    /// Whether the window hears that something else is under way.
    var isShared = false
    /// How long receipts wait on the way back.
    var delayBack = Duration.zero
    /// What the remote peer's clock shows when this one shows nothing.
    var clock = Duration.seconds(123_456)

    private(set) var window = CongestionWindow()
    private(set) var now = Instant.zero
    private(set) var (delivered, refused, overflowed) = (0, 0, 0)  // Messages.
    /// How long each message waited in the queue.
    private(set) var delays: [(at: Instant, delay: Duration)] = []
    /// Messages' datagrams and probes.
    private(set) var datagramsSent: UInt64 = 0
    private var busyUntil = Instant.zero
    private var receivedCount: UInt64 = 0
    private var receipts: [(at: Instant, receipt: CongestionWindow.Receipt)] = []
    private var random = Seed(1).generator

    init(kilobits: Int, roundTrip: Duration, queue: Duration, lossPercent: Int = 0) {
      bytesPerSecond = kilobits * 125
      self.roundTrip = roundTrip
      self.lossPercent = lossPercent
      queueBytes = Int(Double(bytesPerSecond) * (queue / .seconds(1)))
    }

    /// How much of a message waits in the queue, in time.
    private var queueDelay: Duration { busyUntil > now ? busyUntil - now : .zero }

    /// How long the path takes for so many bytes.
    func time(of bytes: Int) -> Duration {
      .nanoseconds(Int64(bytes) * 1_000_000_000 / Int64(bytesPerSecond))
    }

    /// Carries nothing for a while.
    mutating func interfere(for duration: Duration) { busyUntil = max(busyUntil, now) + duration }

    /// - Returns: When it is there, if it gets there.
    private mutating func transmit(bytes: Int) -> Instant? {
      guard queueDelay + time(of: bytes) <= time(of: queueBytes) + time(of: bytes) else {
        return nil
      }
      busyUntil = max(busyUntil, now) + time(of: bytes)
      guard random.below(100) >= lossPercent else { return nil }
      receivedCount += 1
      return busyUntil
    }

    private mutating func probe() {
      guard let number = window.probe(at: now) else { return }
      datagramsSent += 1
      window.noteSent(0)
      guard let arrival = transmit(bytes: 42) else { return }
      let time = clock + ((arrival + roundTrip / 2) - .zero)
      let receipt = CongestionWindow.Receipt(
        probe: number, receivedCount: receivedCount,
        nanoseconds: UInt64(bitPattern: time.nanoseconds))
      receipts.append((arrival + roundTrip + delayBack, receipt))
    }

    private mutating func takeReceipts() {
      while let first = receipts.first, first.at <= now {
        receipts.removeFirst()
        window.take(first.receipt, at: first.at, isShared: isShared)
      }
    }

    /// Sends a message, as the channel does.
    mutating func send(bytes: Int) {
      takeReceipts()
      probe()
      defer { probe() }
      guard window.admits() else { return refused += 1 }
      var isWhole = true
      var left = bytes
      while left > 0 {
        let size = min(left, 1_200)
        left -= size
        window.noteSent(size)
        datagramsSent += 1
        if transmit(bytes: size) == nil { isWhole = false }
      }
      if isWhole { delivered += 1 } else { overflowed += 1 }
      delays.append((now, queueDelay))
    }

    /// Sends messages of one size at one distance.
    mutating func send(bytes: Int, every interval: Duration, for duration: Duration) {
      let end = now + duration
      while now < end {
        send(bytes: bytes)
        now = now + interval
      }
    }

    /// Sends a multiple of what the path carries.
    mutating func flood(_ multiple: Double = 3, bytes: Int = 1_200, for duration: Duration) {
      let interval = time(of: bytes) / multiple
      send(bytes: bytes, every: interval, for: duration)
    }

    /// Carries another speed from now on.
    mutating func change(kilobits: Int, queue: Duration) {
      bytesPerSecond = kilobits * 125
      queueBytes = Int(Double(bytesPerSecond) * (queue / .seconds(1)))
    }

    /// Which share of the path's speed so many messages were.
    func share(of messages: Int, bytes: Int, in duration: Duration) -> Double {
      time(of: messages * bytes) / duration
    }

    /// The longest wait since some time.
    func longestDelay(since start: Duration) -> Duration {
      delays.filter { $0.at >= .zero + start }.map(\.delay).max() ?? .zero
    }
  }

  @Test(
    "Of a flood, the path is filled, and the queue is short",
    arguments: [32, 64, 256, 1_000, 10_000, 50_000], [2, 40, 150, 600])
  func flood(kilobits: Int, milliseconds: Int64) {
    let sizes = kilobits < 256 ? [100, 1_200] : kilobits < 10_000 ? [100, 1_200, 20_000] : [4_000]
    let half = Duration.seconds(kilobits < 10_000 ? 40 : 20)
    for bytes in sizes {
      var path = Path(
        kilobits: kilobits, roundTrip: .milliseconds(milliseconds), queue: .seconds(4))
      path.flood(bytes: bytes, for: half)
      let before = path.delivered
      path.flood(bytes: bytes, for: half)
      let carried = path.share(of: path.delivered - before, bytes: bytes, in: half)
      #expect(carried >= 0.75, "\(bytes)")
      // A tenth of a second, what is learnt too late, and the least that may be under way.
      let least = path.time(of: CongestionWindow.bytesMin + max(bytes, 1_200))
      let allowed = .milliseconds(200 + milliseconds / 3) + least * 1.3
      let longest = path.longestDelay(since: half)
      #expect(longest <= allowed, "\(bytes)")
      let first = path.time(of: 2 * CongestionWindow.bytesAtFirst + bytes) + .seconds(1)
      let all = path.longestDelay(since: .zero)
      #expect(all <= first, "\(bytes)")
    }
  }

  @Test(
    "What radio loses, up to nearly a half, makes no difference to what is sent",
    arguments: [10, 30, 45], [2, 40, 150])
  func radio(percent: Int, milliseconds: Int64) {
    var path = Path(
      kilobits: 1_000, roundTrip: .milliseconds(milliseconds), queue: .seconds(2),
      lossPercent: percent)
    path.flood(0.7, bytes: 300, for: .seconds(60))
    #expect(path.refused * 500 <= path.delivered)
  }

  @Test(
    "A queue that overflows early is as good a sign", arguments: [256, 1_000, 10_000], [2, 40])
  func shallow(kilobits: Int, milliseconds: Int64) {
    var path = Path(
      kilobits: kilobits, roundTrip: .milliseconds(milliseconds), queue: .milliseconds(60))
    path.flood(5, for: .seconds(30))
    let (delivered, lost) = (path.delivered, path.overflowed)
    path.flood(5, for: .seconds(30))
    let carried = path.share(of: path.delivered - delivered, bytes: 1_200, in: .seconds(30))
    #expect(carried >= 0.5)
    // Without a window, four of five.
    #expect(
      (path.overflowed - lost) * 5 <= (path.delivered - delivered + path.overflowed - lost) * 3)
  }

  @Test(
    "A path that becomes slower, or faster, is followed within seconds",
    arguments: [(10_000, 1_000), (1_000, 100), (10_000, 64), (1_000, 10_000), (256, 10_000)],
    [2, 150])
  func changing(kilobits: (before: Int, after: Int), milliseconds: Int64) {
    var path = Path(
      kilobits: kilobits.before, roundTrip: .milliseconds(milliseconds), queue: .seconds(4))
    path.flood(for: .seconds(20))
    path.change(kilobits: kilobits.after, queue: .seconds(4))
    let isFar = kilobits.before > 100 * kilobits.after
    path.flood(for: .seconds(isFar ? 20 : 10))
    let before = path.delivered
    path.flood(for: .seconds(10))
    let carried = path.share(of: path.delivered - before, bytes: 1_200, in: .seconds(10))
    #expect((0.7...1.1).contains(carried))
    let longest = path.longestDelay(since: .seconds(isFar ? 40 : 30))
    #expect(longest <= .milliseconds(isFar ? 1_000 : 200) + path.time(of: 3_600))
  }

  @Test("A path that becomes longer is filled again", arguments: [256, 1_000, 10_000], [2, 40])
  func longer(kilobits: Int, milliseconds: Int64) {
    var path = Path(
      kilobits: kilobits, roundTrip: .milliseconds(milliseconds), queue: .seconds(4))
    path.flood(for: .seconds(20))
    path.roundTrip = .milliseconds(milliseconds + 300)
    path.flood(for: .seconds(30))
    let before = path.delivered
    path.flood(for: .seconds(10))
    let carried = path.share(of: path.delivered - before, bytes: 1_200, in: .seconds(10))
    #expect(carried >= 0.8)
  }

  @Test("What others have in the queue stops nobody for good")
  func others() {
    var path = Path(kilobits: 10_000, roundTrip: .milliseconds(2), queue: .seconds(4))
    path.send(bytes: 300, every: .milliseconds(16), for: .seconds(5))
    #expect(path.refused == 0)
    path.roundTrip = .seconds(1)
    path.send(bytes: 300, every: .milliseconds(16), for: .seconds(15))
    let refused = path.refused
    #expect(refused > 0)  // It could have been its own.
    path.send(bytes: 300, every: .milliseconds(16), for: .seconds(30))
    #expect(path.refused == refused)
  }

  @Test("A queue of the link's own messages is let be, as long as that keeps to its half second")
  func shared() {
    func refused(isShared: Bool, queue: Duration) -> Int {
      var path = Path(kilobits: 10_000, roundTrip: .milliseconds(2), queue: .seconds(4))
      path.isShared = isShared
      path.send(bytes: 250, every: .milliseconds(16), for: .seconds(5))
      path.roundTrip = .milliseconds(2) + queue * 2
      path.send(bytes: 250, every: .milliseconds(16), for: .seconds(5))
      return path.refused
    }
    #expect(refused(isShared: true, queue: .milliseconds(400)) == 0)
    #expect(refused(isShared: false, queue: .milliseconds(400)) > 50)
    #expect(refused(isShared: true, queue: .milliseconds(900)) > 50)
  }

  @Test("Neither what waits on the way back nor a clock that is set is a queue on this one")
  func back() {
    var path = Path(kilobits: 10_000, roundTrip: .milliseconds(2), queue: .seconds(4))
    func send() {
      for _ in 0..<10 {
        path.send(bytes: 300, every: .milliseconds(16), for: .seconds(3))
        path.clock = path.clock + .seconds(10)
        path.send(bytes: 300, every: .milliseconds(16), for: .seconds(3))
        path.clock = path.clock - .seconds(12)
      }
    }
    send()
    path.delayBack = .milliseconds(700)
    path.send(bytes: 300, every: .milliseconds(16), for: .seconds(15))
    path.delayBack = .zero
    send()
    path.clock = .nanoseconds(.max - 75_000_000_000)  // Modulo 2⁶⁴.
    send()
    #expect(path.refused == 0)
  }

  @Test("One late answer is no long queue twice")
  func stalled() {
    var path = Path(kilobits: 10_000, roundTrip: .milliseconds(2), queue: .seconds(4))
    path.flood(for: .seconds(5))
    let before = path.window.limit
    path.interfere(for: .seconds(3))
    path.flood(for: .seconds(4))
    let lost = path.delivered
    path.flood(for: .seconds(2))
    #expect(path.share(of: path.delivered - lost, bytes: 1_200, in: .seconds(2)) >= 0.9)
    #expect(path.window.limit * 2 >= before)
  }

  // MARK: Step by step

  @Test("Anything may be sent at first, and of any size, until 16 KiB are under way")
  func first() {
    var window = CongestionWindow()
    #expect(window.limit == 16_384 && window.underWay == 0)
    for _ in 0..<13 {
      let isAdmitted = window.admits()
      #expect(isAdmitted)
      window.noteSent(1_200)
    }
    #expect(window.underWay == 15_600)
    var isAdmitted = window.admits()
    #expect(isAdmitted)
    window.noteSent(65_536)
    isAdmitted = window.admits()
    #expect(!isAdmitted && window.underWay == 81_136)
  }

  @Test("A probe goes out first, behind every eighth of the window, and while nothing may be sent")
  func probes() {
    var window = CongestionWindow()
    var now = Instant.zero
    func probes(_ bytes: Int...) -> [UInt64?] {
      bytes.map { bytes in
        if bytes > 0 { window.noteSent(bytes) }
        let number = window.probe(at: now)
        if number != nil { window.noteSent(0) }
        return number
      }
    }
    #expect(probes(0, 0, 1_000, 1_000, 48, 2_047, 1) == [0, nil, nil, nil, 4, nil, 7])
    // Of a program that sends little, whenever it has sent two datagrams, five times a second.
    now = now + .milliseconds(199)
    #expect(probes(600, 600) == [nil, nil])
    now = now + .milliseconds(1)
    #expect(probes(600, 600) == [nil, 12])
    now = now + .milliseconds(2_499)
    #expect(probes(0) == [nil])
    now = now + .milliseconds(1)
    #expect(probes(0, 20_000) == [13, 15])
    var waits: [Duration] = []
    var last = now
    while waits.count < 7 {
      _ = window.admits()
      if window.probe(at: now) != nil {
        waits.append(now - last)
        last = now
      }
      now = now + .milliseconds(10)
    }
    #expect(waits.map { $0 / .milliseconds(1) } == [100, 200, 400, 800, 1_600, 2_500, 2_500])
  }

  @Test("A receipt tells what is under way no longer; one that answers nothing tells nothing")
  func receipts() {
    var window = CongestionWindow()
    let numbers = (0..<4).map { _ in
      window.noteSent(4_000)
      let number = window.probe(at: .zero)
      window.noteSent(0)
      return number
    }
    #expect(numbers == [1, 3, 5, 7] && window.underWay == 16_000)
    func take(_ probe: UInt64, _ count: UInt64) -> Int {
      window.take(
        CongestionWindow.Receipt(probe: probe, receivedCount: count, nanoseconds: 0), at: .zero)
      return window.underWay
    }
    #expect(take(2, 2) == 16_000)  // No probe.
    #expect(take(3, 9) == 16_000)  // More than was sent.
    #expect(take(3, 4) == 8_000)
    #expect(take(3, 4) == 8_000)  // Answered.
    #expect(take(1, 4) == 8_000)  // Late.
    #expect(take(5, 3) == 8_000)  // Less than came before.
    #expect(take(7, 4) == 0)
  }

  @Test("On another path it begins anew, and what was sent before is under way no longer")
  func restarted() {
    var path = Path(kilobits: 256, roundTrip: .milliseconds(40), queue: .seconds(4))
    path.flood(for: .seconds(20))
    var window = path.window
    #expect(window.limit < CongestionWindow.bytesAtFirst && window.underWay > 0)
    window.restart()
    #expect(window.limit == CongestionWindow.bytesAtFirst && window.underWay == 0)
    let number = window.probe(at: path.now)
    #expect(number == path.datagramsSent)
  }

  @Test(
    "Whatever a remote peer says and whenever, the window keeps within its bounds",
    arguments: Seed.some(60))
  func anything(seed: Seed) {
    var random = seed.generator
    var window = CongestionWindow()
    var now = Instant.zero
    var numbers: [UInt64] = [0]
    for _ in 0..<3_000 {
      switch random.below(6) {
      case 0: now = now + .milliseconds(Int64(random.below(random.below(20) == 0 ? 20_000 : 50)))
      case 1, 2: if window.admits() { window.noteSent(Int(random.below(70_000))) }
      case 3: if let number = window.probe(at: now) { numbers.append(number) }
      default:
        let latest = numbers[numbers.count - 1 - Int(random.below(UInt64(min(numbers.count, 8))))]
        let count = [latest, latest / 2, random.below(latest + 2), .max][Int(random.below(4))]
        let receipt = CongestionWindow.Receipt(
          probe: random.below(9) == 0 ? random.below(.max) : latest, receivedCount: count,
          nanoseconds: random.below(3) == 0 ? random.below(.max) : UInt64(now.nanoseconds))
        window.take(receipt, at: now, isShared: random.below(2) == 0)
      }
      if random.below(500) == 0 { window.restart() }
      let range = CongestionWindow.bytesMin...CongestionWindow.bytesMax
      #expect(range.contains(window.limit) && window.underWay >= 0)
    }
  }
}
