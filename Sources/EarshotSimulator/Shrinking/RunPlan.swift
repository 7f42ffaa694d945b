/// What befalls a world in one run, and in which order: what a failure is reduced to when its program stays as it is.
package struct RunPlan: Hashable, Sendable {
  /// The hosts that the program makes; none when it does not let them be chosen.
  package var hosts: [String]
  /// The groups whose hosts these are, if the world can leave them out.
  package var groups: [HostGroup]
  /// The plans of faults, in the order in which the program has them carried out.
  package var plans: [FaultPlan]
  /// The order of what could happen next at one instant.
  package var schedule: SchedulePolicy

  /// A plan.
  package init(
    hosts: [String] = [], of groups: [HostGroup] = [], plans: [FaultPlan] = [],
    schedule: SchedulePolicy = .fifo
  ) { (self.hosts, self.groups, self.plans, self.schedule) = (hosts, groups, plans, schedule) }

  /// The plan of a run that is over or has come to its last event.
  ///
  /// - Parameters:
  ///   - world: The world of the run.
  ///   - hosts: The hosts that the program can do without, each by itself; `nil` for those that it
  ///     makes in groups.
  package init(of world: World, hosts: [String]? = nil) {
    let groups = hosts == nil ? world.hostGroups : []
    self.init(
      hosts: hosts ?? groups.flatMap(\.names).filter { !world.hostsLeftOut.contains($0) },
      of: groups, plans: world.executedPlans,
      schedule: world.scheduleRecord.choices.isEmpty ? .fifo : .replay(world.scheduleRecord))
  }

  /// Has a world carry out the plan.
  package func configure(_ configuration: inout WorldConfiguration) {
    (configuration.faultPlans, configuration.schedule) = (plans, schedule)
    configuration.hostsLeftOut = Set(groups.flatMap(\.names)).subtracting(hosts)
  }

  /// What a policy has chosen, if that is its schedule.
  package var record: ScheduleRecord? {
    if case .replay(let record) = schedule { record } else { nil }
  }

  /// All faults, in the order of the plans.
  package var faults: [Fault] { plans.flatMap(\.faults) }
}

extension RunPlan: CustomStringConvertible {
  /// A line for each fault in words, one for the hosts if some are left out, and one for the
  /// choices of a schedule.
  package var description: String {
    let faults = faults.sortedByTime().map { fault in
      let lasting = fault.lasting.map { " for \(Quantity.time($0))" } ?? ""
      return "at \(Quantity.time(fault.at)): \(fault.kind)\(lasting)"
    }
    let noun = choices.count == 1 ? "choice" : "choices"
    let choices = choices.isEmpty ? [] : ["\(choices.count) \(noun) of the schedule"]
    let isWhole = groups.allSatisfy { $0.names.allSatisfy(hosts.contains) }
    let names = isWhole ? [] : ["hosts: \(hosts.joined(separator: ", "))"]
    return (faults + names + choices).joined(separator: "\n")
  }
}

extension RunPlan: ReducibleRun {
  /// The duration of a fault.
  package struct Place: Hashable, Sendable {
    let plan: Int
    let fault: Int
  }

  /// Faults without hosts befall nothing; a group has as many hosts as it needs.
  package var isValid: Bool {
    let made = Set(hosts)
    return groups.allSatisfy { $0.count(in: made) >= $0.atLeast }
  }

  package func partCount(_ pass: ReductionPass) -> Int {
    switch pass {
    case .faults: faults.count
    case .peers: hosts.count
    case .workload, .values, .schedule: 0
    }
  }

  package func keeping(_ kept: [Int], of pass: ReductionPass) -> RunPlan {
    let left = Set(kept)
    var plan = self
    switch pass {
    case .faults:
      var number = -1
      plan.plans = plans.map { plan in
        FaultPlan(
          plan.faults.filter { _ in
            number += 1
            return left.contains(number)
          })
      }
    case .peers:
      let gone = Set(hosts.indices.filter { !left.contains($0) }.map { hosts[$0] })
      plan.hosts.removeAll { gone.contains($0) }
      plan.plans = plans.map { $0.without(gone) }
    case .workload, .values, .schedule: break
    }
    return plan
  }

  package func without(_ cause: ReductionCause) -> RunPlan? {
    switch cause {
    case .faults: faults.isEmpty ? nil : keeping([], of: .faults)
    case .schedule: withoutChoices
    case .links, .buggify: nil
    }
  }

  package var places: [Place] {
    plans.indices.flatMap { plan in
      plans[plan].faults.indices.map { Place(plan: plan, fault: $0) }
    }
  }

  package func amount(at place: Place) -> ReducibleAmount? {
    let fault = plans[place.plan].faults[place.fault]
    return fault.lasting.flatMap { .time($0, from: .milliseconds(1)) }
  }

  package func setting(_ place: Place, to amount: Int64) -> RunPlan {
    var faults = plans[place.plan].faults
    faults[place.fault].lasting = .nanoseconds(amount)
    var plan = self
    plan.plans[place.plan] = FaultPlan(faults)
    return plan
  }
}
