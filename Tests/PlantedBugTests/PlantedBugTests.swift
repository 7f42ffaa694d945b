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
    let hunts = await withTaskGroup(of: (Int, BugHunt)?.self) { group in
      for (index, bug) in PlantedBug.all.enumerated() {
        group.addTask { BugHunt(bug).map { (index, $0) } }
      }
      var hunts: [(Int, BugHunt)] = []
      for await hunt in group { if let hunt { hunts.append(hunt) } }
      return hunts.sorted { $0.0 < $1.0 }.map(\.1)
    }
    #expect(hunts.map { "\($0.bug)" } == PlantedBug.all.map(\.description), "not all were found")
    for hunt in hunts {
      #expect(hunt.failureOfReduced == hunt.failure, "\(hunt.line): another oracle fails")
      #expect(hunt.falseAlarms.isEmpty, "\(hunt.bug): fails without the bug")
      #expect(hunt.runCount <= 200, "\(hunt.line)")
      #expect(hunt.faultCounts.reduced <= 6 && hunt.peerCount <= 5, "\(hunt.line)")
    }
    #expect(Self.median(hunts.map(\.faultCounts.reduced)) <= 3)
    #expect(Self.median(hunts.map(\.peerCount)) <= 3)
    print(hunts.map(\.line).joined(separator: "\n"))
  }

  private static func median(_ counts: [Int]) -> Int { counts.sorted()[counts.count / 2] }
}
