import Earshot
import EarshotCommandLine
import EarshotScenario
import Testing

@Suite("The chat machine")
struct ChatMachineTests {
  typealias Question = ChatMachine.Question

  @Test("A chat begins visible to others")
  func beginning() {
    var actions: [ChatMachine.Action] = []
    _ = ChatMachine(as: "A\u{1B}nn", paint: Paint(isOn: false), into: &actions)
    #expect(actions.first == .becomeVisible)
    #expect(actions.dropFirst().first == .print("You are A\\u{1B}nn, and others can see you."))
  }

  @Test("Numbers stay while their peers are there, and are given out again")
  func numbers() {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.finds(2, "Eve")
    chat.loses(1)
    chat.finds(3, "Zoë")
    chat.types("/who")
    #expect(chat.printed.suffix(2) == ["  1  Zoë", "  2  Eve"])
    chat.types("/invite 2")
    #expect(chat.actions.last == .invite(.test(2)))
  }

  @Test(
    "Peers are meant by number, name in any case, or identifier",
    arguments: ["1", "Bob", "bob", "BOB", PeerID.test(1).short, PeerID.test(1).description])
  func meaning(word: String) {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.finds(2, "Eve")
    chat.types("/invite   \(word) ")
    #expect(chat.actions.last == .invite(.test(1)))
  }

  @Test("A peer is explained by its number or name, one that is not nearby by the word")
  func explained() {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.types("/why 1")
    #expect(chat.actions.last == .explain(.test(1), "1"))
    chat.types("/why Zoë")
    #expect(chat.actions.last == .explain(nil, "Zoë"))
    chat.types("/why")
    #expect(chat.printed.last == "Name a peer, such as /why 1; /who lists the peers nearby.")
  }

  @Test("Nobody gets in between by calling itself a number or an identifier")
  func impostors() {
    var chat = Chatter()
    chat.finds(1, "2")
    chat.finds(2, PeerID.test(3).short)
    chat.finds(3, "Bob")
    chat.types("/invite 2")
    #expect(chat.actions.last == .invite(.test(2)))
    chat.types("/invite \(PeerID.test(3).short)")
    #expect(chat.actions.last == .invite(.test(3)))
  }

  @Test("Peers of one name, or of ours, are told apart")
  func namesakes() {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.finds(2, "Bob")
    chat.finds(3, "Ann")
    #expect(
      chat.printed == [
        "Bob is nearby: /invite 1", "Bob (\(PeerID.test(2).short)) is nearby: /invite 2",
        "Ann (\(PeerID.test(3).short)) is nearby: /invite 3",
      ])
    chat.types("/invite Bob")
    #expect(chat.printed.last == "Several peers have that name: /invite 1, /invite 2")
  }

  @Test("The beginning of a name means its peer, unless another peer has that whole name")
  func prefixes() {
    var chat = Chatter()
    chat.finds(1, "Annabel")
    chat.finds(2, "Bob")
    chat.types("/invite ann")
    #expect(chat.actions.last == .invite(.test(1)))
    chat.finds(3, "Anna")
    chat.types("/invite Anna")
    #expect(chat.actions.last == .invite(.test(3)))
    chat.types("/invite An")
    #expect(
      chat.printed.last == "Several names begin with that: /invite 1 (Annabel), /invite 3 (Anna)")
  }

  @Test("A code is compared with a member that is named in full")
  func verifyingInFull() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Annabel")))
    chat.hears(.joined(.test(2, "Bob")))
    chat.types("/verify Anna")
    #expect(chat.printed.last?.hasPrefix("Name one: /verify ") == true)
    chat.types("/verify annabel")
    #expect(chat.actions.last == .verify(.test(1)))
  }

  @Test("Questions are asked one after the other, each answered by the next line")
  func questions() {
    var chat = Chatter()
    chat.isAsked(1, by: 1, "Bob")
    chat.isAsked(2, by: 2, "Eve")
    chat.isAsked(3, by: 3, "Zoë")
    #expect(chat.printed == ["Bob wants to chat with you. Accept? (y/n)"])
    chat.types(" Y ")
    #expect(
      chat.actions.suffix(2) == [
        .accept(1), .print("Eve wants to chat with you. Accept? (y/n)"),
      ])
    chat.types("no")
    #expect(chat.actions.contains(.decline(2)))
    #expect(chat.printed.last == "Zoë wants to chat with you. Accept? (y/n)")
    chat.types("/accept")
    #expect(chat.actions.last == .accept(3))
    chat.types("/accept")
    #expect(chat.printed.last == "No invitation is open.")
  }

  @Test("A question that ends gives way to the next; one that was answered otherwise goes")
  func endedQuestions() {
    var chat = Chatter()
    chat.isAsked(1, by: 1, "Bob")
    chat.isAsked(2, by: 2, "Eve")
    chat.handles(.invitationEnded(1))
    #expect(
      chat.printed.suffix(2) == ["Bob no longer asks", "Eve wants to chat with you. Accept? (y/n)"])
    chat.hears(.joined(.test(2, "Eve")))
    chat.types("y")
    #expect(chat.actions.suffix(2) == [.print("You said: y"), .send("y")])
  }

  @Test("Without a question, y and n are things to say")
  func ordinaryWords() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.types("n")
    #expect(chat.actions.last == .send("n"))
  }

  @Test("Other words leave a question open, and say so")
  func unanswered() {
    var chat = Chatter()
    chat.isAsked(1, by: 1, "Bob")
    chat.types("maybe")
    #expect(
      chat.printed.suffix(2) == [
        "No member is in this chat: /who lists the peers nearby, /invite invites one.",
        "Bob wants to chat with you. Accept? (y/n)",
      ])
  }

  @Test(
    "A word that is no command is answered with the nearest one",
    arguments: [
      ("/inivte 1", "Unknown command /inivte; did you mean /invite?"),
      ("/WHO", "Unknown command /WHO; did you mean /who?"),
      ("/xyzzy", "Unknown command /xyzzy; /help lists all commands"),
      ("/qu\u{1B}", "Unknown command /qu\\u{1B}; /help lists all commands"),
      ("/", "Unknown command /; /help lists all commands"),
      ("/invite", "Name a peer, such as /invite 1; /who lists the peers nearby."),
      ("/invite Bbo", "No peer nearby matches \"Bbo\"; did you mean Bob?"),
      ("/invite 7", "No peer nearby matches \"7\"; /who lists the peers nearby."),
      ("/leave", "You are not in a chat."), ("/members", "You are not in a chat."),
      ("/visible", "You are visible already."),
    ])
  func mistakes(line: String, answer: String) {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.types(line)
    #expect(chat.printed.last == answer)
    #expect(chat.actions.count == 2)
  }

  @Test("Two slashes say one, and nothing says nothing")
  func slashes() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.types("//who")
    #expect(chat.actions.last == .send("/who"))
    let count = chat.actions.count
    chat.types("   ")
    #expect(chat.actions.count == count)
  }

  @Test("A line that no message holds is not sent")
  func length() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.types(String(repeating: "a", count: ChatMachine.messageBytesMax))
    #expect(chat.actions.last == .send(String(repeating: "a", count: 65_536)))
    chat.types(String(repeating: "a", count: ChatMachine.messageBytesMax + 1))
    #expect(chat.printed.last == "That line has 65537 bytes; send at most 65536.")
  }

  @Test(
    "Everyone who goes has ended the chat",
    arguments: [
      (.left, "Bob ended this chat"), (.lost, "Bob ended this chat (the connection was lost)"),
      (.restarted, "Bob ended this chat (its program restarted)"),
      (.removed, "Bob ended this chat (removed)"),
      (.violation, "Bob ended this chat (it did not follow the protocol)"),
      (.unreachable, "Bob ended this chat (it could not be reached)"),
    ] as [(DepartureReason, String)])
  func ends(reason: DepartureReason, line: String) {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.hears(.left(Member(id: .test(1), name: "Bob"), reason, undelivered: 2))
    #expect(
      chat.printed.suffix(3) == [
        line, "2 messages may not have reached Bob", "No member is left in this chat",
      ])
  }

  @Test("A member that goes while others stay has left the chat, and not ended it")
  func leavesGroup() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.hears(.joined(.test(2, "Dee")))
    chat.hears(.left(Member(id: .test(2), name: "Dee"), .left, undelivered: 0))
    #expect(chat.printed.last == "Dee left this chat")
    chat.hears(.left(Member(id: .test(1), name: "Bob"), .left, undelivered: 0))
    #expect(chat.printed.contains("Bob ended this chat"))
  }

  @Test("A member is announced as near once, until it is gone")
  func announcedOnce() {
    var chat = Chatter()
    let line = "Bob is nearby: /invite 1"
    chat.finds(1, "Bob")
    chat.hears(.joined(.test(1, "Bob")))
    for _ in 0..<3 {
      chat.loses(1)
      chat.finds(1, "Bob")
    }
    #expect(chat.printed.count { $0 == line } == 1)
    chat.hears(.left(Member(id: .test(1), name: "Bob"), .left, undelivered: 0))
    chat.loses(1)
    chat.finds(1, "Bob")
    #expect(chat.printed.count { $0 == line } == 2)
  }

  @Test("Who leaves hears no more of who was there")
  func leaving() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.types("/leave")
    #expect(chat.actions.suffix(2) == [.leave, .print("You ended this chat")])
    chat.hears(.left(Member(id: .test(1), name: "Bob"), .disconnected, undelivered: 0))
    #expect(chat.printed.last == "You ended this chat")
    chat.types("/members")
    #expect(chat.printed.last == "You are not in a chat.")
  }

  @Test("Who wants no more reads that they left, and not that the others did")
  func quitting() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.types("/quit")
    #expect(chat.actions.last == .quit)
    chat.handles(.endRequested)
    #expect(chat.printed.last == "You ended this chat")
    chat.hears(.left(Member(id: .test(1), name: "Bob"), .disconnected, undelivered: 0))
    chat.loses(1)
    chat.types("hello")
    chat.handles(.endRequested)
    #expect(chat.printed.last == "You ended this chat")
    chat.hears(Message.test(1, "bye"))
    #expect(chat.printed.last == "Bob said: bye")
  }

  @Test("Who quits without a chat reads nothing of one")
  func quittingAlone() {
    var chat = Chatter()
    chat.handles(.endRequested)
    #expect(chat.actions.isEmpty)
  }

  @Test("Members that are not near are shown with those who are, and have no number")
  func hidden() {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.finds(2, "Eve")
    chat.hears(.joined(.test(2, "Eve")))
    chat.loses(2)
    chat.types("/who")
    #expect(
      chat.printed.suffix(2) == ["  1  Bob", "  -  Eve, in this chat, and invisible to others"])
    chat.loses(1)
    chat.types("/who")
    #expect(chat.printed.last == "  -  Eve, in this chat, and invisible to others")
    #expect(!chat.printed.contains("No peer is nearby."))
    chat.hears(.left(Member(id: .test(2), name: "Bob"), .left, undelivered: 0))
    chat.types("/who")
    #expect(chat.printed.last == "No peer is nearby.")
  }

  @Test(
    "A line is seen once, wherever it was typed", arguments: [TypedLines.unseen, .echoed, .edited])
  func once(typed: TypedLines) {
    var chat = Chatter(typed)
    chat.hears(.joined(.test(1, "Bob")))
    chat.types("hello")
    chat.types("/members")
    chat.isAsked(1, by: 2, "Eve")
    chat.types("n")
    #expect(chat.actions.contains(.send("hello")))
    #expect(chat.printed.filter { $0 == "You said: hello" }.count == (typed == .echoed ? 0 : 1))
    #expect(
      chat.printed.filter { $0.hasPrefix(">") } == (typed == .edited ? ["> /members", "> n"] : []))
  }

  @Test("Interruptions are told, and shown beside the member")
  func interruptions() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.hears(.interrupted(Member(id: .test(1), name: "Bob"), .silence))
    chat.types("/members")
    #expect(chat.printed.suffix(2) == ["  Ann, yourself", "  Bob, out of reach"])
    chat.hears(.resumed(Member(id: .test(1), name: "Bob")))
    #expect(chat.printed.last == "Bob is back, and has missed nothing")
    chat.types("/members")
    #expect(chat.printed.last == "  Bob")
  }

  @Test("Every outcome of an invitation but a yes is told", arguments: InvitationOutcome.allCases)
  func outcomes(outcome: InvitationOutcome) {
    var chat = Chatter()
    chat.finds(1, "Bob")
    chat.types("/invite 1")
    let count = chat.printed.count
    chat.handles(.invitingEnded(.test(1), outcome))
    #expect(chat.printed.count == (outcome == .accepted ? count : count + 1))
  }

  @Test("Nothing from others is ever printed as it came")
  func safety() {
    var chat = Chatter()
    let name = "B\u{1B}[2J\u{202E}\nob"
    chat.finds(1, name)
    chat.isAsked(1, by: 2, name)
    chat.hears(.joined(.test(1, name)))
    chat.hears(Message.test(1, "\u{1B}]0;x\u{7}\u{9B}1m\u{2028}"))
    chat.handles(.callFailed(name))
    for line in ["/who", "/members", "/invite \(name)x", "/\(name)", "n", name] { chat.types(line) }
    chat.hears(.interrupted(Member(id: .test(1), name: "Bob"), .silence))
    chat.hears(.left(Member(id: .test(1), name: "Bob"), .lost, undelivered: 1))
    chat.loses(1)
    let unsafe: Set<Unicode.Scalar> = ["\u{1B}", "\u{202E}", "\n", "\u{7}", "\u{9B}", "\u{2028}"]
    #expect(chat.printed.count > 12)
    for line in chat.printed { #expect(unsafe.isDisjoint(with: line.unicodeScalars)) }
  }

  // MARK: Files

  @Test("Offers and invitations are asked about one after the other, each by its own words")
  func offers() {
    var chat = Chatter()
    chat.hears(.joined(.test(1, "Bob")))
    chat.handles(
      .fileOffered(Question(1, from: .test(1), named: "Bob", offering: "a.txt, 1 byte")))
    chat.isAsked(2, by: 2, "Eve")
    #expect(chat.printed.last == "Bob offers a.txt, 1 byte. Accept? (y/n)")
    chat.types("n")
    #expect(chat.actions.contains(.decline(1)))
    #expect(chat.printed.last == "Eve wants to chat with you. Accept? (y/n)")
    chat.handles(
      .fileOffered(Question(3, from: .test(1), named: "Bob", offering: "b.txt, 1 byte")))
    for (number, name) in [(2, "Eve"), (1, "Bob")] as [(UInt8, String)] {
      chat.hears(.joined(.test(number, name)))
    }
    chat.types("y")
    #expect(chat.actions.last == .accept(3))
  }

  @Test("Files are sent to members that are there, and cancelled by numbers that exist")
  func files() {
    var chat = Chatter()
    chat.types("/send a")
    #expect(chat.printed.last == "No member is in this chat; /invite asks peers.")
    for word in ["/files", "/cancel", "/cancel 1"] {
      chat.types(word)
      #expect(chat.printed.last == "No file is under way.")
    }
    chat.hears(.joined(.test(1, "Bob")))
    chat.types("/send")
    #expect(chat.printed.last == "Give a file, such as /send photo.jpg.")
    chat.types("/send  a b ")
    #expect(chat.actions.last == .sendFile(path: "a b", to: [.test(1)]))
    for number in [1, 2] {
      chat.handles(
        .transferBegan(
          ChatTransfer(number, of: "f\(number)", with: .test(1), isSending: number == 1),
          .test(0, of: 10)))
    }
    #expect(
      chat.printed.suffix(2) == [
        "Offering f1 (10 bytes) to Bob", "Receiving f2 (10 bytes) from Bob",
      ])
    chat.types("/files")
    #expect(chat.printed.last == "  2  f2 from Bob, 0 %, 0 bytes of 10 bytes, 0 bytes/s")
    for word in ["/cancel", "/cancel 3", "/cancel x"] {
      chat.types(word)
      #expect(chat.printed.last == "Give a number of /files, such as /cancel 1.")
    }
    chat.types("/cancel 2")
    #expect(chat.actions.last == .cancelTransfer(2))
    chat.handles(.transferMoved(1, .test(5, of: 10, .diskFull)))
    chat.handles(.transferMoved(1, .test(5, of: 10, .diskFull)))
    #expect(chat.printed.count { $0 == "f1: the disk of Bob is full" } == 1)
    chat.handles(.transferEnded(1, .done(path: nil)))
    chat.handles(.transferEnded(2, .done(path: "/in/f2")))
    chat.handles(.transferEnded(2, .failed("twice")))
    #expect(chat.printed.suffix(2) == ["Bob has f1", "/in/f2 is here, from Bob"])
  }
}

/// A machine and everything that it wanted to be done.
private struct Chatter {
  private var machine: ChatMachine
  private(set) var actions: [ChatMachine.Action] = []

  init(_ typed: TypedLines = .unseen) {
    machine = ChatMachine(as: "Ann", paint: Paint(isOn: false), typed, into: &actions)
    actions = []
  }

  var printed: [String] {
    actions.compactMap { if case .print(let line) = $0 { line } else { nil } }
  }

  mutating func handles(_ event: ChatMachine.Event) { machine.handle(event, into: &actions) }
  mutating func types(_ line: String) { handles(.lineTyped(line)) }
  mutating func hears(_ event: SessionEvent) { handles(.sessionReported(.event(event))) }
  mutating func hears(_ message: Message) { handles(.sessionReported(.message(message))) }
  mutating func loses(_ number: UInt8) {
    handles(.browserReported(.lost(Self.peer(number, "no more"))))
  }
  mutating func finds(_ number: UInt8, _ name: String) {
    handles(.browserReported(.found(Self.peer(number, name))))
  }

  private static func peer(_ number: UInt8, _ name: String) -> DiscoveredPeer {
    DiscoveredPeer(id: .test(number), name: name, info: [:], endpoints: [])
  }

  mutating func isAsked(_ question: Int, by number: UInt8, _ name: String) {
    handles(.invitationReceived(ChatMachine.Question(question, from: .test(number), named: name)))
  }
}

extension Member {
  fileprivate static func test(_ number: UInt8, _ name: String) -> Member {
    Member(id: .test(number), name: name)
  }
}

extension Message {
  fileprivate static func test(_ number: UInt8, _ text: String) -> Message {
    Message(sender: .test(number), bytes: Array(text.utf8))
  }
}

extension PeerID {
  fileprivate static func test(_ number: UInt8) -> PeerID {
    var random = RandomStream(seed: UInt64(number))
    return PeerID(random: &random)
  }
}
