import EarshotCore
package import EarshotSimulator

/// A run of a test in a simulated world, for its picture.
package struct TestRun: Sendable {
  /// Something that failed.
  package struct Failure: Sendable {
    let what: String
    let place: String
    let time: Duration
    let host: String?
    let why: [String]

    /// A failure.
    ///
    /// - Parameters:
    ///   - what: The expectation or the error.
    ///   - place: The place in the source; empty if it is not known.
    ///   - time: When it failed, since the start of the run.
    ///   - host: The host whose code has failed; `nil` for other code.
    ///   - why: The last events that led to it, a line each.
    package init(
      _ what: String, at place: String, _ time: Duration, on host: String?, why: [String]
    ) { (self.what, self.place, self.time, self.host, self.why) = (what, place, time, host, why) }
  }
  private let name: String
  private let seed: UInt64
  private let replay: String
  private let digest: TraceDigest
  private let duration: Duration
  private let hosts: [String]
  private let summary: String
  private let failures: [Failure]

  /// A run.
  ///
  /// - Parameters:
  ///   - name: The name of the test.
  ///   - seed: The seed of the world.
  ///   - replay: The command that repeats the run.
  ///   - summary: What was left out of the run, in a sentence; empty if it is whole.
  ///   - digest: The digest of its events.
  ///   - duration: How much virtual time passed.
  ///   - hosts: The names of the hosts, in the order of their making.
  ///   - failures: The failures, in their order.
  package init(
    of name: String, seed: UInt64, replay: String, summary: String, digest: TraceDigest,
    duration: Duration, hosts: [String], failures: [Failure]
  ) {
    (self.name, self.seed, self.replay, self.summary) = (name, seed, replay, summary)
    (self.digest, self.duration, self.hosts) = (digest, duration, hosts)
    self.failures = failures
  }

  /// The picture of the run.
  ///
  /// - Parameters:
  ///   - recording: What happened in the run.
  ///   - log: Its faults, and what its hosts did.
  /// - Returns: The picture.
  package func picture(_ recording: RunRecording, _ log: TestLog) -> RunPicture {
    var verdict = Verdict(
      scenario: name, summary: summary, seed: seed, traceHash: digest.hash,
      eventCount: digest.eventCount, virtualDuration: duration, cpuSeconds: 0,
      timeline: Timeline(), messages: [], drawnFaults: [], results: failures.map(result))
    verdict.peers = hosts
    return RunPicture(
      verdict, recording, of: log, replay: replay,
      states: PeerStates(of: hosts, recording.stops, duration))
  }

  private func result(_ failure: Failure) -> Verdict.Result {
    var result = Verdict.Result(failure.what, held: false, observed: failure.place)
    result.why = failure.why
    result.focus = Verdict.Focus(
      .violation, at: failure.time, isEvent: failure.host != nil,
      peers: failure.host.map { [$0] } ?? hosts)
    return result
  }
}

extension PeerStates {
  /// The states of hosts of which nothing is known but whether they run.
  fileprivate init(of hosts: [String], _ stops: [HostStop], _ end: Duration) {
    let spans = hosts.flatMap { host -> [PeerStateSpan] in
      let own = stops.filter { $0.host == host && $0.time < end }
      let states = [(Duration.zero, PeerState.running)] + own.map { ($0.time, $0.condition.state) }
      let ends = own.map(\.time) + [end]
      return zip(states, ends).compactMap { state, end in
        guard state.0 < end else { return nil }
        return PeerStateSpan(peer: host, state: state.1, start: state.0, end: end)
      }
    }
    self.init(spans: spans)
  }
}

extension HostCondition {
  fileprivate var state: PeerState {
    switch self {
    case .running: .running
    case .suspended: .suspended
    case .frozen: .frozen
    case .crashed: .crashed
    }
  }
}
