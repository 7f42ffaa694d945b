import EarshotCore
import EarshotScenario
import Testing

/// A scenario that fails because of its one fault, and holds without it.
struct SingleCause: Hashable, Sendable, CustomTestStringConvertible {
  /// The kind of the fault.
  enum Fault: String, Hashable, Sendable, CaseIterable {
    case partition, cut, isolate, clog, unplug, crash, freeze, suspend, link, flap
  }
  /// The kind of what is expected.
  enum Expectation: String, Hashable, Sendable, CaseIterable {
    case count, moment, percentile, order, outcome
  }
  let fault: Fault
  let expectation: Expectation
  /// The scenario.
  let text: String

  /// Every kind of fault with every kind of expectation.
  static let all = Fault.allCases.flatMap { fault in
    Expectation.allCases.map { SingleCause(fault, $0) }
  }

  /// Draws the peers, the times and the expectation.
  init(_ fault: Fault, _ expectation: Expectation) {
    (self.fault, self.expectation) = (fault, expectation)
    text = Draft(fault, expectation).text
  }

  var testDescription: String { "\(fault.rawValue), \(expectation.rawValue)" }
}

/// The values of a scenario that were drawn.
private struct Draft {
  private var random: RandomStream
  private let fault: SingleCause.Fault
  private let expectation: SingleCause.Expectation
  private let guests: [String]
  private let target: String
  private let start: Int
  /// Which of the expectations of its kind.
  private let variant: Int

  init(_ fault: SingleCause.Fault, _ expectation: SingleCause.Expectation) {
    (self.fault, self.expectation) = (fault, expectation)
    random = RandomStream(seed: 1, name: "\(fault), \(expectation)")
    let count = 3 + Int(random.next() % 3)
    guests = (1...count).map { "p\($0)" }
    target = guests[Int(random.next() % UInt64(count))]
    (start, variant) = (8 + Int(random.next() % 5), Int(random.next() % 3))
  }

  var text: String {
    """
    { name: "\(fault) and \(expectation)", duration: "\(end)s", seed: \(start),
      peers: [
        { name: "ann", session: { patience: "5s" }, invite: [\(invitations)],
          send: { to: "\(target)", count: \(messageCount), every: "250ms", start: "3s" } },
        { name: "p", count: \(guests.count), session: { patience: "5s" } },
      ],
      faults: [{ at: "\(start)s", kind: "\(fault)", \(details) }],
      expect: [\(expected)] }
    """
  }

  private var end: Int { start + 26 }
  private var messageCount: Int { 4 * start }

  /// Whether the target is invited after the fault has begun, and not before.
  private var invitesLate: Bool {
    switch expectation {
    case .count: variant == 2
    case .moment: variant == 1
    case .percentile: false
    case .order, .outcome: true
    }
  }

  private var invitations: String {
    guests.map { guest in
      let time = invitesLate && guest == target ? ", at: \"\(start + 8)s\"" : ""
      return "{ who: \"\(guest)\", timeout: \"8s\"\(time) }"
    }.joined(separator: ", ")
  }

  private var details: String {
    switch fault {
    case .partition: "groups: [[\"\(target)\"], [\"ann\", \"\(other)\"]]"
    case .cut: "between: [\"ann\", \"\(target)\"]"
    case .link: "between: [\"ann\", \"\(target)\"], loss: \"100%\""
    case .flap: "between: [\"ann\", \"\(target)\"], every: \"80s\", down: \"40s\""
    case .isolate, .clog, .unplug, .crash, .freeze, .suspend: "peer: \"\(target)\""
    }
  }

  private var expected: String {
    switch (expectation, variant) {
    case (.count, 0): "{ members: { ann: \(guests.count) }, at: \"\(end - 2)s\" }"
    case (.count, 1):
      "{ messages: { from: \"ann\", to: \"\(target)\", exactly: \(messageCount) } }"
    case (.count, _): "{ event: \"ann sees anyone joined\", exactly: \(guests.count) }"
    case (.moment, 0): "{ connected: \"all\", at: \"\(end - 1)s\" }"
    case (.moment, 1): "{ connected: [\"ann\", \"\(target)\"], by: \"\(end - 3)s\" }"
    case (.moment, _): "{ connected: [\"ann\", \"p\"], throughout: [\"4s\", \"\(end - 1)s\"] }"
    case (.percentile, _):
      "{ messages: { from: \"ann\", latency: { \(["p90", "p95", "max"][variant]): \"1s\" } } }"
    case (.order, _):
      "{ order: [\"ann sees \(other) joined\", \"ann sees \(target) joined\"] }"
    case (.outcome, 0): "{ outcome: \"ann -> \(target)\", is: \"accepted\", exactly: 1 }"
    case (.outcome, 1): "{ outcome: \"ann -> each p\", is: \"accepted\" }"
    case (.outcome, _): "{ outcome: \"ann -> p\", is: \"accepted\", exactly: \(guests.count) }"
    }
  }

  private var other: String { guests.first { $0 != target } ?? target }
}
