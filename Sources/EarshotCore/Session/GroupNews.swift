/// What one member is still to be told of the others of its group.
///
/// Each member bounds what another one says of others. One that joins and leaves again and again, or changes its name with
/// each of its links, must not make this side exceed that: no more is said than half of what is allowed. Of whom there
/// is more news is kept, each once, and told later as it is by then; who came and went meanwhile was never there.
package struct GroupNews: Sendable {
  /// Of whom there is news: a session of a peer.
  package struct Subject: Hashable, Sendable {
    package let peer: PeerID
    package let session: SessionID

    /// The session of a peer.
    package init(_ peer: PeerID, _ session: SessionID) {
      (self.peer, self.session) = (peer, session)
    }
  }
  /// What is new of a subject.
  package enum Change: Hashable, Sendable { case joined, updated, left }

  /// How much is told at once.
  package static let burst = 2_048
  /// How much is told a second, all the time.
  package static let perSecond = 32
  private var bucket = TokenBucket(perSecond: perSecond, burst: burst)
  private struct Item {
    let subject: Subject
    let isUnheardOf: Bool  // Nothing has been said of it.
  }
  private var waiting: [Item] = []

  /// Nothing is to be told.
  package init() {}

  /// From when on what waits can be told; `nil` when nothing does.
  package var next: Instant? { waiting.isEmpty ? nil : bucket.next }

  /// Takes news in, which waits unless it is to be told now.
  ///
  /// - Returns: Whether it is.
  package mutating func mayTell(_ change: Change, of subject: Subject, at now: Instant) -> Bool {
    if let index = waiting.firstIndex(where: { $0.subject == subject }) {
      if change == .left, waiting[index].isUnheardOf { waiting.remove(at: index) }
      return false
    }
    if waiting.isEmpty, bucket.take(at: now) { return true }
    waiting.append(Item(subject: subject, isUnheardOf: change == .joined))
    return false
  }

  /// The next subject of which something is to be told now.
  package mutating func takeDue(at now: Instant) -> Subject? {
    guard !waiting.isEmpty, bucket.take(at: now) else { return nil }
    return waiting.removeFirst().subject
  }
}
