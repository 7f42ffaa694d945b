package import EarshotSimulator

/// How many bytes each host has sent to each other one, with time.
///
/// The payloads of packets count, those of packets that are lost and of repeated ones included.
/// What is sent to a multicast group does not.
package struct LinkTraffic: Hashable, Sendable {
  private struct Step: Hashable {
    let time: Duration
    /// How many had been sent by the end of that time.
    var total: Int
  }
  private var steps: [Direction: [Step]] = [:]

  package init() {}

  /// Takes in a packet, if the event is one that is sent.
  mutating func add(_ event: TraceEvent) {
    guard event.kind == .sent, !event.to.isEmpty, let packet = event.packet,
      packet.payloadBytes > 0
    else { return }
    add(packet.payloadBytes, Direction(event.from, event.to), at: event.time - .zero)
  }

  /// Takes in that bytes were sent.
  package mutating func add(_ bytes: Int, _ direction: Direction, at time: Duration) {
    let total = steps[direction]?.last?.total ?? 0
    let step = Step(time: time, total: total + bytes)
    let last = (steps[direction]?.count ?? 0) - 1
    if last >= 0, steps[direction]?[last].time == time {
      steps[direction]?[last] = step
    } else {
      steps[direction, default: []].append(step)
    }
  }

  /// How many bytes were sent in some directions within a window.
  package func bytes(_ isMeant: (Direction) -> Bool, in window: Window) -> Int {
    steps.filter { isMeant($0.key) }.values.reduce(0) { sum, steps in
      let end = steps.last { $0.time <= window.upperBound }?.total ?? 0
      let start = steps.last { $0.time < window.lowerBound }?.total ?? 0
      return sum + end - start
    }
  }

  /// When more than so many bytes had been sent in some directions within a window; `nil` if that never was.
  func time(of most: Int, _ isMeant: (Direction) -> Bool, in window: Window) -> Duration? {
    var sums: [Direction: Int] = [:]
    let later = steps.filter { isMeant($0.key) }.flatMap { direction, steps in
      sums[direction] = steps.last { $0.time < window.lowerBound }?.total ?? 0
      return steps.filter { window.contains($0.time) }.map { (direction, $0) }
    }
    var sum = 0
    for (direction, step) in later.sorted(by: { $0.1.time < $1.1.time }) {
      sum += step.total - (sums[direction] ?? 0)
      sums[direction] = step.total
      if sum > most { return step.time }
    }
    return nil
  }
}
