/// The verifications that failed lately, by peer and by address.
///
/// Three within ten minutes are enough, of one peer as of one address: who sits in between has one guess an attempt,
/// and as many keys as it likes. IPv6 addresses count by their /64, of which one host can have all.
///
/// 1,024 of each are remembered. For a further one the one with the fewest failures gives way, of those alike the one
/// whose last is longest ago, but none that has had enough. While all have, whoever is not among them has to wait as
/// well. So no count that matters is crowded out, however many others fail.
package struct VerificationFailures: Hashable, Sendable {
  /// How many failures are enough.
  package static let failuresMax = 3
  /// How long a failure counts.
  package static let memory = Duration.seconds(600)
  /// How many peers, and how many addresses, are remembered.
  package static let countMax = 1_024

  private var peers = Failures<PeerID>()
  private var sources = Failures<IPAddress>()

  /// Nothing has failed.
  package init() {}

  /// Takes in that a verification with a peer has failed.
  package mutating func note(_ peer: PeerID, at address: IPAddress?, _ now: Instant) {
    peers.note(peer, at: now)
    if let address { sources.note(address.source, at: now) }
  }

  /// Whether neither the peer nor its address has had enough.
  package func mayTry(_ peer: PeerID, at address: IPAddress?, _ now: Instant) -> Bool {
    peers.mayTry(peer, at: now) && (address.map { sources.mayTry($0.source, at: now) } ?? true)
  }
}

/// The failures of one kind of culprit.
private struct Failures<Culprit: Hashable & Sendable>: Hashable, Sendable {
  private struct Record: Hashable {
    let culprit: Culprit
    var times: [Instant]  // The last ones, as many as are enough.

    func count(at now: Instant) -> Int {
      times.count { now - $0 < VerificationFailures.memory }
    }

    func hasEnough(at now: Instant) -> Bool {
      count(at: now) >= VerificationFailures.failuresMax
    }
  }
  private var records: [Record] = []  // The one that failed longest ago first.

  func mayTry(_ culprit: Culprit, at now: Instant) -> Bool {
    if let record = records.first(where: { $0.culprit == culprit }) {
      return !record.hasEnough(at: now)
    }
    return records.count < VerificationFailures.countMax || next(at: now) != nil
  }

  mutating func note(_ culprit: Culprit, at now: Instant) {
    let index = records.firstIndex { $0.culprit == culprit }
    var record = index.map { records.remove(at: $0) } ?? Record(culprit: culprit, times: [])
    if records.count >= VerificationFailures.countMax {
      guard let index = next(at: now) else { return }  // It may not try again either.
      records.remove(at: index)
    }
    record.times = record.times.suffix(VerificationFailures.failuresMax - 1) + [now]
    records.append(record)
  }

  /// The one that gives way.
  private func next(at now: Instant) -> Int? {
    let candidates = records.indices.filter { !records[$0].hasEnough(at: now) }
    return candidates.min { records[$0].count(at: now) < records[$1].count(at: now) }
  }
}
