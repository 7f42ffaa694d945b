import EarshotSimulator
import PlantedBugKit
import TestKit

/// A planted bug that is looked for.
struct Quarry {
  /// What a run came to: whether the bug showed itself, and the choices of the schedule.
  typealias Outcome = (isFound: Bool, schedule: ScheduleRecord)

  let name: String
  /// Whether the schedule alone decides; faults do, else.
  let isRace: Bool
  private let play: (UInt64, SchedulePolicy, [UInt8]) throws -> Outcome

  /// All of them.
  static var all: [Quarry] { PlantedRace.all.map(Quarry.init) + PlantedBug.all.map(Quarry.init) }

  private init(_ race: PlantedRace) {
    (name, isRace) = ("\(race)", true)
    play = { seed, policy, guide in
      var configuration = PlantedRace.configuration(policy)
      configuration.guide = guide
      let world = World(seed: seed, configuration: configuration)
      return (try race.fails(in: world), world.scheduleRecord)
    }
  }

  private init(_ bug: PlantedBug) {
    (name, isRace) = ("\(bug)", false)
    play = { seed, _, guide in
      let (failure, plan) = bug.run(seed: seed, guidedBy: guide)
      guard case .replay(let record) = plan.schedule else {
        return (failure != nil, ScheduleRecord())
      }
      return (failure != nil, record)
    }
  }

  /// One run.
  ///
  /// - Parameters:
  ///   - seed: The seed of the world.
  ///   - policy: The policy of its schedule, if it is a race.
  ///   - guide: The bytes that decide before both.
  /// - Returns: What it came to.
  /// - Throws: What the program of the race throws.
  func run(seed: UInt64, _ policy: SchedulePolicy, guidedBy guide: [UInt8] = []) throws -> Outcome {
    try play(seed, policy, guide)
  }
}
