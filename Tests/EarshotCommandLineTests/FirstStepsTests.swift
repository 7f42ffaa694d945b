import EarshotCommandLine
import EarshotScenario
import Foundation
import Testing

@Suite("First steps")
struct FirstStepsTests {
  @Test("init writes a scenario that holds, and overwrites nothing")
  func first() throws {
    let folder = try Folder()
    let path = URL(filePath: try folder.file("a.json5")).deletingLastPathComponent()
      .appending(path: "mine.json5").path
    let shell = Shell()
    #expect(shell.run("init", path) == .held)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text == InitCommand.scenario)
    for seed in UInt64(1)...5 {
      #expect(ScenarioRun.run(try Scenario(json5: text, file: path), seed: seed).held)
    }
    try Data("precious".utf8).write(to: URL(filePath: path))
    #expect(shell.run("init", path) == .unwritten)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    #expect(shell.run("init", path + "/no/such/folder") == .unwritten)
    #expect(shell.run("init", "a", "b") == .usage)
  }

  @Test("The format's documentation and the schema are in the program")
  func documentation() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let article = "Sources/EarshotScenario/EarshotScenario.docc/ScenarioFormat.md"
    let text = try String(contentsOf: root.appending(path: article), encoding: .utf8)
    let shell = Shell()
    #expect(shell.run("help", "scenario") == .held)
    #expect(shell.out == text)
    let schema = Shell()
    #expect(schema.run("schema") == .held)
    #expect(schema.out == ScenarioSchema.text)
    #expect(shell.run("schema", "x") == .usage)
  }
}
