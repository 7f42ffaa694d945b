package import EarshotSimulator

/// What decides in a run where a scenario leaves something open, beside the seed.
package struct Chance: Hashable, Sendable {
  /// The order of what could happen next at one instant.
  package var schedule = SchedulePolicy.fifo
  /// Where Earshot does on purpose what it seldom does.
  package var buggify = Buggify.off
  /// Bytes that decide before the seed does; never of a file.
  package var guide: [UInt8] = []
}

extension Scenario {
  /// The order of what could happen next at one instant.
  package var schedule: SchedulePolicy {
    get { chance.schedule }
    set { chance.schedule = newValue }
  }

  /// Where Earshot does on purpose what it seldom does.
  package var buggify: Buggify {
    get { chance.buggify }
    set { chance.buggify = newValue }
  }

  /// Bytes that decide before the seed does; never of a file.
  package var guide: [UInt8] {
    get { chance.guide }
    set { chance.guide = newValue }
  }
}
