extension MembershipMachine {
  /// What is being done to find a member that has no link.
  enum Search: Hashable {
    case resting(until: Instant)
    case dialling
    case asking(LinkToken, until: Instant, reserve: Request?)
  }
  /// An ATTACH that came.
  struct Request: Hashable {
    let link: LinkToken
    let epoch: UInt64
  }
  /// A member without a link.
  struct Absence: Hashable {
    var isFirst: Bool  // Never joined yet.
    var deadline: Instant
    var backoff: Backoff
    var search: Search
  }

  static let eager = Backoff(from: .milliseconds(500), to: .seconds(8))
  static let patient = Backoff(from: .seconds(4), to: .seconds(8))
  static let head = Duration.milliseconds(250)
  static let introductionHead = Duration.seconds(1)
}
