import Earshot
import EarshotScenario

/// The options of `earshot send`.
struct SendOptions: Hashable, Sendable {
  /// A file to send.
  enum Source: Hashable, Sendable {
    case file(String)
    case standardInput
  }

  let sources: [Source]
  /// The name that the receiver reads in place of the file's own.
  let label: String?
  /// The receiver; `nil` if the user chooses it from a list.
  let target: PeerTarget?
  /// How long to look for the peer, and to wait for its answer to the invitation.
  let timeout: Duration
  /// How its sessions behave.
  let session: Session.Configuration
  /// Whether there is one JSON object a line.
  let isJSON: Bool

  /// The options of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    sources = arguments.operands.map { $0 == "-" ? .standardInput : .file($0) }
    (label, isJSON) = (arguments[option: "--as"], arguments.has("--json"))
    target = try Self.target(arguments)
    timeout = try arguments.seconds("--timeout", else: .seconds(10), in: 0.1...3_600)
    session = Session.Configuration(maximumMemberCount: 1, patience: try arguments.patience)
    try check()
  }

  private func check() throws(UsageError) {
    guard !sources.isEmpty else {
      throw UsageError("send needs a file, or - for standard input")
    }
    guard !sources.contains(.file("")) else { throw UsageError("the name of a file is empty") }
    guard sources.count(where: { $0 == .standardInput }) <= 1 else {
      throw UsageError("- is given twice, and standard input can be read once")
    }
    guard label == nil || sources.count == 1 else {
      throw UsageError("--as names one file, and there are \(sources.count)")
    }
    if let label {
      guard 1...Self.labelBytesMax ~= label.utf8.count else {
        throw UsageError(
          "--as takes a name of 1 to \(Self.labelBytesMax) bytes, not of \(label.utf8.count)")
      }
    }
    guard target == nil else { return }
    for (taken, isTaken) in [("-", sources.contains(.standardInput)), ("--json", isJSON)]
    where isTaken {
      throw UsageError("with \(taken) no peer can be chosen; give --to PEER or --ticket TEXT")
    }
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> PeerTarget? {
    if let text = arguments[option: "--ticket"] {
      guard !arguments.has("--to") else {
        throw UsageError("--ticket names the receiver; leave --to out")
      }
      return try PeerTarget(ticket: text, in: arguments)
    }
    guard let name = arguments[option: "--to"] else {
      guard arguments.all("--at").isEmpty else {
        throw UsageError("--at needs the identifier of the peer: --to ID")
      }
      return nil
    }
    guard !name.isEmpty else { throw UsageError("--to needs a peer, such as --to Ann") }
    return try PeerTarget(name, in: arguments, service: FileTransfers.service)
  }

  static let plans = [
    OptionPlan(
      "--to", "PEER",
      help: "Send to a peer: the beginning of its name or\nidentifier, or its number"),
    OptionPlan("--ticket", "TEXT", help: "Send to the peer of a ticket"),
    OptionPlan(
      "--at", "ADDRESS:PORT", isRepeatable: true,
      help: "Send to the peer with the identifier of --to there,\nwithout looking for it"),
    OptionPlan("--as", "NAME", help: "The name of the one file, in place of its own"),
    OptionPlan(
      "--timeout", "SECONDS",
      help: "How long to look for the peer, and to wait until it\nis connected (default: 10)"),
    .patience,
    OptionPlan("--json", help: "Print one JSON object a line"),
  ]
  private static let labelBytesMax = 1_023
}

/// The service that `earshot send` and `earshot receive` share.
enum FileTransfers {
  /// The kind of service.
  static let service = "earshot-files"
}

extension Arguments {
  /// How long to wait for a peer whose connection broke.
  var patience: Duration {
    get throws(UsageError) { try seconds("--patience", else: .seconds(30), in: 0...3_600) }
  }
}

extension OptionPlan {
  /// The option of ``Arguments/patience``.
  static let patience = OptionPlan(
    "--patience", "SECONDS",
    help: "How long to wait for the peer when the connection\nbreaks (default: 30)")
}
