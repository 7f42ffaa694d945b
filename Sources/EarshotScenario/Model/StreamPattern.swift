import EarshotSimulator

/// Which streams are meant, and what has to become of them.
package struct StreamPattern: Hashable, Sendable {
  /// The peers that write them.
  package var from: [String]
  /// The peers that read them.
  package var to: [String]
  /// The name that the scenario gives them; `nil` for any.
  package var name: String?
  /// How many of their bytes have to be read, and the end where one is planned if these are all;
  /// `nil` when only their end counts.
  package var delivery: MessagePattern.Delivery?
  /// How each of them has to end for its reader; `nil` for any end or none.
  package var ending: Verdict.Stream.Ending?

  /// The streams from some peers to others.
  package init(from: [String], to: [String]) { (self.from, self.to) = (from, to) }

  /// Whether a flow is one of them.
  func contains(_ flow: StreamLog.Flow) -> Bool {
    from.contains(flow.direction.from) && to.contains(flow.direction.to)
      && name.map { $0 == flow.name } ?? true && !flow.isRefused
  }
}
