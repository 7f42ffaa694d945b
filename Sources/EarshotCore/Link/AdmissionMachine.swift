/// Which of those who dial are greeted, which wait, and which give way, before anybody is known.
///
/// A connection that is accepted waits until it is greeted; then it has to say soon who it is and what it wants. Few are
/// greeted at once from one source, and no more a second than a few: fewer from sources that have tried in vain than
/// from others. Sources take turns: first comes the source of which the fewest greetings have led to nothing, then the
/// one that waited longest for a turn, so that a new source comes before all that have tried in vain. When there are too many, the source that has most of them gives one
/// up: one that waits before one that is being greeted, the oldest first. One that is being greeted for a second gives
/// way as well when another one of its source waits.
///
/// An address over which a member was linked is known: it waits for no other source, and none takes its place but
/// another known address, when all of those have very many. A former member may be hostile, and others may be behind
/// its address, so that each has its own bound of how many greetings begin a second that link no member.
///
/// IPv6 addresses count by their /64, of which one host can have all. Neighbours on one link share theirs, so that within
/// a source its addresses take turns as well.
///
/// - SeeAlso: `MaxStartups` and `PerSourceMaxStartups` of OpenSSH, which refuse the new instead of the old: whoever is
///   there first then locks all others out.
package struct AdmissionMachine: Machine, Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case accepted(LinkToken, from: IPAddress)
    case introduced(LinkToken)  // It said who it is and what it wants: no stranger any more.
    case ended(LinkToken)
    case memberLinked(at: IPAddress)
    case deadlineReached
  }
  package enum Action: Hashable, Sendable {
    case greet(LinkToken)
    case drop(LinkToken)  // At once, without a word; no event of it may follow.
    case wake(at: Instant)  // Replaces any earlier wake.
    case cancelWake
  }
  /// How many may be there, and for how long.
  package struct Limits: Hashable, Sendable {
    /// How many strangers in all, those at known addresses left out.
    package var strangers = 64
    /// How many strangers at one known address.
    package var strangersPerKnownAddress = 64
    /// How many strangers at all known addresses.
    package var strangersAtKnownAddresses = 256
    /// How many are greeted at once from one source.
    package var greetingsPerSource = 4
    /// How many are greeted at once from one known address.
    package var greetingsPerKnownAddress = 32
    /// How many greetings begin a second of one known address, those left out that link a member.
    package var greetingsPerSecondOfKnownAddress = 32
    /// How many of these may begin at once after a rest.
    package var greetingsAtOnceOfKnownAddress = 64
    /// How many greetings begin a second of sources that have tried in vain before.
    package var greetingsPerSecond = 16
    /// How many of these may begin at once after a rest.
    package var greetingsAtOnce = 32
    /// How many greetings begin a second of other sources, known addresses left out.
    package var newcomersPerSecond = 64
    /// How many of these may begin at once after a rest.
    package var newcomersAtOnce = 32
    /// How long a greeting is left in peace although another one of its source waits.
    package var peace = Duration.seconds(1)
    /// How long a stranger waits to be greeted.
    package var waiting = Duration.seconds(5)

    /// The limits by default.
    package init() {}
  }
  struct Stranger: Hashable {
    let token: LinkToken
    let address: IPAddress
    let source: Int  // Its number; the address itself is one, if it is known.
    let isSource: Bool  // Whether the address is all that the source has.
    let isKnown: Bool
    let accepted: Instant
    var greeted: Instant?
  }

  let limits: Limits
  var strangers: [Stranger] = []  // The oldest first.
  var sources = StrangerSources()
  private var others: TokenBucket  // For those who have tried in vain.
  private var newcomers: TokenBucket
  private var known: [IPAddress: TokenBucket] = [:]
  private var knownInOrder: [IPAddress] = []  // The one that was seen longest ago first.
  private var deadline: Instant?

  /// The machine of a peer at which nobody has dialled yet.
  package init(_ limits: Limits = Limits()) {
    self.limits = limits
    others = TokenBucket(perSecond: limits.greetingsPerSecond, burst: limits.greetingsAtOnce)
    newcomers = TokenBucket(perSecond: limits.newcomersPerSecond, burst: limits.newcomersAtOnce)
  }

  /// Whether a stranger is there and was not greeted yet.
  package func isWaiting(_ token: LinkToken) -> Bool {
    strangers.contains { $0.token == token && $0.greeted == nil }
  }

  /// How many strangers are there, and how many of them are being greeted.
  package var counts: (strangers: Int, greeted: Int) {
    (strangers.count, strangers.count { $0.greeted != nil })
  }

  /// Takes one event in; appends what must now be done, in order, to `out`.
  package mutating func handle(_ event: Event, at now: Instant, into out: inout [Action]) {
    switch event {
    case .accepted(let token, let address):
      admit(token, from: address.unmapped, at: now)
      makeRoom(for: token, into: &out)
    case .introduced(let token): remove(token, inVain: false)
    case .ended(let token): remove(token)
    case .memberLinked(let address): remember(address.unmapped, at: now)
    case .deadlineReached: deadline = nil
    }
    expire(at: now, into: &out)
    greet(at: now, into: &out)
    setWake(at: now, into: &out)
  }

  private mutating func admit(_ token: LinkToken, from address: IPAddress, at now: Instant) {
    let isKnown = known[address] != nil
    let source = isKnown ? address : address.source
    strangers.append(
      Stranger(
        token: token, address: address, source: sources.add(source, at: now),
        isSource: address == source, isKnown: isKnown, accepted: now, greeted: nil))
  }

  private mutating func remove(_ token: LinkToken, inVain: Bool = true) {
    guard let index = strangers.firstIndex(where: { $0.token == token }) else { return }
    let stranger = strangers.remove(at: index)
    sources.remove(stranger.source, wasGreeted: stranger.greeted != nil, inVain: inVain)
  }

  private mutating func remember(_ address: IPAddress, at now: Instant) {
    knownInOrder.removeAll { $0 == address }
    knownInOrder.append(address)
    known[address]?.giveBack(at: now)
    if known[address] == nil {
      known[address] = TokenBucket(
        perSecond: limits.greetingsPerSecondOfKnownAddress,
        burst: limits.greetingsAtOnceOfKnownAddress)
    }
    if known.count > Self.knownMax { known[knownInOrder.removeFirst()] = nil }
  }

  /// How many are there whose address is that of no member.
  package var newcomerCount: Int { strangers.count { !$0.isKnown } }

  // MARK: Giving way

  /// Drops one when there is one too many: any but the one that came last.
  private mutating func makeRoom(for token: LinkToken, into out: inout [Action]) {
    guard let newest = strangers.last, newest.token == token else { return }
    let countMax = newest.isKnown ? limits.strangersAtKnownAddresses : limits.strangers
    guard strangers.count > min(countMax, limits.strangersPerKnownAddress) else { return }
    var rivals = strangers.dropLast().filter { $0.isKnown == newest.isKnown }
    let neighbours = rivals.filter { newest.isKnown && $0.address == newest.address }
    if neighbours.count >= limits.strangersPerKnownAddress {
      rivals = neighbours
    } else if rivals.count < countMax {
      return
    }
    guard let first = rivals.first else { return }
    var heaviest = (token: first.token, burden: burden(first))
    for stranger in rivals.dropFirst() {  // The oldest of those alike comes first.
      let burden = burden(stranger)
      if heaviest.burden < burden { heaviest = (stranger.token, burden) }
    }
    drop(heaviest.token, into: &out)
  }

  /// How willingly one is given up.
  private func burden(_ stranger: Stranger) -> Burden {
    let record = sources[stranger.source]
    return Burden(
      source: record.count,
      address: stranger.isSource
        ? record.count : strangers.count { $0.address == stranger.address },
      isWaiting: stranger.greeted == nil ? 1 : 0, failures: record.failures, turn: record.turn)
  }

  private mutating func drop(_ token: LinkToken, into out: inout [Action]) {
    remove(token)
    out.append(.drop(token))
  }

  /// Drops who waited too long, and who is greeted for long while others of its source wait.
  private mutating func expire(at now: Instant, into out: inout [Action]) {
    for stranger in strangers {
      let isOver =
        stranger.greeted == nil
        ? stranger.accepted + limits.waiting <= now
        : endOfPeace(stranger).map { $0 <= now } ?? false
      if isOver { drop(stranger.token, into: &out) }
    }
  }

  /// When one that is being greeted gives way to another one of its source that waits, if one does.
  private func endOfPeace(_ stranger: Stranger) -> Instant? {
    guard let greeted = stranger.greeted, !hasTurn(stranger) else { return nil }
    let record = sources[stranger.source]
    return record.greeted < record.count ? greeted + limits.peace : nil
  }

  // MARK: Taking turns

  private mutating func greet(at now: Instant, into out: inout [Action]) {
    while let index = nextIndex(at: now) {
      let stranger = strangers[index]
      take(for: stranger, at: now)
      sources.greet(stranger.source, at: now)
      strangers[index].greeted = now
      out.append(.greet(stranger.token))
    }
  }

  /// Whether nothing that its source began has led to nothing.
  private func isNewcomer(_ stranger: Stranger) -> Bool { sources[stranger.source].failures == 0 }

  /// From when on its source may have another greeting begun, as far as the others leave it.
  private func next(for stranger: Stranger) -> Instant {
    if stranger.isKnown, let greetings = known[stranger.address] { return greetings.next }
    return isNewcomer(stranger) ? newcomers.next : others.next
  }

  /// Counts a greeting; what is no member's address any more counts as others do.
  private mutating func take(for stranger: Stranger, at now: Instant) {
    if stranger.isKnown, known[stranger.address] != nil {
      _ = known[stranger.address]?.take(at: now)
    } else {
      _ = isNewcomer(stranger) ? newcomers.take(at: now) : others.take(at: now)
    }
  }

  private func nextIndex(at now: Instant) -> Int? {
    var next: (index: Int, precedence: Precedence)?
    for (index, stranger) in strangers.enumerated()
    where stranger.greeted == nil && hasTurn(stranger) && self.next(for: stranger) <= now {
      let precedence = precedence(stranger)
      if next.map({ precedence < $0.precedence }) ?? true { next = (index, precedence) }
    }
    return next?.index
  }

  /// Whether one more of a source can be greeted.
  private func hasTurn(_ stranger: Stranger) -> Bool {
    let countMax = stranger.isKnown ? limits.greetingsPerKnownAddress : limits.greetingsPerSource
    return sources[stranger.source].greeted < countMax
  }

  private func precedence(_ stranger: Stranger) -> Precedence {
    let record = sources[stranger.source]
    let greeted =
      stranger.isSource
      ? record.greeted : strangers.count { $0.address == stranger.address && $0.greeted != nil }
    return Precedence(
      isKnown: stranger.isKnown ? 0 : 1, failures: record.failures, turn: record.turn,
      greeted: greeted, token: stranger.token)
  }

  // MARK: Time

  private mutating func setWake(at now: Instant, into out: inout [Action]) {
    var next: Instant?
    for stranger in strangers {
      let due = stranger.greeted == nil ? turn(of: stranger) : endOfPeace(stranger)
      if let due { next = min(next ?? due, due) }
    }
    guard next != deadline else { return }
    deadline = next
    out.append(next.map { .wake(at: max($0, now)) } ?? .cancelWake)
  }

  /// When one that waits may be greeted, or gives up.
  private func turn(of stranger: Stranger) -> Instant {
    let end = stranger.accepted + limits.waiting
    return hasTurn(stranger) ? min(next(for: stranger), end) : end
  }

  private static let knownMax = 256
}

extension AdmissionMachine {
  /// What makes one give way: the greatest first, in the order of these.
  private struct Burden: Comparable {
    let source: Int  // How many there are of its source.
    let address: Int
    let isWaiting: Int
    let failures: Int
    let turn: UInt64

    static func < (left: Burden, right: Burden) -> Bool {
      (left.source, left.address, left.isWaiting, left.failures, left.turn)
        < (right.source, right.address, right.isWaiting, right.failures, right.turn)
    }
  }

  /// What makes one be greeted: the least first, in the order of these.
  private struct Precedence: Comparable {
    let isKnown: Int
    let failures: Int
    let turn: UInt64
    let greeted: Int  // How many at its address.
    let token: LinkToken

    static func < (left: Precedence, right: Precedence) -> Bool {
      (left.isKnown, left.failures, left.turn, left.greeted, left.token)
        < (right.isKnown, right.failures, right.turn, right.greeted, right.token)
    }
  }
}
