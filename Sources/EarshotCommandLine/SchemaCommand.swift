import EarshotScenario

/// `earshot schema`: prints the JSON Schema of scenario files.
struct SchemaCommand {
  private let console: Console

  init(console: Console) { self.console = console }

  func run(_ words: [String]) throws(UsageError) -> ExitCode {
    try Self.plan.run(words, on: console) { arguments throws(UsageError) in
      guard arguments.operands.isEmpty else { throw UsageError("schema takes no file") }
      console.out(ScenarioSchema.text)
      return .held
    }
  }

  static let plan = CommandPlan(
    name: "schema", operands: "", summary: "Print the JSON Schema of scenario files, for editors",
    details: """
      In Visual Studio Code, for example, "json.schemas" takes the file of

        earshot schema > earshot.schema.json

      for "*.json" files; for JSON5 an editor needs an extension that knows both.
      """)
}
