/// Where a command writes to.
///
/// A value with two closures, so that tests catch what a user would read.
package struct Console: Sendable {
  /// What the command answers.
  package var out: @Sendable (String) -> Void
  /// What it has to say besides: mistakes, progress.
  package var err: @Sendable (String) -> Void
  /// Whether the answers may be coloured.
  package var isColoured: Bool
  /// Whether a person watches what is written to `err`, so that progress is worth showing.
  package var isWatched: Bool
  /// How large the terminal is that shows the answers; `nil` when they go elsewhere, or it cannot move
  /// its cursor.
  package var terminal: @Sendable () -> TerminalSize?
  /// Given when something could not be written: the command is to end, since its answers are lost.
  package let refusal: StopSignal
  /// How many columns the terminal has that shows `err`; `nil` when it goes elsewhere.
  package var errorColumns: @Sendable () -> Int? = { nil }
  /// The value of `EARSHOT_LOG`, which names the records to print; `nil` for none.
  package var logText: String?
  /// The records that the command prints to `err`.
  var log: LogSetting?

  /// A console of two closures, for readers that are not terminals unless said otherwise.
  package init(
    isColoured: Bool = false, isWatched: Bool = false,
    terminal: @escaping @Sendable () -> TerminalSize? = { nil }, refusal: StopSignal = StopSignal(),
    out: @escaping @Sendable (String) -> Void, err: @escaping @Sendable (String) -> Void
  ) {
    (self.out, self.err, self.terminal, self.refusal) = (out, err, terminal, refusal)
    (self.isColoured, self.isWatched) = (isColoured, isWatched)
  }

  /// The console of a command that prints the log that the environment asks for.
  ///
  /// - Parameter isJSON: Whether each record is a JSON object.
  /// - Returns: The console, which is this one if the environment asks for nothing.
  /// - Throws: What is wrong with the variable.
  func logging(asJSON isJSON: Bool) throws(UsageError) -> Console {
    guard let logText else { return self }
    var console = self
    console.log = try LogSetting(logText, asJSON: isJSON)
    return console
  }

  /// Answers with a line.
  package func line(_ text: String) { out(text + "\n") }

  /// Answers with text for people, in rows that the terminal has room for.
  package func page(_ text: String) {
    out(terminal().map { text.wrapped(toColumns: $0.columns) } ?? text)
  }

  /// Reports a fault, in rows that the terminal has room for.
  package func complain(_ text: String) {
    err((errorColumns().map { text.wrapped(toColumns: $0) } ?? text) + "\n")
  }
}

/// The room that a terminal has.
package struct TerminalSize: Hashable, Sendable {
  /// Its columns and its rows.
  package let columns, rows: Int

  /// A size.
  package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
}
