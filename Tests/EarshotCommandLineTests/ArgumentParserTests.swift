import EarshotCommandLine
import Testing

@Suite("Arguments")
struct ArgumentParserTests {
  private let parser = ArgumentParser([
    OptionPlan("--seed", "N", help: "A seed"), OptionPlan("--json", help: "As JSON"),
    OptionPlan("--ticket", optional: "TEXT", help: "A ticket"),
  ])

  @Test("Options and operands may be mixed")
  func mixed() throws {
    let arguments = try parser.parse(["a", "--seed", "5", "b", "--json"])
    #expect(arguments.operands == ["a", "b"])
    #expect(arguments[option: "--seed"] == "5")
    #expect(arguments.has("--json"))
    #expect(!arguments.has("--help"))
  }

  @Test("A value stands behind its option or behind an equals sign")
  func values() throws {
    #expect(try parser.parse(["--seed=5"])[option: "--seed"] == "5")
    #expect(try parser.parse(["--seed=a=b"])[option: "--seed"] == "a=b")
    #expect(try parser.parse(["--seed", "-5"])[option: "--seed"] == "-5")
    #expect(try parser.parse(["--seed="])[option: "--seed"] == "")
  }

  @Test(
    "A value that may be left out is the next word unless that begins with a hyphen",
    arguments: [
      (["--ticket", "a"], "a"), (["--ticket=a"], "a"), (["--ticket=-a"], "-a"), (["--ticket"], ""),
      (["--ticket", "--json"], ""), (["--ticket", "-h"], ""),
    ])
  func optionalValues(words: [String], value: String) throws {
    let arguments = try parser.parse(words)
    #expect(arguments[option: "--ticket"] == value)
    #expect(arguments.operands.isEmpty)
    #expect(arguments.has("--json") == words.contains("--json"))
  }

  @Test("Two hyphens end the options")
  func endOfOptions() throws {
    let arguments = try parser.parse(["--json", "--", "--seed", "-x"])
    #expect(arguments.operands == ["--seed", "-x"])
  }

  @Test("A single hyphen is an operand")
  func hyphen() throws { #expect(try parser.parse(["-"]).operands == ["-"]) }

  @Test(
    "What makes no sense is named",
    arguments: [
      (["--sede", "5"], "there is no option \"--sede\"; did you mean \"--seed\"?"),
      (["--JSON"], "there is no option \"--JSON\"; did you mean \"--json\"?"),
      (["--frobnicate"], "there is no option \"--frobnicate\""),
      (["-j"], "there is no option \"-j\""),
      (["--seed"], "--seed needs a value: --seed N"),
      (["--seed", "--json"], "--seed needs a value: --seed N"),
      (["--ticket="], "--ticket= has no value after it"),
      (["--ticket", "a", "--ticket"], "--ticket is given twice"),
      (["--json=yes"], "--json takes no value"),
      (["--json", "--json"], "--json is given twice"),
      (["--seed", "1", "--seed=1"], "--seed is given twice"),
      (["--\u{1B}[31m"], "there is no option \"--\\u{1B}[31m\""),
    ])
  func mistakes(words: [String], reason: String) {
    let error = #expect(throws: UsageError.self) { try parser.parse(words) }
    #expect(error?.reason == reason)
  }
}
