import Earshot
import EarshotSimulator

extension PeerDriver {
  /// The connections that carry the memberships of the program's sessions, for what looks at the world from outside.
  nonisolated var carriers: [CarrierEnd] {
    var ends: [CarrierEnd] = []
    host.perform {
      ends = assumeIsolated { driver in
        driver.plan.sessions.flatMap { plan -> [CarrierEnd] in
          guard let open = driver.sessions[plan.name] else { return [] }
          return open.members.compactMap { id in
            // What leads to a session with another name is told apart from what leads to the one with this.
            let other = open.session.session(of: id).flatMap { driver.recorder.name(of: $0) }
            guard other == plan.name else { return nil }
            return open.session.carrier(of: id).map {
              CarrierEnd(of: driver.plan.name, to: driver.name(of: id), in: plan.name, $0)
            }
          }
        }
      }
    }
    return ends
  }
}
