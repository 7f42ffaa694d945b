package import EarshotCore

/// Properties of a link that a scenario sets; those it leaves alone are `nil`.
package struct LinkChange: Hashable, Sendable {
  package var latency: Duration?
  package var jitter: Duration?
  package var loss: Ratio?
  package var duplication: Ratio?
  package var reordering: Ratio?
  /// Bits a second.
  package var bandwidth: Int?
  /// Bytes that may wait for the bandwidth before packets are dropped.
  package var queue: Int?
  /// The largest packet in bytes.
  package var mtu: Int?

  /// Whether nothing is set.
  package var isEmpty: Bool { self == LinkChange() }

  /// This change, and then another one over it.
  package func overlaid(with other: LinkChange) -> LinkChange {
    LinkChange(
      latency: other.latency ?? latency, jitter: other.jitter ?? jitter, loss: other.loss ?? loss,
      duplication: other.duplication ?? duplication, reordering: other.reordering ?? reordering,
      bandwidth: other.bandwidth ?? bandwidth, queue: other.queue ?? queue, mtu: other.mtu ?? mtu)
  }
}
