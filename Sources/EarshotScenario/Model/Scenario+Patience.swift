import Earshot

extension Scenario {
  /// The shortest patience of any session.
  package var shortestPatience: Duration {
    let standard = Session.Configuration().patience
    return peers.flatMap(\.sessions).map { $0.patience ?? standard }.min() ?? standard
  }
}
