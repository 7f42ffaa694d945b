package import EarshotSimulator

extension ScenarioDocument: ReducibleRun {
  package var isValid: Bool {
    guard !isVoid, let scenario else { return false }
    return expectation.map { name in scenario.expectations.contains { $0.name == name } } ?? true
  }

  package var schedule: SchedulePolicy {
    get { root["schedule"].flatMap { SchedulePolicy($0) } ?? .fifo }
    set { root = root.setting("schedule", newValue.node) }
  }

  package func partCount(_ pass: ReductionPass) -> Int {
    switch pass {
    case .faults: faultCount
    case .peers: peerNames.count
    case .workload: optionalParts.count
    case .values, .schedule: 0
    }
  }

  package func keeping(_ kept: [Int], of pass: ReductionPass) -> ScenarioDocument {
    let left = Set(kept)
    switch pass {
    case .faults: return keeping(faults: kept)
    case .peers:
      let names = peerNames
      let gone = Set(names.indices.filter { !left.contains($0) }.map { names[$0] })
      return without(peers: gone).withCounts(of: self)
    case .workload:
      let parts = optionalParts
      let gone = parts.indices.filter { !left.contains($0) }.map { parts[$0] }
      return with(root.removing(gone)).withCounts(of: self)
    case .values, .schedule: return self
    }
  }

  package func without(_ cause: ReductionCause) -> ScenarioDocument? {
    switch cause {
    case .faults: faultCount == 0 ? nil : keeping(faults: [])
    case .links: root["links"].map { _ in with(root.setting("links", nil)) }
    case .buggify: root["buggify"].map { _ in with(root.setting("buggify", nil)) }
    case .schedule: withoutChoices
    }
  }

  package var places: [NodePath] {
    var places: [NodePath] = []
    root.visit { path, _ in
      if amount(at: path) != nil { places.append(path) }
    }
    return places
  }

  package func amount(at place: NodePath) -> ReducibleAmount? {
    root.node(at: place).flatMap { SmallerValue($0, at: place)?.amount }
  }

  package func setting(_ place: NodePath, to amount: Int64) -> ScenarioDocument {
    guard let value = root.node(at: place).flatMap({ SmallerValue($0, at: place) }) else {
      return self
    }
    return with(root.replacing(place, with: value.node(amount))).withCounts(of: self)
  }
}
