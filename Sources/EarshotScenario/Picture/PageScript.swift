/// What a page does: draws lanes and plots, and answers the reader.
enum PageScript {
  /// The whole script, in strict mode and without names that others see.
  static let text =
    "\"use strict\";(() => {\n"
    + [model, drawing, lanes, moving, details, searching, plots, start].joined(separator: "\n")
    + "\n})();"
}
