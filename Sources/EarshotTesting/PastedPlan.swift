import EarshotSimulator

/// The plan of a run as Swift, to be pasted into its test.
struct PastedPlan {
  private let plan: RunPlan
  private let policy: SchedulePolicy

  /// The Swift of a plan.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - policy: The schedule that the test asks for.
  init(_ plan: RunPlan, insteadOf policy: SchedulePolicy) {
    (self.plan, self.policy) = (plan, policy)
  }

  /// What to paste, and in the place of what.
  var lines: [String] { hosts + calls + schedule }

  private var hosts: [String] {
    let made = Set(plan.hosts)
    return plan.groups.flatMap { group -> [String] in
      let left = group.names.filter(made.contains)
      guard left != group.names else { return [] }
      return ["In place of the names of \(group.names.count) hosts:", "  \(left)"]
    }
  }

  private var calls: [String] {
    plan.plans.enumerated().flatMap { number, left -> [String] in
      guard !left.faults.isEmpty else { return [] }
      let place =
        plan.plans.count == 1 ? "the test's plan" : "plan \(number + 1) of \(plan.plans.count)"
      return ["In place of \(place):", "  " + "world.execute(\(left.swiftText))".indented]
    }
  }

  private var schedule: [String] {
    guard plan.schedule != policy else { return [] }
    guard plan.choices.count <= Self.choicesMax else {
      return ["The \(plan.choices.count) choices of the schedule are too many to paste."]
    }
    return [
      "With this schedule in the configuration of the trait:",
      "  configuration.schedule = \(plan.schedule.swiftText)",
    ]
  }

  private static let choicesMax = 40
}

extension String {
  /// Each line but the first one is indented by two spaces.
  var indented: String { replacing("\n", with: "\n  ") }
}
