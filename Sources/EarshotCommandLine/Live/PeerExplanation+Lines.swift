import Earshot
import EarshotScenario

extension PeerExplanation {
  /// How many facts are shown to people.
  static let shownFactsMax = 6

  /// Whether the name or the identifier of the peer begins with a word.
  func isAbout(_ word: String) -> Bool {
    let word = word.lowercased()
    return name?.lowercased().hasPrefix(word) == true || peer.description.hasPrefix(word)
  }

  /// The sentence, and the last facts with their age, a line each.
  func lines(at now: Instant) -> [String] {
    let lines = facts.suffix(Self.shownFactsMax).map { fact in
      "  \((now - fact.time).shortText) ago: \(fact.text)"
    }
    return ([description] + lines).map(\.escapedForTerminals)
  }
}

extension Peer {
  /// The explanation of a peer that is meant by a name and is not nearby, if anything is known of
  /// one.
  func absentee(called name: String, besides nearby: [Nearby]) async -> PeerExplanation? {
    if let id = PeerID(name) { return explanation(of: id) }
    return explanations.first { explanation in
      explanation.isAbout(name) && nearby.allSatisfy { $0[explanation.peer] == nil }
    }
  }
}
