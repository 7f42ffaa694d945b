import EarshotCore
import TestKit
import Testing

/// Every order of events that a budget allows, and what must hold in each of them.
@Suite("Two sides")
struct TwoSidesTests {
  typealias Budget = TwoSides.Budget

  @Test("Two who invite each other get one link, both accepted, nobody asked, no blip")
  func glare() {
    expectAll(from: TwoSides(Budget(invites: [1, 1])), atLeast: 200) { world in
      world.sides.allSatisfy { side in
        side.outcomes.allSatisfy { $0 == .accepted } && side.interruptions == 0
          && side.departures.isEmpty
      }
    }
  }
}

/// Visits every state that is reachable; complains about the first that breaks a law.
func expectAll(
  from start: TwoSides, atLeast count: Int = 1, statesMax: Int = 400_000,
  sourceLocation: SourceLocation = #_sourceLocation, law: (TwoSides) -> Bool
) {
  var seen: Set<TwoSides> = [start]
  var stack: [(world: TwoSides, path: [TwoSides.Step])] = [(start, [])]
  while let (world, path) = stack.popLast() {
    let steps = world.steps
    let verdict = world.complaint ?? (steps.isEmpty ? world.finalComplaint(law) : nil)
    if let verdict {
      let story = path.map { "\($0)" }.joined(separator: "\n")
      Issue.record("\(verdict) after\n\(story)", sourceLocation: sourceLocation)
      return
    }
    for step in steps {
      var next = world
      next.take(step)
      if seen.insert(next).inserted { stack.append((next, path + [step])) }
    }
    if seen.count > statesMax { break }
  }
  print("visited \(seen.count)")
  #expect(seen.count >= count, sourceLocation: sourceLocation)
}

extension TwoSides {
  /// What is wrong when nothing more can happen.
  func finalComplaint(_ law: (TwoSides) -> Bool) -> String? {
    if sides.contains(where: { $0.outcomes.count != $0.invited.count }) {
      return "an invitation has not exactly one outcome"
    }
    if sides.contains(where: { !$0.desk.isEmpty || !$0.accepting.isEmpty }) {
      return "an invitation is still open"
    }
    if isMember(0) != isMember(1) { return "only one side is a member" }
    if links.count != (isMember(0) ? 1 : 0) {
      return "\(links.count) links are left, \(isMember(0) ? "as members" : "without members")"
    }
    let memberships = sides.compactMap(\.membership)
    if isMember(0), Set(memberships.map(\.link)).count != 1 || memberships[0].link == nil {
      return "the sides do not have the same link"
    }
    if isMember(0), Set(memberships.map(\.epoch)).count != 1 { return "the epochs differ" }
    if isMember(0), sides.contains(where: \.isInterrupted) { return "still interrupted" }
    return law(self) ? nil : "the law does not hold"
  }
}
