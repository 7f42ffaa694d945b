public import EarshotSimulator

/// A kind of command: when it may be given, with which arguments, what it does, and what should come of it.
///
/// - SeeAlso: ``StatefulTest``
public struct StatefulRule<Model, System: Sendable> {
  let name: String
  let weight: Int
  let draw: (Model, inout RandomStream) -> (any Sendable)?
  let isAllowed: (Model, any Sendable) -> Bool
  let smaller: (any Sendable) -> [any Sendable]
  let perform: (System, any Sendable, CommandRunner) throws -> any Sendable
  let check: (inout Model, any Sendable, any Sendable) throws -> Void

  /// A command that runs on a host.
  ///
  /// - Parameters:
  ///   - name: The name of the command.
  ///   - weight: How often it is drawn in relation to other rules: from 1 to 1,000,000; other
  ///     values count as the nearest of these.
  ///   - argument: Draws an argument; `nil` if the command makes no sense now.
  ///   - smaller: Simpler arguments to try in place of one, the simplest first; `nil` for those of ``Shrinkable``.
  ///   - precondition: Whether the command makes sense; asked of smaller sequences, too.
  ///   - host: The host.
  ///   - perform: Performs the command, in a task of the host.
  ///   - check: Brings the model up to date, and checks the response. An expectation that fails, or an error, ends
  ///     the sequence.
  public init<Argument: Sendable, Response: Sendable>(
    _ name: String, weight: Int = 1,
    argument: @escaping (Model, inout RandomStream) -> Argument?,
    smaller: ((Argument) -> [Argument])? = nil,
    when precondition: @escaping (Model, Argument) -> Bool = { _, _ in true },
    on host: @escaping (System) -> SimulatedHost,
    perform: @escaping @Sendable (System, Argument) async throws -> Response,
    check: @escaping (inout Model, Argument, Response) throws -> Void = { _, _, _ in }
  ) {
    self.init(
      name, weight, argument, smaller, precondition,
      perform: { system, argument, runner in
        try runner.run(name, on: host(system)) { try await perform(system, argument) }
      }, check)
  }

  /// A command that the world itself carries out, such as a fault, or some time that passes.
  ///
  /// - Parameters:
  ///   - name: The name of the command.
  ///   - weight: How often it is drawn in relation to other rules: from 1 to 1,000,000; other
  ///     values count as the nearest of these.
  ///   - argument: Draws an argument; `nil` if the command makes no sense now.
  ///   - smaller: Simpler arguments to try in place of one, the simplest first; `nil` for those of ``Shrinkable``.
  ///   - precondition: Whether the command makes sense; asked of smaller sequences, too.
  ///   - perform: Performs the command, outside of all hosts; may run the world.
  ///   - check: Brings the model up to date, and checks the response. An expectation that fails, or an error, ends
  ///     the sequence.
  public init<Argument: Sendable, Response: Sendable>(
    _ name: String, weight: Int = 1,
    argument: @escaping (Model, inout RandomStream) -> Argument?,
    smaller: ((Argument) -> [Argument])? = nil,
    when precondition: @escaping (Model, Argument) -> Bool = { _, _ in true },
    inWorld perform: @escaping (World, System, Argument) throws -> Response,
    check: @escaping (inout Model, Argument, Response) throws -> Void = { _, _, _ in }
  ) {
    self.init(
      name, weight, argument, smaller, precondition,
      perform: { system, argument, runner in try perform(runner.world, system, argument) }, check)
  }

  private init<Argument: Sendable, Response: Sendable>(
    _ name: String, _ weight: Int, _ argument: @escaping (Model, inout RandomStream) -> Argument?,
    _ smaller: ((Argument) -> [Argument])?, _ isAllowed: @escaping (Model, Argument) -> Bool,
    perform: @escaping (System, Argument, CommandRunner) throws -> Response,
    _ check: @escaping (inout Model, Argument, Response) throws -> Void
  ) {
    (self.name, self.weight, draw) = (name, weight.clamped(to: 1...1_000_000), argument)
    self.isAllowed = { isAllowed($0, Self.cast($1)) }
    self.smaller = { argument in
      let argument: Argument = Self.cast(argument)
      return smaller?(argument) ?? Self.shrink(argument)
    }
    self.perform = { try perform($0, Self.cast($1), $2) }
    self.check = { try check(&$0, Self.cast($1), Self.cast($2)) }
  }

  private static func shrink<Argument>(_ argument: Argument) -> [Argument] {
    func smaller(_ value: some Shrinkable) -> [Argument] { value.smaller as? [Argument] ?? [] }
    return (argument as? any Shrinkable).map { smaller($0) } ?? []
  }

  private static func cast<Value>(_ value: any Sendable) -> Value {
    guard let value = value as? Value else {
      preconditionFailure("a value of a rule is that of another one")
    }
    return value
  }
}

extension StatefulRule {
  /// A command without an argument that runs on a host.
  ///
  /// - Parameters:
  ///   - name: The name of the command.
  ///   - weight: How often it is drawn in relation to other rules: from 1 to 1,000,000; other
  ///     values count as the nearest of these.
  ///   - precondition: Whether the command makes sense.
  ///   - host: The host.
  ///   - perform: Performs the command, in a task of the host.
  ///   - check: Brings the model up to date, and checks the response.
  public init<Response: Sendable>(
    _ name: String, weight: Int = 1, when precondition: @escaping (Model) -> Bool = { _ in true },
    on host: @escaping (System) -> SimulatedHost,
    perform: @escaping @Sendable (System) async throws -> Response,
    check: @escaping (inout Model, Response) throws -> Void = { _, _ in }
  ) {
    self.init(
      name, weight: weight, argument: { _, _ in NoArgument() },
      when: { model, _ in precondition(model) }, on: host,
      perform: { system, _ in try await perform(system) },
      check: { try check(&$0, $2) })
  }

  /// A command without an argument that the world itself carries out.
  ///
  /// - Parameters:
  ///   - name: The name of the command.
  ///   - weight: How often it is drawn in relation to other rules: from 1 to 1,000,000; other
  ///     values count as the nearest of these.
  ///   - precondition: Whether the command makes sense.
  ///   - perform: Performs the command, outside of all hosts; may run the world.
  ///   - check: Brings the model up to date, and checks the response.
  public init<Response: Sendable>(
    _ name: String, weight: Int = 1, when precondition: @escaping (Model) -> Bool = { _ in true },
    inWorld perform: @escaping (World, System) throws -> Response,
    check: @escaping (inout Model, Response) throws -> Void = { _, _ in }
  ) {
    self.init(
      name, weight: weight, argument: { _, _ in NoArgument() },
      when: { model, _ in precondition(model) },
      inWorld: { world, system, _ in try perform(world, system) },
      check: { try check(&$0, $2) })
  }
}

/// The argument of a command that has none.
struct NoArgument: Sendable {}
