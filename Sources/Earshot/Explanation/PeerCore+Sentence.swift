import EarshotCore

/// What the sentence of an explanation is made of.
struct Situation {
  let cause: PeerExplanation.Cause
  /// The other peer, in words.
  let subject: String
  let entries: [PeerHistory.Entry]
  /// The version of the protocol that the peer announces, if it is not the one of this peer.
  var version: String?
  /// An address of each host that announces the peer.
  var hosts: [IPAddress] = []

  /// The facts from the last invitation or dial on.
  var attempt: ArraySlice<PeerHistory.Fact> {
    PeerHistory.attempt(in: entries.map(\.fact)[...])
  }
}

extension PeerCore {
  func sentence(_ situation: Situation) -> String {
    let (subject, entries) = (situation.subject, situation.entries)
    let (since, seen) = (since(entries), Self.seenWords(entries))
    return switch situation.cause {
    case .itself: "\(subject) is this peer."
    case .stopped: "This peer was stopped, and so reaches no other."
    case .suspended: "This peer is suspended. Resume it to reach \(subject)."
    case .connected: "\(subject) is a member, and connected\(since)."
    case .joining: "\(subject) is about to become a member\(since)."
    case .interrupted:
      "\(subject) is a member, and its link is interrupted\(since)\(Self.lastReason(entries))."
    case .invited: "\(subject) was invited\(since), and the invitation is open."
    case .untrusted:
      "This peer does not trust \(subject)\(seen). Change the trust policy, or approve the key."
    case .notTrusting:
      "\(subject) does not trust this peer, and closed the link\(since). Its program has to approve the key of this peer."
    case .contested: Self.contested(situation)
    case .unreachable: "\(subject) was not reached\(since): \(Self.misses(situation))."
    case .reached:
      "\(subject) was reached\(Self.place(situation))\(since), and was not invited. Nothing keeps this host from it."
    case .mismatch:
      "\(subject) was reached\(since), but does not advertise \(Self.service(situation))."
    case .otherVersion: Self.otherVersion(situation, since)
    case .timedOut:
      "\(subject) did not answer the invitation in time\(since): \(Self.misses(situation))."
    case .declined: "\(subject) declined the invitation\(since)."
    case .busy:
      "\(subject) is busy, or has too many open invitations\(since). Invite it again later."
    case .full: Self.full(situation, since)
    case .cancelled: "The invitation of \(subject) was withdrawn\(since)."
    case .removed: "\(subject) was removed, or has removed this peer\(since)."
    case .left: "\(subject) was a member, and is gone\(since)\(Self.lastReason(entries))."
    case .notInvited: "\(subject) is visible\(seen), and was not invited."
    case .gone:
      "\(subject) was discovered, and is not visible any more\(since): it stopped advertising, or no announcement of it arrives."
    case .notBrowsing:
      "\(subject) was never discovered: no browser is running. Browse for its service, or use a ticket."
    case .discoveryUnavailable:
      "\(subject) was never discovered. \(discoveryProblem?.message ?? "")"
    case .neverDiscovered:
      "\(subject) was never discovered: no announcement of it has arrived for \(browsedServices). "
        + "It does not advertise, or is on another network, or multicast does not get through."
    }
  }

  private var browsedServices: String {
    finding.browsers.compactMap { $0.browser?.serviceType }.map { "“\($0)”" }
      .joined(separator: ", ")
  }

  /// When the last fact was, unless that was just now.
  private func since(_ entries: [PeerHistory.Entry]) -> String {
    guard let last = entries.last, host.now - last.time >= .seconds(2) else { return "" }
    return " \(Self.age(host.now - last.time)) ago"
  }

  private static func age(_ time: Duration) -> String {
    let seconds = max(0, time.nanoseconds / 1_000_000_000)
    return seconds < 120
      ? "\(seconds) s" : seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
  }

  private static func seenWords(_ entries: [PeerHistory.Entry]) -> String {
    for entry in entries.reversed() {
      if case .discovered(_, let endpoints) = entry.fact, !endpoints.isEmpty {
        return " at \(endpoints.listed)"
      }
    }
    return ""
  }

  private static func lastReason(_ entries: [PeerHistory.Entry]) -> String {
    for entry in entries.reversed() {
      switch entry.fact {
      case .left(let reason): return " (\(reason.rawValue))"
      case .interrupted(let reason): return " (\(reason.rawValue))"
      default: continue
      }
    }
    return ""
  }

  // MARK: The last attempt

  /// Why the peer was not reached at each address of the last attempt.
  private static func misses(_ situation: Situation) -> String {
    let listed = missed(situation)
    if !listed.isEmpty { return listed }
    let place = place(situation)
    return place.isEmpty ? "no address of it was known" : "it was reached\(place)"
  }

  /// The addresses that were dialled in vain, with the last error of each; empty without one.
  private static func missed(_ situation: Situation) -> String {
    var misses: [(endpoint: Endpoint, end: LinkEnd)] = []
    for case .missed(let endpoint, let end) in situation.attempt {
      misses.removeAll { $0.endpoint == endpoint }
      misses.append((endpoint, end))
    }
    return misses.map { "\($0.endpoint) (\($0.end.words))" }.joined(separator: ", ")
  }

  /// Where the last attempt reached the peer, or nothing.
  private static func place(_ situation: Situation) -> String {
    for case .reached(let endpoint) in situation.attempt.reversed() { return " at \(endpoint)" }
    return ""
  }

  private static func service(_ situation: Situation) -> String {
    for case .invited(let service) in situation.attempt { return "the service “\(service)”" }
    return "the service"
  }

  private static func contested(_ situation: Situation) -> String {
    for case .shared(let address) in situation.entries.map(\.fact).reversed() {
      return "\(situation.subject) is this peer. The host at \(address) announces its key too, so "
        + "others reach only one of the two. Give one of them a key of its own."
    }
    let (missed, place) = (missed(situation), place(situation))
    let end =
      missed.isEmpty
      ? place.isEmpty ? "" : " It was reached\(place)."
      : " It was not reached: \(missed)."
    return PeerExplanation.contest(of: situation.subject, at: situation.hosts) + end
  }

  private static func otherVersion(_ situation: Situation, _ since: String) -> String {
    let subject = situation.subject
    if let version = situation.version {
      return
        "\(subject) announces version \(version) of the protocol, and this peer speaks version "
        + "\(Announcement.version). Update the older one of the two programs."
    }
    guard let end = situation.attempt.last(where: \.isOfVersion)?.linkEnd else {
      return "\(subject) speaks another version of the protocol\(since)."
    }
    switch end {
    case .closed(.unsupportedVersion), .violation(.unsupportedVersion):
      return "\(subject) was reached, but speaks another version of the protocol\(since). "
        + "Update the older one of the two programs."
    default:
      return "\(subject) was reached, but does not understand this peer\(since): \(end.words). "
        + "It speaks another version of the protocol, or breaks it."
    }
  }

  private static func full(_ situation: Situation, _ since: String) -> String {
    let subject = situation.subject
    let end = situation.entries.last { [.concluded(.full), .left(.full)].contains($0.fact) }
    if end?.fact == .left(.full) {
      return
        "More peers had joined the session than fit, and \(subject) or this peer had to go\(since)."
    }
    return situation.attempt.contains(.noPlace)
      ? "The session of this peer had no place left for \(subject)\(since)."
      : "The session of \(subject) had no place left for this peer\(since)."
  }
}
