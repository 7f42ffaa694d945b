/// Peers that vanished without a word: asked after where they were last, so that they are found when they are back.
///
/// Neither side of a network that was cut hears of its healing: nothing happened to either of them, and the next
/// multicast question may be an hour away. A question to one address alone disturbs no other host (RFC 6762 §5.5).
/// It is repeated every four seconds, for an hour and a bit; less often among many, since there others ask too.
struct Absentees: Hashable, Sendable {
  private struct Absentee: Hashable, Sendable {
    let id: PeerID
    let addresses: [IPAddress]
    let since: Instant
    var heard: Instant
    var asked = 0
    var due: Instant
  }

  /// An hour, and the two minutes until the silence of a peer is noticed.
  static let kept = Duration.seconds(3_720)
  static let interval = Duration.seconds(4)
  /// Among so many present peers a browser asks as often as if it were alone.
  static let presentMax = 4
  static let countMax = 64
  private static let addressesMax = 2
  private static let silence = Duration.seconds(20)
  private static let answerWait = Duration.milliseconds(20)...Duration.milliseconds(120)

  private var entries: [Absentee] = []

  var isEmpty: Bool { entries.isEmpty }

  /// When to ask next.
  var next: Instant? { entries.lazy.map(\.due).min() }

  /// Remembers a peer that was lost; when there are too many, the one that was lost first is forgotten.
  mutating func add(_ peer: DiscoveredPeer, at now: Instant, random: inout RandomStream) {
    remove(peer.id)
    var addresses: [IPAddress] = []
    for endpoint in peer.endpoints where !addresses.contains(endpoint.address) {
      addresses.append(endpoint.address)
    }
    guard !addresses.isEmpty else { return }
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(
      Absentee(
        id: peer.id, addresses: Array(addresses.prefix(Self.addressesMax)), since: now,
        heard: now, due: now + random.duration(below: Self.interval)))
  }

  /// Forgets a peer.
  ///
  /// - Returns: Whether it was absent.
  @discardableResult
  mutating func remove(_ peer: PeerID) -> Bool {
    let count = entries.count
    entries.removeAll { $0.id == peer }
    return entries.count < count
  }

  /// The addresses to ask now, each absentee at one of its own.
  mutating func takeDue(among present: Int, at now: Instant) -> [IPAddress] {
    var due: [IPAddress] = []
    entries.removeAll { now - $0.since > Self.kept }
    for index in entries.indices where entries[index].due <= now {
      let addresses = entries[index].addresses
      due.append(addresses[entries[index].asked % addresses.count])
      entries[index].asked += 1
      entries[index].due = now + Self.interval * max(1, present) / Self.presentMax
      entries[index].due = max(entries[index].due, now + Self.interval)
    }
    return due
  }

  /// Something came from an address: an absentee that was silent there is asked at once.
  ///
  /// - Returns: Whether it is the first sign of an absentee after a long silence.
  mutating func hear(
    from address: IPAddress, at now: Instant, random: inout RandomStream
  ) -> Bool {
    var isSign = false
    for index in entries.indices where entries[index].addresses.contains(address) {
      if now - entries[index].heard > Self.silence {
        isSign = true
        entries[index].due = min(
          entries[index].due, now + random.duration(in: Self.answerWait))
      }
      entries[index].heard = now
    }
    return isSign
  }
}
