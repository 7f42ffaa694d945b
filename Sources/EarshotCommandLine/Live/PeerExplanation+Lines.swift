import Earshot
import EarshotScenario

extension PeerExplanation {
  private static let factsMax = 6

  /// Whether the name or the identifier of the peer begins with a word.
  func isAbout(_ word: String) -> Bool {
    let word = word.lowercased()
    return name?.lowercased().hasPrefix(word) == true || peer.description.hasPrefix(word)
  }

  /// The sentence, and the last facts with their age, a line each.
  func lines(at now: Instant) -> [String] {
    let lines = facts.suffix(Self.factsMax).map { fact in
      "  \((now - fact.time).shortText) ago: \(fact.text)"
    }
    return ([description] + lines).map(\.escapedForTerminals)
  }
}
