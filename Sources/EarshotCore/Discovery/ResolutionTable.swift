/// What is missing of which instances, and when to ask for it next.
///
/// Names can be forged, so only so many are asked for within a time: questions about peers that are there, which grow old,
/// must still find their way into the budget of packets.
struct ResolutionTable: Hashable, Sendable {
  private struct Resolution: Hashable, Sendable {
    let missing: [DNSQuestion]
    var schedule: QuerySchedule
  }

  private static let turn = Duration.milliseconds(250)
  private static let askedPerTurn = 16

  private var resolutions: [DNSName: Resolution] = [:]
  private var deadlines: [DNSName: HeapDeadline] = [:]
  private var order = DeadlineHeap<DNSName>()
  private var turnEnd = Instant.zero
  private var askedInTurn = 0

  /// When to look next: not after the earliest deadline that is to be met; `nil` when nothing is missing.
  var next: Instant? {
    order.next(in: deadlines).map { askedInTurn < Self.askedPerTurn ? $0 : max($0, turnEnd) }
  }

  /// Asks for an instance exactly as long as something is missing of it; anew when that changes.
  mutating func set(
    _ missing: [DNSQuestion], of instance: DNSName, at now: Instant, random: inout RandomStream
  ) {
    guard missing != resolutions[instance]?.missing ?? [] else { return }
    guard !missing.isEmpty else { return remove(instance) }
    let schedule = QuerySchedule(at: now, random: &random)
    resolutions[instance] = Resolution(missing: missing, schedule: schedule)
    order.set(instance, at: schedule.due, in: &deadlines)
  }

  /// Asks no longer for an instance.
  mutating func remove(_ instance: DNSName) {
    resolutions[instance] = nil
    order.remove(instance, from: &deadlines)
  }

  /// Takes the first instance to be asked for now, which is then to be noted as asked for, or removed.
  mutating func popDue(at now: Instant) -> DNSName? {
    if now >= turnEnd { (turnEnd, askedInTurn) = (now + Self.turn, 0) }
    guard askedInTurn < Self.askedPerTurn, let name = order.popDue(at: now, from: &deadlines)
    else { return nil }
    askedInTurn += 1
    return name
  }

  /// Whether more than half of an instance's wait is over.
  func isDueSoon(_ instance: DNSName, at now: Instant) -> Bool {
    resolutions[instance]?.schedule.isDueSoon(at: now) ?? false
  }

  /// An instance was asked for, by this browser or by another one: not again for a while.
  mutating func noteAsked(_ instance: DNSName, at now: Instant, random: inout RandomStream) {
    guard var resolution = resolutions[instance] else { return }
    resolution.schedule.noteAsked(at: now, random: &random)
    resolutions[instance] = resolution
    order.set(instance, at: resolution.schedule.due, in: &deadlines)
  }
}
