import EarshotSimulator

/// The links of a run that nothing befell, and that are as the links of the scenario are in general.
struct HealthyLinks {
  private let links: LinkPlan
  private let disturbances: Disturbances

  init(_ scenario: Scenario, _ disturbances: Disturbances) {
    (links, self.disturbances) = (scenario.links, disturbances)
  }

  /// Whether the link between two peers is one.
  func contains(_ left: String, _ right: String) -> Bool {
    left != right && links.isPlain(left, right)
      && !disturbances.all.contains { $0.concerns(left, right) }
  }
}

extension LinkPlan {
  /// Whether the link between two peers loses nothing by chance, and is no exception.
  func isPlain(_ left: String, _ right: String) -> Bool {
    let directions = [Direction(left, right), Direction(right, left)]
    return !defaults.isLossy
      && !exceptions.contains { exception in directions.contains { exception.ends.contains($0) } }
  }
}

extension LinkChange {
  /// Whether packets may be lost by chance; so are TCP segments that arrive harmed.
  var isLossy: Bool {
    burst != nil || [loss, corruption, truncation].contains { ($0 ?? .zero) > .zero }
  }
}

extension Disturbance {
  /// Whether it befalls one of two peers, or what goes between them.
  fileprivate func concerns(_ left: String, _ right: String) -> Bool {
    if case .hosts(let names, _) = kind { return names.contains(left) || names.contains(right) }
    return touches(left, right)
  }
}
