package import Earshot
package import EarshotScenario

/// A chat as one person sees it: who is near, who is in it, who asks, and what all that looks like.
///
/// Lines that are typed and reports of Earshot go in; lines to print and things to do come out. There is one
/// chat at a time: who accepts an invitation while others are in it brings both groups together.
package struct ChatMachine: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case lineTyped(String)
    case browserReported(BrowserEvent)
    /// No peer was found for some time; the sentence is a hint.
    case searchUnanswered(String)
    case sessionReported(SessionActivity)
    case invitationReceived(Question)
    /// An invitation expired, or it or an offer was withdrawn.
    case invitationEnded(Question.Number)
    case invitingEnded(PeerID, InvitationOutcome)
    /// A member offers a file.
    case fileOffered(Question)
    /// The transfer of a file began.
    case transferBegan(ChatTransfer, ResourceProgress)
    /// A transfer is further, or stands still.
    case transferMoved(ChatTransfer.Number, ResourceProgress)
    case transferEnded(ChatTransfer.Number, ChatTransfer.Ending)
    /// Something happened to the peer itself.
    case peerReported(PeerEvent)
    /// A code is to be compared with a member.
    /// The user brought a ticket of somebody.
    case ticketGiven(PeerID)
    case codeShown(PeerID, VerificationCode)
    case verificationEnded(PeerID, Verification.Ending)
    /// Something could not be done; the sentence says what.
    case callFailed(String)
    /// The user wants no more, in whatever way that was said.
    case endRequested
  }

  package enum Action: Hashable, Sendable {
    case print(String)
    /// Explains a peer, or all whose name or identifier begins so.
    case explain(PeerID?, String)
    case invite(PeerID)
    case inviteByTicket(PeerID)
    case showTicket
    case accept(Question.Number)
    case decline(Question.Number)
    case send(String)
    /// Offers a file to the members.
    case sendFile(path: String, to: [PeerID])
    case cancelTransfer(ChatTransfer.Number)
    case trust(PeerID, as: String)
    case verify(PeerID)
    case confirm(PeerID)
    case reject(PeerID)
    case becomeVisible, becomeInvisible
    /// Tells this to everybody nearby, now if the user is visible and whenever they become so.
    case setInfo([String: String])
    case leave
    case quit
  }

  /// A peer that wants to chat, or a member that offers a file.
  package struct Question: Hashable, Sendable {
    /// Which invitation or offer it is.
    package typealias Number = Int
    let number: Number
    let sender: PeerID
    let senderName: String
    /// The file that is offered, safe to print; `nil` for an invitation.
    let file: String?

    /// An invitation or an offer by its number.
    package init(
      _ number: Number, from sender: PeerID, named senderName: String, offering file: String? = nil
    ) {
      (self.number, self.sender, self.senderName) = (number, sender, senderName)
      self.file = file
    }
  }

  let name: String
  let paint: Paint
  let typedLines: TypedLines
  private(set) var nearby = NumberedPeers()
  /// The peers in this chat, in the order of their joining.
  var members: [Member] = []
  /// Members whose connection broke.
  var awaited: Set<PeerID> = []
  /// The peers that were asked, with their names.
  var invited: [PeerID: String] = [:]
  /// The invitations and offers that await an answer; the first one was shown.
  var questions: [Question] = []
  /// Who came with other keys than those who are known by their names.
  var changes: [KeyChange] = []
  /// With whom codes are being compared; the last one is meant.
  var comparing: [PeerID] = []
  /// The peers that were announced as near, and not as gone since.
  var announced: Set<PeerID> = []
  var isVisible = true
  /// The files under way.
  var transfers = TransferBoard()
  /// What the user tells everybody nearby.
  var info: [String: String] = [:]
  private var isOver = false

  /// A chat without others, visible to them.
  ///
  /// - Parameters:
  ///   - name: What the user is called.
  ///   - paint: The colours.
  ///   - typedLines: What becomes of typed lines, so that each is seen once.
  ///   - out: What must be done at the beginning.
  package init(
    as name: String, paint: Paint, _ typedLines: TypedLines = .unseen, into out: inout [Action]
  ) {
    (self.name, self.paint, self.typedLines) = (name, paint, typedLines)
    out += [
      .becomeVisible,
      .print("You are \(paint.bold(name.escapedForTerminals)), and others can see you."),
      .print("Peers nearby appear here; /invite invites one, /help lists the commands."),
    ]
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, into out: inout [Action]) {
    guard !isOver else { return finish(event, into: &out) }
    switch event {
    case .lineTyped(let line): type(line, into: &out)
    case .browserReported(let event): look(event, into: &out)
    case .searchUnanswered(let hint): if members.isEmpty { note(hint, into: &out) }
    case .sessionReported(let event): listen(event, into: &out)
    case .invitationReceived(let question), .fileOffered(let question): ask(question, into: &out)
    case .invitationEnded(let number): withdraw(number, into: &out)
    case .invitingEnded(let id, let outcome): hear(outcome, of: id, into: &out)
    case .transferBegan(let transfer, let progress): begin(transfer, progress, into: &out)
    case .transferMoved(let number, let progress): move(number, progress, into: &out)
    case .transferEnded(let number, let ending): end(number, ending, into: &out)
    case .peerReported(let event): warn(of: event, into: &out)
    case .ticketGiven(let id):
      note("Asking \(label(of: id))…", into: &out)
      out.append(.inviteByTicket(id))
    case .codeShown(let id, let code): show(code, of: id, into: &out)
    case .verificationEnded(let id, let ending): hear(ending, of: id, into: &out)
    case .callFailed(let sentence): out.append(.print(paint.red(sentence.escapedForTerminals)))
    case .endRequested:
      isOver = true
      if !members.isEmpty { out.append(.print(Self.goodbye)) }
    }
  }

  /// What is still told when the user wants no more: what others said until they knew.
  ///
  /// That they are gone is no news to the one who went.
  private func finish(_ event: Event, into out: inout [Action]) {
    if case .sessionReported(.message(let message)) = event { quote(message, into: &out) }
  }

  // MARK: Who is near

  private mutating func look(_ event: BrowserEvent, into out: inout [Action]) {
    let label = event.peer.map { self.label(of: $0.id) } ?? ""
    nearby.handle(event)
    switch event {
    case .unavailable(let problem): note(problem.description, into: &out)
    case .available: note("peers can be found again", into: &out)
    case .found(let peer):
      guard announced.insert(peer.id).inserted else { break }
      let number = nearby.number(of: peer.id) ?? 0
      note("\(self.label(of: peer.id)) is nearby: /invite \(number)", into: &out)
    case .updated: break
    case .lost(let peer):
      // A member whose link is replaced is found again at once.
      guard member(peer.id) == nil else { break }
      announced.remove(peer.id)
      note("\(label) is no longer nearby", into: &out)
    }
  }

  // MARK: Who asks

  private mutating func ask(_ question: Question, into out: inout [Action]) {
    questions.append(question)
    if questions.count == 1 { repeatQuestion(into: &out) }
  }

  func repeatQuestion(into out: inout [Action]) {
    guard let question = questions.first else { return }
    let wish = question.file.map { "offers \($0)" } ?? "wants to chat with you"
    out.append(.print(paint.bold("\(label(of: question.sender)) \(wish). Accept? (y/n)")))
  }

  private mutating func withdraw(_ number: Question.Number, into out: inout [Action]) {
    guard let index = questions.firstIndex(where: { $0.number == number }) else { return }
    let wish = questions[index].file.map { "offers \($0)" } ?? "asks"
    note("\(label(of: questions[index].sender)) no longer \(wish)", into: &out)
    questions.remove(at: index)
    if index == 0 { repeatQuestion(into: &out) }
  }

  mutating func answer(_ isYes: Bool, into out: inout [Action]) {
    guard let question = questions.first else {
      return out.append(.print("No invitation is open."))
    }
    out.append(isYes ? .accept(question.number) : .decline(question.number))
    if !isYes { note("You declined the request of \(label(of: question.sender))", into: &out) }
    questions.removeFirst()
    repeatQuestion(into: &out)
  }

  // MARK: Who is not who it was

  private mutating func warn(of event: PeerEvent, into out: inout [Action]) {
    guard let warning = event.warning else { return }
    out.append(.print(paint.red("WARNING: \(warning)")))
    guard case .keyChanged(let change) = event else { return }
    if changes.count >= Self.changesMax { changes.removeFirst() }
    changes.append(change)
    note("If you expected that, /trust \(change.peer.short) trusts the new key", into: &out)
  }

  private static let changesMax = 16

  private mutating func show(_ code: VerificationCode, of id: PeerID, into out: inout [Action]) {
    comparing.removeAll { $0 == id }
    comparing.append(id)
    out.append(
      .print("\(paint.bold("Compare with \(label(of: id)), by voice or by sight:")) \(code)"))
    note("/confirm if both see the same, /reject if not", into: &out)
  }

  private mutating func hear(
    _ ending: Verification.Ending, of id: PeerID, into out: inout [Action]
  ) {
    comparing.removeAll { $0 == id }
    let label = label(of: id)
    switch ending {
    case .verified: out.append(.print(paint.green("\(label) is verified")))
    case .rejected, .rejectedByRemote:
      let text =
        "WARNING: the codes differ. Another party may listen between you and \(label); /leave"
      out.append(.print(paint.red(text)))
    case .withdrawn, .timedOut, .linkLost: note("\(label) is not verified", into: &out)
    }
  }

  // MARK: Who is in it

  private mutating func listen(_ activity: SessionActivity, into out: inout [Action]) {
    switch activity {
    case .message(let message): quote(message, into: &out)
    case .event(let event): follow(event, into: &out)
    }
  }

  private mutating func follow(_ event: SessionEvent, into out: inout [Action]) {
    switch event {
    case .joining: break
    case .joined(let member): join(member, into: &out)
    case .interrupted(let member, let reason):
      awaited.insert(member.id)
      let why = reason == .suspending ? "is suspended" : "is out of reach"
      note("\(label(of: member.id)) \(why); waiting for a while", into: &out)
    case .resumed(let member):
      awaited.remove(member.id)
      note("\(label(of: member.id)) is back, and has missed nothing", into: &out)
    case .left(let member, let reason, let undelivered):
      end(member.id, reason, undelivered: undelivered, into: &out)
    }
  }

  private func quote(_ message: Message, into out: inout [Action]) {
    let text = String(decoding: message.bytes, as: UTF8.self).escapedForTerminals
    out.append(.print("\(paint.yellow("\(label(of: message.sender)) said:")) \(text)"))
  }

  private mutating func join(_ member: Member, into out: inout [Action]) {
    members.removeAll { $0.id == member.id }
    members.append(member)
    questions.removeAll { $0.sender == member.id && $0.file == nil }
    out.append(.print("\(paint.bold(label(of: member.id))) joined this chat"))
  }

  private mutating func end(
    _ id: PeerID, _ reason: DepartureReason, undelivered: Int, into out: inout [Action]
  ) {
    guard member(id) != nil else { return }
    let label = label(of: id)
    awaited.remove(id)
    members.removeAll { $0.id == id }
    if nearby[id] == nil { announced.remove(id) }
    let why = reason.remark.map { " (\($0))" } ?? ""
    out.append(
      .print("\(paint.bold(label)) \(members.isEmpty ? "ended" : "left") this chat\(why)"))
    if undelivered > 0 {
      let count = String(counting: undelivered, "message")
      note("\(count) may not have reached \(label)", into: &out)
    }
    if members.isEmpty { note("No member is left in this chat", into: &out) }
  }

  private mutating func hear(
    _ outcome: InvitationOutcome, of id: PeerID, into out: inout [Action]
  ) {
    let label = label(of: id)
    invited[id] = nil
    if outcome != .accepted { out.append(.print("\(label) \(outcome.sentence)")) }
  }

  // MARK: Names

  func note(_ text: String, into out: inout [Action]) {
    out.append(.print(paint.dim(text)))
  }

  func member(_ id: PeerID) -> Member? { members.first { $0.id == id } }

  /// A peer's name, safe to print; with the beginning of its identifier if others have that name.
  func label(of id: PeerID) -> String {
    guard let name = knownName(of: id) else { return id.short }
    let others = nearby.peers.filter { $0.id != id }.map(\.name)
    let isShared =
      name == self.name || others.contains(name)
      || members.contains { $0.id != id && $0.name == name }
    let safe = name.escapedForTerminals
    return isShared ? "\(safe) (\(id.short))" : safe
  }

  private func knownName(of id: PeerID) -> String? {
    member(id)?.name ?? nearby[id]?.name ?? invited[id]
      ?? questions.first { $0.sender == id }?.senderName
  }

  /// What the user reads who ends the chat.
  static let goodbye = "You ended this chat"
  /// The largest message that is sent or taken.
  package static let messageBytesMax = 65_536
}

extension DepartureReason {
  /// What there is to say besides, unless the member just left.
  var remark: String? {
    switch self {
    case .left, .disconnected: nil
    case .lost: "the connection was lost"
    case .restarted: "its program restarted"
    case .removed: "removed"
    case .full: "the session is full"
    case .violation: "it did not follow the protocol"
    case .unreachable: "it could not be reached"
    }
  }
}
