/// The value of a variable of a scenario that a command line gives: `n=8`.
struct Setting: Hashable, Sendable {
  let name: String
  let value: String

  /// The setting that a word makes.
  init(_ word: String) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("--set needs the name of a variable and its value: --set n=8")
    }
    (name, value) = (String(parts[0]), String(parts[1]))
  }

  /// The option, as the help describes it.
  static let option = OptionPlan(
    "--set", "NAME=VALUE", isRepeatable: true,
    help: "Set a variable of the scenario; may be given several\ntimes")

  /// The settings of a command line.
  static func all(_ arguments: Arguments) throws(UsageError) -> [Setting] {
    var settings: [Setting] = []
    for word in arguments.all(option.name) { settings.append(try Setting(word)) }
    return settings
  }
}
