import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Foundation
import Synchronization
import TestKit
import Testing

/// Every public call returns, once, whatever is called twice, at once, after the end, or cancelled.
///
/// `EARSHOT_CANCELLED_CALLS=100 swift test --filter CallPairTests` cancels each at 100 instants.
@Suite("Any two calls")
struct CallPairTests {
  @Test(
    "Whatever two calls meet, both return, nothing is left over, and both sides agree",
    arguments: Play.Step.basic)
  func pairs(first: Play.Step) {
    for (index, second) in Play.Step.basic.enumerated() {
      for (number, timing) in Play.Timing.fixed.enumerated() where isChosen(index + number) {
        Play(first, second, timing, seed: UInt64(index % 2)).run()
      }
    }
  }

  @Test(
    "A cancelled call returns at once and does as documented, and both sides agree in the end",
    arguments: Play.Step.allCases)
  func cancelled(first: Play.Step) {
    let share = Play.Step.allCases.firstIndex(of: first) ?? 0
    for (index, second) in Play.Step.allCases.enumerated() where isChosen(share + index) {
      for round in 0..<Self.rounds {
        var random = RandomStream(seed: UInt64(round), name: "\(first) \(second)")
        let timing = Play.Timing.cancelling(Play.Cancellation(using: &random))
        Play(first, second, timing, seed: UInt64(round)).run()
      }
    }
  }

  private static let rounds =
    ProcessInfo.processInfo.environment["EARSHOT_CANCELLED_CALLS"].flatMap(Int.init) ?? 1

  /// A tenth of them, where every step is checked.
  private func isChosen(_ number: Int) -> Bool {
    Fuzz.inputCount > 100_000 || number % 10 == 0
  }
}
