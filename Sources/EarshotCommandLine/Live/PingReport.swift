import EarshotCore
import EarshotScenario

/// What `earshot ping` shows: a line for each message, a dot for each that is not answered, or JSON.
struct PingReport {
  private let console: Console
  private let isJSON: Bool
  private let isFlood: Bool
  private let name: String
  private let identifier: PeerID
  private let bytes: Int
  private(set) var trips = RoundTrips()

  /// Begins with nothing sent.
  init(on console: Console, _ ping: PingOptions, to name: String, _ identifier: PeerID) {
    (self.console, self.name, self.identifier) = (console, name, identifier)
    (isJSON, isFlood, bytes) = (ping.isJSON, ping.isFlood, ping.sizeBytes)
    if isJSON {
      show(
        "started",
        [
          ("name", name.quotedForJSON), ("id", identifier.description.quotedForJSON),
          ("bytes", "\(ping.sizeBytes)"),
        ])
    } else {
      console.line("ping \(safeName) (\(identifier.short)), \(ping.sizeBytes) bytes")
    }
  }

  private var safeName: String { name.escapedForTerminals }

  /// Whether the output is a terminal where dots can be taken back.
  private var hasDots: Bool { isFlood && !isJSON && console.terminal() != nil }

  /// A message was sent.
  mutating func sent() {
    trips.addSent()
    if hasDots { console.out(".") }
  }

  /// Its answer is not waited for.
  mutating func withdrawn() {
    trips.removeSent()
    if hasDots { console.out("\u{8} \u{8}") }
  }

  /// It was answered.
  mutating func answered(_ number: Int, bytes: Int, after time: Duration) {
    trips.addAnswer(after: time)
    if hasDots { return console.out("\u{8} \u{8}") }
    guard !isFlood else { return }
    if isJSON {
      show("answered", [("number", "\(number)"), ("milliseconds", time.millisecondsDigits)])
    } else {
      console.line("\(bytes) bytes from \(safeName): \(number), \(time.millisecondsText)")
    }
  }

  /// It was not answered in time.
  func unanswered(_ number: Int) {
    guard !isFlood else { return }
    if isJSON {
      show("unanswered", [("number", "\(number)")])
    } else {
      console.line("no answer to \(number) in time")
    }
  }

  /// Messages of this size were all lost, while small ones were answered.
  func onlyLargeOnesAreLost(probeBytes: Int) {
    console.complain(
      "earshot: messages of \(bytes) bytes are lost, while messages of \(probeBytes) bytes are answered. "
        + "The path may drop large packets: find the largest size that arrives with a smaller --size, "
        + "and lower the MTU of the interface")
  }

  /// The peer is gone.
  func gone() {
    if hasDots { console.out("\n") }
    isJSON ? show("gone", []) : console.line("\(safeName) is gone")
  }

  /// Everything is over.
  func finished() {
    if isJSON { return show("finished", trips.members) }
    console.out((hasDots ? "\n" : "") + "--- \(safeName) ---\n\(trips.text)")
  }

  private func show(_ event: String, _ members: [(String, String)]) {
    console.line(JSONText.object([("event", event.quotedForJSON)] + members))
  }
}
