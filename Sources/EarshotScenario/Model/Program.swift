/// One of a peer's sessions, and how it behaves; what is `nil` is the framework's default.
package struct SessionPlan: Hashable, Sendable {
  /// Its name; sessions of one name belong together.
  package var name = SessionPlan.nameOfFirst
  /// How long it waits for a member whose link broke.
  package var patience: Duration?
  /// How many peers it takes, its own included.
  package var capacity: Int?
  package var messageBytesMax: Int?
  package var outboxBytesMax: Int?
  package var windowBytes: Int?

  /// The name of a session that the scenario gives none.
  package static let nameOfFirst = "main"
}

/// How a program takes the events of its sessions.
package struct ReadingPlan: Hashable, Sendable {
  /// The wait after each batch.
  package var every = Duration.zero
  /// How many events it takes at once.
  package var batch = 1
  /// From when on it takes everything at once; `nil` for never.
  package var until: Duration?
  /// Whether it leaves its loop after each batch, and begins another one.
  package var leaves = false
  /// When it takes nothing at all; `nil` for never.
  package var pause: ClosedRange<Duration>?

  /// From when on it has taken everything, and takes all else at once; `nil` for never.
  ///
  /// A wait that began before the end goes on beyond it.
  package var promptFrom: Duration? {
    let end = pause?.upperBound ?? .zero
    return every == .zero ? end : until.map { max($0 + every, end) }
  }
}

/// Something that a program does at a time.
package struct Step: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Leaves a session.
    case disconnect(session: String, within: Duration)
    /// Makes a session anew under the name of one that was left.
    case rejoin(session: String)
    /// Ends the membership of a peer.
    case remove(String, session: String)
    /// Tells something else about itself with a service; `nil` for that of the scenario.
    case update([String: String]?, service: String?)
    /// Calls itself something else.
    case rename(String)
    /// Ends its peer for good.
    case stop(within: Duration)
  }
  package var at: Duration
  package var kind: Kind

  /// Whether a session or a membership ends, or begins anew.
  var endsSomething: Bool {
    switch kind {
    case .disconnect, .rejoin, .remove, .stop: true
    case .update, .rename: false
    }
  }

  /// Something that is done at a time.
  package init(at: Duration, kind: Kind) { (self.at, self.kind) = (at, kind) }
}
