public import EarshotCore

/// The metrics of a peer at one moment, each with a description and a unit.
///
/// Made by ``Peer/metrics``. A program hands ``numbers`` to its metrics backend; the metrics are
/// listed by `PeerMetrics.Metric.allCases`.
public struct PeerMetrics: Hashable, Sendable {
  /// One number of a metric: of the whole peer, or of one member or one reason alone.
  public struct Number: Hashable, Sendable {
    /// The metric.
    public let metric: Metric
    /// The member or joining peer to which it belongs; `nil` for what belongs to none, which
    /// includes the counts of members that have left.
    public let peer: PeerID?
    /// The code word of the reason, for metrics that are split by reason.
    public let reason: String?
    /// The number, in the unit of the metric.
    public let value: Int
  }

  /// How a metric changes.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A total that never decreases while the peer lives.
    case counter
    /// A present value.
    case gauge
  }

  /// What a metric counts.
  @nonexhaustive
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    /// Bytes.
    case bytes
    /// Calls of this peer's program.
    case calls
    /// Connections that remote hosts have dialled.
    case connections
    /// UDP datagrams.
    case datagrams
    /// Attempts to connect to one endpoint.
    case dials
    /// Events and messages in streams that a program reads.
    case events
    /// Invitations.
    case invitations
    /// Links: connections on which both peers have greeted each other.
    case links
    /// Members of sessions.
    case members
    /// Messages.
    case messages
    /// Nanoseconds.
    case nanoseconds
    /// Packets of multicast DNS.
    case packets
    /// TCP segments.
    case segments
    /// Sessions.
    case sessions
    /// Streams of bytes.
    case streams
    /// Transfers of files and other resources.
    case transfers
  }

  /// When the numbers were read, by the clock of the host.
  public let time: Instant
  /// The numbers, in the order of the metrics, then of peers, then of reasons.
  ///
  /// Each combination of metric, peer and reason occurs once at most. A metric without reasons has
  /// a number without a peer, also while it is 0; times, and what the system does not report, have
  /// none until they are known.
  public let numbers: [Number]

  /// The sum of all numbers of a metric, or the greatest time; 0 without a number.
  public subscript(metric: Metric) -> Int {
    let values = numbers.filter { $0.metric == metric }.map(\.value)
    return values.reduce(0, metric.combine)
  }

  /// The number of a metric that belongs to one peer, all reasons together; `nil` without one.
  public func value(of metric: Metric, with peer: PeerID) -> Int? {
    let values = numbers.filter { $0.metric == metric && $0.peer == peer }.map(\.value)
    return values.first.map { values.dropFirst().reduce($0, metric.combine) }
  }

  /// The number of a metric for one reason, all peers together; 0 without a number.
  public func value(of metric: Metric, for reason: String) -> Int {
    numbers.filter { $0.metric == metric && $0.reason == reason }.map(\.value)
      .reduce(0, metric.combine)
  }
}

extension Peer {
  /// The metrics of this peer, read now.
  ///
  /// Numbers are kept in any case; to read them costs some microseconds for each member and link.
  /// Read them as often as a backend wants them, such as every ten seconds, also of a peer that is
  /// suspended or stopped. They contain no names and no contents.
  ///
  /// ```swift
  /// for number in await peer.metrics.numbers {
  ///   print(number.metric, number.peer?.short ?? "", number.reason ?? "", number.value)
  /// }
  /// ```
  public var metrics: PeerMetrics { core.assumeIsolated { $0.metrics } }
}
