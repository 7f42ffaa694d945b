/// A record that a host said, for as long as it may be believed.
struct CachedRecord: Hashable, Sendable {
  /// Why a record is believed, or not for long.
  enum Trust: Hashable, Sendable {
    /// It lives its own lifetime, and is asked for again from 80 % of it on.
    case fresh
    /// It was asked for here, because a connection failed: ten seconds to be confirmed (RFC 6762 §10.4).
    case questioned
    /// Others asked for it in vain: ten seconds, with questions from here at the end only (§10.5), at random
    /// within a second each, since others doubt it at the same time.
    case doubted
    /// It said goodbye, or was replaced: one second (§10.1, §10.2).
    case leaving
  }

  static let confirmation = Duration.seconds(10)
  static let farewell = Duration.seconds(1)
  private static let lifetimeSeconds: ClosedRange<UInt32> = 1...4_500
  private static let pointerSecondsMin: UInt32 = 15

  /// Increases with every record that is new.
  let sequence: UInt64
  let record: DNSRecord
  let interface: UInt32
  let source: IPAddress
  private(set) var received: Instant
  private(set) var trust = Trust.fresh
  private var since: Instant
  private var lifetime: Duration
  private var jitter: Duration
  private var doubtJitter = Duration.zero
  private var asked = 0
  private var unanswered = 0

  init(
    _ record: DNSRecord, sequence: UInt64, from source: IPAddress, on interface: UInt32,
    at now: Instant, random: inout RandomStream
  ) {
    self.record = record
    self.sequence = sequence
    self.source = source
    self.interface = interface
    (received, since, lifetime, jitter) = (now, now, .zero, .zero)
    confirm(lifetimeSeconds: record.lifetimeSeconds, at: now, random: &random)
  }

  /// When it is not believed any more.
  var expiry: Instant { since + lifetime }

  /// When to ask for it again, or `nil` when that is over.
  var nextAsk: Instant? {
    switch trust {
    case .fresh where asked < 4:
      since + lifetime.scaled(by: .percent(80 + 5 * asked)) + jitter
    case .questioned where asked < 3: since + .seconds([0, 2, 5][asked])
    case .doubted where asked < 2: since + .seconds(8 + asked) + doubtJitter
    case .fresh, .questioned, .doubted, .leaving: nil
    }
  }

  /// What comes first: asking again, or the end.
  var deadline: Instant { min(nextAsk ?? expiry, expiry) }

  /// It was said again.
  mutating func confirm(lifetimeSeconds: UInt32, at now: Instant, random: inout RandomStream) {
    let range = Self.lifetimeSeconds
    let clamped = min(max(lifetimeSeconds, range.lowerBound), range.upperBound)
    let seconds = record.type == .ptr ? max(clamped, Self.pointerSecondsMin) : clamped
    lifetime = .seconds(Int(seconds))
    doubtJitter = random.duration(below: .seconds(1))
    jitter = random.duration(below: lifetime.scaled(by: .percent(2)))
    (received, since, trust, asked, unanswered) = (now, now, .fresh, 0, 0)
  }

  /// It is believed for a shorter time from now on.
  mutating func distrust(_ trust: Trust, at now: Instant) {
    let rest = trust == .leaving ? Self.farewell : Self.confirmation
    guard expiry > now + rest else { return }
    (self.trust, since, lifetime, asked, unanswered) = (trust, now, rest, 0, 0)
  }

  /// It was asked for, here or by a host whose answers are heard here too.
  mutating func noteAsked() { asked += 1 }

  /// Something was asked for whose answer will say it too.
  mutating func noteAskedAlong(at now: Instant) {
    if isAskedSoon(at: now) || isDoubtedAloud(at: now) { asked += 1 }
  }

  /// Whether it will be asked for so soon that another host's question may stand for it.
  ///
  /// A first question may come together with others that are due, and so a little early.
  func isAskedSoon(at now: Instant) -> Bool {
    isAsked(within: .percent(asked == 0 ? 7 : 2), at: now)
  }

  /// Whether it may be asked for already, together with what is due: from 75 % of its life on.
  func isAskedAlong(at now: Instant) -> Bool {
    switch trust {
    case .fresh: asked == 0 && isAsked(within: .percent(5), at: now)
    case .doubted: isDoubtedAloud(at: now)
    case .questioned, .leaving: false
    }
  }

  private func isAsked(within share: Ratio, at now: Instant) -> Bool {
    trust == .fresh && nextAsk.map { $0 - now <= lifetime.scaled(by: share) } ?? false
  }

  /// Whether those who doubt it ask for it about now.
  private func isDoubtedAloud(at now: Instant) -> Bool {
    trust == .doubted && nextAsk.map { $0 - now <= .seconds(1) } ?? false
  }

  /// Others asked for it; two such questions without an answer cast doubt on it, and one more stands for a question from here.
  mutating func noteAskedByOthers(at now: Instant) {
    if isDoubtedAloud(at: now) { asked += 1 }
    guard trust == .fresh else { return }
    unanswered += 1
    if unanswered >= 2 { distrust(.doubted, at: now) }
  }

  /// The seconds that it has left when these are at least half of its life, else `nil`.
  func knownSeconds(at now: Instant) -> UInt32? {
    let rest = expiry - now
    guard trust == .fresh, rest * 2 >= lifetime else { return nil }
    return UInt32(clamping: rest.components.seconds)
  }
}
