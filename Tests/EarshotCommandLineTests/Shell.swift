import EarshotCommandLine
import EarshotScenario
import Foundation

/// A tool whose answers are caught, over an engine that does as the test says.
final class Shell {
  private let printed = Printed()
  private(set) var runs: [UInt64] = []
  private(set) var repeated: [UInt64] = []
  private let isColoured: Bool
  private let behaviour: (UInt64) -> RunResult
  private let traces: [String]

  /// A shell over an engine whose runs end as a function of the seed says.
  init(
    isColoured: Bool = false, traces: [String] = [],
    _ behaviour: @escaping (UInt64) -> RunResult = { .holding($0) }
  ) {
    (self.isColoured, self.traces, self.behaviour) = (isColoured, traces, behaviour)
  }

  func run(_ words: String...) -> ExitCode { run(words) }

  func run(_ words: [String]) -> ExitCode {
    let console = printed.console(isColoured: isColoured)
    let engine = Engine { order in
      self.runs.append(order.seed)
      self.repeated += order.isRepeated ? [order.seed] : []
      for second in 1...5 { order.progress?(second) }
      for line in self.traces { order.trace?(line) }
      return self.behaviour(order.seed)
    }
    return EarshotTool(console: console, engine: engine, surroundings: .nowhere).run(words)
  }

  var out: String { printed.out }
  var err: String { printed.err }

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
  static func holding(_ seed: UInt64) -> RunResult {
    RunResult(
      exitCode: .held, traceHash: "beef", events: 7, violated: [],
      text: { $0 ? "in colour\n" : "held with seed \(seed)\n" },
      json: { "{\"seed\":\(seed),\"held\":true}" })
  }

  /// A run whose second run was another one.
  static func differing(_ seed: UInt64) -> RunResult {
    RunResult(
      exitCode: .broken, traceHash: "babe", events: 7, violated: [],
      text: { _ in "different with seed \(seed)\n" },
      json: { "{\"seed\":\(seed),\"held\":true}" })
  }

  /// A run in which something did not hold.
  static func violating(_ seed: UInt64) -> RunResult {
    RunResult(
      exitCode: .violated, traceHash: "dead", events: 7, violated: ["they meet"],
      text: { _ in "violated with seed \(seed)\n" },
      json: { "{\"seed\":\(seed),\"held\":false}" })
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
