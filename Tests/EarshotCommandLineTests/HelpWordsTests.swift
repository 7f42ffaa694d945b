import EarshotCommandLine
import Testing

@Suite("The words of the help")
struct HelpWordsTests {
  @Test(
    "Subjects are things, and defaults are called so", arguments: EarshotTool.commands.map(\.name))
  func words(name: String) throws {
    let plan = try #require(EarshotTool.commands.first { $0.name == name })
    let words = plan.help.lowercased().split { !$0.isLetter }
    let unwanted: Set<Substring> = [
      "who", "whom", "whoever", "nobody", "somebody", "everybody", "else",
    ]
    #expect(words.filter(unwanted.contains).isEmpty)
  }
}
