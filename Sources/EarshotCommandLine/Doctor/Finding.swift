import EarshotScenario

/// What is in the way of peers that want to meet, or may be, and what mends it.
package struct Finding: Hashable, Sendable {
  /// How much it is in the way, the mildest first.
  package enum Severity: String, Hashable, Sendable, Comparable, CaseIterable {
    /// Good to know.
    case note
    /// Some peers, or some of the time.
    case warning
    /// Peers do not meet.
    case error

    /// Whether the left one is the milder.
    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }

    /// The code that the command ends with when nothing is graver.
    package var exitCode: ExitCode {
      switch self {
      case .note: .held
      case .warning: .doubted
      case .error: .violated
      }
    }
  }

  /// What it is, for programs; never changes.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    case noInterface, interfaceDown, noMulticast, noAddress, portTaken, portUnavailable, firewall
    case deaf, noRoute, tunnel, noIPv6, container, clock, responder, unreachable, isolated
  }

  /// What it is.
  package let cause: Cause
  /// How much it is in the way.
  package let severity: Severity
  /// One sentence, with its full stop.
  package let sentence: String
  /// What to type to mend it.
  package let command: String

  /// A finding with the given parts.
  package init(_ cause: Cause, _ severity: Severity, _ sentence: String, mendedBy command: String) {
    (self.cause, self.severity) = (cause, severity)
    (self.sentence, self.command) = (sentence, command)
  }

  /// One object on one line.
  package var json: String {
    JSONText.object([
      ("cause", cause.rawValue.quotedForJSON), ("severity", severity.rawValue.quotedForJSON),
      ("sentence", sentence.quotedForJSON), ("command", command.quotedForJSON),
    ])
  }

  /// Two lines for a person, safe to print.
  package var text: String {
    "\(severity.rawValue): \(sentence.escapedForTerminals)\n  mend it with: \(command.escapedForTerminals)"
  }
}
