public import EarshotCore

/// A peer in a session, or one that is about to be.
public struct Member: Hashable, Sendable, Identifiable {
  /// The state of a membership, as this side sees it.
  @nonexhaustive
  public enum State: Hashable, Sendable {
    /// The peer is about to become a member. Nothing can be sent to it yet.
    case joining
    /// A link carries the membership.
    case connected
    /// The link broke, at a time on the clock of this peer's host. The member is waited for.
    case interrupted(since: Instant, InterruptionReason)
  }

  /// The identifier of the peer.
  public let id: PeerID
  /// The display name of the peer: decoration, not identity.
  public let name: String
  /// The state at the time of the event, list or call that the value comes from.
  public let state: State

  /// Creates a member with the given parts, for example for a test.
  public init(id: PeerID, name: String, state: State = .connected) {
    (self.id, self.name, self.state) = (id, name, state)
  }
}

extension Member: CustomStringConvertible {
  /// The name, the first digits of the identifier, and the state, such as
  /// `Ann (01f3c2a4, connected)`.
  public var description: String { "\(name) (\(id.short), \(state))" }
}

extension Member.State: CustomStringConvertible {
  /// The state in lower-case words.
  public var description: String {
    switch self {
    case .joining: "joining"
    case .connected: "connected"
    case .interrupted(let since, let reason): "interrupted since \(since): \(reason)"
    }
  }
}

extension [Member] {
  /// Takes an event in.
  mutating func follow(_ event: SessionEvent) {
    let isGone = if case .left = event { true } else { false }
    self[event.member.id] = isGone ? nil : event.member
  }
}
