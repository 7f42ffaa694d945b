import EarshotCore

extension PeerHistory {
  /// How the last dial, invitation or membership came to its end; `nil` when the peer was lost
  /// or discovered anew after that.
  static func ending(of facts: [Fact]) -> PeerExplanation.Cause? {
    var wasLost = false
    for (index, fact) in facts.enumerated().reversed() {
      switch fact {
      case .concluded(.accepted), .joined, .resumed, .interrupted: return nil
      case .concluded(let outcome):
        return lasting(cause(of: outcome, after: attempt(in: facts[..<index])), wasLost)
      case .dialled: return lasting(cause(ofDial: facts[index...]), wasLost)
      case .left(.removed): return .removed
      case .left(.full): return .full
      case .left(.unreachable): return .unreachable
      case .left: return wasLost ? nil : .left
      case .lost: wasLost = true
      case .discovered where wasLost: return nil
      case .discovered, .shared, .invited, .reached, .missed, .unanswered, .noPlace: break
      }
    }
    return nil
  }

  /// The facts from the last invitation or dial on.
  static func attempt(in facts: ArraySlice<Fact>) -> ArraySlice<Fact> {
    facts[(facts.lastIndex(where: \.isBeginning) ?? facts.startIndex)...]
  }

  /// A cause that counts although the peer was lost after that, or `nil`.
  ///
  /// A peer that was not reached is lost ten seconds later.
  private static func lasting(
    _ cause: PeerExplanation.Cause?, _ wasLost: Bool
  ) -> PeerExplanation.Cause? {
    wasLost && cause != .unreachable ? nil : cause
  }

  private static func cause(
    of outcome: InvitationOutcome, after attempt: ArraySlice<Fact>
  ) -> PeerExplanation.Cause? {
    switch outcome {
    case .accepted: nil
    case .declined: .declined
    case .timedOut: .timedOut
    case .unreachable: attempt.contains(where: \.isOfVersion) ? .otherVersion : .unreachable
    case .busy: .busy
    case .full: .full
    case .mismatch: attempt.contains(where: \.isOfVersion) ? .otherVersion : .mismatch
    case .untrusted: attempt.contains(where: \.isRefusal) ? .untrusted : .notTrusting
    case .cancelled: .cancelled
    }
  }

  /// How a dial without an invitation ended.
  private static func cause(ofDial attempt: ArraySlice<Fact>) -> PeerExplanation.Cause {
    for fact in attempt.reversed() {
      switch fact {
      case .reached: return .reached
      case .missed(_, .closed(.untrusted)): return .notTrusting
      case _ where fact.isRefusal: return .untrusted
      case _ where fact.isOfVersion: return .otherVersion
      default: continue
      }
    }
    return .unreachable
  }
}

extension PeerHistory.Fact {
  var isSighting: Bool {
    switch self {
    case .discovered, .lost: true
    default: false
    }
  }

  /// Whether another host announces the key of this peer.
  var isShared: Bool { if case .shared = self { true } else { false } }

  /// How a link of a dial or of an invitation ended; `nil` for other facts.
  var linkEnd: LinkEnd? {
    switch self {
    case .missed(_, let end), .unanswered(let end): end
    default: nil
    }
  }

  /// Whether a dial or an invitation began.
  fileprivate var isBeginning: Bool {
    switch self {
    case .invited, .dialled: true
    default: false
    }
  }

  /// Whether this peer closed the link since it does not trust the other one.
  fileprivate var isRefusal: Bool { linkEnd == .violation(.untrusted) }

  /// Whether the two peers do not understand each other.
  var isOfVersion: Bool {
    switch linkEnd {
    case .closed(.unsupportedVersion), .violation(.unsupportedVersion): true
    case .closed(.unknownFrame), .closed(.protocolViolation), .closed(.frameTooLarge): true
    default: false
    }
  }
}
