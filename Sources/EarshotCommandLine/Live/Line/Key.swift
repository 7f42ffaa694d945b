/// What a user does on a keyboard, as far as a line of text is concerned.
package enum Key: Hashable, Sendable {
  /// Characters; what follows may add marks to the last of them.
  case text(String)
  /// What the terminal says was pasted, with whatever the clipboard had in it.
  case paste(String)
  /// A paste that exceeds the limit of a line, and was discarded.
  case oversizedPaste(bytes: Int)
  case enter
  /// Ctrl-D: the end of the input on an empty line, ``eraseForward`` on others.
  case endOfInput
  case left, right, wordLeft, wordRight, home, end
  /// The line before or after in the history.
  case up, down
  case eraseBackward, eraseForward
  /// What these erase, ``yank`` inserts.
  case killWordBackward, killWordForward, killToStart, killToEnd
  case yank
  case clearScreen
  /// The terminal's answer to where its cursor is: the column, from 1.
  case cursorReport(column: Int)
}
