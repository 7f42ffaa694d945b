import EarshotCommandLine
import Testing

@Suite("Help")
struct HelpTests {
  @Test("Every command explains itself in two ways, the same", arguments: EarshotTool.commands)
  func helpOfCommand(plan: CommandPlan) {
    let (first, second, third) = (Shell(), Shell(), Shell())
    #expect(first.run("help", plan.name) == .held)
    #expect(second.run(plan.name, "--help") == .held)
    #expect(third.run(plan.name, "-h") == .held)
    #expect(first.out == plan.help)
    #expect(second.out == plan.help)
    #expect(third.out == plan.help)
    #expect(first.err.isEmpty)
  }

  @Test("A command's help names its usage and each of its options", arguments: EarshotTool.commands)
  func contents(plan: CommandPlan) {
    #expect(plan.help.contains("usage: earshot \(plan.name)"))
    for option in plan.options { #expect(plan.help.contains("  \(option.name)")) }
    #expect(plan.help.contains("--help"))
    #expect(plan.help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("The overview names every command", arguments: [["help"], ["--help"], ["-h"]])
  func overview(words: [String]) {
    let shell = Shell()
    #expect(shell.run(words) == .held)
    for plan in EarshotTool.commands { #expect(shell.out.contains("\n  \(plan.name) ")) }
  }

  @Test("Without a command the overview goes where mistakes go")
  func nothing() {
    let shell = Shell()
    #expect(shell.run() == .usage)
    #expect(shell.out.isEmpty)
    #expect(shell.err.contains("usage: earshot COMMAND"))
  }

  @Test("The version is one line")
  func version() {
    let shell = Shell()
    #expect(shell.run("--version") == .held)
    #expect(shell.out == "earshot 0.1.0\n")
  }

  @Test(
    "A word that is no command is answered with the nearest one",
    arguments: [
      (["simualte"], "there is no command \"simualte\"; did you mean \"simulate\"?"),
      (["Simulate"], "there is no command \"Simulate\"; did you mean \"simulate\"?"),
      (["hlep"], "there is no command \"hlep\"; did you mean \"help\"?"),
      (["--verison"], "there is no option \"--verison\"; did you mean \"--version\"?"),
      (["xyzzy"], "there is no command \"xyzzy\""),
      (["help", "simulat"], "there is no command \"simulat\"; did you mean \"simulate\"?"),
      (["help", "help", "simulate"], "help explains one command"),
      (
        ["a.json5"],
        "there is no command \"a.json5\"; to run a scenario: earshot simulate a.json5"
      ),
    ])
  func unknown(words: [String], reason: String) {
    let shell = Shell()
    #expect(shell.run(words) == .usage)
    #expect(shell.err == "earshot: \(reason)\nSee \"earshot help\".\n")
    #expect(shell.out.isEmpty)
  }
}
