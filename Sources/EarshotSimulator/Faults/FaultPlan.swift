import EarshotCore

/// What befalls the peers of one run: the faults of the scenario, and those that its seed adds.
///
/// Random faults are drawn before the run begins and are ordinary faults from then on, so that they can be
/// printed, and copied into a scenario.
package struct FaultPlan: Hashable, Sendable {
  /// The faults that the seed adds, in the order of time.
  package let drawn: [Fault]
  /// All faults, in the order of time.
  package let faults: [Fault]

  /// The plan of a run.
  package init(_ scenario: Scenario, seed: UInt64) {
    var draw = FaultDraw(
      names: scenario.peerNames, random: RandomStream(seed: seed, name: "world faults"))
    drawn = scenario.randomFaults.map { draw.faults($0) } ?? []
    faults = (scenario.faults + drawn).sortedByTime()
  }
}

/// Draws faults.
private struct FaultDraw {
  let names: [String]
  var random: RandomStream

  mutating func faults(_ wish: RandomFaults) -> [Fault] {
    let kinds = names.count > 1 ? wish.kinds : wish.kinds.filter { $0 == .crash || $0 == .suspend }
    guard !kinds.isEmpty, !names.isEmpty else { return [] }
    return (0..<wish.count).map { _ in fault(kinds, wish) }.sortedByTime()
  }

  private mutating func fault(_ kinds: [RandomFaults.Kind], _ wish: RandomFaults) -> Fault {
    let at = random.duration(in: wish.between).wholeMilliseconds
    let lasting = max(.milliseconds(1), random.duration(in: wish.lasting).wholeMilliseconds)
    return Fault(at: at, kind(one(of: kinds), lasting: lasting), lasting: lasting)
  }

  private mutating func kind(_ kind: RandomFaults.Kind, lasting: Duration) -> Fault.Kind {
    switch kind {
    case .partition: partition()
    case .cut: .cut(ends())
    case .crash: .crash(one(of: names))
    case .suspend:
      .suspend(one(of: names), grace: random.duration(in: .zero...lasting / 2).wholeMilliseconds)
    case .link: .link(ends(), change())
    }
  }

  /// Two groups, neither of them empty.
  private mutating func partition() -> Fault.Kind {
    var groups: [[String]] = [[], []]
    for name in names { groups[Int(random.below(2))].append(name) }
    for index in [0, 1] where groups[index].isEmpty {
      groups[index].append(groups[1 - index].removeFirst())
    }
    return .partition(groups)
  }

  private mutating func ends() -> LinkEnds {
    let source = one(of: names)
    let destination = one(of: names.filter { $0 != source })
    return LinkEnds(
      sources: [source], destinations: [destination], isMutual: random.chance(.percent(50)))
  }

  private mutating func change() -> LinkChange {
    LinkChange(
      latency: .milliseconds(Int(1 + random.below(200))),
      jitter: .milliseconds(Int(random.below(100))), loss: .percent(Int(random.below(50))),
      duplication: .percent(Int(random.below(20))), reordering: .percent(Int(random.below(20))))
  }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int(random.below(UInt64(elements.count)))]
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Duration { .milliseconds(nanoseconds / 1_000_000) }
}
