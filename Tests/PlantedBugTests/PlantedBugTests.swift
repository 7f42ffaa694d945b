import Foundation
import PlantedBugKit
import Testing

@Suite("Planted bugs")
struct PlantedBugTests {
  @Test("There are at least twenty, each with a name of its own")
  func count() {
    #expect(PlantedBug.all.count >= 20)
    #expect(Set(PlantedBug.all.map(\.description)).count == PlantedBug.all.count)
  }

  @Test(
    "Each is found, reduced by the same oracle within 200 runs, to 3 faults and 3 peers in the median; without it nothing fails"
  )
  func hunts() async {
    var hunts: [BugHunt] = []
    for bug in PlantedBug.all {
      // On a thread of its own, as each takes long, and others wait for those that tasks have.
      let (hunt, falseAlarms) = await onThread {
        let hunt = BugHunt(bug)
        return (hunt, hunt?.falseAlarms(upTo: 8) ?? [])
      }
      if let hunt { hunts.append(hunt) }
      #expect(falseAlarms.isEmpty, "\(bug): fails without the bug")
    }
    #expect(hunts.map { "\($0.bug)" } == PlantedBug.all.map(\.description), "not all were found")
    for hunt in hunts {
      #expect(hunt.failureOfReduced == hunt.failure, "\(hunt.line): another oracle fails")
      #expect(hunt.runCount <= 200, "\(hunt.line)")
      #expect(hunt.faultCounts.reduced <= 6 && hunt.peerCount <= 5, "\(hunt.line)")
    }
    #expect(Self.median(hunts.map(\.faultCounts.reduced)) <= 3)
    #expect(Self.median(hunts.map(\.peerCount)) <= 3)
    print(hunts.map(\.line).joined(separator: "\n"))
  }

  private func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  private static func median(_ counts: [Int]) -> Int { counts.sorted()[counts.count / 2] }
}
