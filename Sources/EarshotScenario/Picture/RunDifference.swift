import EarshotCore
package import EarshotSimulator

/// Where two runs part.
package struct RunDifference: Hashable, Sendable {
  /// The first events that differ, `nil` where that run was over; none when those that are kept are the same.
  package let events: [TraceEvent?]
  /// When these are; `nil` when there are none.
  package let time: Duration?
  /// The first thing that a peer saw in one run and not in the other, whenever it was.
  package let stories: [Story]

  /// What a peer saw from one moment on.
  package struct Story: Hashable, Sendable {
    package let peer: String
    /// What it saw in either run, or `nil` where it saw nothing any more.
    package let entries: [Timeline.Entry?]

    fileprivate var time: Duration { entries.compactMap { $0?.time }.min() ?? .zero }
  }

  /// Compares two runs.
  package init(_ left: RunPicture, _ right: RunPicture) {
    let (first, second) = (left.recording.events, right.recording.events)
    let common = zip(first, second).prefix { $0 == $1 }.count
    let pair = [first, second].map { common < $0.count ? $0[common] : nil }
    let numbers = pair.compactMap { $0?.number }
    let isKnown = !numbers.isEmpty && numbers.allSatisfy { $0 == common }
    events = isKnown ? pair : []
    time = isKnown ? pair.compactMap { $0.map { $0.time - Instant.zero } }.min() : nil
    let peers = left.verdict.peers + right.verdict.peers.filter { !left.verdict.peers.contains($0) }
    stories = peers.compactMap { Self.story(of: $0, left.verdict, right.verdict) }
      .sorted { $0.time < $1.time }
  }

  private static func story(of peer: String, _ left: Verdict, _ right: Verdict) -> Story? {
    let both = [left, right].map { $0.timeline.entries.filter { $0.observer == peer } }
    let common = zip(both[0], both[1]).prefix { $0.isSame(as: $1) }.count
    let entries = both.map { common < $0.count ? $0[common] : nil }
    return entries.allSatisfy { $0 == nil } ? nil : Story(peer: peer, entries: entries)
  }
}

extension Timeline.Entry {
  /// Whether it is the same thing, at whatever time.
  fileprivate func isSame(as other: Timeline.Entry) -> Bool {
    (kind, subject, identity, detail, session)
      == (other.kind, other.subject, other.identity, other.detail, other.session)
  }
}
