import CEarshot

/// How a terminal hands over what is typed, as something that can be switched.
package struct TypingMode: Sendable {
  /// What a terminal says to who wants to have it.
  package enum Answer: Hashable, Sendable {
    case given
    /// Another job has it, until the shell gives it back.
    case away
    /// It is none, or is gone.
    case refused
  }

  /// Has every key handed over as it comes, and shown by nobody, unless another job has the terminal.
  package var begin: @Sendable () -> Answer
  /// Has the terminal as it was before.
  package var end: @Sendable () -> Void
  /// Whether another job has the terminal.
  package var isAway: @Sendable () -> Bool
  /// Asks to stop until the terminal is back: ``Keyboard/noteTerminalChange(orStop:)`` is called for it.
  package var ask: @Sendable () -> Void

  /// A mode of four closures.
  package init(
    begin: @escaping @Sendable () -> Answer, end: @escaping @Sendable () -> Void,
    isAway: @escaping @Sendable () -> Bool = { false }, ask: @escaping @Sendable () -> Void = {}
  ) {
    (self.begin, self.end, self.isAway, self.ask) = (begin, end, isAway, ask)
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

/// What becomes of the lines that somebody types.
package enum TypedLines: Hashable, Sendable {
  /// They come from a program or a file, and are nowhere to be seen.
  case unseen
  /// The terminal leaves them where they were typed.
  case echoed
  /// They are edited in a row of their own, and gone from there when they are entered.
  case edited
}
