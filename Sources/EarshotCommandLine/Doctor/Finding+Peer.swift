package import Earshot
package import EarshotCore
import EarshotScenario

extension Finding {
  /// The explanation of one peer that a finding is about, for programs.
  package struct Explanation: Hashable, Sendable {
    /// A fact, and how long ago it was.
    package struct Fact: Hashable, Sendable {
      let age: Duration
      let text: String
    }

    /// Why the peer is not reached, or that it is.
    package let cause: PeerExplanation.Cause
    /// The peer; `nil` if a name alone is known of it.
    package var peer: PeerID?
    /// The name of the peer, if that is known.
    package var name: String?
    /// The last facts about the peer, the oldest first.
    package var facts: [Fact] = []

    /// The members of a JSON object.
    var members: [(String, String)] {
      let facts = facts.map { fact in
        JSONText.object([
          ("millisecondsAgo", fact.age.millisecondsDigits), ("text", fact.text.quotedForJSON),
        ])
      }
      return [
        ("explanation", cause.rawValue.quotedForJSON),
        ("peer", peer?.description.quotedForJSON ?? "null"),
        ("name", name?.quotedForJSON ?? "null"), ("facts", JSONText.array(facts)),
      ]
    }

    /// The facts for a person, a line each.
    var lines: [String] {
      facts.suffix(PeerExplanation.shownFactsMax).map {
        "  \($0.age.shortText) ago: \($0.text.escapedForTerminals)"
      }
    }
  }

  /// The step that mends an identity of several hosts.
  static let anotherIdentity =
    "on one of them: earshot identity KEYFILE --create, and start its peer with --identity KEYFILE"

  /// The finding about one peer.
  package init(_ explanation: PeerExplanation, at now: Instant) {
    let details = Explanation(
      cause: explanation.cause, peer: explanation.peer, name: explanation.name,
      facts: explanation.facts.map { Explanation.Fact(age: now - $0.time, text: $0.text) })
    self.init(explanation.description, details)
  }

  /// The finding about a peer of which a name alone is known.
  package init(_ absence: PeerAbsence, of name: String) {
    self.init(absence.description, Explanation(cause: absence.cause, name: name))
  }

  private init(_ sentence: String, _ explanation: Explanation) {
    self.init(
      .peer, explanation.cause.severity, sentence, mendedBy: explanation.cause.remedy,
      explanation: explanation)
  }

  /// The finding about a name that several peers have.
  package init(_ name: String, meaning peers: [DiscoveredPeer]) {
    let choices = peers.map { "\($0.name) (\($0.id.short))" }.joined(separator: ", ")
    self.init(
      .peer, .error, "The name \"\(name)\" means \(peers.count) peers: \(choices).",
      mendedBy: "give the identifier of one of them: earshot doctor \(peers[0].id.short)")
  }
}

extension PeerExplanation.Cause {
  fileprivate var severity: Finding.Severity {
    switch self {
    case .reached, .itself: .note
    case .contested, .notInvited: .warning
    default: .error
    }
  }

  /// The step that mends it; empty without one, or if another finding has it.
  fileprivate var remedy: String {
    switch self {
    case .neverDiscovered, .gone:
      "on the host of the peer: start the peer, and run: earshot doctor; "
        + "to dial it without discovery: earshot doctor --ticket TEXT"
    case .contested: Finding.anotherIdentity
    case .untrusted: "trust its key: --pin ID, or: earshot trust FILE --pin ID --name NAME"
    case .notTrusting:
      "use the key that is trusted there: --identity KEYFILE, or approve the key of this peer there"
    case .otherVersion: "install the same version of the program on both hosts"
    default: ""
    }
  }
}
