extension JSON5Node {
  /// This document without some names of peers, and without the groups that have no peers any more.
  func forgetting(_ names: Set<String>) -> JSON5Node {
    var (rest, gone) = (self, names)
    while !gone.isEmpty {
      let groups = Set(rest["groups"]?.members?.map(\.key) ?? [])
      rest = rest.without(gone) ?? rest
      gone = groups.subtracting(rest["groups"]?.members?.map(\.key) ?? [])
    }
    return rest
  }

  /// A value without some names: `nil` when nothing is left that makes sense.
  private func without(_ names: Set<String>) -> JSON5Node? {
    switch value {
    case .string(let text):
      if let pair = PairText(text) {
        return pair.without(names).map { $0 == pair ? self : .text($0.text) }
      }
      return names.contains(text) ? nil : self
    case .array(let elements):
      let kept = elements.compactMap { $0.without(names) }
      // What is about nobody any more, such as a side of a link, is not there.
      return kept.isEmpty && !elements.isEmpty ? nil : JSON5Node(.array(kept))
    case .object(let members): return Self.without(names, in: members)
    case .null, .bool, .number: return self
    }
  }

  private static func without(_ names: Set<String>, in members: [JSON5Member]) -> JSON5Node? {
    var kept: [JSON5Member] = []
    for member in members {
      if texts.contains(member.key) {
        kept.append(member)
      } else if names.contains(member.key) {
        continue
      } else if let value = member.value.without(names) {
        kept.append(JSON5Member(key: member.key, offset: 0, value: value))
      } else if subjects.contains(member.key) {
        return nil
      }
    }
    return JSON5Node(.object(kept))
  }

  /// Keys whose values are words for people.
  private static let texts: Set<String> = [
    "name", "description", "context", "info", "service", "advertise", "browse", "reproduces",
    "buggify", "reason",
  ]
  /// Keys without which an object makes no sense.
  private static let subjects: Set<String> = [
    "peer", "from", "to", "between", "groups", "who", "connected", "disconnected", "interrupted",
    "members", "event", "order", "outcome", "messages", "streams", "files", "traffic", "after",
    "afterFirst",
  ]
}
