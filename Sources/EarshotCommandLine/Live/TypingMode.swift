import CEarshot
import Foundation

/// What reading a file has brought.
package enum Reading: Hashable, Sendable {
  case bytes([UInt8])
  /// Another job has the terminal, or none has it any more (EIO).
  case refused
  case ended

  /// Reads some bytes, and waits until there are any.
  init(of descriptor: Int32) {
    do throws(ByteFailure) {
      let bytes = try [UInt8].read(from: descriptor, upTo: 4_096)
      self = bytes.isEmpty ? .ended : .bytes(bytes)
    } catch {
      self = error == .system(EIO) ? .refused : .ended
    }
  }

  /// The bytes, if there are any.
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

/// How a terminal hands over what is typed, as something that can be switched.
package struct TypingMode: Sendable {
  /// What a terminal answers to a job that wants to have it.
  package enum Answer: Hashable, Sendable {
    case given
    /// Another job has it, until the shell gives it back.
    case away
    /// It is none, or is gone.
    case refused
  }

  /// Has every key handed over as it comes, and not shown, unless another job has the terminal.
  package var begin: @Sendable () -> Answer
  /// Has the terminal as it was before.
  package var end: @Sendable () -> Void
  /// Whether another job has the terminal.
  package var isAway: @Sendable () -> Bool
  /// Asks to stop until the terminal is back: ``Keyboard/noteTerminalChange(orStop:)`` is called for it.
  package var ask: @Sendable () -> Void
  /// Reads what was typed.
  package var read: @Sendable (_ descriptor: Int32) -> Reading

  /// A mode of these closures; without the last, of the system's own reading.
  package init(
    begin: @escaping @Sendable () -> Answer, end: @escaping @Sendable () -> Void,
    isAway: @escaping @Sendable () -> Bool = { false }, ask: @escaping @Sendable () -> Void = {},
    read: @escaping @Sendable (Int32) -> Reading = { Reading(of: $0) }
  ) {
    (self.begin, self.end, self.isAway, self.ask, self.read) = (begin, end, isAway, ask, read)
  }

  /// The terminal of this process.
  package static func terminal(input: Int32 = 0, output: Int32 = 1) -> TypingMode {
    TypingMode {
      guard earshot_terminal_is_away(input) == 0 else { return .away }
      return earshot_terminal_enter(input, output) == 0 ? .given : .refused
    } end: {
      earshot_terminal_leave()
    } isAway: {
      earshot_terminal_is_away(input) != 0
    } ask: {
      TerminalSignals.askForTerminal()
    }
  }
}

/// What becomes of the lines that a user types.
package enum TypedLines: Hashable, Sendable {
  /// They come from a program or a file, and are nowhere to be seen.
  case unseen
  /// The terminal leaves them where they were typed.
  case echoed
  /// They are edited in a row of their own, and gone from there when they are entered.
  case edited
}
