import EarshotCommandLine
import EarshotScenario
import Foundation
import Synchronization

/// A tool whose answers are caught, over an engine that does as the test says.
final class Shell: Sendable {
  private let printed = Printed()
  private let orders = Mutex<[(seed: UInt64, isRepeated: Bool)]>([])
  private let isColoured, isWatched: Bool
  private let behaviour: @Sendable (RunOrder) -> RunResult
  private let traces: [String]

  /// A shell over an engine whose runs end as a function of the seed says.
  convenience init(
    isColoured: Bool = false, isWatched: Bool = false, traces: [String] = [],
    seeds behaviour: @escaping @Sendable (UInt64) -> RunResult = { _ in .holding }
  ) {
    self.init(
      isColoured: isColoured, isWatched: isWatched, traces: traces,
      orders: { order in behaviour(order.seed) })
  }

  /// A shell over an engine that sees whole orders.
  init(
    isColoured: Bool, isWatched: Bool = false, traces: [String] = [],
    orders behaviour: @escaping @Sendable (RunOrder) -> RunResult
  ) {
    (self.isColoured, self.isWatched, self.traces) = (isColoured, isWatched, traces)
    self.behaviour = behaviour
  }

  func run(_ words: String...) -> ExitCode { run(words) }

  func run(
    _ words: [String], cancel: @escaping @Sendable () -> Void = {},
    interrupts: InterruptSource = .silent
  ) -> ExitCode {
    let engine = Engine(cancel: cancel) { [self] order in
      orders.withLock { $0.append((order.seed, order.isRepeated)) }
      for second in 1...5 { order.progress?(second) }
      for line in traces { order.trace?(line) }
      var result = behaviour(order)
      result.report = result.report(of: order)
      return result
    }
    let console = printed.console(isColoured: isColoured, isWatched: isWatched)
    return EarshotTool(
      console: console, engine: engine, surroundings: .nowhere, interrupts: interrupts
    ).run(words)
  }

  /// The seeds that were run, in order of their beginning.
  var runs: [UInt64] { orders.withLock { $0.map(\.seed) } }
  /// The seeds that were run twice.
  var repeated: [UInt64] { orders.withLock { $0.filter(\.isRepeated).map(\.seed) } }

  var out: String { printed.out }
  var err: String { printed.err }
  /// What was answered, without the time that it took.
  var outWithoutTime: String {
    out.replacing(/; \d+\.\d{3} s/, with: "").replacing(/,"seconds":\d+\.\d{3}/, with: "")
  }

  /// What was answered, as JSON objects, one a line.
  func objects() throws -> [[String: any Sendable]] {
    try out.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return object as? [String: any Sendable] ?? [:]
    }
  }
}

extension RunResult {
  /// A run in which everything held.
  static let holding = RunResult(.held, traceHash: "beef", events: 7)

  /// A run whose second run was another one.
  static let differing = RunResult(
    .different, traceHash: "babe", events: 7,
    violations: [Violation("two runs of this seed differ")])

  /// A run in which something did not hold.
  static let violating = violating("they meet", "never")

  /// A run in which something did not hold.
  static func violating(_ name: String, _ observed: String) -> RunResult {
    RunResult(
      .violated, traceHash: "dead", events: 7, violations: [Violation(name, observed)])
  }

  /// What a test engine reports.
  fileprivate func report(of order: RunOrder) -> String {
    switch order.form {
    case .none: ""
    case .plain: "\(ending) with seed \(order.seed)\n"
    case .coloured: "in colour\n"
    case .json: "{\"seed\":\"\(order.seed)\",\"held\":\(ending == .held)}\n"
    }
  }
}

/// A folder of its own for one test, gone when the test ends.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/earshot-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  func file(_ name: String, _ text: String = Folder.scenario) throws -> String {
    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    return "\(path)/\(name)"
  }

  static let scenario = """
    { name: "two", duration: "5s", seed: 42, peers: ["ann", "bob"] }
    """
}

extension [UInt8] {
  /// Makes a file of these bytes.
  func write(to path: String) throws {
    try Data(self).write(to: URL(fileURLWithPath: path))
  }
}
