import Earshot
import EarshotScenario

/// How `earshot pipe` joins standard input and output to a stream.
struct PipeOptions: Hashable, Sendable {
  /// Which end of the pipe it is.
  enum Role: Hashable, Sendable {
    /// The end that invites a peer.
    case call(PeerTarget)
    /// The end that is invited.
    case listen(Listening)
  }
  /// How the end that is invited waits.
  struct Listening: Hashable, Sendable {
    /// Whether the next peer may connect after one has ended.
    let isKept: Bool
    /// Whether a ticket is printed.
    let showsTicket: Bool
  }

  let role: Role
  /// How long to look for the peer, to wait for its answer, and for its stream.
  let timeout: Duration
  /// How its sessions behave.
  let session: Session.Configuration
  /// Whether the progress is shown.
  let showsProgress: Bool

  /// The options of a command line.
  init(_ arguments: Arguments, trusting trust: LiveOptions.Trust) throws(UsageError) {
    guard arguments.operands.isEmpty else {
      throw UsageError("pipe takes no operands; give the peer with --to")
    }
    role = try Role(arguments, trusting: trust)
    timeout = try arguments.seconds("--timeout", else: .seconds(10), in: 0.1...3_600)
    let patience = try arguments.seconds("--patience", else: .seconds(30), in: 0...3_600)
    session = Session.Configuration(maximumMemberCount: 1, patience: patience)
    showsProgress = arguments.has("--progress")
  }

  /// The kind of service, and the name of the stream.
  static let service = "earshot-pipe", stream = "pipe"

  static let plans = [
    OptionPlan(
      "--to", "PEER",
      help: "Connect to a peer: the beginning of its name or\nidentifier, or its number"),
    OptionPlan("--listen", help: "Wait for a peer to connect"),
    OptionPlan("--accept", help: "With --listen: let any peer connect"),
    OptionPlan(
      "--keep",
      help: "With --listen: take one peer after the other until\nCtrl-C; each waits for its turn"),
    OptionPlan(
      "--ticket", optional: "TEXT",
      help:
        "With --listen: print a ticket on standard error;\nwithout it: connect to the peer of a ticket"
    ),
    OptionPlan(
      "--at", "ADDRESS:PORT", isRepeatable: true,
      help: "Connect to the peer with the identifier of --to there,\nwithout looking for it"),
    OptionPlan(
      "--timeout", "SECONDS",
      help: "How long to look for the peer, and to wait for its\nanswer or its stream (default: 10)"
    ),
    OptionPlan(
      "--patience", "SECONDS",
      help: "How long to wait for the peer to reconnect\n(default: 30)"),
    OptionPlan(
      "--progress",
      help:
        "Show on standard error how many bytes have arrived,\nin a line that is rewritten, or every ten seconds"
    ),
  ]
}

extension PipeOptions.Role {
  fileprivate init(
    _ arguments: Arguments, trusting trust: LiveOptions.Trust
  ) throws(UsageError) {
    self =
      arguments.has("--listen")
      ? try Self.listening(arguments, trust) : try Self.calling(arguments)
  }

  private static func calling(_ arguments: Arguments) throws(UsageError) -> Self {
    for option in ["--accept", "--keep"] where arguments.has(option) {
      throw UsageError("\(option) is for the other end of the pipe, the one with --listen")
    }
    if let text = arguments[option: "--ticket"] {
      guard !arguments.has("--to") else {
        throw UsageError("--ticket names the peer to connect to; leave --to out")
      }
      guard !text.isEmpty else {
        throw UsageError("--ticket needs a value without --listen: --ticket TEXT")
      }
      return .call(try PeerTarget(ticket: text, in: arguments))
    }
    guard let name = arguments[option: "--to"] else {
      throw UsageError("pipe needs --to PEER, or --listen at the other end")
    }
    guard !name.isEmpty else { throw UsageError("--to needs a peer, such as --to Ann") }
    return .call(try PeerTarget(name, in: arguments, service: PipeOptions.service))
  }

  private static func listening(
    _ arguments: Arguments, _ trust: LiveOptions.Trust
  ) throws(UsageError) -> Self {
    for option in ["--to", "--at"] where arguments.has(option) {
      throw UsageError("--listen waits for any peer; leave \(option) out")
    }
    guard arguments[option: "--ticket"] ?? "" == "" else {
      throw UsageError("--listen makes its own ticket; leave the value of --ticket out")
    }
    guard arguments.has("--accept") || trust != .anyPeer else {
      throw UsageError(
        "--listen cannot ask whether a peer may connect, since standard input is taken; "
          + "give --accept for any peer, --pin ID or --trust FILE")
    }
    return .listen(
      PipeOptions.Listening(
        isKept: arguments.has("--keep"), showsTicket: arguments.has("--ticket")))
  }
}
