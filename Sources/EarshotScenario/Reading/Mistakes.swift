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
  private var texts: SourceTexts
  private var found: [Found] = []
  /// Whether there is a peer in the file whose name is not known, since it could not be read.
  var hasUnreadNames = false

  /// More would not be read.
  private static let countMax = 50

  init(in text: String) { texts = SourceTexts(text) }

  /// Adds a file that is included; returns the offset at which it begins.
  func include(_ text: String, name: String) -> Int { texts.add(text, name: name) }

  /// The bytes of all texts.
  var textBytes: Int { texts.bytes }

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
      let (file, line, column) = texts.place(of: mistake.offset)
      return ScenarioError.Mistake(
        path: mistake.path, line: line, column: column, reason: mistake.reason, file: file)
    }
  }
}
