import EarshotCore
import EarshotSimulator

/// How well two peers were connected, and how long messages took between them.
package struct PairOutages: Hashable, Sendable {
  package let left: String
  package let right: String
  /// When both had the other as a member, with a link that was up.
  package let connected: [Range<Duration>]
  /// How much of the run that is, from 0 to 1.
  package let connectedShare: Double
  /// How often the connection was gone since they were connected first.
  package let interruptions: Int
  /// The longest time that it was gone, its end or that of the run.
  package let longestInterruption: Duration
  /// How many messages were sent and arrived, in both directions.
  package let sent: Int, arrived: Int
  /// How long those that arrived took, the shortest first.
  package let delays: [Duration]

  /// What half, a part of a hundred and all of the messages took at most; `nil` when none arrived.
  package func delay(percentile: Int) -> Duration? {
    guard !delays.isEmpty else { return nil }
    let rank = (delays.count * percentile + 99) / 100
    return delays[min(delays.count, max(1, rank)) - 1]
  }
}

extension PairOutages {
  /// Every two peers of a run of which one ever had the other as a member, or sent it a message.
  package static func all(_ verdict: Verdict, _ messages: [RunRecording.Message]) -> [PairOutages] {
    let spans = Dictionary(grouping: MembershipSpans(verdict.timeline).all) {
      Direction($0.key.observer, $0.key.subject).couple
    }
    let delays = Dictionary(grouping: messages.filter { $0.arrived != nil }) {
      Direction($0.from, $0.to).couple
    }
    let counts = Dictionary(grouping: verdict.messages) { Direction($0.from, $0.to).couple }
    let peers = verdict.peers
    return peers.indices.flatMap { index in
      peers[(index + 1)...].compactMap { other in
        let couple = Direction(peers[index], other).couple
        guard spans[couple] != nil || counts[couple] != nil else { return nil }
        let phases = LinkPhases(spans[couple] ?? [], until: verdict.virtualDuration)
        return PairOutages(
          peers[index], other, phases, counts[couple] ?? [], delays[couple] ?? [])
      }
    }
  }

  private init(
    _ left: String, _ right: String, _ phases: LinkPhases, _ counts: [Verdict.Messages],
    _ messages: [RunRecording.Message]
  ) {
    (self.left, self.right) = (left, right)
    let gaps = phases.all.drop { !$0.isUp }.filter { !$0.isUp }
    connected = phases.all.filter(\.isUp).map { $0.start..<$0.end }
    let total = phases.all.filter(\.isUp).reduce(Duration.zero) { $0 + $1.length }
    connectedShare = phases.end > .zero ? total / phases.end : 0
    interruptions = gaps.count
    longestInterruption = gaps.map(\.length).max() ?? .zero
    sent = counts.reduce(0) { $0 + $1.sent }
    arrived = counts.reduce(0) { $0 + $1.delivered }
    delays = messages.compactMap { message in message.arrived.map { $0 - message.sent } }.sorted()
  }
}
