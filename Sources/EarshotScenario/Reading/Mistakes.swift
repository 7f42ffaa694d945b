/// The mistakes of one file, collected while it is read, so that all are told at once.
final class Mistakes {
  private let text: [UInt8]
  private var found: [(offset: Int, path: String, reason: String)] = []

  /// More would not be read by anybody.
  private static let countMax = 50

  init(in text: String) { self.text = Array(text.utf8) }

  var isEmpty: Bool { found.isEmpty }

  func add(_ reason: String, at offset: Int, path: String) {
    guard found.count < Self.countMax else { return }
    found.append((offset, path, reason))
  }

  /// The mistakes with their lines, in the order of the file.
  var all: [ScenarioError.Mistake] {
    found.sorted { $0.offset < $1.offset }.map { mistake in
      let (line, column) = place(of: mistake.offset)
      return ScenarioError.Mistake(
        path: mistake.path, line: line, column: column, reason: mistake.reason)
    }
  }

  private func place(of offset: Int) -> (line: Int, column: Int) {
    let before = text[..<min(offset, text.count)]
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = before.count { $0 == 0x0A } + 1
    return (line, String(decoding: before[start...], as: UTF8.self).count + 1)
  }
}
