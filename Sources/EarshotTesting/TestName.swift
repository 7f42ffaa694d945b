import Testing

/// The name of a test, as commands and files have it.
struct TestName: Hashable, Sendable {
  /// `Module.Suite/test`, as `swift test --filter` takes it.
  let filter: String
  private let components: [String]

  init(_ test: Test) {
    components = test.id.nameComponents.map { String($0.prefix { $0 != "(" }) }
    filter = "\(test.id.moduleName).\(components.joined(separator: "/"))"
  }

  /// The command that runs the test alone, with a variable of the environment.
  func command(_ setting: String) -> String { "\(setting) swift test --filter '\(filter)'" }

  /// The suite and the test as a part of a path.
  var fileName: String {
    let name = components.joined(separator: ".")
    return String(name.map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-" })
  }
}
