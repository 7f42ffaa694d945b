/// How many bytes may be in flight: slow start, congestion avoidance, and the answer to losses.
///
/// Reno with RFC 6675's recovery, which sends while less than the window is in flight. A loss that turns out
/// to be none, because what was sent first arrived after all, is undone (RFC 4015).
///
/// - SeeAlso: RFC 5681, RFC 6675.
struct CongestionWindow {
  /// What the connection is doing about losses.
  enum Phase: Equatable {
    case open
    /// Fast recovery, until everything up to a sequence number is acknowledged.
    case recovery(until: Int)
    /// After a time-out, the same.
    case loss(until: Int)
  }
  /// The congestion window, cwnd.
  private(set) var bytes = 10 * TCP.segmentBytes
  private(set) var phase = Phase.open
  /// ssthresh.
  private var slowStartThreshold = Int.max
  private var credit = 0
  private var before: (bytes: Int, slowStartThreshold: Int)?
  /// When something was first retransmitted since the phase was open.
  private var retransmittedAt: Int64?
  // Whether the window, and not the application, decided how much was sent in the last round trip.
  private var isLimiting = false
  private var usedBytes = 0
  private var usageEnd = 0

  /// Takes in that new bytes were acknowledged.
  mutating func acknowledged(_ count: Int, upTo sequence: Int) {
    switch phase {
    case .open: grow(by: count)
    case .recovery(let end): if sequence >= end { leaveRecovery() }
    case .loss(let end):
      isLimiting = true
      grow(by: count)
      if sequence >= end { leaveRecovery() }
    }
  }

  /// Whether an acknowledgement of new bytes shows that nothing had been lost (RFC 3522): it answers a segment
  /// that was sent before any retransmission.
  func isSpurious(echo: Int64) -> Bool {
    before != nil && retransmittedAt.map { echo < $0 } == true
  }

  /// Takes the answer to the loss back.
  mutating func undo() {
    guard let before else { return }
    (bytes, slowStartThreshold) = (max(bytes, before.bytes), before.slowStartThreshold)
    leaveRecovery()
  }

  /// Segments are lost: fast recovery begins, unless the connection is recovering already.
  ///
  /// - Returns: Whether it begins.
  mutating func recover(until end: Int, inFlight: Int) -> Bool {
    guard phase == .open else { return false }
    reduce(inFlight)
    bytes = slowStartThreshold
    phase = .recovery(until: end)
    return true
  }

  /// A retransmission timeout: everything that may be lost is retransmitted, slowly at first.
  mutating func timeOut(until end: Int, inFlight: Int, remaining: Int) {
    if phase == .open { reduce(inFlight) }
    bytes = remaining + TCP.segmentBytes
    phase = .loss(until: end)
  }

  /// A loss that a probe has made good (RFC 8985 §7.4).
  mutating func reduceOnce(inFlight: Int) {
    guard phase == .open else { return }
    reduce(inFlight)
    bytes = slowStartThreshold
    leaveRecovery()
  }

  /// Nothing was sent for longer than a time-out, which halves the window each time (RFC 2861).
  mutating func restart(afterIdle time: Int64, timeout: Int64) {
    var left = time - timeout
    while left > 0, bytes > Self.initialBytes {
      bytes = max(Self.initialBytes, bytes / 2)
      left -= timeout
    }
  }

  mutating func retransmitted(at now: Int64) { if retransmittedAt == nil { retransmittedAt = now } }

  /// Notes how much is in flight after sending, and whether it would have been more but for the window.
  mutating func noteUsage(_ inFlight: Int, acknowledged: Int, next: Int, isLimited: Bool) {
    guard isLimited || acknowledged >= usageEnd || (!isLimiting && inFlight > usedBytes) else {
      return
    }
    (isLimiting, usedBytes, usageEnd) = (isLimited, inFlight, next)
  }

  private mutating func reduce(_ inFlight: Int) {
    before = (bytes, slowStartThreshold)
    retransmittedAt = nil
    slowStartThreshold = max(inFlight / 2, 2 * TCP.segmentBytes)
  }

  private mutating func leaveRecovery() {
    (phase, before, retransmittedAt, credit) = (.open, nil, nil, 0)
  }

  private mutating func grow(by count: Int) {
    let isSlowStart = bytes < slowStartThreshold
    guard isLimiting || (isSlowStart && bytes < 2 * usedBytes) else { return }
    var rest = count
    if isSlowStart {
      let step = min(count, slowStartThreshold - bytes)
      bytes += step
      rest -= step
    }
    credit += rest
    if credit >= bytes {
      credit -= bytes
      bytes += TCP.segmentBytes
    }
    bytes = min(bytes, Self.bytesMax)
  }

  private static let initialBytes = 10 * TCP.segmentBytes
  private static let bytesMax = 4 * OutboundStream.bufferBytes
}
