public import EarshotSimulator
import Testing

/// A test that draws sequences of commands, runs them in a simulated world and compares what happens with a model.
///
/// ```swift
/// struct ListTest: StatefulTest {
///   struct Model { var items: Set<String> = [] }
///   struct System { let ann: SimulatedHost, list: SharedList }
///
///   var initialModel: Model { Model() }
///
///   func makeSystem(in world: World) -> System {
///     let ann = world.makeHost("ann")
///     return System(ann: ann, list: SharedList(on: ann))
///   }
///
///   var rules: [StatefulRule<Model, System>] {
///     Rule("add", argument: { _, random in ["milk", "bread"].randomElement(using: &random) }) {
///       $0.ann
///     } perform: { system, item in
///       await system.list.add(item)
///     } check: { model, item, _ in
///       model.items.insert(item)
///     }
///   }
///
///   func checkInvariants(of system: System, against model: Model) {
///     #expect(system.list.items == model.items)
///   }
/// }
///
/// @Test(.simulated(seeds: 100))
/// func list() async throws { try await ListTest().run() }
/// ```
///
/// A sequence that fails is made smaller: commands are left out, then their arguments made smaller, as long as the same
/// expectation fails in the same place, or an error of the same type is thrown. The test reports the smallest
/// sequence, one command a line.
///
/// - SeeAlso: Claessen, Hughes: "Testing monadic code with QuickCheck" (Haskell 2002); Hughes: "Experiences with
///   QuickCheck: testing the hard stuff and staying sane" (2016).
public protocol StatefulTest: Sendable {
  /// What the system should be like, in the simplest terms.
  associatedtype Model
  /// What is tested: hosts and what runs on them.
  associatedtype System: Sendable

  /// A rule of the test.
  typealias Rule = StatefulRule<Model, System>

  /// The model before the first command.
  var initialModel: Model { get }

  /// The commands, and what they do.
  @StatefulRuleBuilder<Model, System> var rules: [StatefulRule<Model, System>] { get }

  /// Makes what is tested in a world without hosts.
  ///
  /// - Parameter world: The world, which runs only after this.
  /// - Returns: What is tested.
  /// - Throws: An error that fails the test.
  func makeSystem(in world: World) throws -> System

  /// Checks what holds after every command; an expectation that fails, or an error, ends the sequence.
  ///
  /// - Parameters:
  ///   - system: What is tested.
  ///   - model: What it should be like.
  /// - Throws: An error that fails the test.
  func checkInvariants(of system: System, against model: Model) throws
}

extension StatefulTest {
  /// Checks nothing.
  public func checkInvariants(of system: System, against model: Model) {}

  /// Runs a sequence of random commands, and makes it smaller if it fails.
  ///
  /// The test has the trait ``Testing/Trait/simulated(seeds:configuration:jobs:shrink:)``, whose seed decides what is drawn.
  /// Each sequence has a world of its own with this seed, which is ``EarshotSimulator/World/current`` while it runs.
  ///
  /// - Parameters:
  ///   - commands: The number of commands: from 0 to 100,000.
  ///   - duration: The virtual time that a command on a host may take; a negative one counts as
  ///     zero.
  ///   - runsMax: The number of runs to make the sequence smaller: from 0 to 1,000,000. Other
  ///     values of both numbers count as the nearest of these.
  /// - Throws: `CancellationError` when the test is cancelled.
  public func run(
    commands: Int = 30, within duration: Duration = .seconds(60), runsMax: Int = 200
  ) async throws {
    let (count, runsMax) = (commands.clamped(to: 0...100_000), runsMax.clamped(to: 0...1_000_000))
    guard let test = Test.current else { preconditionFailure("no test is running here") }
    let replay = StatefulReplay(self, test, within: duration)
    let commands = CommandSource.random(World.current.random("commands"), count: count)
    let first = try await replay.run(commands)
    guard let failure = first.failure else { return }
    var shrinking = StatefulShrinking(first.performed, failure, replay, runsMax: runsMax)
    try await shrinking.shrink()
    try await replay.report(shrinking.smallest, shrinking.summary)
  }
}

/// Makes a list of rules from one expression a rule.
@resultBuilder
public enum StatefulRuleBuilder<Model, System: Sendable> {
  /// The rules in their order.
  public static func buildBlock(
    _ rules: StatefulRule<Model, System>...
  ) -> [StatefulRule<Model, System>] { rules }
}
