import EarshotCore

/// How long a link that is closing waits for the other side's end.
struct Lingering {
  /// How long it waits when the transport does not get on.
  static let time = Duration.seconds(1)
  /// How long it waits in any case.
  static let longest = Duration.seconds(10)

  let limit: Instant
  private var progress: TransportProgress

  init(_ progress: TransportProgress, until limit: Instant) {
    (self.progress, self.limit) = (progress.withoutRetransmissions, limit)
  }

  /// Whether the transport got on since the last time.
  mutating func goesOn(with progress: TransportProgress, at now: Instant) -> Bool {
    let progress = progress.withoutRetransmissions
    defer { self.progress = progress }
    return now < limit && progress != self.progress
  }
}

extension TransportProgress {
  /// What shows that the other side's system is there: to send into the void is no progress.
  fileprivate var withoutRetransmissions: TransportProgress {
    var progress = self
    progress.retransmissionCount = nil
    return progress
  }
}
