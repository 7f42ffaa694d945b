import BenchmarkKit
import EarshotSimulator
import Foundation
import FuzzerKit

/// What a search for a planted bug came to.
struct Search {
  /// How many runs it took until the bug was found; `nil` when the time was over before.
  var runs: Int?
  /// The CPU time that it took.
  var cpu: Duration

  /// Takes one seed after the other.
  static func seeds(
    _ quarry: Quarry, _ policies: [SchedulePolicy], from first: UInt64, budget: Duration
  ) throws -> Search {
    let start = Resources.cpuTime
    var runs = 0
    while Resources.cpuTime - start < budget {
      let policy = policies[runs % policies.count]
      let run = try quarry.run(seed: first + UInt64(runs), policy)
      runs += 1
      if run.isFound { return Search(runs: runs, cpu: Resources.cpuTime - start) }
    }
    return Search(runs: nil, cpu: Resources.cpuTime - start)
  }

  #if EARSHOT_FUZZ
    /// Has a process of its own look with libFuzzer.
    static func fuzzer(_ quarry: Quarry, seed: Int, budget: Duration) -> Search {
      let milliseconds = Int(budget / .milliseconds(1))
      let child = ChildProcess(ourselves: ["--search", quarry.name, "\(seed)", "\(milliseconds)"])
      let answer = child.expect("search").compactMap(Int.init)
      child.finish()
      return Search(runs: answer[0] > 0 ? answer[0] : nil, cpu: .microseconds(answer[1]))
    }

    /// Looks with libFuzzer, and tells the process that started this one.
    static func answer(_ quarry: Quarry, seed: Int, budget: Duration) -> Never {
      let start = Resources.cpuTime
      var runs = 0
      func end(found: Bool) -> Never {
        let cpu = Resources.cpuTime - start
        ChildProcess.answer("search \(found ? runs : 0) \(Int(cpu / .microseconds(1)))")
        _exit(0)
      }
      let options = [
        "-seed=\(seed)", "-max_len=\(inputBytesMax)", "-len_control=0", "-verbosity=0",
        "-detect_leaks=0", "-handle_segv=0",
      ]
      Fuzzer.run(options) { bytes in
        runs += 1
        // What the bytes do not decide is the same in all runs of a search.
        guard let run = try? quarry.run(seed: UInt64(seed), .random, guidedBy: bytes) else {
          _exit(1)
        }
        Fuzzer.note(run.schedule)
        if run.isFound { end(found: true) }
        if Resources.cpuTime - start > budget { end(found: false) }
      }
    }

    private static let inputBytesMax = 256
  #endif
}
