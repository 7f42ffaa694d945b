package import EarshotSimulator

extension ScenarioDocument: ReducibleRun {
  package var isValid: Bool { scenario != nil }

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
      return without(peers: Set(names.indices.filter { !left.contains($0) }.map { names[$0] }))
    case .workload:
      let parts = optionalParts
      return ScenarioDocument(
        root.removing(parts.indices.filter { !left.contains($0) }.map { parts[$0] }))
    case .values, .schedule: return self
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
    return ScenarioDocument(root.replacing(place, with: value.node(amount)))
  }
}
