package import EarshotCore
import EarshotSimulator

/// Which streams are meant, and what has to become of them.
package struct StreamPattern: Hashable, Sendable {
  /// How many of their bytes have to be read.
  package enum Delivery: Hashable, Sendable {
    /// Every one that was to be written, and the end where one was planned.
    case all
    /// At least such a share of those that were to be written.
    case share(Ratio)
    /// So many, whatever was to be written.
    case bytes(AllowedCount)
  }
  /// The peers that write them.
  package var from: [String]
  /// The peers that read them.
  package var to: [String]
  /// The name that the scenario gives them; `nil` for any.
  package var name: String?
  /// How much; `nil` when only their end counts.
  package var delivery: Delivery?
  /// How each of them has to end for its reader; `nil` for any end or none.
  package var ending: Verdict.Stream.Ending?

  /// The streams from some peers to others.
  package init(from: [String], to: [String]) { (self.from, self.to) = (from, to) }

  /// Whether a flow is one of them.
  func contains(_ flow: StreamLog.Flow) -> Bool {
    from.contains(flow.direction.from) && to.contains(flow.direction.to)
      && name.map { $0 == flow.name } ?? true && flow.writerEnd?.ending != .refused
  }
}

extension StreamPattern.Delivery {
  /// Whether no byte at all is right.
  var allowsNone: Bool {
    switch self {
    case .all, .share: false
    case .bytes(let count): count.allows(0)
    }
  }
}
