/// The question for all instances of a service: when it is asked, and whether another host's stands for it.
///
/// The same question is asked a second and then two apart at the least (RFC 6762 §5.2), so three times in five seconds. Where
/// three in ten packets are lost that is too seldom to find every peer in that time, unless each question goes out over both
/// families of addresses. So a browser that has only one, and knows hardly anybody, asks in other words between (for records
/// of any type), which the same peers answer.
struct ServiceQuery: Hashable, Sendable {
  private static let returnsPause = Duration.seconds(10)
  private static let truncatedPatience = Duration.seconds(1)
  /// A browser that looks again and knows no more than so many wants the answers for itself alone.
  private static let strangersMax = 16
  private static let firstPacketsMax = 3
  private static let crowd = 12
  private static let company = 4
  private static let longListWait = Duration.seconds(60)
  /// How long after the beginning it is asked in other words first, and how often in all.
  private static let rewordedAfter = Duration.milliseconds(500)
  private static let rewordedMax = 3

  /// Another host's question that stood for this one, while the rest of what it lists may follow.
  private struct Overheard: Hashable, Sendable {
    let source: Endpoint
    let until: Instant
    /// The schedule as it would be without it.
    let schedule: QuerySchedule
  }

  /// The instances of the service that this host advertises.
  var advertised: [DNSName] = []
  /// Whether a question goes out over one family of addresses alone, on some interface.
  var usesOneFamily = false
  private let service: DNSName
  private let asksForUnicast: Bool
  private var schedule: QuerySchedule
  private var reworded: QuerySchedule?
  /// Whether nothing has been asked since the start, a sleep, or the coming of an interface.
  private var isNew = true
  /// When a return was last a reason to look again.
  private var lookedAgain: Instant?
  private var overheard: Overheard?
  /// Answers to this host alone are taken in until then (RFC 6762 §6).
  private var unicastUntil: Instant?

  /// Asks first in 20 to 120 ms.
  init(
    for service: DNSName, asksForUnicast: Bool, at now: Instant, random: inout RandomStream
  ) {
    (self.service, self.asksForUnicast) = (service, asksForUnicast)
    schedule = QuerySchedule(at: now, random: &random)
    reworded = QuerySchedule(at: now + Self.rewordedAfter, random: &random)
  }

  /// When to ask next.
  var due: Instant { reworded.map { min($0.due, schedule.due) } ?? schedule.due }

  // MARK: Asking

  /// Begins to ask anew, often at first.
  mutating func lookAgain(at now: Instant, random: inout RandomStream) {
    schedule = QuerySchedule(at: now, random: &random)
    reworded = QuerySchedule(at: now + Self.rewordedAfter, random: &random)
    overheard = nil
  }

  /// Begins as if nothing had been asked before.
  mutating func lookAnew(at now: Instant, random: inout RandomStream) {
    isNew = true
    lookAgain(at: now, random: &random)
  }

  /// A peer that was absent is back: others may be as well.
  mutating func noteReturn(at now: Instant, random: inout RandomStream) {
    if let lookedAgain, now - lookedAgain < Self.returnsPause { return }
    lookedAgain = now
    lookAgain(at: now, random: &random)
  }

  /// Asks, unless the list of what is known is so long that the question must wait.
  ///
  /// - Parameters:
  ///   - known: How many peers are known.
  ///   - packets: How many packets it takes to list them.
  ///   - now: The time.
  ///   - random: The chance of the machine.
  /// - Returns: The question to ask now, or `nil` when it is put off.
  mutating func ask(
    knowing known: Int, in packets: Int, at now: Instant, random: inout RandomStream
  ) -> DNSQuestion? {
    guard schedule.due <= now else { return reword(knowing: known, at: now, random: &random) }
    let least = Self.leastWait(knowing: known, in: packets, asked: schedule.sent)
    if schedule.putsOff(until: least, at: now, random: &random) { return nil }
    let wantsUnicast =
      asksForUnicast && schedule.sent == 0 && !schedule.isPutOff
      && (isNew || known <= Self.strangersMax)
    isNew = false
    if wantsUnicast { unicastUntil = now + DNSArrival.unicastPatience }
    schedule.noteAsked(at: now, random: &random)
    return DNSQuestion(service, .ptr, wantsUnicast: wantsUnicast)
  }

  /// The question in other words, unless it was often enough asked so or enough is known.
  private mutating func reword(
    knowing known: Int, at now: Instant, random: inout RandomStream
  ) -> DNSQuestion? {
    guard var current = reworded, current.due <= now else { return nil }
    guard usesOneFamily, known < Self.company, current.sent < Self.rewordedMax else {
      reworded = nil
      return nil
    }
    let wantsUnicast = asksForUnicast && current.sent == 0
    if wantsUnicast { unicastUntil = now + DNSArrival.unicastPatience }
    current.noteAsked(at: now, random: &random)
    reworded = current
    return DNSQuestion(service, .any, wantsUnicast: wantsUnicast)
  }

  /// How long a question waits at least for the sake of the others on the link.
  ///
  /// What many know is a long list, which goes to as many: it costs the link the square of their number. A browser
  /// that has asked twice has missed little.
  ///
  /// - Parameters:
  ///   - known: How many peers are known.
  ///   - packets: How many packets it takes to list them.
  ///   - asked: How often was asked since the beginning.
  /// - Returns: The least time since the question before, or since the beginning.
  private static func leastWait(
    knowing known: Int, in packets: Int, asked: Int
  ) -> Duration {
    if asked == 0, packets <= firstPacketsMax {
      return .seconds((packets - 1) * (packets - 1))
    }
    let steps = known / (asked < 2 ? crowd : company)
    let least = Duration.seconds(steps * steps)
    return packets > 1 ? max(least, longListWait) : least
  }

  /// The packets that ask some questions.
  ///
  /// A question for the service lists this host's own instances too: a host that does not know these must ask
  /// itself, since an asker does not answer its own question.
  ///
  /// - Parameters:
  ///   - questions: What is asked; nothing makes no packets.
  ///   - known: What is known already and will be for at least half of its life.
  /// - Returns: The bytes of each packet.
  func packets(asking questions: [DNSQuestion], knowing known: [DNSRecord]) -> [[UInt8]] {
    guard !questions.isEmpty else { return [] }
    let isForService = questions.contains { $0.name == service }
    return DNSMessage(asking: questions, knowing: isForService ? ownPointers + known : []).packets()
  }

  private var ownPointers: [DNSRecord] {
    advertised.map {
      DNSRecord(
        service, .pointer($0),
        lifetimeSeconds: AdvertisedRecords.lifetimeSeconds(of: .pointer), flushesCache: false)
    }
  }

  // MARK: Answers to this host alone

  /// One host was asked alone, and answers the same way.
  mutating func expectUnicast(at now: Instant) {
    unicastUntil = now + DNSArrival.unicastPatience
  }

  /// Whether an answer to this host alone is expected.
  func expectsUnicast(at now: Instant) -> Bool {
    unicastUntil.map { now <= $0 } ?? false
  }

  // MARK: Questions of others

  /// Whether the question comes so soon, and is such, that another host's may stand for it.
  func isReplaceable(at now: Instant) -> Bool {
    let wouldAskTheSame = schedule.sent > 0 || schedule.isPutOff || !asksForUnicast
    return wouldAskTheSame && schedule.isDueSoon(at: now)
  }

  /// Another host has asked in place of this one.
  mutating func noteAsked(by source: Endpoint, at now: Instant, random: inout RandomStream) {
    overheard = Overheard(
      source: source, until: now + Self.truncatedPatience, schedule: schedule)
    schedule.noteAsked(at: now, random: &random)
  }

  /// Whether a host may still be listing what it knows, as a part of a question that stood for this one.
  func isContinued(by source: Endpoint, at now: Instant) -> Bool {
    overheard.map { $0.source == source && now <= $0.until } ?? false
  }

  /// The question that stood for this one was narrower: it does not any more.
  mutating func takeBack() {
    guard let overheard else { return }
    schedule = overheard.schedule
    self.overheard = nil
  }
}
