import EarshotCore
import EarshotNetwork
import EarshotSimulator

extension SimulatedPair: DisturbedNetwork {
  func run(_ test: @escaping @Sendable (DisturbedHosts) async throws -> Void) async throws {
    try await run { (world: World, pair: TwoHosts) in
      let active = Watched<[Disturbance: ActiveFault]>([:])
      try await test(
        DisturbedHosts(pair) { disturbance, begins in
          guard let kind = disturbance.fault else { return }
          if begins {
            let fault = world.inject(kind)
            active.update { $0[disturbance] = fault }
          } else {
            active.state[disturbance]?.end()
            active.update { $0[disturbance] = nil }
          }
        })
    }
  }
}

extension Disturbance {
  /// The same in a world of Ann and Bob, whose hosts have no routes.
  fileprivate var fault: Fault.Kind? {
    switch self {
    case .mute(.ann): .cut(.from("ann", to: "bob"))
    case .mute(.bob): .cut(.from("bob", to: "ann"))
    case .unplugged(let side): .hosts([side.name], .unplug)
    case .readdressed(let side): .hosts([side.name], .readdress)
    case .routedAway: nil
    case .frozen: .hosts(["bob"], .freeze)
    case .portsTaken: .hosts(["ann"], .exhaustPorts)
    case .reset: .links(.between("ann", and: "bob"), .reset())
    case .multicastLost: .onBothWays { $0.multicastLoss = .percent(100) }
    case .duplicated: .onBothWays { $0.duplication = .percent(100) }
    case .corrupted(let percent): .onBothWays { $0.corruption = .percent(percent) }
    case .truncated(let percent): .onBothWays { $0.truncation = .percent(percent) }
    }
  }
}

extension Fault.Kind {
  fileprivate static func onBothWays(_ set: (inout LinkChange) -> Void) -> Fault.Kind {
    var change = LinkChange()
    set(&change)
    return .link(.between("ann", and: "bob"), change)
  }
}

extension Disturbance.Side {
  fileprivate var name: String {
    switch self {
    case .ann: "ann"
    case .bob: "bob"
    }
  }
}
