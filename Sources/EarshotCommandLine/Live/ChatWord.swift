import EarshotScenario

/// A word that begins with a slash, and means something in a chat.
enum ChatWord: String, CaseIterable, Hashable, Sendable {
  case who, why, invite, accept, decline, ticket, trust, verify, confirm, reject, members, send,
    files
  case cancel, leave, visible, invisible, info, help, quit

  /// What it does, and what stands behind it.
  private var help: (operand: String, summary: String) {
    switch self {
    case .who: ("", "List the peers nearby")
    case .why: (" PEER", "Explain why a peer does not appear, or does not join")
    case .invite: (" PEER", "Invite a peer: a name, its beginning, or a number of /who")
    case .accept: ("", "Accept an invitation, as \"y\" does")
    case .decline: ("", "Decline an invitation, as \"n\" does")
    case .ticket: ("", "Show a ticket, for \"earshot chat --ticket\" where others do not appear")
    case .trust: (" PEER", "Trust a peer whose key has changed")
    case .verify: (" PEER", "Show a code to compare with a member, by voice or by sight")
    case .confirm: ("", "Confirm that both codes are the same")
    case .reject: ("", "Report that the codes differ: another party may listen")
    case .members: ("", "List the members of this chat")
    case .send: (" FILE", "Offer a file to the members of this chat")
    case .files: ("", "Show how far the files are that are sent and received")
    case .cancel: (" NUMBER", "Cancel one of /files")
    case .leave: ("", "End this chat")
    case .visible: ("", "Let other peers see and invite this one")
    case .invisible: ("", "Hide from other peers; members stay")
    case .info: (" KEY=VALUE", "Set info that peers nearby can read; KEY= removes it")
    case .help: ("", "Show this list")
    case .quit: ("", "End this chat and the program")
    }
  }

  /// All words, a line each.
  static var overview: [String] {
    let rows = allCases.map { ("/\($0.rawValue)\($0.help.operand)", $0.help.summary) }
    let table = HelpTable(rows + [("//…", "Send a line that begins with one slash")])
    return table.text.split(separator: "\n").map(String.init)
  }

  /// What to answer to a word that there is not.
  static func advice(on word: String) -> String {
    let nearest = Spelling.nearest(to: word, among: allCases.map(\.rawValue))
    let advice = nearest.map { "did you mean /\($0)?" } ?? "/help lists all commands"
    return "Unknown command /\(word.escapedForTerminals); \(advice)"
  }
}
