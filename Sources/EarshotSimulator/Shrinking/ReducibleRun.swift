/// What a reduction makes smaller, in the order in which it does.
package enum ReductionPass: String, Hashable, Sendable, CaseIterable {
  case faults, peers, workload, values, schedule
}

/// Something that may be the cause of a failure, in the order in which it is suspected.
package enum ReductionCause: Hashable, Sendable, CaseIterable {
  /// The faults of the run.
  case faults
  /// Links that are not those of a quiet network.
  case links
  /// Points of BUGGIFY.
  case buggify
  /// The choices of a schedule policy.
  case schedule
}

/// The result of a run, compared with the failure that is reduced.
package enum ReductionOutcome: Hashable, Sendable {
  /// The run fails in the same way.
  case fails
  /// The run fails in another way.
  case differs
  /// The run does not fail.
  case holds
}

/// The description of a run, of which parts can be left out and values made smaller.
package protocol ReducibleRun: Hashable, Sendable {
  /// Where a value stands.
  associatedtype Place: Hashable, Sendable

  /// Whether it describes something that can be run.
  var isValid: Bool { get }

  /// The order of what could happen next at one instant.
  var schedule: SchedulePolicy { get set }

  /// The number of parts that a pass may leave out; 0 for ``ReductionPass/values`` and ``ReductionPass/schedule``.
  func partCount(_ pass: ReductionPass) -> Int

  /// The run with some of its parts alone.
  ///
  /// - Parameters:
  ///   - kept: The positions of the parts, in ascending order.
  ///   - pass: Which parts are meant.
  /// - Returns: The smaller run.
  func keeping(_ kept: [Int], of pass: ReductionPass) -> Self

  /// The run without a cause of failures; `nil` when it has none of that kind.
  func without(_ cause: ReductionCause) -> Self?

  /// Where the values stand that may be smaller.
  var places: [Place] { get }

  /// How much stands at a place; `nil` when nothing there can be smaller.
  func amount(at place: Place) -> ReducibleAmount?

  /// The run with another amount at a place.
  func setting(_ place: Place, to amount: Int64) -> Self
}

extension ReducibleRun {
  /// What the schedule was chosen to be, when it is a record; nothing otherwise.
  package var choices: [ScheduleRecord.Choice] {
    if case .replay(let record) = schedule { record.choices } else { [] }
  }

  /// The run under the schedule that chooses nothing; `nil` if that is its own.
  package var withoutChoices: Self? {
    guard schedule != .fifo else { return nil }
    var run = self
    run.schedule = .fifo
    return run
  }
}

/// A number of a run that may be smaller.
package struct ReducibleAmount: Hashable, Sendable {
  /// How much it is, in its unit.
  package let amount: Int64
  /// The smallest amount that makes sense.
  package let simplest: Int64
  /// Differences that are not worth a run.
  package let grain: Int64
  private let isTime: Bool

  private init(_ amount: Int64, from simplest: Int64, grain: Int64, isTime: Bool = false) {
    (self.amount, self.simplest, self.grain) = (amount, simplest, grain)
    self.isTime = isTime
  }

  /// A number of things; `nil` for one that cannot be smaller.
  package static func count(_ count: Int64) -> ReducibleAmount? {
    count > 1 ? ReducibleAmount(count, from: 1, grain: 1) : nil
  }

  /// A number of bytes; `nil` for one that cannot be smaller.
  package static func bytes(_ bytes: Int64) -> ReducibleAmount? {
    bytes > 1 ? ReducibleAmount(bytes, from: 1, grain: max(1, bytes / 8)) : nil
  }

  /// A time; `nil` for one that cannot be smaller.
  package static func time(_ time: Duration, from simplest: Duration = .zero) -> ReducibleAmount? {
    guard time > simplest else { return nil }
    let grain = max(1_000_000, time.nanoseconds / 8)
    return ReducibleAmount(
      time.nanoseconds, from: simplest.nanoseconds, grain: grain, isTime: true)
  }

  /// An amount with few digits near another one.
  func rounded(_ amount: Int64) -> Int64 {
    guard isTime else { return amount }
    let step: Int64 =
      amount > 2_000_000_000 ? 1_000_000_000 : amount > 200_000_000 ? 100_000_000 : 1_000_000
    return amount / step * step
  }
}
