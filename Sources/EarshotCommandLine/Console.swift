/// Where a command writes to.
///
/// A value with two closures, so that tests catch what a user would read.
package struct Console {
  /// What the command answers.
  package var out: (String) -> Void
  /// What it has to say besides: mistakes, progress.
  package var err: (String) -> Void
  /// Whether the answers may be coloured.
  package var isColoured: Bool
  /// Whether somebody watches what is written to `err`, so that progress is worth showing.
  package var isWatched: Bool

  /// A console of two closures, for readers that are not terminals unless said otherwise.
  package init(
    isColoured: Bool = false, isWatched: Bool = false, out: @escaping (String) -> Void,
    err: @escaping (String) -> Void
  ) {
    (self.out, self.err) = (out, err)
    (self.isColoured, self.isWatched) = (isColoured, isWatched)
  }

  /// Answers with a line.
  package func line(_ text: String) { out(text + "\n") }

  /// Says a line about what is wrong.
  package func complain(_ text: String) { err(text + "\n") }
}
