public import EarshotCore

/// The reason why another peer is not visible, not invited or not a member, and the last facts
/// about it.
///
/// Made by ``Peer/explanation(of:)``. Its ``description`` is for people; programs switch on
/// ``cause``.
public struct PeerExplanation: Hashable, Sendable, CustomStringConvertible {
  /// What keeps two peers apart, or that nothing does.
  @nonexhaustive
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// This peer was stopped.
    case stopped
    /// This peer is suspended.
    case suspended
    /// The other peer is this one.
    case itself
    /// It was never discovered, and no browser is looking.
    case notBrowsing
    /// It was never discovered, and discovery does not work: see ``Peer/discoveryProblem``.
    case discoveryUnavailable
    /// It was never discovered while a browser was looking.
    case neverDiscovered
    /// It was discovered, and is not visible any more.
    case gone
    /// This peer does not trust it.
    case untrusted
    /// It does not trust this peer.
    case notTrusting
    /// It could not be reached.
    case unreachable
    /// Several hosts announce its key, and this peer is not connected to any of them; or another
    /// host announces the key of this peer.
    case contested
    /// It was dialled without an invitation, as `earshot doctor` does, and was reached.
    case reached
    /// It was reached, and does not advertise the service.
    case mismatch
    /// It announces or speaks another version of the protocol.
    case otherVersion
    /// It did not answer an invitation in time.
    case timedOut
    /// It declined an invitation.
    case declined
    /// It has too many open invitations, or declined as busy.
    case busy
    /// A session has no place left.
    case full
    /// The invitation of it was withdrawn.
    case cancelled
    /// An invitation of it is open.
    case invited
    /// It is visible, and was not invited.
    case notInvited
    /// It is about to become a member.
    case joining
    /// It is a member, and its link is interrupted.
    case interrupted
    /// It is a member, and connected.
    case connected
    /// It was removed from a session, or has removed this peer.
    case removed
    /// It was a member, and has left for another reason.
    case left
  }

  /// The peer that is explained.
  public let peer: PeerID
  /// What it called itself last; `nil` while that is not known.
  public let name: String?
  /// The cause.
  public let cause: Cause
  /// The last facts about it, the oldest first; at most 16.
  public let facts: [PeerFact]
  /// A sentence that names the peer, the cause and what is known of it.
  public let description: String

  /// The sentence about several hosts that announce the key of a peer.
  ///
  /// - Parameters:
  ///   - subject: The peer, in words.
  ///   - hosts: An address of each host.
  /// - Returns: The sentence.
  package static func contest(of subject: String, at hosts: [IPAddress]) -> String {
    "\(hosts.count) hosts announce the key of \(subject): "
      + "\(hosts.map(\.description).joined(separator: ", ")). "
      + "Peers cannot tell them apart, and reach one of them."
  }
}

/// Something that happened between this peer and another one.
public struct PeerFact: Hashable, Sendable, CustomStringConvertible {
  /// When it happened, by the clock of the host.
  public let time: Instant
  /// What happened, without the time.
  public let text: String

  /// The time in seconds, and what happened.
  public var description: String { "\(time): \(text)" }
}

extension Peer {
  /// Explains why another peer is not visible, not invited or not a member.
  ///
  /// The present state counts first, then the facts: when the peer was discovered and lost, at
  /// which addresses it was dialled with which errors, how invitations ended, and how it became and
  /// ceased to be a member. For the 256 peers with the latest facts, the last 16 facts are kept
  /// until this peer is released.
  ///
  /// ```swift
  /// print(await peer.explanation(of: ann))
  /// // ann was not reached: 10.0.0.7:7100 (connect 10.0.0.7:7100: connectionRefused (errno 111)).
  /// ```
  ///
  /// - Parameter peer: The other peer.
  /// - Returns: The explanation; also of a peer of which nothing is known, and of a peer that is
  ///   connected.
  public func explanation(of peer: PeerID) -> PeerExplanation {
    core.assumeIsolated { $0.explanation(of: peer) }
  }

  /// The explanations of all peers about which facts are kept, the one with the latest fact first;
  /// at most 256.
  public var explanations: [PeerExplanation] { core.assumeIsolated { $0.explanations } }
}

/// The reason why no peer is known by a name.
package struct PeerAbsence: Hashable, Sendable {
  /// The cause.
  package let cause: PeerExplanation.Cause
  /// A sentence that names the word and the cause.
  package let description: String
}
