import Earshot
import EarshotScenario

/// The options of `earshot receive`.
struct ReceiveOptions: Hashable, Sendable {
  /// The path of the folder.
  let folder: String
  /// Whether files are accepted without a question.
  let accepts: Bool
  /// The most bytes of a file that is accepted without a question.
  let byteCountMax: Int64
  /// Whether a file gives way to another one of its name.
  let replaces: Bool
  /// Whether the first sender is the only one.
  let isOnce: Bool
  /// Whether a ticket is printed.
  let showsTicket: Bool
  /// How long a sender may be connected without offering anything.
  let timeout: Duration
  /// How its sessions behave.
  let session: Session.Configuration
  /// Whether there is one JSON object a line.
  let isJSON: Bool

  /// The options of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    guard arguments.operands.isEmpty else {
      throw UsageError("receive takes no operands; give the folder with --into")
    }
    folder = arguments[option: "--into"] ?? "."
    guard !folder.isEmpty else { throw UsageError("--into needs a folder, such as --into .") }
    (accepts, replaces) = (arguments.has("--accept"), arguments.has("--replace"))
    (isOnce, isJSON) = (arguments.has("--once"), arguments.has("--json"))
    showsTicket = arguments.has("--ticket")
    byteCountMax = try arguments.byteCount("--up-to") ?? .max
    guard accepts || !arguments.has("--up-to") else {
      throw UsageError("--up-to limits the files of --accept; give --accept as well")
    }
    guard accepts || !isJSON else {
      throw UsageError("with --json no question can be asked; give --accept as well")
    }
    timeout = try arguments.seconds("--timeout", else: .seconds(60), in: 0.1...86_400)
    session = Session.Configuration(maximumMemberCount: 1, patience: try arguments.patience)
  }

  static let plans = [
    OptionPlan(
      "--into", "DIR", help: "The folder for the files (default: the current one)"),
    OptionPlan("--accept", help: "Accept all files without a question"),
    OptionPlan(
      "--up-to", "SIZE",
      help: "With --accept: decline files that are larger, such\nas 500K, 20M or 4G"),
    OptionPlan(
      "--replace",
      help:
        "Replace a file that has the name already (default:\nthe new one is called \"name (2)\")"
    ),
    OptionPlan("--once", help: "End after the first sender whose file was accepted"),
    OptionPlan(
      "--ticket",
      help: "Print a ticket for \"earshot send --ticket\", and its\nQR code, on standard error"),
    OptionPlan(
      "--timeout", "SECONDS",
      help: "How long a sender may be connected and offer\nnothing (default: 60)"),
    .patience,
    OptionPlan("--json", help: "Print one JSON object a line"),
  ]
}

extension Arguments {
  /// The number of bytes of an option, such as `500K` or `4G`: powers of 1,024.
  ///
  /// - Returns: The number; `nil` without the option.
  /// - Throws: That the value is not a size.
  func byteCount(_ option: String) throws(UsageError) -> Int64? {
    guard let text = self[option: option] else { return nil }
    let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = Int64(digits), number >= 0 else { throw notSize(option, text) }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLarge else { throw notSize(option, text) }
    return bytes
  }

  private func notSize(_ option: String, _ text: String) -> UsageError {
    UsageError(
      "\(option) takes a number of bytes, such as 500K, 20M or 4G, not "
        + "\"\(text.escapedForTerminals)\"")
  }
}
