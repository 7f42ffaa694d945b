import Earshot
import EarshotScenario

/// How `earshot ping` asks.
struct PingOptions: Hashable, Sendable {
  let target: PeerTarget
  private(set) var count: Int
  let interval: Duration
  private(set) var sizeBytes: Int
  /// How long to look for the peer, and to wait for each answer.
  let timeout: Duration
  /// Whether the next message follows at once when one is answered.
  let isFlood: Bool
  /// Whether messages are sent unreliably.
  private(set) var isUnreliable: Bool
  /// Whether there is one JSON object a line.
  let isJSON: Bool

  /// The options of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    target = try Self.target(arguments)
    (isFlood, isJSON) = (arguments.has("--flood"), arguments.has("--json"))
    isUnreliable = arguments.has("--unreliable")
    guard !isFlood || !arguments.has("--interval") else {
      throw UsageError("--flood does not wait between messages; leave --interval out")
    }
    let standard = isFlood ? Self.floodCount : 5
    count = try arguments.number("--count", else: standard, in: 1...1_000_000)
    interval = try arguments.seconds("--interval", else: .seconds(1), in: 0...3_600)
    let sizeBytesMax = isUnreliable ? Session.maximumUnreliableMessageBytes : 1 << 20
    sizeBytes = try arguments.number(
      "--size", else: Self.sizeBytesDefault, in: Self.sizeBytesMin...sizeBytesMax)
    timeout = try arguments.seconds("--timeout", else: .seconds(10), in: 0.1...3_600)
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> PeerTarget {
    if let text = arguments[option: "--ticket"] {
      guard arguments.operands.isEmpty else {
        throw UsageError("--ticket names the peer to ping; leave the name out")
      }
      return try PeerTarget(ticket: text, in: arguments)
    }
    guard let name = arguments.operands.first, arguments.operands.count == 1, !name.isEmpty else {
      throw UsageError("ping needs one peer: its name, its identifier, or its number in browse")
    }
    return try PeerTarget(name, in: arguments, service: "earshot")
  }

  /// The same with one small message, sent reliably.
  var probe: PingOptions {
    var probe = self
    (probe.count, probe.sizeBytes, probe.isUnreliable) = (1, Self.sizeBytesDefault, false)
    return probe
  }

  /// The message of a number: eight bytes of it, the most significant first, and padding.
  func message(_ number: Int) -> [UInt8] {
    let head = (0..<Self.sizeBytesMin).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    return head + [UInt8](repeating: 0x2E, count: sizeBytes - Self.sizeBytesMin)
  }

  /// The number of a message of this command; `nil` for other bytes.
  func number(of bytes: [UInt8]) -> Int? {
    guard bytes.count == sizeBytes else { return nil }
    let number = bytes.prefix(Self.sizeBytesMin).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let number = Int(exactly: number) else { return nil }
    return (1...count).contains(number) && bytes == message(number) ? number : nil
  }

  private static let sizeBytesMin = 8
  private static let sizeBytesDefault = 56
  private static let floodCount = 1_000

  static let plans = [
    OptionPlan(
      "--at", "ADDRESS:PORT", isRepeatable: true,
      help:
        "Ping the peer with that identifier there, without\nlooking for it; may be given several times"
    ),
    OptionPlan(
      "--ticket", "TEXT",
      help: "Ping the peer of a ticket, where multicast does not\nget through"),
    OptionPlan("--count", "N", help: "The number of messages (default: 5; with --flood: 1000)"),
    OptionPlan("--interval", "SECONDS", help: "The time between messages (default: 1)"),
    OptionPlan("--size", "BYTES", help: "The size of a message, from 8 (default: 56)"),
    OptionPlan(
      "--timeout", "SECONDS",
      help: "How long to look for the peer, and to wait for an\nanswer (default: 10)"),
    OptionPlan(
      "--flood",
      help:
        "Send the next message as soon as one is answered; on\na terminal a dot stays for each that is not"
    ),
    OptionPlan(
      "--unreliable",
      help:
        "Send messages that may be lost, in datagrams where\nthese get through; at most 65536 bytes"
    ),
    OptionPlan("--json", help: "Print one JSON object a line"),
  ]
}
