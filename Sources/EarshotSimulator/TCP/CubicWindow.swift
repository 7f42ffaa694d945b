/// The course of a congestion window under CUBIC: a cubic function of the time since the last loss, which is flat where
/// that loss was and steep far from it.
///
/// Windows are counted in segments, and time in ticks of the kernel and 1,024ths of a second, as Linux does.
///
/// - SeeAlso: RFC 9438; Linux's `net/ipv4/tcp_cubic.c`.
package struct CubicWindow {
  /// The window when the last loss was noticed, W_max; 0 before any.
  private var windowBeforeLoss = 0
  /// When the window began to grow, with the first acknowledgement after a loss (t_epoch).
  private var epoch: Int64?
  /// Where the function is flat, and how long after the epoch, in 1,024ths of a second (K).
  private var plateau = 0
  private var timeToPlateau: Int64 = 0
  /// The window that Reno would have (W_est), and the bytes that were acknowledged towards its next segment.
  private var renoWindow = 0
  private var renoCredit = 0
  /// The result, how long it stands, and for what window.
  private var interval = 1
  private var computedTick = Int64.min
  private var computedWindow = 0
  /// No loss, and no time that passed.
  package init() {}

  /// The least round-trip time since the last time-out.
  package private(set) var leastRoundTrip = Int64.max

  /// Takes a round-trip time in, unless it shows the queue of the time before a loss.
  ///
  /// - Returns: Whether it was taken.
  package mutating func note(roundTrip: Int64, at now: Int64) -> Bool {
    if let epoch, Self.tick(now) - Self.tick(epoch) < Self.ticksPerSecond { return false }
    leastRoundTrip = min(leastRoundTrip, max(1_000, roundTrip))
    return true
  }

  /// A loss: the window to grow from now on.
  ///
  /// A window that is smaller than at the loss before gives room to others (fast convergence, RFC 9438 §4.7).
  package mutating func reduce(_ window: Int) -> Int {
    epoch = nil
    windowBeforeLoss =
      window < windowBeforeLoss ? window * (1_024 + Self.remainder) / 2_048 : window
    return window * Self.remainder / 1_024
  }

  /// A time-out: nothing is known any more.
  package mutating func reset() { self = CubicWindow() }

  /// Nothing was in flight for a time, in which the window did not grow.
  package mutating func pause(from start: Int64, to end: Int64) {
    guard let epoch, start < end else { return }
    self.epoch = min(epoch + (end - start), end)
  }

  /// Takes an acknowledgement in.
  ///
  /// - Parameters:
  ///   - window: The window.
  ///   - acknowledged: How many bytes are acknowledged now.
  ///   - now: The time.
  /// - Returns: After how many acknowledged segments the window grows by one.
  package mutating func interval(_ window: Int, acknowledged: Int, at now: Int64) -> Int {
    renoCredit += acknowledged
    let tick = Self.tick(now)
    if computedWindow == window, tick - computedTick <= Self.ticksPerSecond / 32 { return interval }
    if epoch == nil || tick != computedTick {
      (computedWindow, computedTick) = (window, tick)
      let epoch = epoch ?? begin(window, acknowledged: acknowledged, at: now)
      interval = growthInterval(window, since: epoch, at: tick)
    }
    let reno = renoInterval(window)
    interval = max(2, min(interval, reno))
    return interval
  }

  private mutating func begin(_ window: Int, acknowledged: Int, at now: Int64) -> Int64 {
    (epoch, renoWindow, renoCredit) = (now, window, acknowledged)
    plateau = max(windowBeforeLoss, window)
    timeToPlateau = Self.cubeRoot(Self.cubesPerSegment * Int64(plateau - window))
    return now
  }

  private func growthInterval(_ window: Int, since epoch: Int64, at tick: Int64) -> Int {
    let roundTrip = leastRoundTrip == .max ? 0 : Self.tick(leastRoundTrip + Self.tickTime - 1)
    let time = (tick - Self.tick(epoch) + roundTrip) * 1_024 / Self.ticksPerSecond
    let distance = min(abs(time - timeToPlateau), Self.distanceMax)
    let difference = Int(distance * distance * distance / Self.cubesPerSegment)
    let target = time < timeToPlateau ? plateau - difference : plateau + difference
    let interval = target > window ? window / (target - window) : 100 * window
    // Where the bottleneck lies is unknown yet.
    return windowBeforeLoss == 0 ? min(interval, 20) : interval
  }

  /// How fast the window must grow to be no smaller than Reno's (RFC 9438 §4.3).
  private mutating func renoInterval(_ window: Int) -> Int {
    let step = window * Self.renoScale / 8 * TCP.segmentBytes
    if renoCredit > step, step > 0 {
      let count = (renoCredit - 1) / step
      renoWindow += count
      renoCredit -= count * step
    }
    return renoWindow > window ? window / (renoWindow - window) : .max
  }

  private static func tick(_ time: Int64) -> Int64 { time / tickTime }

  /// The largest number whose cube is not larger.
  private static func cubeRoot(_ number: Int64) -> Int64 {
    var root: Int64 = 0
    for bit in (0..<21).reversed() {
      let candidate = root | (1 << Int64(bit))
      if candidate * candidate * candidate <= number { root = candidate }
    }
    return root
  }

  /// What a loss leaves of the window, in 1,024ths (β_cubic).
  private static let remainder = 717
  /// How many acknowledged segments a segment of Reno's window takes, in eighths of the window, so that both carry as much:
  /// (1 + β) / 3(1 − β).
  private static let renoScale = 8 * (1_024 + remainder) / 3 / (1_024 - remainder)
  /// How many cubes of a 1,024th of a second one segment is (1/C, for a C of 0.4).
  private static let cubesPerSegment: Int64 = (1 << 40) / 410
  /// Five minutes, whose cube is a number still.
  private static let distanceMax: Int64 = 300 * 1_024
  private static let tickTime: Int64 = 4_000_000
  private static let ticksPerSecond: Int64 = 250
}
