/// The mistakes of one file, collected while it is read, so that all are told at once.
final class Mistakes {
  /// What else in the file would explain a mistake.
  enum Explanation: Hashable {
    /// Another key of the object at an offset, misspelt, was meant to be one of these.
    case misspelling(object: Int, keys: [String])
    /// A peer whose name could not be read.
    case unreadName
  }
  private struct Found {
    let offset: Int
    let path: String
    let reason: String
    let explanation: Explanation?
  }
  private let text: [UInt8]
  private var found: [Found] = []
  /// Whether there is a peer in the file whose name is not known, since it could not be read.
  var hasUnreadNames = false

  /// More would not be read.
  private static let countMax = 50

  init(in text: String) { self.text = Array(text.utf8) }

  var isEmpty: Bool { found.isEmpty }

  func add(
    _ reason: String, at offset: Int, path: String, unless explanation: Explanation? = nil
  ) {
    guard found.count < Self.countMax else { return }
    found.append(Found(offset: offset, path: path, reason: reason, explanation: explanation))
  }

  /// Forgets what is no mistake of its own: a key of an object, misspelt, was probably meant to be this one.
  func explain(_ key: String, inObjectAt offset: Int) {
    found.removeAll {
      guard case .misspelling(offset, let keys)? = $0.explanation else { return false }
      return keys.contains(key)
    }
  }

  /// The mistakes with their lines, in the order of the file, without those that follow from others.
  var all: [ScenarioError.Mistake] {
    let causes = found.filter { !(hasUnreadNames && $0.explanation == .unreadName) }
    return (causes.isEmpty ? found : causes).sorted { $0.offset < $1.offset }.map { mistake in
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
