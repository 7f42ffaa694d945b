/// The faults of one run, in the order of time, each with a number of its own.
///
/// Whether faults were written, drawn from a seed or left over from a reduction, a world carries out the plan alone, so
/// that it can be printed, changed and carried out again.
public struct FaultPlan: Hashable, Sendable {
  /// The faults, in the order of time.
  public let faults: [Fault]

  /// A plan of the given faults.
  ///
  /// - Parameter faults: The faults, in any order. Those without a number, and those whose number an earlier one has,
  ///   get the smallest numbers that are free.
  public init(_ faults: [Fault] = []) {
    var taken: Set<Int> = [0]
    var numbered = faults.map(\.bounded)
    for index in numbered.indices where !taken.insert(numbered[index].id).inserted {
      numbered[index].id = 0
    }
    var next = 1
    for index in numbered.indices where numbered[index].id == 0 {
      while !taken.insert(next).inserted { next += 1 }
      numbered[index].id = next
    }
    self.faults = numbered.sortedByTime()
  }

  /// When the last fault is over, or begins if it never is; zero for a plan without faults.
  public var end: Duration { faults.map { $0.at + ($0.lasting ?? .zero) }.max() ?? .zero }
}

extension FaultPlan: CustomStringConvertible {
  /// A line for each fault, as it stands in a scenario file.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}

extension [Fault] {
  /// In the order of time; faults of one time keep their order.
  package func sortedByTime() -> [Fault] {
    enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}

/// What a world says of a plan that it carries out.
package enum FaultNotice {
  /// A fault is about to take place.
  case begins(Fault)
  /// One of its effects has begun: all of it, or what befalls one of its hosts.
  case began(Fault.Kind, effect: Int)
  /// One of its effects has ended, however that came about.
  case ended(effect: Int)
  /// A fault is about to end because its time is over.
  case ends(Fault)
}

extension World {
  /// Carries out a plan: every fault takes place at its time, and ends after its duration.
  ///
  /// - Parameter plan: The plan; times are counted from the beginning of the world. Faults whose
  ///   time has come begin before the call returns, so that one at zero precedes the first packet.
  ///   Every host that it names exists when its fault begins.
  public func execute(_ plan: FaultPlan) { _ = execute(plan) { _ in } }

  /// The plans that were carried out so far, in the order in which they began.
  package var executedPlans: [FaultPlan] { plans.executed }

  /// Carries out a plan, or what the world's configuration puts in its place.
  ///
  /// - Returns: The plan that is carried out.
  @discardableResult
  package func execute(
    _ plan: FaultPlan, telling observer: @escaping (FaultNotice) -> Void
  ) -> FaultPlan {
    let plan = plans.take(for: plan.without(hostsLeftOut))
    for fault in plan.faults {
      let course = FaultCourse(fault, observer)
      plans.courses.append(course)
      if .zero + fault.at <= now {
        course.begin(in: self)
      } else {
        at(.zero + fault.at) { [unowned self] in course.begin(in: self) }
      }
      guard let lasting = fault.lasting, !fault.kind.isMomentary else { continue }
      at(.zero + fault.at + lasting) { [unowned self] in course.end(in: self) }
    }
    return plan
  }
}

/// The plans of a world, of which a reduction replaces the first ones.
struct PlanSubstitutes {
  private(set) var executed: [FaultPlan] = []
  /// The courses of all faults so far, in the order of the plans.
  var courses: [FaultCourse] = []
  /// Whether no fault of a plan begins any more.
  var areOver = false
  private let substitutes: [FaultPlan]

  init(_ substitutes: [FaultPlan]) { self.substitutes = substitutes }

  /// The plan that is carried out in the place of one.
  mutating func take(for plan: FaultPlan) -> FaultPlan {
    let count = executed.count
    executed.append(substitutes.indices.contains(count) ? substitutes[count] : plan)
    return executed[count]
  }
}

/// A fault of a plan, from its beginning to its end.
final class FaultCourse {
  private let fault: Fault
  private let tell: (FaultNotice) -> Void
  /// The effects that have not ended, by their numbers in the world.
  private var effects: [Int] = []
  private var strikes: [FaultStrike] = []
  private var hasBegun = false

  init(_ fault: Fault, _ tell: @escaping (FaultNotice) -> Void) {
    (self.fault, self.tell) = (fault, tell)
  }

  func begin(in world: World) {
    guard !world.plans.areOver else { return }
    hasBegun = true
    tell(.begins(fault))
    for effect in world.effects(of: fault.kind) {
      if effect.isMomentary || effect.isJump { tellMoment(effect, in: world) }
      let strike = FaultStrike()
      strikes.append(strike)
      guard let id = world.begin(effect, noting: strike) else { continue }
      effects.append(id)
      tell(.began(effect, effect: id))
      world.faultTable.whenEnded(id) { [self] in
        effects.removeAll { $0 == id }
        tell(.ended(effect: id))
      }
    }
  }

  /// The fault if it has begun, and has struck nothing so far.
  var idleFault: IdleFault? {
    guard hasBegun, !strikes.contains(where: \.hasStruck) else { return nil }
    return IdleFault(fault: fault, isOver: strikes.allSatisfy(\.isOver))
  }

  private func tellMoment(_ effect: Fault.Kind, in world: World) {
    let id = world.faultTable.takeID()
    tell(.began(effect, effect: id))
    tell(.ended(effect: id))
  }

  func end(in world: World) {
    guard !effects.isEmpty else { return }
    tell(.ends(fault))
    for id in effects { world.endFault(id) }
  }
}
