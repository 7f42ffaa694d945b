import EarshotCore
import EarshotSimulator

/// How much is sent, arrives, is lost and is on its way, over time.
///
/// Kept in at most 512 steps: when a run goes on longer, steps become twice as long.
package struct TrafficSeries: Hashable, Sendable {
  /// What happened in one step.
  package struct Step: Hashable, Sendable {
    /// Bytes of payload that were sent, that arrived and that were lost.
    package var (sent, arrived, lost) = (0, 0, 0)
    /// The most bytes of payload that were on their way at once.
    package var inFlight: Int

    init(inFlight: Int = 0) { self.inFlight = inFlight }

    mutating func add(_ other: Step) {
      (sent, arrived, lost) = (sent + other.sent, arrived + other.arrived, lost + other.lost)
      inFlight = max(inFlight, other.inFlight)
    }
  }
  /// How long a step is.
  package private(set) var width: Duration = .milliseconds(1)
  package private(set) var steps: [Step] = []
  private var inFlight = 0
  private var open: Set<Int> = []

  package init() {}

  mutating func add(_ event: TraceEvent) {
    guard let bytes = event.packet?.payloadBytes, bytes > 0 else { return }
    let place = step(at: event.time - Instant.zero)
    switch event.kind {
    case .sent:
      open.insert(event.number)
      inFlight += bytes
      steps[place].sent += bytes
    case .delivered:
      close(event, bytes)
      steps[place].arrived += bytes
    case .lost:
      close(event, bytes)
      steps[place].lost += bytes
    case .timer, .fault, .note: return
    }
    steps[place].inFlight = max(steps[place].inFlight, inFlight)
  }

  private mutating func close(_ event: TraceEvent, _ bytes: Int) {
    if let cause = event.cause, open.remove(cause) != nil { inFlight -= bytes }
  }

  private mutating func step(at time: Duration) -> Int {
    while time >= width * Self.stepsMax { halve() }
    let place = Int(time / width)
    while steps.count <= place {
      steps.append(Step(inFlight: inFlight))
    }
    return place
  }

  private mutating func halve() {
    width = width * 2
    steps = stride(from: 0, to: steps.count, by: 2).map { index in
      var step = steps[index]
      if index + 1 < steps.count { step.add(steps[index + 1]) }
      return step
    }
  }

  private static let stepsMax = 512
}
