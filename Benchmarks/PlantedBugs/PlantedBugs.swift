import BenchmarkKit
import EarshotSimulator
import Foundation
import PlantedBugKit

/// Asks how soon each planted bug is found, seed by seed, and what its reduction costs and leaves.
@main
enum PlantedBugs {
  static func main() throws {
    var benchmark = Benchmark(
      "PlantedBugs", options: ["--stories   print what is left of each run"])
    let bugs = PlantedBug.all.filter { benchmark.isWished("\($0)") }
    for bug in benchmark.isQuick ? Array(bugs.prefix(3)) : bugs {
      let start = clock()
      guard let hunt = BugHunt(bug) else {
        say("\(bug): not found")
        continue
      }
      let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
      say(hunt.line)
      let falseAlarms = hunt.falseAlarms(upTo: 24)
      if !falseAlarms.isEmpty { say("fails without the bug: seeds \(falseAlarms)") }
      benchmark.add(Sample("\(bug)", unit: "CPU seconds", values: [seconds]))
      if CommandLine.arguments.contains("--stories") { say(hunt.story + "\n") }
    }
    try benchmark.report()
  }

  /// Prints a line at once.
  private static func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }
}
