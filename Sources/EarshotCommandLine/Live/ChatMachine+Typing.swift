import Earshot
import EarshotScenario

/// What is typed: words that begin with a slash, answers to questions, and things to say.
extension ChatMachine {
  mutating func type(_ line: String, into out: inout [Action]) {
    if line.hasPrefix("/"), !line.hasPrefix("//") {
      showTyped(line, into: &out)
      let words = line.dropFirst().split(separator: " ", maxSplits: 1)
      let operand = words.dropFirst().first.map { $0.trimmed } ?? ""
      return obey(words.first.map(String.init) ?? "", operand, into: &out)
    }
    if let isYes = questions.isEmpty ? nil : Self.answers[line.lowercased().trimmed] {
      showTyped(line, into: &out)
      return answer(isYes, into: &out)
    }
    let text = line.hasPrefix("//") ? String(line.dropFirst()) : line
    if !text.trimmed.isEmpty { say(text, into: &out) }
  }

  private mutating func say(_ text: String, into out: inout [Action]) {
    guard !members.isEmpty else {
      out.append(
        .print("No member is in this chat: /who lists the peers nearby, /invite invites one."))
      return repeatQuestion(into: &out)
    }
    guard text.utf8.count <= Self.messageBytesMax else {
      return out.append(
        .print("That line has \(text.utf8.count) bytes; send at most \(Self.messageBytesMax)."))
    }
    if typedLines != .echoed {
      out.append(.print("\(paint.green("You said:")) \(text.escapedForTerminals)"))
    }
    out.append(.send(text))
  }

  /// Keeps a line that asks for something above the answer, if it is gone from where it was typed.
  private func showTyped(_ line: String, into out: inout [Action]) {
    if typedLines == .edited { note("> \(line.escapedForTerminals)", into: &out) }
  }

  private mutating func obey(_ word: String, _ operand: String, into out: inout [Action]) {
    guard let known = ChatWord(rawValue: word) else {
      return out.append(.print(ChatWord.advice(on: word)))
    }
    switch known {
    case .who: showNearby(into: &out)
    case .why: explain(operand, into: &out)
    case .invite: invite(operand, into: &out)
    case .accept: answer(true, into: &out)
    case .decline: answer(false, into: &out)
    case .ticket: out.append(.showTicket)
    case .trust: trust(operand, into: &out)
    case .verify: verify(operand, into: &out)
    case .confirm: answerCode(into: &out) { .confirm($0) }
    case .reject: answerCode(into: &out) { .reject($0) }
    case .members: showMembers(into: &out)
    case .send: sendFile(operand, into: &out)
    case .files: showFiles(into: &out)
    case .cancel: cancelFile(operand, into: &out)
    case .leave: leave(into: &out)
    case .visible: show(true, into: &out)
    case .invisible: show(false, into: &out)
    case .info: changeInfo(operand, into: &out)
    case .help: out += ChatWord.overview.map { .print($0) }
    case .quit: out.append(.quit)
    }
  }

  /// Explains a peer nearby, or those of that name that were there before.
  private func explain(_ word: String, into out: inout [Action]) {
    guard !word.isEmpty else {
      return out.append(.print("Name a peer, such as /why 1; /who lists the peers nearby."))
    }
    switch nearby.select(word) {
    case .peer(let peer): out.append(.explain(peer.id, word))
    case .none, .several: out.append(.explain(nil, word))
    }
  }

  private mutating func invite(_ word: String, into out: inout [Action]) {
    guard !word.isEmpty else {
      return out.append(.print("Name a peer, such as /invite 1; /who lists the peers nearby."))
    }
    switch nearby.select(word) {
    case .none:
      let names = nearby.peers.map(\.name)
      let nearest = Spelling.nearest(to: word, among: names).map(\.escapedForTerminals)
      let advice = nearest.map { "did you mean \($0)?" } ?? "/who lists the peers nearby."
      out.append(.print("No peer nearby matches \"\(word.escapedForTerminals)\"; \(advice)"))
    case .several(let peers):
      let areNamesakes = Set(peers.map(\.name)).count == 1
      let several = areNamesakes ? "Several peers have that name" : "Several names begin with that"
      out.append(.print("\(several): \(choices(of: peers, named: !areNamesakes))"))
    case .peer(let peer): invite(peer, into: &out)
    }
  }

  /// What to type for each of several peers: `/invite 1 (Ann), /invite 3 (Anna)`.
  private func choices(of peers: [DiscoveredPeer], named areNamed: Bool) -> String {
    let meant = nearby.numbered.filter { entry in peers.contains { $0.id == entry.peer.id } }
    return meant.map { number, peer in
      "/invite \(number)" + (areNamed ? " (\(peer.name.escapedForTerminals))" : "")
    }.joined(separator: ", ")
  }

  /// A code is compared with a member that is named exactly: no beginning of a name will do.
  private func verify(_ word: String, into out: inout [Action]) {
    let lower = word.lowercased()
    let meant = members.filter {
      word.isEmpty || $0.name.lowercased() == lower
        || nearby.number(of: $0.id).map(String.init) == word
        || lower.count >= 8 && $0.id.description.hasPrefix(lower)
    }
    guard let member = meant.first, meant.count == 1 else {
      let choices = members.map { "/verify \($0.id.short)" }.joined(separator: ", ")
      return out.append(
        .print(members.isEmpty ? "You are not in a chat." : "Name one: \(choices)"))
    }
    out.append(.verify(member.id))
  }

  private func answerCode(into out: inout [Action], _ action: (PeerID) -> Action) {
    guard let id = comparing.last else {
      return out.append(.print("There is no code to compare; /verify shows one."))
    }
    out.append(action(id))
  }

  private mutating func trust(_ word: String, into out: inout [Action]) {
    let prefix = word.lowercased()
    let index = changes.firstIndex { prefix.count >= 8 && $0.peer.description.hasPrefix(prefix) }
    guard let index else {
      let choices = changes.map { "/trust \($0.peer.short)" }.joined(separator: ", ")
      return out.append(
        .print(changes.isEmpty ? "No peer has changed its key." : "Name one: \(choices)"))
    }
    let change = changes.remove(at: index)
    out.append(.trust(change.peer, as: change.name))
    note(
      "\(change.name.escapedForTerminals) (\(change.peer.short)) is trusted from now on",
      into: &out)
  }

  private mutating func invite(_ peer: DiscoveredPeer, into out: inout [Action]) {
    guard member(peer.id) == nil else {
      return out.append(.print("\(label(of: peer.id)) is in this chat already."))
    }
    invited[peer.id] = peer.name
    note("Asking \(label(of: peer.id))…", into: &out)
    out.append(.invite(peer.id))
  }

  private mutating func leave(into out: inout [Action]) {
    guard !members.isEmpty || !invited.isEmpty else {
      return out.append(.print("You are not in a chat."))
    }
    announced = announced.filter { nearby[$0] != nil }
    (members, awaited) = ([], [])
    out += [.leave, .print(Self.goodbye)]
  }

  private mutating func show(_ isVisible: Bool, into out: inout [Action]) {
    let state = isVisible ? "visible" : "invisible"
    guard isVisible != self.isVisible else {
      return out.append(.print("You are \(state) already."))
    }
    self.isVisible = isVisible
    out += [isVisible ? .becomeVisible : .becomeInvisible, .print("You are \(state) now")]
  }

  private mutating func changeInfo(_ line: String, into out: inout [Action]) {
    guard !line.isEmpty else { return out.append(.print(info.infoRemark)) }
    do throws(UsageError) {
      info = try info.changed(by: line)
      out += [.setInfo(info), .print(info.infoRemark)]
    } catch {
      out.append(.print("That info cannot be advertised: \(error.reason)"))
    }
  }

  private func showNearby(into out: inout [Action]) {
    let peers = nearby.numbered
    let hidden = members.filter { nearby[$0.id] == nil }
    guard !peers.isEmpty || !hidden.isEmpty else { return out.append(.print("No peer is nearby.")) }
    for (number, peer) in peers {
      let remark = member(peer.id) == nil ? "" : ", in this chat"
      out.append(.print("  \(number)  \(label(of: peer.id))\(remark)"))
    }
    for member in hidden {
      out.append(.print("  -  \(label(of: member.id)), in this chat, and invisible to others"))
    }
  }

  private func showMembers(into out: inout [Action]) {
    guard !members.isEmpty else { return out.append(.print("You are not in a chat.")) }
    out.append(.print("  \(name.escapedForTerminals), yourself"))
    for member in members {
      let remark = awaited.contains(member.id) ? ", out of reach" : ""
      out.append(.print("  \(label(of: member.id))\(remark)"))
    }
  }

  private static let answers = ["y": true, "yes": true, "n": false, "no": false]
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String {
    let head = drop { $0.isWhitespace }
    return String(head.reversed().drop { $0.isWhitespace }.reversed())
  }
}
