/// What a connection waits for while something is in flight: one thing at a time, as with Linux.
struct StreamTimer {
  enum Purpose {
    /// An answer to the first segment, which is retransmitted then (RFC 6298).
    case retransmission
    /// The rest of what was overtaken, which is taken for lost then (RFC 8985 §6.3).
    case reordering
    /// An answer at the tail, which is probed for then (RFC 8985 §7).
    case probing
  }
  let purpose: Purpose
  let deadline: Int64

  init(_ purpose: Purpose, at deadline: Int64, setAt now: Int64) {
    self.purpose = purpose
    self.deadline = TimerWheel.expiry(of: deadline, setAt: now)
  }
}
