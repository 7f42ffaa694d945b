/// How soon silence on a link counts.
///
/// A link on which nothing is heard is asked, then given up. The figures of ``standard`` are those of other
/// failure detectors on local networks, such as memberlist's one probe a second.
public struct Liveness: Hashable, Sendable {
  /// How long a silence lasts until the remote peer is asked whether it is there.
  public let askingAfter: Duration
  /// How long a silence lasts until the link counts as broken.
  public let breakingAfter: Duration
  package let suspectingAfter: Duration

  private init(asking: Duration, suspecting: Duration, breaking: Duration) {
    (askingAfter, suspectingAfter, breakingAfter) = (asking, suspecting, breaking)
  }

  /// The same, but asking after another silence, which is no longer than that of suspecting.
  package func asking(after silence: Duration) -> Liveness {
    Liveness(
      asking: min(silence, suspectingAfter), suspecting: suspectingAfter, breaking: breakingAfter)
  }

  /// Asked after 0.3 s, broken after 1.5 s.
  public static let fast = Liveness(
    asking: .milliseconds(300), suspecting: .milliseconds(900), breaking: .milliseconds(1_500))
  /// Asked after 1 s, broken after 5 s.
  public static let standard = Liveness(
    asking: .seconds(1), suspecting: .seconds(3), breaking: .seconds(5))
  /// Asked after 5 s, broken after 30 s.
  public static let relaxed = Liveness(
    asking: .seconds(5), suspecting: .seconds(15), breaking: .seconds(30))
}
