import EarshotCommandLine
import Foundation
import Testing

@Suite("The words of the help and of messages")
struct HelpWordsTests {
  @Test("The subjects of a command's help are nouns", arguments: EarshotTool.commands.map(\.name))
  func words(name: String) throws {
    let plan = try #require(EarshotTool.commands.first { $0.name == name })
    let words = plan.help.lowercased().split { !$0.isLetter }
    #expect(words.filter(Self.pronouns.union(["else"]).contains).isEmpty)
  }

  @Test("The subjects of messages are nouns, and no message has a phrase that was hard to read")
  func messages() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/EarshotCommandLine").standardizedFileURL
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    let sources = try #require(paths).filter { $0.hasSuffix(".swift") }
    #expect(sources.count > 100)
    for path in sources {
      let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      for text in Self.texts(of: source) {
        let words = text.lowercased().split { !$0.isLetter }
        let found =
          words.filter(Self.pronouns.contains).map(String.init)
          + Self.phrases.filter(text.contains)
        #expect(found.isEmpty, "\(path): \(text)")
      }
    }
  }

  /// The parts of a source's lines that are between quotes, and the lines of texts in three quotes.
  ///
  /// The command `/who` and the key `who` of scenarios are left out.
  private static func texts(of source: String) -> [String] {
    var isInText = false
    return source.split(separator: "\n").compactMap { line -> String? in
      if line.contains("\"\"\"") {
        isInText.toggle()
        return nil
      }
      let line = line.replacing("/who", with: "").replacing("who:", with: "")
      if isInText { return String(line) }
      guard let code = line.components(separatedBy: "//").first,
        let start = code.firstIndex(of: "\""), let end = code.lastIndex(of: "\"")
      else { return nil }
      return String(code[start...end])
    }
  }

  private static let pronouns: Set<Substring> = [
    "who", "whom", "whoever", "nobody", "somebody", "everybody",
  ]
  /// Some were in messages once.
  private static let phrases = [
    "\"What ", "is told", "are told", "in the way", "for itself alone", "called so", "begin so",
    "behind it", "stands here", "waits no longer", "mend it", "peer nearby is", "as of \\\"",
    "is there already", "stays as it is",
  ]
}
