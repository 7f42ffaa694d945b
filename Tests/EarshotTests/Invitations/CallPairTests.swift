import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Every public call returns, once, whatever is called twice, at once, after the end, or cancelled.
@Suite("Any two calls")
struct CallPairTests {
  @Test(
    "Whatever two calls meet, both return, nothing is left over, and both sides agree",
    arguments: Play.Step.allCases)
  func pairs(first: Play.Step) {
    let timings = Play.Timing.allCases
    for (index, second) in Play.Step.allCases.enumerated() {
      for timing in timings where isChosen(index + timing.rawValue) {
        Play(first, second, timing, seed: UInt64(index % 2)).run()
      }
    }
  }

  /// A tenth of them, where every step is checked.
  private func isChosen(_ number: Int) -> Bool {
    Fuzz.inputCount > 100_000 || number % 10 == 0
  }
}
