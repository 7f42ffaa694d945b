/// The clock of a host, for code that is written against Swift's clocks.
///
/// It sleeps by the host, in virtual time on a simulated one:
///
/// ```swift
/// try await Task.sleep(for: .seconds(1), clock: host.clock)
/// ```
public struct HostClock: Clock {
  private let host: any NetworkHost

  /// The clock of a host.
  ///
  /// - Parameter host: The host.
  public init(of host: any NetworkHost) { self.host = host }

  /// The time of the host.
  public var now: Instant { host.now }

  /// One nanosecond, the unit of the host's time.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock reaches a deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to go on; at once if it has passed.
  ///   - tolerance: Not used: a sleep ends as soon as it may.
  /// - Throws: What ``NetworkHost/sleep(until:)`` throws.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await host.sleep(until: deadline)
  }
}

extension NetworkHost {
  /// The clock of the host.
  public var clock: HostClock { HostClock(of: self) }
}
