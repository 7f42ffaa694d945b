import EarshotCore
import EarshotScenario

/// A key and a value of what everybody nearby may know, written `KEY=VALUE`.
struct InfoEntry: Hashable, Sendable {
  let key: String
  let value: String

  /// The entry that a word writes; `nil` if the word has no `=`.
  init?(_ word: some StringProtocol) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    (key, value) = (String(parts[0]), String(parts[1]))
  }
}

extension [String: String] {
  /// The info after a line that was typed: `KEY=VALUE` sets a key, in whatever case it stood there, `KEY=` removes it.
  ///
  /// - Throws: What is wrong with the line, or with the info that it would make.
  func changed(by line: some StringProtocol) throws(UsageError) -> [String: String] {
    guard let entry = InfoEntry(line) else {
      let text = String(line).escapedForTerminals
      throw UsageError(
        "\"\(text)\" is not a change of the info; type key=value, or key= to remove a key")
    }
    let key = entry.key.lowercased()
    var info = filter { $0.key.lowercased() != key }
    if entry.value.isEmpty {
      guard info.count < count else {
        throw UsageError("the info has no \"\(entry.key.escapedForTerminals)\" to remove")
      }
    } else {
      info[entry.key] = entry.value
    }
    try info.checkAsInfo()
    return info
  }

  /// Checks that this can be told to everybody.
  func checkAsInfo() throws(UsageError) {
    do throws(DiscoveryInfoError) { _ = try DiscoveryInfo(self) } catch {
      throw UsageError(sentence: error.description)
    }
  }

  /// What is told to who has changed the info.
  var infoRemark: String { isEmpty ? "There is no info now" : "The info is now \(textInOrder)" }

  /// The keys with their values, in order, safe to print.
  var textInOrder: String {
    sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)".escapedForTerminals }
      .joined(separator: " ")
  }
}
