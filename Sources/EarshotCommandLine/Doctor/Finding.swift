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
    case sharedIdentity, peer
  }

  /// The kind.
  package let cause: Cause
  /// The severity.
  package let severity: Severity
  /// One or two sentences, with a full stop at the end.
  package let sentence: String
  /// The command that fixes it, or the step to take; empty if nothing is to be fixed.
  package private(set) var command: String
  /// The explanation of the peer that it is about, if it is about one.
  package let explanation: Explanation?

  /// A finding with the given parts.
  package init(
    _ cause: Cause, _ severity: Severity, _ sentence: String, mendedBy command: String,
    explanation: Explanation? = nil
  ) {
    (self.cause, self.severity) = (cause, severity)
    (self.sentence, self.command, self.explanation) = (sentence, command, explanation)
  }

  /// The finding with a command, if it is an obstacle and has none of its own.
  func mended(by command: String) -> Finding {
    guard self.command.isEmpty, severity != .note else { return self }
    var finding = self
    finding.command = command
    return finding
  }

  /// One object on one line.
  package var json: String {
    JSONText.object(
      [
        ("cause", cause.rawValue.quotedForJSON), ("severity", severity.rawValue.quotedForJSON),
        ("sentence", sentence.quotedForJSON), ("command", command.quotedForJSON),
      ] + (explanation?.members ?? []))
  }

  /// Lines for a person, safe to print: the sentence, the facts, and the command.
  package var text: String {
    let end = command.isEmpty ? [] : ["  to fix it: \(command.escapedForTerminals)"]
    let lines = ["\(severity.rawValue): \(sentence.escapedForTerminals)"]
    return (lines + (explanation?.lines ?? []) + end).joined(separator: "\n")
  }
}
