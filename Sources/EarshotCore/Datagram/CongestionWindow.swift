/// How much of what is sent in datagrams may be under way to a remote peer at once.
///
/// What a program sends faster than the path carries fills the queues along the path, and what is written behind it waits
/// there or is lost: the questions whether the other side is there, and so the link. Nothing waits here; what finds the
/// window full is dropped.
///
/// The story: a *probe* goes out behind every eighth of the window. The remote peer answers at once with a *receipt*,
/// which says how many datagrams have come, and when by its clock. So what was sent before the probe is under way no
/// longer, and the receipts of about a round trip tell how long the queue on the way is and how much was lost. The
/// window is as large as what the path has been seen to carry in 50 ms, and doubles while the program fills it. It
/// shrinks when the last three of these probes took 100 ms, or a quarter of the round trip, more than the fastest one of
/// the last 10 to 20 s, when three of five datagrams were lost, or an eighth behind a queue of 25 ms; from then on it
/// grows by an eighth at a time. Other losses are those of radio, and none of its business. Before the fastest passage is
/// sought anew, a queue is let drain for two rounds.
///
/// A queue that stays though far less is sent belongs to others, or the path is another one: after three such rounds
/// the passage as it is then is taken for the fastest there is.
///
/// Messages that are sent reliably have half a second of the same path for themselves (``FlightBudget``); while there are
/// some, the queue that they make says nothing of the datagrams.
///
/// - SeeAlso: RFC 8085 §3.1; RFC 6817 (LEDBAT), which keeps to the same 100 ms; RFC 9438 §4.6 for the factor of 0.7.
package struct CongestionWindow: Sendable {
  /// What a remote peer says of the datagrams that have come.
  package struct Receipt: Hashable, Sendable {
    /// The number of the probe that it answers.
    package let probe: UInt64
    /// How many datagrams have come on this connection, the probe included.
    package let receivedCount: UInt64
    /// When the probe came, by the clock of the remote peer: nanoseconds since any time, modulo 2⁶⁴.
    package let nanoseconds: UInt64

    /// A receipt with the given parts.
    package init(probe: UInt64, receivedCount: UInt64, nanoseconds: UInt64) {
      (self.probe, self.receivedCount) = (probe, receivedCount)
      self.nanoseconds = nanoseconds
    }
  }

  /// The window of a path whose speed is unknown, as with TCP (RFC 6928 §2: ten segments).
  package static let bytesAtFirst = 16_384
  /// What may be under way on any path: two datagrams (RFC 9002 §7.2).
  package static let bytesMin = 2_400
  /// With more, there is no difference.
  package static let bytesMax = 16 << 20
  /// How long the queue may become; on a longer path a quarter of the round trip, up to twice as much.
  package static let target = Duration.milliseconds(100)
  /// How long the fastest passage is remembered at least.
  package static let memory = Duration.seconds(10)
  private static let targetMax = target * 2
  private static let probeBytesMin = 600
  private static let pauseMax = Duration.milliseconds(2_500)  // Between probes of a used path.
  private static let probesMax = 16  // Twice as many as a window needs.
  private static let receiptsMin = 4  // In a round.
  private static let jitterMax = Duration.seconds(1)  // More is a queue.
  private static let retryMin = Duration.milliseconds(100)
  private static let datagramsMin = 32  // So that there is a share to be lost.
  private static let queueMin = target / 4

  /// What was sent up to some time.
  private struct Mark {
    var count: UInt64 = 0
    var bytes = 0
    var at = Instant.zero
  }
  /// What the receipts of about a round trip say.
  private struct Round {
    var began = Instant.zero
    var receipts = 0
    var first = Mark()
    var queues = InlineArray<3, Duration>(repeating: .zero)  // The latest.
    var underWayMax = 0
    var isWanted = false  // Half of the window was used.

    mutating func take(_ queue: Duration, of probe: Mark) {
      if receipts == 0 { first = probe }
      queues[receipts % queues.count] = queue
      receipts += 1
    }

    /// The shortest of the latest three, so that jitter is no queue, and one that grows is.
    var queue: Duration {
      (1..<max(min(receipts, queues.count), 1)).reduce(queues[0]) { min($0, queues[$1]) }
    }
  }
  /// What is allowed, less than the path carries, so that its queue disappears.
  private struct Draining {
    let limit: Int
    var roundsLeft = 2  // The first one still meets the queue.
  }
  /// The first of some rounds in a row that met too long a queue.
  private struct Excess {
    let queue: Duration
    let used: Int
    var rounds = 1
  }
  /// How long a probe and its receipt took.
  private struct Passage {
    let roundTrip: Duration
    /// The way to the remote peer alone, with the difference of the two clocks.
    let transit: Duration
  }
  /// The fastest passage of the last 10 to 20 s.
  private struct Fastest {
    private var before: Passage?
    private var latest: Passage?
    private var began = Instant.zero

    private var passage: Passage? {
      guard let before, let latest else { return latest }
      return before.transit < latest.transit ? before : latest
    }

    /// Takes in a passage.
    ///
    /// - Returns: Whether others are forgotten for it.
    mutating func take(_ passage: Passage, at now: Instant) -> Bool {
      if let fastest = self.passage {
        // Nothing takes less than no time, and no way more than both: so a clock was set.
        let isSet =
          passage.transit - fastest.transit > passage.roundTrip
          || fastest.transit - passage.transit > fastest.roundTrip
        if isSet { self = Fastest() }
      }
      let isOver = latest != nil && now - began >= CongestionWindow.memory
      if isOver { (before, latest) = (latest, nil) }
      if latest == nil { began = now }
      latest = latest.map { $0.transit < passage.transit ? $0 : passage } ?? passage
      return isOver
    }

    var roundTrip: Duration { passage?.roundTrip ?? .zero }

    /// How much longer a passage took.
    func queue(of other: Passage) -> Duration {
      passage.map { max(other.transit - $0.transit, .zero) } ?? .zero
    }
  }

  private var target: Duration { min(max(fastest.roundTrip / 4, Self.target), Self.targetMax) }

  private var bytes = bytesAtFirst
  private var sent = Mark()
  private var answered = Mark()  // By the latest receipt.
  private var receivedCount: UInt64?  // Unknown at first.
  private var probes: [Mark] = []  // That wait for their receipts, in order.
  private var lastProbe: Mark?
  private var round = Round()
  private var fastest = Fastest()
  // Each round counts half as much as the next.
  private var (recentlySent, recentlyReceived) = (0, 0)
  private var isAtFirst = true  // It was never too large.
  private var draining: Draining?
  private var excess: Excess?
  // Of the last round that was judged.
  private var (queue, roundTrip, wanted) = (Duration.zero, Duration.zero, 0)
  private var isRefusing = false
  private var retry = retryMin

  /// The window of a path that nothing was sent on.
  package init() {}

  /// Begins anew on another path of the same connection.
  package mutating func restart() {
    let count = sent.count
    self = CongestionWindow()
    (sent.count, answered.count) = (count, count)
  }

  /// How many bytes may be under way.
  package var limit: Int { draining?.limit ?? bytes }

  /// How many bytes are.
  package var underWay: Int { sent.bytes - answered.bytes }

  // MARK: Sending

  /// Whether a message may be sent, of whatever size.
  package mutating func admits() -> Bool {
    guard underWay >= limit else { return true }
    (isRefusing, round.isWanted) = (true, true)
    return false
  }

  /// Notes a datagram of the connection.
  ///
  /// - Parameter bytes: What it has of a message.
  package mutating func noteSent(_ bytes: Int) {
    sent.count += 1
    sent.bytes += bytes
    round.underWayMax = max(round.underWayMax, underWay)
    if underWay * 2 >= limit { round.isWanted = true }
  }

  /// The number that a probe has which should be sent now, if one should.
  package mutating func probe(at now: Instant) -> UInt64? {
    guard isProbeDue(at: now) else { return nil }
    var probe = sent
    probe.at = now
    if probes.count == Self.probesMax { probes.removeFirst() }
    probes.append(probe)
    lastProbe = probe
    return probe.count
  }

  private mutating func isProbeDue(at now: Instant) -> Bool {
    guard let lastProbe, now - lastProbe.at < Self.pauseMax else { return true }
    let bytes = sent.bytes - lastProbe.bytes
    if bytes >= max(limit / 8, Self.probeBytesMin) { return true }
    if bytes >= Self.bytesMin, now - lastProbe.at >= Self.retryMin * 2 { return true }
    guard isRefusing, now - lastProbe.at >= retry else { return false }
    retry = min(retry * 2, Self.pauseMax)
    return true
  }

  // MARK: Receipts

  /// Takes in what the remote peer says; nothing if it answers no probe that waits.
  ///
  /// - Parameters:
  ///   - receipt: What it says.
  ///   - now: The time.
  ///   - isShared: Whether messages are under way reliably; asked when there is a queue.
  package mutating func take(
    _ receipt: Receipt, at now: Instant, isShared: @autoclosure () -> Bool = false
  ) {
    guard let index = probes.firstIndex(where: { $0.count == receipt.probe }),
      ((receivedCount ?? 0)...sent.count).contains(receipt.receivedCount)
    else { return }
    let probe = probes[index]
    probes.removeFirst(index + 1)
    if let receivedCount {
      recentlySent += Int(probe.count - answered.count)
      recentlyReceived += Int(receipt.receivedCount - receivedCount)
    }
    (answered, receivedCount) = (probe, receipt.receivedCount)
    let transit = receipt.nanoseconds &- UInt64(bitPattern: probe.at.nanoseconds)
    let passage = Passage(
      roundTrip: now - probe.at, transit: .nanoseconds(Int64(bitPattern: transit)))
    (isRefusing, retry) = (false, min(max(Self.retryMin, passage.roundTrip * 2), Self.pauseMax))
    if fastest.take(passage, at: now) { drain(at: now) }
    guard probe.at >= round.began else { return }
    let queue = fastest.queue(of: passage)
    round.take(queue, of: probe)
    guard round.receipts >= Self.receiptsMin || queue > Self.jitterMax else { return }
    judge(passage, at: now, isShared)
  }

  /// Has the queue disappear, if the datagrams make it, so that the passage without it is seen.
  private mutating func drain(at now: Instant) {
    guard excess == nil, queue >= Self.queueMin, wanted > 0 else { return }
    let share = (roundTrip - queue) / roundTrip * 3 / 4
    draining = Draining(limit: max(Int(Double(wanted) * share), Self.bytesMin))
    round = Round(began: now)
  }

  private mutating func judge(_ passage: Passage, at now: Instant, _ isShared: () -> Bool) {
    let used = min(bytes, max(round.underWayMax, Self.bytesMin))
    (queue, roundTrip, wanted) = (round.queue, passage.roundTrip, round.isWanted ? used : 0)
    if let draining, queue <= target * 2 {
      let left = draining.roundsLeft - 1
      self.draining = left > 0 ? Draining(limit: draining.limit, roundsLeft: left) : nil
    } else if queue > target, !isShared() || queue > target + FlightBudget.target {
      draining = nil
      if isOfOthers(used) { return beginAnew(with: passage, at: now) }
      // As much as makes half of that queue, but no guess is trusted with more than a quarter.
      let share = (roundTrip - queue + target / 2) / roundTrip
      shrink(to: max(Int(Double(used) * share), used / 4))
    } else if isLosing {
      shrink(to: used / 10 * 7)
    } else if queue < target / 2 {
      let more = isAtFirst ? bytes : max(bytes / 8, DatagramContents.datagramBytesMax)
      bytes = min(max(bytes + (round.isWanted ? more : 0), carried(at: now)), Self.bytesMax)
    }
    if queue <= target { excess = nil }
    round = Round(began: now)
    recentlySent /= 2
    recentlyReceived /= 2
  }

  /// As much as the path has carried, at least, in half of the time that a queue may take.
  private func carried(at now: Instant) -> Int {
    let time = max(now - round.first.at, .milliseconds(1))
    let bytes = Double(answered.bytes - round.first.bytes) * (target / 2 / time)
    let share = Double(recentlyReceived) / Double(max(recentlySent, recentlyReceived, 1))
    return Int(min(bytes * share, Double(Self.bytesMax)))
  }

  /// Whether a queue that is too long is none that the datagrams make: it stays, though far less is sent.
  private mutating func isOfOthers(_ used: Int) -> Bool {
    guard var excess else {
      excess = Excess(queue: queue, used: used)
      return false
    }
    excess.rounds += 1
    self.excess = excess
    // What was sent before the window shrank has gone by after two rounds.
    return excess.rounds > 2 && used * 2 <= excess.used && queue * 4 >= excess.queue * 3
  }

  /// Takes the passage as it is now for the fastest one.
  private mutating func beginAnew(with passage: Passage, at now: Instant) {
    (isAtFirst, excess) = (true, nil)
    fastest = Fastest()
    _ = fastest.take(passage, at: now)
    (queue, round) = (.zero, Round(began: now))
  }

  /// Whether more is lost than radio loses.
  private var isLosing: Bool {
    guard recentlySent >= Self.datagramsMin else { return false }
    let lost = recentlySent - recentlyReceived
    return lost * 5 > recentlySent * 3 || queue >= Self.queueMin && lost * 8 > recentlySent
  }

  private mutating func shrink(to bytes: Int) {
    self.bytes = max(bytes, Self.bytesMin)
    isAtFirst = false
  }
}
