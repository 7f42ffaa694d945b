/// How many packets of each source are looked at within a second.
///
/// What one source sends too much is not taken from the others. When too many sources speak within one second, the new ones
/// share one budget. It is a large one, since a host that forges its sources can be as many as it likes, and what a peer
/// of good faith says must not drown in that.
package struct SourceBudget: Hashable, Sendable {
  private static let sourcesMax = 256
  private let packetsPerSecond: Int
  private let sharedPerSecond: Int
  private var windowEnd = Instant.zero
  private var uses: [IPAddress: Int] = [:]
  /// What the sources share that came when the table was full.
  private var others = 0

  /// A budget of so many packets a second for each source, and of so many for all that do not fit the table.
  package init(packetsPerSecond: Int = 2_000, sharedPerSecond: Int = 10_000) {
    (self.packetsPerSecond, self.sharedPerSecond) = (packetsPerSecond, sharedPerSecond)
  }

  /// Whether a packet of this source is still within its budget.
  package mutating func admits(_ source: IPAddress, at now: Instant) -> Bool {
    if now >= windowEnd {
      uses.removeAll(keepingCapacity: true)
      (others, windowEnd) = (0, now + .seconds(1))
    }
    if let place = uses.index(forKey: source) {
      uses.values[place] += 1
      return uses.values[place] <= packetsPerSecond
    }
    guard uses.count < Self.sourcesMax else {
      others += 1
      return others <= sharedPerSecond
    }
    uses[source] = 1
    return packetsPerSecond > 0
  }
}

/// How many packets are multicast: a few at once, fewer all the time.
package struct SendBudget: Hashable, Sendable {
  private var tokens: TokenBucket

  /// A budget of so many packets a second, and so many at once after silence.
  ///
  /// - Precondition: Both are positive.
  package init(packetsPerSecond: Int = 20, burst: Int = 50) {
    tokens = TokenBucket(perSecond: packetsPerSecond, burst: burst)
  }

  /// Takes one packet's share, or answers that it must not be sent.
  package mutating func admits(at now: Instant) -> Bool { tokens.take(at: now) }
}

/// Packets of the last second, each to be recognised once when it comes again.
///
/// A multicast also reaches the socket that sent it. Of several peers on one host that send the same bytes
/// each leaves out one copy, and so each takes in the other's.
package struct PacketMemory: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let path: UInt64
    let until: Instant
  }
  private static let kept = Duration.seconds(1)
  private static let entriesMax = 64
  private var entries: [Entry] = []
  /// The hash of each: apart, since most packets are looked for in vain.
  private var hashes: [UInt64] = []

  /// An empty memory.
  package init() {}

  /// Remembers a packet by the hash of its bytes, and the path that it took.
  package mutating func note(_ hash: UInt64, path: UInt64, at now: Instant) {
    // The oldest are the first to be forgotten.
    let outdated = entries.firstIndex { $0.until > now } ?? entries.count
    removeFirst(max(outdated, entries.count == Self.entriesMax ? 1 : 0))
    entries.append(Entry(path: path, until: now + Self.kept))
    hashes.append(hash)
  }

  /// Whether a packet took this path within the last second; forgets one such packet.
  package mutating func take(_ hash: UInt64, path: UInt64, at now: Instant) -> Bool {
    for place in hashes.indices where hashes[place] == hash {
      guard entries[place].path == path, entries[place].until > now else { continue }
      entries.remove(at: place)
      hashes.remove(at: place)
      return true
    }
    return false
  }

  private mutating func removeFirst(_ count: Int) {
    guard count > 0 else { return }
    entries.removeFirst(count)
    hashes.removeFirst(count)
  }

  /// The hash of a packet's bytes.
  package static func hash(of packet: Span<UInt8>) -> UInt64 {
    var hash = RollingHash()
    hash.combine(bytes: packet)
    return hash.value
  }
}
