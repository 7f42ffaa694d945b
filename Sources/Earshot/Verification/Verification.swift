public import EarshotTLS

/// The comparison of a code by the people of two peers, who find out that nobody sits between them.
///
/// Comes from ``Session/verify(_:)``, and on the other side from ``Session/verifications``: both show ``code``, people
/// compare them by sight or by voice, and each side says what came of it. The member is verified when both have
/// confirmed; a store of trusted peers keeps that (see ``TrustPolicy``).
///
/// When one side rejects, both trust each other's keys no longer: what was approved is taken back, a store forgets the
/// member, and it is refused, whatever the policy says, as long as this peer lives (of those that have rejected this
/// side's key themselves, the last 1,024 are). Only ``Peer/trust(_:as:)``, or a later verification that both confirm,
/// lets it in again.
///
/// A verification that is released before it has ended is withdrawn. It ends when the link breaks, when the session is left,
/// and after five minutes; each of these counts as a failure (see ``Session/verify(_:)``), since who sits in between
/// sees both codes, and could do that until they are alike.
public final class Verification: Sendable {
  /// The member with which the code is compared.
  public let peer: PeerID
  /// What both sides show.
  public let code: VerificationCode

  /// A way in which a verification ends.
  @nonexhaustive
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    /// Both sides have confirmed.
    case verified
    /// This side has rejected: the codes differ, so somebody sits in between.
    case rejected
    /// The other side has rejected.
    case rejectedByRemote
    /// One of the sides does not want to know any more.
    case withdrawn
    /// One of the sides has said nothing for too long.
    case timedOut
    /// The link broke, or the session was left.
    case linkLost
  }

  let number: Int
  let verifier: Verifier
  private let released: @Sendable () -> Void
  private let conclusion = Conclusion<Ending>()

  init(
    _ number: Int, of verifier: Verifier, with peer: PeerID, _ code: VerificationCode,
    released: @escaping @Sendable () -> Void
  ) {
    (self.number, self.verifier, self.peer, self.code) = (number, verifier, peer, code)
    self.released = released
  }

  deinit { if ending == nil { released() } }

  /// Says that the people of this side see the same code on both sides, and waits for the other side.
  ///
  /// Saying it again changes nothing. Cancelling the task takes nothing back.
  ///
  /// - Returns: How the verification ended, or `nil` when the task was cancelled before.
  @discardableResult
  public func confirm() async -> Ending? {
    await verifier.confirm(number)
    return await waitForEnd()
  }

  /// Says that the codes differ.
  ///
  /// The links that there are stay: leave the session, or ``Session/remove(_:)`` the member. There will be no other
  /// ones. Changes nothing once the verification has ended.
  public func reject() async { await verifier.reject(number) }

  /// Says that nobody compares the codes; changes nothing once the verification has ended.
  public func withdraw() async { await verifier.withdraw(number) }

  /// The way in which it ended, or `nil` as long as it has not.
  public var ending: Ending? { conclusion.ending }

  /// Waits until the verification has ended.
  ///
  /// - Returns: The way in which it ended; `nil` if the task was cancelled before.
  public func waitForEnd() async -> Ending? {
    defer { withExtendedLifetime(self) {} }
    return await conclusion.wait()
  }

  func end(_ ending: Ending) { conclusion.end(ending) }
}

extension Verification.Ending {
  init(_ end: VerificationEnd) {
    self =
      switch end {
      case .verified: .verified
      case .rejected: .rejected
      case .rejectedByRemote: .rejectedByRemote
      case .withdrawn, .withdrawnByRemote, .refused, .tooMany: .withdrawn
      case .timedOut: .timedOut
      case .forged, .linkLost: .linkLost
      }
  }
}

/// How well the link to a member is protected; see ``Session/security(of:)``.
public struct MemberSecurity: Hashable, Sendable {
  /// The cipher suite of TLS 1.3, such as `TLS_AES_128_GCM_SHA256`; `nil` on simulated links that are plain.
  ///
  /// There is no other protocol on real networks, and none that is weaker: what is not TLS 1.3 is no link.
  public let cipherSuite: String?
  /// Whether people have compared a verification code with this member: since it joined the session, or before, as the
  /// store of the ``TrustPolicy`` knows.
  public let isVerified: Bool
}
