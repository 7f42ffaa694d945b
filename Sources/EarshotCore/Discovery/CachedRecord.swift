/// A record that a host said, for as long as it may be believed.
struct CachedRecord: Hashable, Sendable {
  /// Why a record is believed, or not for long.
  enum Trust: Hashable, Sendable {
    /// It lives its own lifetime, and is asked for again from 80 % of it on.
    case fresh
    /// It was asked for here, because a connection failed or a stranger spoke against it: ten seconds to be confirmed
    /// (RFC 6762 §10.4).
    case questioned
    /// Others asked for it in vain: ten seconds, with questions from here at the end only (§10.5), at random
    /// within a second each, since others doubt it at the same time.
    case doubted
    /// It was heard once, and the cache is crowded: ten seconds to be heard again, without a question of its own.
    case unproven
    /// It said goodbye, or was replaced: one second (§10.1, §10.2), with a question to its host,
    /// whose address may be forged; and with another one, if its host spoke just before, and so may
    /// not have been allowed to answer. If it spoke within the last second, or an earlier goodbye
    /// was false: a second and three quarters, with three questions.
    case leaving
    /// It said goodbye, and its host, when asked, said something else of the same instance: a
    /// second and a quarter to say this, too, with two questions about it.
    case spared
  }

  static let farewell = Duration.seconds(1)
  private static let proof = Duration.milliseconds(250)
  /// A host answers to all once a second (§6).
  private static let rest = Duration.seconds(2)
  private static let peace = Duration.seconds(60)
  private static let confirmationSeconds: UInt16 = 10
  private static let farewellSeconds: UInt16 = 1
  /// How long a record takes to leave when that may not be true, or its host may not answer yet.
  ///
  /// That is the second in which the host may not (§6), and the time that questions and answers
  /// take. A peer that leaves is gone within two seconds.
  private static let disputedNanoseconds: Int64 = 1_750_000_000
  private static let sparedNanoseconds: Int64 = 1_250_000_000
  private static let secondsMax: UInt16 = 4_500
  private static let pointerSecondsMin: UInt16 = 15
  private static let second: Int64 = 1_000_000_000

  /// What is either so or not.
  private struct Marks: OptionSet, Hashable {
    let rawValue: UInt16
    static let proven = Marks(rawValue: 1)
    static let rival = Marks(rawValue: 2)
    /// Others have asked for it since it was believed, and it was not said.
    static let unanswered = Marks(rawValue: 4)
    /// What was said against it from its host's address was not true, and so may not be the next time.
    static let rescued = Marks(rawValue: 8)
    /// It is said to leave, which may not be true.
    static let disputed = Marks(rawValue: 16)
    /// It is a rival of what was hardly there before, and so may be true as well.
    static let equal = Marks(rawValue: 32)
    /// Its kind is in the bits above.
    static let kindShift: UInt16 = 8

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Nothing but the kind.
    init(_ kind: Kind) { rawValue = UInt16(kind.rawValue) << Self.kindShift }
  }

  /// The type of a record as far as one can tell without looking at what it says, which lies elsewhere in memory.
  enum Kind: UInt8 {
    case other, pointer, service, text, addressV4, addressV6

    init(_ type: DNSType) {
      switch type {
      case .ptr: self = .pointer
      case .srv: self = .service
      case .txt: self = .text
      case .a: self = .addressV4
      case .aaaa: self = .addressV6
      default: self = .other
      }
    }
  }

  // In the order that takes least memory: there are many of them.
  let record: DNSRecord
  private(set) var trust = Trust.fresh
  private var asked: UInt8 = 0
  private var marks: Marks
  /// Increases with every record that is new.
  let sequence: UInt64
  private(set) var received: Instant
  /// While it is fresh, what is added at random to the wait for asking; from then on how long after it was received the
  /// doubt began.
  private var jitterOrDelayNanoseconds: Int64 = 0
  private var doubtJitterNanoseconds: UInt32 = 0
  let interface: UInt32
  private var lifetimeSeconds: UInt16 = 0
  /// The number of its source in the cache.
  let source: UInt16

  init(
    _ record: DNSRecord, sequence: UInt64, from source: UInt16, on interface: UInt32,
    at now: Instant, random: inout RandomStream
  ) {
    self.record = record
    marks = Marks(Kind(record.type))
    self.sequence = sequence
    self.source = source
    self.interface = interface
    received = now
    renew(lifetimeSeconds: record.lifetimeSeconds, at: now, random: &random)
  }

  /// Whether it is of a kind.
  func isOf(_ kind: Kind) -> Bool { marks.rawValue >> Marks.kindShift == kind.rawValue }

  /// Whether it was said again, more than a moment after it had been heard first.
  var isProven: Bool { marks.contains(.proven) }

  /// Whether a stranger said it against what stood already; it stands behind that while it lasts.
  var isRival: Bool { marks.contains(.rival) }

  /// Whether its host was asked about its end and said it again: no address is believed to be its host's, until it has
  /// been said again in peace.
  var isRescued: Bool { marks.contains(.rescued) }

  /// Whether another record was said since, or is new since then.
  func isOlder(than other: borrowing CachedRecord) -> Bool {
    (received, sequence) < (other.received, other.sequence)
  }

  /// Since when it is believed as it is now.
  private var since: Instant {
    trust == .fresh
      ? received : Instant(nanoseconds: received.nanoseconds &+ jitterOrDelayNanoseconds)
  }

  private var lifetimeNanoseconds: Int64 {
    switch trust {
    case .leaving where isDisputed: Self.disputedNanoseconds
    case .spared: Self.sparedNanoseconds
    case .fresh, .questioned, .doubted, .unproven, .leaving: Int64(lifetimeSeconds) * Self.second
    }
  }

  /// When it is not believed any more.
  var expiry: Instant { since.advanced(nanoseconds: lifetimeNanoseconds) }

  /// What to ask for when it is due: of what an instance that leaves consists of, what only its host answers.
  var question: DNSQuestion {
    if trust == .leaving {
      switch record.data {
      case .pointer(let target): return DNSQuestion(target, .srv)
      case .text: return DNSQuestion(record.name, .srv)
      case .service, .address, .types, .other: break
      }
    }
    return DNSQuestion(record.name, record.type)
  }

  /// When to ask for it again, or `nil` when that is over.
  var nextAsk: Instant? {
    let asked = Int64(asked)
    let wait: Int64
    switch trust {
    case .fresh where asked < 4:
      let share = Ratio.percent(Int(80 + 5 * asked))
      wait = share.of(lifetimeNanoseconds) + jitterOrDelayNanoseconds
    case .questioned where asked < 3: wait = (asked == 0 ? 0 : asked == 1 ? 2 : 5) * Self.second
    case .doubted where asked < 2:
      wait = (8 + asked) * Self.second + Int64(doubtJitterNanoseconds)
    case .leaving where asked == 0 && !isRival:
      wait = Self.second / 10 + Int64(doubtJitterNanoseconds) / 4
    case .leaving where asked == 1 && !isRival && (isDisputed || since - received < Self.rest):
      wait = Self.second * 3 / 4 + Int64(doubtJitterNanoseconds) / 5
    case .leaving where asked == 2 && !isRival && isDisputed:
      wait = Self.second * 6 / 5 + Int64(doubtJitterNanoseconds) / 5
    case .spared where asked < 2: wait = Int64(asked) * Self.second / 2
    case .fresh, .questioned, .doubted, .unproven, .leaving, .spared: return nil
    }
    return since.advanced(nanoseconds: wait)
  }

  /// What comes first: asking again, or the end.
  var deadline: Instant { min(nextAsk ?? expiry, expiry) }

  /// Its deadline after a change.
  mutating func deadline(after change: (inout CachedRecord) -> Void) -> Instant {
    change(&self)
    return deadline
  }

  /// It was said again.
  ///
  /// - Parameters:
  ///   - lifetimeSeconds: How long it may be believed.
  ///   - isRescue: Whether its host was asked if it is really leaving, and this is the answer.
  ///   - now: The time.
  ///   - random: The chance of the cache.
  mutating func confirm(
    lifetimeSeconds: UInt32, isRescue: Bool, at now: Instant, random: inout RandomStream
  ) {
    if isRival, !isProven, now - received < Self.proof { return }
    if now - received >= Self.proof { marks.insert(.proven) }
    if isRescue { marks.insert(.rescued) }
    if trust == .fresh, now - received >= Self.peace { marks.remove(.rescued) }
    renew(lifetimeSeconds: lifetimeSeconds, at: now, random: &random)
  }

  private mutating func renew(
    lifetimeSeconds: UInt32, at now: Instant, random: inout RandomStream
  ) {
    (received, trust, asked) = (now, .fresh, 0)
    let clamped = max(1, min(UInt16(clamping: lifetimeSeconds), Self.secondsMax))
    self.lifetimeSeconds = record.type == .ptr ? max(clamped, Self.pointerSecondsMin) : clamped
    doubtJitterNanoseconds = UInt32(random.below(UInt64(Self.second)))
    // Two percent of a second are drawn from at least.
    jitterOrDelayNanoseconds = Int64(
      random.below(UInt64(Ratio.percent(2).of(lifetimeNanoseconds))))
    marks.subtract([.unanswered, .disputed])
  }

  /// It is believed for a shorter time from now on.
  mutating func distrust(_ trust: Trust, at now: Instant) {
    let seconds = trust == .leaving ? Self.farewellSeconds : Self.confirmationSeconds
    guard expiry > now.advanced(nanoseconds: Int64(seconds) * Self.second) else { return }
    (self.trust, lifetimeSeconds, asked) = (trust, seconds, 0)
    jitterOrDelayNanoseconds = now.nanoseconds &- received.nanoseconds
    marks.subtract([.unanswered, .disputed])
  }

  /// It is said to leave; what may not be true takes a little longer.
  mutating func leave(at now: Instant, isDisputed: Bool) {
    guard trust != .leaving, trust != .spared else { return }
    distrust(.leaving, at: now)
    if isDisputed, trust == .leaving { marks.insert(.disputed) }
  }

  private var isDisputed: Bool { marks.contains(.disputed) }

  /// Whether it stood, is leaving, and its host was asked about that.
  var wasAskedToStay: Bool { trust == .leaving && asked > 0 && asked < .max && !isRival }

  /// It was replaced, and nobody asks about that.
  mutating func giveWay(at now: Instant) {
    distrust(.leaving, at: now)
    if trust == .leaving { asked = .max }
  }

  /// The host that it comes from lives: its end may not be true, and a moment is left to say it
  /// again.
  mutating func spare(at now: Instant) {
    marks.insert(.rescued)
    (trust, asked) = (.spared, 0)
    jitterOrDelayNanoseconds = now.nanoseconds &- received.nanoseconds
  }

  /// Whether it came so lately that what speaks against it may be as true.
  func isRecent(at now: Instant) -> Bool { !isProven && now - received <= Self.rest }

  /// Whether strangers said it more than once: it may be true.
  var isCandidate: Bool { isRival && isProven && trust != .leaving }

  /// It was said against what stands: ten seconds to be heard again.
  ///
  /// When the other record is as young, either of the two may be the stranger's, so this one counts
  /// at once, and is asked for.
  mutating func contest(isEqual: Bool = false, at now: Instant) {
    marks.insert(.rival)
    if isEqual { marks.formUnion([.equal, .proven]) }
    distrust(isEqual ? .questioned : .unproven, at: now)
  }

  /// It stands, and nothing else of its name and type stands against it.
  mutating func stand() { marks.subtract([.rival, .equal]) }

  /// Whether it is a rival of what was hardly there before.
  var isEqual: Bool { marks.contains(.equal) }

  /// It was asked for, here or by a host whose answers are heard here too.
  mutating func noteAsked() { asked = asked == .max ? asked : asked + 1 }

  /// Something was asked for whose answer will say it too.
  mutating func noteAskedAlong(at now: Instant) {
    if isAskedSoon(at: now) || isDoubtedAloud(at: now) { noteAsked() }
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
    case .questioned, .unproven, .leaving, .spared: false
    }
  }

  private func isAsked(within share: Ratio, at now: Instant) -> Bool {
    guard trust == .fresh, let next = nextAsk else { return false }
    return next.nanoseconds - now.nanoseconds <= share.of(lifetimeNanoseconds)
  }

  /// Whether those who doubt it ask for it about now.
  private func isDoubtedAloud(at now: Instant) -> Bool {
    trust == .doubted && nextAsk.map { $0 - now <= .seconds(1) } ?? false
  }

  /// Others asked for it; two such questions without an answer cast doubt on it, and one more stands for a question from here.
  mutating func noteAskedByOthers(at now: Instant) {
    if isDoubtedAloud(at: now) { noteAsked() }
    guard trust == .fresh else { return }
    if marks.contains(.unanswered) { return distrust(.doubted, at: now) }
    marks.insert(.unanswered)
  }

  /// The seconds that it has left when these are at least half of its life, else `nil`.
  func knownSeconds(at now: Instant) -> UInt32? {
    let rest = expiry.nanoseconds - now.nanoseconds
    guard trust == .fresh, rest * 2 >= lifetimeNanoseconds else { return nil }
    return UInt32(clamping: rest / Self.second)
  }
}
