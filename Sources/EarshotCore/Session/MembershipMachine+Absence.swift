extension MembershipMachine {
  /// What a member without a link is looked for.
  enum Purpose: Hashable {
    case beginning  // It never joined yet; it is looked for as long as others know it.
    case resuming(until: Instant)
    case leaving(Farewell)
  }
  /// A membership that this side ends, once what was sent has arrived.
  struct Farewell: Hashable {
    let departure: DepartureReason
    let until: Instant

    /// The same, if it must be over sooner.
    func within(_ limit: Duration, from now: Instant) -> Farewell {
      Farewell(departure: departure, until: min(until, now + limit))
    }
  }
  /// What is being done to find a member that has no link.
  enum Search: Hashable {
    case resting(until: Instant)
    case dialling(Int, again: Instant)  // So many dials at once; one more after a while.
    case asking(LinkToken, until: Instant, reserve: Request?)
  }
  /// What the remote peer has heard of the number that is proposed.
  enum Naming {
    case unsaid
    case said
    case refused  // It will not begin that one.
  }
  /// An ATTACH that came.
  struct Request: Hashable {
    let link: LinkToken
    let membership: MembershipID
    let epoch: UInt64
  }
  /// A member without a link.
  struct Absence: Hashable {
    var purpose: Purpose
    var backoff: Backoff
    var search: Search

    var isFirst: Bool { purpose == .beginning }

    /// When it is given up.
    var deadline: Instant? {
      switch purpose {
      case .beginning: nil
      case .resuming(let until): until
      case .leaving(let farewell): farewell.until
      }
    }
  }

  static let eager = Backoff(from: .milliseconds(500), to: .seconds(1))
  static let patient = Backoff(from: .milliseconds(500), to: .seconds(8))
  static let asleep = Backoff(from: .seconds(4), to: .seconds(8))
  /// How long after the link of a proposal has ended an ATTACH may arrive that the remote wrote before it took that
  /// proposal: as long as either may be under way, and a link may take until it says what it wants.
  static let doubt = Duration.seconds(60)
  static let dialInterval = Duration.seconds(1)
  static let dialsMax = 5
}
