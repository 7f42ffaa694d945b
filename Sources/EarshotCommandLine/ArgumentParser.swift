import EarshotScenario

/// One option of a command.
package struct OptionPlan: Hashable, Sendable {
  /// Its name with the hyphens: `--seed`.
  package let name: String
  /// What stands for its value in the help, such as `N`; `nil` for an option without a value.
  package let value: String?
  /// Whether the value may be left out.
  package let isValueOptional: Bool
  /// Whether it may be given several times.
  package let isRepeatable: Bool
  /// One sentence about it, without its full stop.
  package let help: String

  /// An option with a value, or without one.
  package init(_ name: String, _ value: String? = nil, isRepeatable: Bool = false, help: String) {
    (self.name, self.value, self.isRepeatable, self.help) = (name, value, isRepeatable, help)
    isValueOptional = false
  }

  /// An option whose value may be left out.
  package init(_ name: String, optional value: String, help: String) {
    (self.name, self.value, self.help) = (name, value, help)
    (isValueOptional, isRepeatable) = (true, false)
  }

  /// What follows its name in the help: `N`, `[TEXT]`, or nothing.
  var placeholder: String? { value.map { isValueOptional ? "[\($0)]" : $0 } }
}

/// The words of a command line, sorted.
package struct Arguments: Hashable, Sendable {
  /// The words that are not options, in order.
  package fileprivate(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Whether an option was given.
  package func has(_ option: String) -> Bool { values[option] != nil }

  /// The value of an option; empty for an option without a value, or whose value was left out.
  package subscript(option option: String) -> String? { values[option]?.first }

  /// All values of an option that may be given several times, in order.
  package func all(_ option: String) -> [String] { values[option] ?? [] }

  fileprivate mutating func add(_ value: String, to option: OptionPlan) throws(UsageError) {
    guard option.isRepeatable || values[option.name] == nil else {
      throw UsageError("\(option.name) is given twice")
    }
    values[option.name, default: []].append(value)
  }
}

/// Sorts the words of a command line into options, their values and operands.
///
/// `--name value` and `--name=value` mean the same, options and operands may be mixed, and `--` ends
/// the options. A value that may be left out is the next word unless that begins with a hyphen.
package struct ArgumentParser {
  private let options: [OptionPlan]

  /// Knows the options of a command, and `--help` besides.
  package init(_ options: [OptionPlan]) { self.options = options + [Self.help] }

  /// The words, sorted.
  ///
  /// - Parameter words: What stands behind the command.
  /// - Returns: Options that are known, each at most once, and operands.
  /// - Throws: The first word that makes no sense.
  package func parse(_ words: [String]) throws(UsageError) -> Arguments {
    var arguments = Arguments()
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        arguments.operands += rest
        return arguments
      } else if word.hasPrefix("-"), word != "-" {
        try take(word, &rest, into: &arguments)
      } else {
        arguments.operands.append(word)
      }
    }
    return arguments
  }

  private func take(
    _ word: String, _ rest: inout ArraySlice<String>, into arguments: inout Arguments
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0] == "-h" ? "--help" : String(parts[0])
    guard let option = options.first(where: { $0.name == name }) else { throw unknown(name) }
    guard let placeholder = option.value else {
      guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
      return try arguments.add("", to: option)
    }
    if parts.count == 2, !option.isValueOptional || !parts[1].isEmpty {
      return try arguments.add(String(parts[1]), to: option)
    }
    guard parts.count == 1 else { throw UsageError("\(name)= has no value after it") }
    if option.isValueOptional, rest.first?.hasPrefix("-") ?? true {
      return try arguments.add("", to: option)
    }
    guard let value = rest.first, !value.hasPrefix("--") else {
      throw UsageError("\(name) needs a value: \(name) \(placeholder)")
    }
    rest.removeFirst()
    try arguments.add(value, to: option)
  }

  private func unknown(_ name: String) -> UsageError {
    let nearest = Spelling.nearest(to: name, among: options.map(\.name))
    let advice = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    return UsageError("there is no option \"\(name.escapedForTerminals)\"\(advice)")
  }

  /// The option that every command has.
  package static let help = OptionPlan("--help", help: "Show this help")
}
