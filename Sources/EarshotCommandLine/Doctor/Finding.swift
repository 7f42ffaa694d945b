import EarshotScenario

/// An obstacle that keeps peers apart, or may do so, and its remedy.
package struct Finding: Hashable, Sendable {
  /// The severity, the mildest first.
  package enum Severity: String, Hashable, Sendable, Comparable, CaseIterable {
    /// No obstacle by itself.
    case note
    /// May keep some peers apart.
    case warning
    /// Keeps peers apart.
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

    /// The exit code of the command when no finding is graver.
    package var exitCode: ExitCode {
      switch self {
      case .note: .held
      case .warning: .doubted
      case .error: .violated
      }
    }
  }

  /// The kind of a finding, for programs; the names never change.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    case noInterface, interfaceDown, noMulticast, noAddress, portTaken, portUnavailable, firewall
    case deaf, noRoute, tunnel, noIPv6, container, clock, responder, unreachable, isolated
    case sharedIdentity
  }

  /// The kind.
  package let cause: Cause
  /// The severity.
  package let severity: Severity
  /// One or two sentences, with a full stop at the end.
  package let sentence: String
  /// The command that fixes it, or the step to take.
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
    "\(severity.rawValue): \(sentence.escapedForTerminals)\n  to fix it: \(command.escapedForTerminals)"
  }
}
