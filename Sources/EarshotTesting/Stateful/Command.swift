import EarshotSimulator

/// A command of a sequence: which rule, and with which argument.
struct Command: Sendable, CustomStringConvertible {
  let rule: Int
  let name: String
  var argument: any Sendable

  /// As a call in Swift: `add("milk")`.
  var description: String {
    argument is NoArgument ? "\(name)()" : "\(name)(\(String(reflecting: argument)))"
  }
}

/// Where the commands of a run come from.
enum CommandSource: Sendable {
  case random(RandomStream, count: Int)
  case given([Command])

  /// The next command that makes sense; `nil` at the end.
  mutating func next<Model, System>(
    _ rules: [StatefulRule<Model, System>], for model: Model
  ) -> Command? {
    switch self {
    case .given(var commands):
      let next = commands.firstIndex { rules[$0.rule].isAllowed(model, $0.argument) }
      let command = next.map { commands[$0] }
      commands.removeFirst(next.map { $0 + 1 } ?? commands.count)
      self = .given(commands)
      return command
    case .random(var random, let count):
      guard count > 0 else { return nil }
      let command = Self.draw(rules, for: model, using: &random)
      self = .random(random, count: count - 1)
      return command
    }
  }

  /// Draws rules until one makes sense, by their weights.
  private static func draw<Model, System>(
    _ rules: [StatefulRule<Model, System>], for model: Model, using random: inout RandomStream
  ) -> Command? {
    var candidates = Array(rules.enumerated())
    while !candidates.isEmpty {
      let total = candidates.reduce(0) { $0 + $1.element.weight }
      var rest = Int(random.below(UInt64(total)))
      let choice = candidates.firstIndex { candidate in
        rest -= candidate.element.weight
        return rest < 0
      }
      guard let choice else { return nil }
      let (index, rule) = candidates.remove(at: choice)
      if let argument = rule.draw(model, &random), rule.isAllowed(model, argument) {
        return Command(rule: index, name: rule.name, argument: argument)
      }
    }
    return nil
  }
}

/// Runs commands on the hosts of one world.
struct CommandRunner {
  let world: World
  let duration: Duration

  /// Runs a command as a task of a host, until it ends.
  func run<Response: Sendable>(
    _ name: String, on host: SimulatedHost,
    _ operation: @escaping @Sendable () async throws -> Response
  ) throws -> Response {
    let task = host.addTask(name, operation)
    guard world.run(until: { task.result != nil }, within: duration) else {
      throw UnfinishedCommand(name: name, duration: duration)
    }
    return try task.value
  }
}

/// A command that has not ended in time.
struct UnfinishedCommand: Error, CustomStringConvertible {
  let name: String
  let duration: Duration

  var description: String { "the command \(name) has not ended within \(duration) of virtual time" }
}
