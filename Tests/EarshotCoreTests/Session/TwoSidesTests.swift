import EarshotCore
import TestKit
import Testing

/// Every order of events that a budget allows, and what must hold in each of them.
@Suite("Two sides")
struct TwoSidesTests {
  typealias Budget = TwoSides.Budget

  @Test("Two who invite each other get one link, both accepted, without a blip")
  func glare() {
    expectAll(from: TwoSides(Budget(invites: [1, 1], usersComeFirst: true)), atLeast: 50) {
      $0.areHappy && $0.sides.allSatisfy { $0.interruptions == 0 && $0.departures.isEmpty }
    }
  }

  @Test("Nobody is asked when both invite before they have heard of each other")
  func nobodyAsked() {
    var world = TwoSides(Budget(invites: [1, 1], usersComeFirst: true))
    world.take(.invite(0))
    world.take(.invite(1))
    expectAll(from: world, atLeast: 10) {
      $0.areHappy && $0.sides.allSatisfy { $0.offersMade == 0 }
    }
  }

  @Test(
    "Two who have several sessions and invite each other are asked, and both sides agree",
    arguments: [[true, false], [false, true], [true, true]])
  func glareOfSeveral(isOfSeveral: [Bool]) {
    var budget = Budget(
      invites: [1, 1], isOfSeveral: isOfSeveral, usersComeFirst: true, timeout: .seconds(8))
    var world = TwoSides(budget)
    world.take(.invite(0))
    world.take(.invite(1))
    expectAll(from: world, atLeast: 10) {
      $0.areHappy && 1...2 ~= $0.sides.reduce(0) { $0 + $1.offersMade }
        && $0.sides.allSatisfy { $0.interruptions == 0 && $0.departures.isEmpty }
    }
    (budget.breaks, budget.cancels, budget.declines) = (1, 1, 1)
    (budget.earlyDeadlines, budget.usersComeFirst) = (1, false)
    expectAll(from: TwoSides(budget), atLeast: 1_000) { _ in true }
  }

  @Test("Two who invite each other are both accepted, whatever fault hits them", arguments: 0..<2)
  func glareWithFault(kind: Int) {
    var budget = Budget(invites: [1, 1], usersComeFirst: true)
    if kind == 0 { budget.breaks = 1 } else { budget.dialFailures = 2 }
    expectAll(from: TwoSides(budget), atLeast: 50) { $0.areHappy }
  }

  @Test("An invitation ends once, and both sides agree, whatever the users do")
  func users() {
    let budget = Budget(
      invites: [1, 0], breaks: 1, earlyDeadlines: 1, declines: 1, cancels: 1,
      timeout: .seconds(8))
    expectAll(from: TwoSides(budget), atLeast: 200) { _ in true }
  }

  @Test("Both sides agree when both invite, decline, cancel, and let deadlines pass")
  func mutualUsers() {
    let budget = Budget(
      invites: [1, 1], earlyDeadlines: 1, declines: 1, cancels: 1, timeout: .seconds(8))
    expectAll(from: TwoSides(budget), atLeast: 1_000) { _ in true }
  }

  @Test("Both sides agree when both invite over a link that breaks, and one cancels")
  func mutualTrouble() {
    let budget = Budget(invites: [1, 1], breaks: 1, dialFailures: 1, cancels: 1)
    expectAll(from: TwoSides(budget), atLeast: 1_000) { _ in true }
  }

  @Test("Both sides agree when an acceptance is taken back, whatever breaks then")
  func takenBack() {
    let budget = Budget(
      invites: [1, 0], breaks: 1, earlyDeadlines: 1, takenBack: 1, timeout: .seconds(8))
    expectAll(from: TwoSides(budget), atLeast: 200) { _ in true }
  }

  @Test("Both sides agree when an acceptance is taken back while both invite")
  func takenBackInGlare() {
    let budget = Budget(invites: [1, 1], breaks: 1, takenBack: 1, timeout: .seconds(8))
    expectAll(from: TwoSides(budget), atLeast: 500) { _ in true }
  }

  @Test("An invitation outlasts the sleep of both sides, and is accepted after it")
  func sleepWhileAsked() {
    let budget = Budget(
      invites: [1, 0], breaks: 1, suspensions: 2, usersComeFirst: true, timeout: .seconds(120))
    expectAll(from: TwoSides(budget), atLeast: 200) { $0.areHappy }
  }

  @Test("Both sides agree when one invites, either sleeps, and deadlines pass")
  func sleepPastDeadlines() {
    let budget = Budget(
      invites: [0, 1], earlyDeadlines: 1, cancels: 1, suspensions: 1, timeout: .seconds(8))
    expectAll(from: TwoSides(budget), atLeast: 500) { _ in true }
  }

  @Test("A broken membership is one link again, whatever breaks on the way")
  func reattach() {
    let budget = Budget(breaks: 2, dialFailures: 1, earlyDeadlines: 2)
    expectAll(from: .connected(budget), atLeast: 1_000) { $0.isUnharmed }
  }

  @Test("Two who are introduced get one link, whatever breaks before", arguments: 0..<3)
  func introduced(breaks: Int) {
    let budget = Budget(
      breaks: breaks, dialFailures: 1, earlyDeadlines: 1, patience: [.seconds(600), .seconds(600)])
    expectAll(from: .introduced(budget), atLeast: 50) { $0.isUnharmed }
  }

  @Test("Two who are introduced get one link although both sleep")
  func introducedInSleep() {
    let budget = Budget(
      breaks: 1, suspensions: 2, usersComeFirst: true, patience: [.seconds(600), .seconds(600)])
    expectAll(from: .introduced(budget), atLeast: 1_000) { $0.isUnharmed }
  }

  @Test("A membership survives sleep on both sides")
  func sleep() {
    let budget = Budget(breaks: 1, suspensions: 2, usersComeFirst: true)
    expectAll(from: .connected(budget), atLeast: 200) { $0.isUnharmed }
  }

  @Test("Whoever leaves is heard to have left, whatever breaks meanwhile")
  func leaving() {
    let budget = Budget(breaks: 2, dialFailures: 1, leaves: 1)
    expectAll(from: .connected(budget), atLeast: 500) { world in
      Set(world.sides.map(\.departures)) == [[.disconnected], [.left]]
    }
  }

  @Test("Two who leave at once both hear the end, whatever breaks meanwhile")
  func leavingBoth() {
    let budget = Budget(breaks: 2, leaves: 2)
    expectAll(from: .connected(budget), atLeast: 500) { world in
      world.sides.allSatisfy { $0.departures.count == 1 && !$0.departures.contains(.lost) }
    }
  }

  @Test(
    "Both sides hear of a removal, and it holds, though one has given the other up",
    arguments: [[30, 30], [2, 30], [30, 2], [2, 2]])
  func removal(patience: [Int]) {
    let budget = Budget(
      breaks: 1, dialFailures: 1, earlyDeadlines: 1, removals: 1, isIntroduced: true,
      patience: patience.map { .seconds($0) })
    expectAll(from: .connected(budget), atLeast: 500) { $0.holdsRemoval }
  }

  @Test("A removal holds although either side sleeps when it comes")
  func removalInSleep() {
    let budget = Budget(
      breaks: 1, suspensions: 1, removals: 1, isIntroduced: true, usersComeFirst: true)
    expectAll(from: .connected(budget), atLeast: 500) { $0.holdsRemoval }
  }

  @Test("Two who remove each other both hear of it, and stay apart")
  func removalBoth() {
    let budget = Budget(breaks: 2, dialFailures: 1, removals: 2, isIntroduced: true)
    expectAll(from: .connected(budget), atLeast: 500) { $0.holdsRemoval }
  }

  @Test("Long troubles end in agreement", arguments: Seed.some(400))
  func longTroubles(seed: Seed) {
    let budget = Budget(
      invites: [3, 3], breaks: 6, dialFailures: 4, earlyDeadlines: 6, declines: 1, cancels: 2,
      takenBack: 1, suspensions: 2, timeout: .seconds(8))
    expectOne(from: TwoSides(budget), seed: seed) { _ in true }
  }

  @Test("Long troubles end in one link when nobody says no", arguments: Seed.some(400))
  func longWishes(seed: Seed) {
    let budget = Budget(
      invites: [1, 1], breaks: 6, dialFailures: 2, usersComeFirst: true, timeout: .seconds(120))
    expectOne(from: TwoSides(budget), seed: seed) { $0.areHappy }
  }

  @Test("Two who are introduced get one link after many faults", arguments: Seed.some(400))
  func longIntroduction(seed: Seed) {
    let budget = Budget(
      breaks: 12, dialFailures: 4, earlyDeadlines: 8, suspensions: 2,
      patience: [.seconds(600), .seconds(600)])
    expectOne(from: .introduced(budget), seed: seed) { $0.isUnharmed }
  }

  @Test("A membership survives many faults", arguments: Seed.some(400))
  func longMembership(seed: Seed) {
    let budget = Budget(
      breaks: 12, dialFailures: 4, earlyDeadlines: 8, patience: [.seconds(600), .seconds(600)])
    expectOne(from: .connected(budget), seed: seed) { $0.isUnharmed }
  }
}

/// Takes steps at random until nothing more can happen.
func expectOne(
  from start: TwoSides, seed: Seed, sourceLocation: SourceLocation = #_sourceLocation,
  law: (TwoSides) -> Bool
) {
  var random = seed.generator
  var world = start
  var path: [TwoSides.Step] = []
  while world.complaint == nil, path.count < 5_000 {
    let steps = world.steps
    guard !steps.isEmpty else { break }
    path.append(steps[Int(random.below(UInt64(steps.count)))])
    world.take(path[path.count - 1])
  }
  let ending = world.steps.isEmpty ? world.finalComplaint(law) : "it goes on for ever"
  if let verdict = world.complaint ?? ending {
    let story = path.map { "\($0)" }.joined(separator: "\n")
    let ends = world.sides.map { "\($0.outcomes), \($0.departures)" }.joined(separator: "; ")
    Issue.record("\(verdict): \(ends) after\n\(story)", sourceLocation: sourceLocation)
  }
}

/// Visits every state that is reachable; complains about the first that breaks a law.
func expectAll(
  from start: TwoSides, atLeast count: Int = 1,
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
  }
  #expect(seen.count >= count, sourceLocation: sourceLocation)
}

extension TwoSides {
  /// Whether every invitation was accepted and both sides are members.
  var areHappy: Bool {
    isMember(0) && isMember(1)
      && sides.allSatisfy { $0.outcomes.allSatisfy { $0 == .accepted } }
  }

  /// Whether the membership is there, and neither side ever lost it.
  var isUnharmed: Bool { isMember(0) && isMember(1) && sides.allSatisfy(\.departures.isEmpty) }

  /// Whether neither side has removed the other, or both were told, and neither is a member.
  var holdsRemoval: Bool {
    guard sides.contains(where: \.isShunned) else { return isMember(0) && isMember(1) }
    return !isMember(0) && !isMember(1) && sides.allSatisfy { $0.wasTold == .removed }
  }

  /// What is wrong when nothing more can happen.
  func finalComplaint(_ law: (TwoSides) -> Bool) -> String? {
    if sides.contains(where: { $0.outcomes.count != $0.invited.count }) {
      return "an invitation has not exactly one outcome"
    }
    if sides.contains(where: { !$0.table.isEmpty || !$0.accepting.isEmpty }) {
      return "an invitation is still open"
    }
    if sides.contains(where: { !$0.inviters.isEmpty || $0.ledger.isAccepting }) {
      return "an invitation that has ended is kept"
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
    if sides.contains(where: { $0.interruptions > breakages }) {
      return "more interruptions than breaks"
    }
    return law(self) ? nil : "the law does not hold"
  }
}
