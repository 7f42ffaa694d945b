import EarshotCore

extension PeerHistory.Fact {
  /// The event of its record; `nil` for what has other records.
  var event: LogRecord.Event? {
    switch self {
    case .dialled, .shared: nil
    case .unanswered: .invitationUnanswered
    case .noPlace: .sessionFull
    case .discovered: .discovered
    case .lost: .lost
    case .invited: .invited
    case .reached: .reached
    case .missed: .missed
    case .concluded: .invitationConcluded
    case .joined: .memberJoined
    case .interrupted: .memberInterrupted
    case .resumed: .memberResumed
    case .left: .memberLeft
    }
  }

  /// The level, if it is not that of the event.
  var level: LogRecord.Level? {
    switch self {
    case .concluded(let outcome) where outcome != .accepted && outcome != .cancelled: .notice
    case .left(.lost), .left(.violation), .left(.unreachable): .notice
    default: nil
    }
  }

  var endpoint: Endpoint? {
    switch self {
    case .discovered(_, let endpoints): endpoints.first
    case .reached(let endpoint), .missed(let endpoint, _): endpoint
    default: nil
    }
  }

  var service: String? {
    switch self {
    case .discovered(let service, _), .lost(let service), .invited(let service): service
    default: nil
    }
  }

  var reason: String? {
    switch self {
    case .missed(_, let end), .unanswered(let end): end.reason
    case .noPlace: "full"
    case .concluded(let outcome): outcome.rawValue
    case .interrupted(let reason): reason.rawValue
    case .left(let reason): reason.rawValue
    case .discovered, .lost, .invited, .dialled, .reached, .joined, .resumed, .shared: nil
    }
  }

  /// The message of its record, whose reason stands beside it.
  func sentence(about subject: String, isUpdate: Bool) -> String {
    switch self {
    case .discovered(let service, let endpoints) where isUpdate:
      "\(subject) is updated for “\(service)”, and is at \(endpoints.isEmpty ? "no address" : endpoints.listed)"
    case .concluded: "the invitation of \(subject) ended"
    case .interrupted: "the link to \(subject) is interrupted"
    case .resumed: "the link to \(subject) is back"
    case .left: "\(subject) is not a member any more"
    case .unanswered: "the link of the invitation of \(subject) ended before the answer"
    case .noPlace: "the session of this peer has no place for \(subject)"
    case .discovered, .lost, .invited, .dialled, .reached, .missed, .joined, .shared:
      "\(subject) \(description)"
    }
  }
}
