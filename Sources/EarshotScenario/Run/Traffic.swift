import EarshotCore
package import EarshotSimulator

/// All messages of a run, and whether they arrive as they must.
///
/// A series is what one task of a sender sends to one receiver; its messages are numbered from 0. They must
/// arrive in order and once. Some may be missing in between only when the session refused them, or when a
/// membership of the two has ended meanwhile. Those of an unreliable series arrive once at most.
package struct Traffic: Sendable {
  /// One series.
  package struct Series: Sendable {
    package let direction: Direction
    package let session: String
    package let isEcho: Bool
    package let isReliable: Bool
    /// When each message was given to the session.
    package fileprivate(set) var sent: [Duration] = []
    /// When each one arrived, or why it did not.
    fileprivate var fates: [Fate] = []
    /// What has arrived in each of the receiver's sessions of that name: a program that takes its time reads in the one that
    /// it has left what was sent before that, and in the next one what was sent later.
    fileprivate var arrivals: [Arrivals] = []
    /// The place of its two peers among the breaks, and how many of theirs there were when it began.
    fileprivate let couple: Int
    fileprivate let breaks: Int
  }
  /// What has arrived of a series in one session of the receiver.
  fileprivate struct Arrivals: Sendable {
    let sessionNumber: Int
    /// The message that comes next.
    var next = 0
    /// How many breaks of its two peers it knows of.
    var breaks: Int
  }
  fileprivate enum Fate: Hashable, Sendable {
    case underway, refused
    case delivered(Duration)

    /// Whether it was sent and had not arrived by a time.
    func isOpen(at time: Duration) -> Bool {
      switch self {
      case .underway: true
      case .refused: false
      case .delivered(let arrival): arrival >= time
      }
    }
  }

  /// Two peers in one session.
  private struct Couple: Hashable, Sendable {
    let direction: Direction
    let session: String

    init(_ direction: Direction, _ session: String) {
      (self.direction, self.session) = (direction.couple, session)
    }
  }

  private struct Acquaintance: Hashable, Sendable {
    let direction: Direction
    let session: String
  }

  package private(set) var allSeries: [Series] = []
  /// How often memberships of two peers have ended.
  private var breaks: [Int] = []
  private var couples: [Couple: Int] = [:]
  /// Who has had whom as a member, in which session of the other one.
  private var acquaintances: Set<Acquaintance> = []

  package init() {}

  private mutating func place(of direction: Direction, in session: String) -> Int {
    let couple = Couple(direction, session)
    if let place = couples[couple] { return place }
    couples[couple] = breaks.count
    breaks.append(0)
    return breaks.count - 1
  }

  /// A new series.
  ///
  /// - Returns: Its number.
  package mutating func open(
    _ direction: Direction, in session: String, isEcho: Bool, isReliable: Bool = true
  ) -> Int {
    let couple = place(of: direction, in: session)
    allSeries.append(
      Series(
        direction: direction, session: session, isEcho: isEcho, isReliable: isReliable,
        couple: couple, breaks: breaks[couple]))
    return allSeries.count - 1
  }

  /// A message is about to be sent.
  ///
  /// - Returns: Its number in the series.
  package mutating func send(on series: Int, at time: Duration) -> Int {
    allSeries[series].sent.append(time)
    allSeries[series].fates.append(.underway)
    return allSeries[series].sent.count - 1
  }

  /// The session did not take a message.
  package mutating func refuse(_ number: Int, on series: Int) {
    allSeries[series].fates[number] = .refused
  }

  /// A membership of two peers has ended for one of them: what was underway between them may be lost.
  package mutating func breakOff(_ direction: Direction, in session: String) {
    breaks[place(of: direction, in: session)] += 1
  }

  /// The program of a peer has lost its memory: its memberships have ended.
  ///
  /// It may have had members that its program has not read of. So its next membership counts as a
  /// later one.
  package mutating func crash(_ direction: Direction, in session: String) {
    breakOff(direction, in: session)
    acquaintances.insert(Acquaintance(direction: direction, session: session))
  }

  /// A peer has another one as a member.
  ///
  /// If that is not for the first time, the membership before has ended, though the other one's program, which may take its
  /// time, need not have been told.
  package mutating func join(_ direction: Direction, in session: String) {
    let isFirst = acquaintances.insert(Acquaintance(direction: direction, session: session))
      .inserted
    if !isFirst { breakOff(direction, in: session) }
  }

  /// A message arrived.
  ///
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func receive(
    _ number: Int, on series: Int, from: String, to: String, in session: String,
    sessionNumber: Int = 0, at time: Duration
  ) -> String? {
    guard allSeries.indices.contains(series), allSeries[series].direction.from == from,
      allSeries[series].direction.to == to,
      allSeries[series].session == session,
      allSeries[series].sent.indices.contains(number)
    else { return "\(to) received a message from \(from) that was never sent" }
    let place = allSeries[series].place(of: sessionNumber)
    let expected = allSeries[series].arrivals[place].next
    if case .delivered = allSeries[series].fates[number] {
      return "\(to) received message \(number) from \(from) twice"
    }
    guard allSeries[series].isReliable else {
      allSeries[series].fates[number] = .delivered(time)
      allSeries[series].arrivals[place].next = max(expected, number + 1)
      return nil
    }
    guard number >= expected else {
      return "\(to) received message \(number) from \(from) after message \(expected - 1)"
    }
    let mistake = number == expected ? nil : gap(place, to: number, in: allSeries[series])
    allSeries[series].fates[number] = .delivered(time)
    allSeries[series].arrivals[place].next = number + 1
    allSeries[series].arrivals[place].breaks = breaks[allSeries[series].couple]
    return mistake
  }

  /// Whether there is a series of a number, which carries what is sent back.
  func isEcho(_ series: Int) -> Bool {
    allSeries.indices.contains(series) && allSeries[series].isEcho
  }

  private func gap(_ place: Int, to number: Int, in series: Series) -> String? {
    let arrivals = series.arrivals[place]
    // A session that is not the first has missed what the ones before were sent.
    if arrivals.breaks != breaks[series.couple] || place > 0 && arrivals.next == 0 { return nil }
    guard let missing = (arrivals.next..<number).first(where: { series.fates[$0] == .underway })
    else { return nil }
    return
      "\(series.direction.to) received message \(number) from \(series.direction.from) before message \(missing)"
  }
}

extension Traffic {
  /// How many messages were sent within a window, and how many of these arrived by its end.
  package func count(
    _ isWanted: (Series) -> Bool, in window: Window
  ) -> (sent: Int, delivered: Int) {
    var (sent, delivered) = (0, 0)
    for series in allSeries where isWanted(series) {
      for (time, fate) in zip(series.sent, series.fates) where window.contains(time) {
        if fate == .refused { continue }
        sent += 1
        if case .delivered(let arrival) = fate, arrival <= window.upperBound { delivered += 1 }
      }
    }
    return (sent, delivered)
  }

  /// How many reliable messages of a way through a session were sent within a window, and have not arrived.
  func underwayCount(_ direction: Direction, in session: String, sentIn window: Window) -> Int {
    allSeries.filter {
      $0.direction == direction && $0.session == session && $0.isReliable
    }.reduce(0) { sum, series in
      sum + zip(series.sent, series.fates).count { window.contains($0) && $1 == .underway }
    }
  }

  /// Whether any message of a way arrived within a window.
  func hasArrival(_ direction: Direction, in window: Window) -> Bool {
    allSeries.contains { series in
      series.direction == direction
        && series.fates.contains {
          if case .delivered(let time) = $0 { window.contains(time) } else { false }
        }
    }
  }

  /// How long the messages that were sent within a window took, the shortest first.
  ///
  /// One that has not arrived has taken the time up to the end of the run, unless it was sent unreliably: then it does
  /// not count.
  func delays(
    _ isWanted: (Series) -> Bool, sentIn window: Window, until end: Duration
  ) -> [Duration] {
    var delays: [Duration] = []
    for series in allSeries where isWanted(series) {
      for (time, fate) in zip(series.sent, series.fates) where window.contains(time) {
        switch fate {
        case .refused: break
        case .underway: if series.isReliable { delays.append(end - time) }
        case .delivered(let arrival): delays.append(arrival - time)
        }
      }
    }
    return delays.sorted()
  }

  /// The messages that were sent within a window, the earliest first; those that the session refused are left out.
  func messages(
    _ isWanted: (Series) -> Bool, sentIn window: Window
  ) -> [Verdict.Focus.Message] {
    var messages: [Verdict.Focus.Message] = []
    for (number, series) in allSeries.enumerated() where isWanted(series) {
      for place in series.sent.indices where window.contains(series.sent[place]) {
        if series.fates[place] == .refused { continue }
        var arrived: Duration?
        if case .delivered(let time) = series.fates[place] { arrived = time }
        messages.append(
          Verdict.Focus.Message(
            series.direction.from, series.direction.to, series: number, number: place,
            sent: series.sent[place], arrived: arrived))
      }
    }
    return messages.enumerated().sorted {
      ($0.element.sent, $0.offset) < ($1.element.sent, $1.offset)
    }.map(\.element)
  }

  /// What became of some messages.
  struct Tally: Hashable {
    /// Those that the session took, and how many of these at the latest at the time in question.
    var (sent, sentInTime) = (0, 0)
    /// Those that arrived, and how many of these before that time.
    var (arrived, arrivedInTime) = (0, 0)
    /// Those that were sent before the end and never arrived.
    var missing = 0
  }

  /// What became of the messages of some series, and what up to a time.
  ///
  /// - Parameters:
  ///   - ranges: The first and the last message of each series.
  ///   - time: The time in question.
  ///   - end: When their membership ended; those of that instant need not be its own.
  /// - Returns: How many there were of each kind.
  func tally(
    _ ranges: [Int: ClosedRange<Int>], until time: Duration, endingAt end: Duration? = nil
  ) -> Tally {
    var tally = Tally()
    for (series, range) in ranges {
      for number in range where allSeries[series].fates[number] != .refused {
        tally.sent += 1
        if allSeries[series].sent[number] <= time { tally.sentInTime += 1 }
        guard case .delivered(let arrival) = allSeries[series].fates[number] else {
          if end.map({ allSeries[series].sent[number] < $0 }) ?? true { tally.missing += 1 }
          continue
        }
        tally.arrived += 1
        if arrival < time { tally.arrivedInTime += 1 }
      }
    }
    return tally
  }

  /// How many messages were sent in the instant in which a membership began, before its sender was told of it, and
  /// did not arrive before a time.
  func sentBeforeJoining(_ ledger: MembershipLog.Ledger, until time: Duration) -> Int {
    let direction = Direction(ledger.key.sender, ledger.key.receiver)
    return allSeries.indices.reduce(0) { sum, index in
      let series = allSeries[index]
      guard series.direction == direction, series.session == ledger.key.session, series.isReliable
      else { return sum }
      let own = ledger.ranges[index]
      return sum
        + series.sent.indices.count { number in
          series.sent[number] == ledger.start && own?.contains(number) != true
            && series.fates[number].isOpen(at: time)
        }
    }
  }

  /// The messages of each way, in the order in which they were used first.
  package var messages: [Verdict.Messages] {
    var order: [Direction] = []
    var counts: [Direction: (sent: Int, delivered: Int)] = [:]
    for series in allSeries {
      if counts[series.direction] == nil { order.append(series.direction) }
      counts[series.direction, default: (0, 0)].sent += series.fates.count { $0 != .refused }
      counts[series.direction, default: (0, 0)].delivered +=
        series.arrivals.isEmpty ? 0 : series.deliveredCount
    }
    return order.compactMap { direction in
      counts[direction].map {
        Verdict.Messages(direction.from, direction.to, sent: $0.sent, delivered: $0.delivered)
      }
    }
  }
}

extension Traffic.Series {
  /// The place of what has arrived in one session of the receiver.
  fileprivate mutating func place(of sessionNumber: Int) -> Int {
    if let place = arrivals.lastIndex(where: { $0.sessionNumber == sessionNumber }) { return place }
    arrivals.append(Traffic.Arrivals(sessionNumber: sessionNumber, breaks: breaks))
    return arrivals.count - 1
  }

  fileprivate var deliveredCount: Int {
    fates.count { if case .delivered = $0 { true } else { false } }
  }
}
