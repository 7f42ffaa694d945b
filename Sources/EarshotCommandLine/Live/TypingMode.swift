import CEarshot

/// How a terminal hands over what is typed, as something that can be switched.
package struct TypingMode: Sendable {
  /// Has every key handed over as it comes, and shown by nobody; `false` if that cannot be.
  package var begin: @Sendable () -> Bool
  /// Has the terminal as it was before.
  package var end: @Sendable () -> Void

  /// A mode of two closures.
  package init(begin: @escaping @Sendable () -> Bool, end: @escaping @Sendable () -> Void) {
    (self.begin, self.end) = (begin, end)
  }

  /// The terminal of this process.
  package static func terminal(input: Int32 = 0, output: Int32 = 1) -> TypingMode {
    TypingMode {
      earshot_terminal_enter(input, output) == 0
    } end: {
      earshot_terminal_leave()
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
