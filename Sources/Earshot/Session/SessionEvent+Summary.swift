extension SessionEvent {
  /// The member that the event is about, in the state that follows from it; after `left`, in its last state.
  public var member: Member {
    switch self {
    case .joining(let member), .joined(let member), .interrupted(let member, _),
      .resumed(let member), .left(let member, _, _):
      member
    }
  }

  /// Takes an event into those that lead to the present state.
  package static func restate(_ present: inout [SessionEvent], with event: SessionEvent) {
    switch event {
    case .joining, .interrupted: present.append(event)
    case .joined(let member):
      present.removeAll { $0.member.id == member.id }
      present.append(event)
    case .resumed(let member):
      present.removeAll {
        if case .interrupted(let other, _) = $0 { other.id == member.id } else { false }
      }
    case .left(let member, _, _): present.removeAll { $0.member.id == member.id }
    }
  }

  /// What a series of events amounts to: members that came or went stay, an interruption that was overcome goes, and
  /// so does what was said of a peer that was joining.
  package static func summary(of events: [SessionEvent]) -> [SessionEvent] {
    SessionActivity.summary(of: events.map { .event($0) }).compactMap {
      if case .event(let event) = $0 { event } else { nil }
    }
  }
}

extension SessionActivity {
  /// What a series of activities amounts to; as for events, and messages stay.
  package static func summary(of activities: [SessionActivity]) -> [SessionActivity] {
    var kept: [SessionActivity?] = []
    var open: [PeerID: Int] = [:]  // What of a peer may be overcome.
    for activity in activities {
      switch activity {
      case .event(.joining(let member)): open[member.id] = kept.count
      case .event(.interrupted(let member, _)): open[member.id] = kept.count
      case .event(.joined(let member)):
        if let index = open.removeValue(forKey: member.id) { kept[index] = nil }
      case .event(.resumed(let member)):
        guard let index = open.removeValue(forKey: member.id) else { break }
        kept[index] = nil
        continue
      case .event(.left(let member, _, _)):
        guard let index = open.removeValue(forKey: member.id), case .event(.joining) = kept[index]
        else { break }
        kept[index] = nil
        continue
      case .message: break
      }
      kept.append(activity)
    }
    return kept.compactMap(\.self)
  }
}
