package import Earshot

/// `earshot chat`: talks with those who are near.
package struct ChatCommand: LiveCommand {
  private let chat: ChatOptions
  private let console: Console

  package var options: LiveOptions { chat.live }

  /// The command that a command line asks for.
  package init(_ arguments: Arguments, on console: Console) throws(UsageError) {
    guard arguments.operands.isEmpty else {
      throw UsageError("chat takes no operands; invite others inside, with /invite")
    }
    chat = try ChatOptions(arguments)
    self.console = console
  }

  /// Chats until `/quit`, the end of the input, or until the task is cancelled.
  package func run(
    on host: any NetworkHost, hearing keyboard: Keyboard, with streams: StandardStreams
  ) async -> ExitCode {
    var log: Task<Void, Never>?
    let code = await asPeer(on: host, console, logging: false) { peer throws(EarshotError) in
      let (console, typed) = keyboard.begin(on: console)
      defer { keyboard.end() }
      log = console.log?.follow(peer, on: console)
      let chat = Chat(of: peer, self.chat, on: console, typed)
      try await chat.begin()
      for await line in keyboard.lines {
        await chat.handle(.lineTyped(line))
        guard await !chat.isOver else { break }
      }
      await chat.end()
      return .held
    }
    await log?.value
    return code
  }

  /// The command, as its help describes it.
  package static let plan = CommandPlan(
    name: "chat", operands: "[options]",
    summary: "Chat with peers nearby",
    details: """
      Other peers that run "earshot chat" appear. "/invite 1" invites one of them;
      the invited peer answers with y or n. A peer that joins one member of a chat is
      linked with all members. "/help" lists all commands. /quit, Ctrl-D or Ctrl-C
      leave.
      """,
    options: [
      OptionPlan(
        "--ticket", "TEXT",
        help:
          "Invite the peer of a ticket at once, where multicast\ndoes not get through; /ticket shows one of this peer"
      ),
      OptionPlan(
        "--into", "DIR", help: "The folder for files that members send (default: the\ncurrent one)"
      ),
      OptionPlan(
        "--patience", "SECONDS",
        help: "How long to wait for a member to reconnect\n(default: 10)"),
    ] + LiveOptions.plans(service: ChatOptions.service))
}

/// What `earshot chat` can be told.
struct ChatOptions: Hashable, Sendable {
  let live: LiveOptions
  /// Of whom is to be asked at the beginning.
  let ticket: PeerTicket?
  /// The path of the folder for files that members send.
  let folder: String
  /// How its sessions behave.
  let session: Session.Configuration

  /// The options of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    folder = arguments[option: "--into"] ?? "."
    guard !folder.isEmpty else { throw UsageError("--into needs a folder, such as --into .") }
    live = try LiveOptions(arguments, service: Self.service)
    ticket = try arguments[option: "--ticket"].map { text throws(UsageError) in
      try PeerTicket(of: "--ticket", text)
    }
    let patience = try arguments.seconds("--patience", else: .seconds(10), in: 0...3_600)
    session = Session.Configuration(
      maximumMemberCount: 15, patience: patience,
      maximumMessageBytes: ChatMachine.messageBytesMax)
  }

  static let service = "earshot-chat"
}
