import EarshotCore
import TestKit
import Testing

@Suite("Replay window")
struct ReplayWindowTests {
  /// The same, by remembering everything.
  private struct Model {
    var seen: Set<UInt64> = []
    var highest: UInt64?

    func admits(_ counter: UInt64) -> Bool {
      guard let highest else { return true }
      if counter > highest { return true }
      return highest - counter < ReplayWindow.size && !seen.contains(counter)
    }
  }

  @Test("Each counter is admitted once, unless it is too old", arguments: Seed.some(60))
  func likeModel(seed: Seed) {
    var random = seed.generator
    var (window, model) = (ReplayWindow(), Model())
    var center: UInt64 = random.below(2) == 0 ? 0 : random.below(1 << 40)
    let spread = 1 + random.below(3_000)
    for _ in 0..<3_000 {
      center += random.below(40) == 0 ? random.below(5_000) : random.below(4)
      let counter = center - min(center, random.below(spread)) + random.below(8)
      #expect(window.admits(counter) == model.admits(counter))
      #expect(window.isNewest(counter) == (model.highest.map { counter > $0 } ?? true))
      guard window.admits(counter) else { continue }
      window.insert(counter)
      model.seen.insert(counter)
      model.highest = max(model.highest ?? 0, counter)
      #expect(!window.admits(counter))
    }
  }

  @Test(
    "The last 1,024 may come late, and none before them",
    arguments: [(1_023 as UInt64, true), (1_024, false), (5_000, false)])
  func edge(behind: UInt64, isAdmitted: Bool) {
    var window = ReplayWindow()
    window.insert(10_000)
    #expect(window.admits(10_000 - behind) == isAdmitted)
  }

  @Test("To ask changes nothing: a forgery shuts nothing out")
  func asking() {
    var window = ReplayWindow()
    window.insert(1)
    let before = window
    _ = window.admits(1 << 50)
    #expect(window == before && window.admits(0) && window.admits(2))
  }
}
