import EarshotCore
package import EarshotSimulator

/// All messages of a run, and whether they arrive as they must.
///
/// A stream is what one task of a sender sends to one receiver; its messages are numbered from 0. They must
/// arrive in order and once. Some may be missing in between only when the session refused them, or when a
/// membership of the two has ended meanwhile. Those of an unreliable stream arrive once at most.
package struct Traffic: Sendable {
  /// One stream.
  package struct Stream: Sendable {
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
  /// What has arrived of a stream in one session of the receiver.
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

  package private(set) var streams: [Stream] = []
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

  /// A new stream.
  ///
  /// - Returns: Its number.
  package mutating func open(
    _ direction: Direction, in session: String, isEcho: Bool, isReliable: Bool = true
  ) -> Int {
    let couple = place(of: direction, in: session)
    streams.append(
      Stream(
        direction: direction, session: session, isEcho: isEcho, isReliable: isReliable,
        couple: couple, breaks: breaks[couple]))
    return streams.count - 1
  }

  /// A message is about to be sent.
  ///
  /// - Returns: Its number in the stream.
  package mutating func send(on stream: Int, at time: Duration) -> Int {
    streams[stream].sent.append(time)
    streams[stream].fates.append(.underway)
    return streams[stream].sent.count - 1
  }

  /// The session did not take a message.
  package mutating func refuse(_ number: Int, on stream: Int) {
    streams[stream].fates[number] = .refused
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
    _ number: Int, on stream: Int, from: String, to: String, in session: String,
    sessionNumber: Int = 0, at time: Duration
  ) -> String? {
    guard streams.indices.contains(stream), streams[stream].direction.from == from,
      streams[stream].direction.to == to,
      streams[stream].session == session,
      streams[stream].sent.indices.contains(number)
    else { return "\(to) received a message from \(from) that was never sent" }
    let place = streams[stream].place(of: sessionNumber)
    let expected = streams[stream].arrivals[place].next
    if case .delivered = streams[stream].fates[number] {
      return "\(to) received message \(number) from \(from) twice"
    }
    guard streams[stream].isReliable else {
      streams[stream].fates[number] = .delivered(time)
      streams[stream].arrivals[place].next = max(expected, number + 1)
      return nil
    }
    guard number >= expected else {
      return "\(to) received message \(number) from \(from) after message \(expected - 1)"
    }
    let mistake = number == expected ? nil : gap(place, to: number, in: streams[stream])
    streams[stream].fates[number] = .delivered(time)
    streams[stream].arrivals[place].next = number + 1
    streams[stream].arrivals[place].breaks = breaks[streams[stream].couple]
    return mistake
  }

  /// Whether there is a stream of a number, which carries what is sent back.
  func isEcho(_ stream: Int) -> Bool { streams.indices.contains(stream) && streams[stream].isEcho }

  private func gap(_ place: Int, to number: Int, in stream: Stream) -> String? {
    let arrivals = stream.arrivals[place]
    // A session that is not the first has missed what the ones before were sent.
    if arrivals.breaks != breaks[stream.couple] || place > 0 && arrivals.next == 0 { return nil }
    guard let missing = (arrivals.next..<number).first(where: { stream.fates[$0] == .underway })
    else { return nil }
    return
      "\(stream.direction.to) received message \(number) from \(stream.direction.from) before message \(missing)"
  }
}

extension Traffic {
  /// How many messages were sent within a window, and how many of these arrived by its end.
  package func count(
    _ isWanted: (Stream) -> Bool, in window: Window
  ) -> (sent: Int, delivered: Int) {
    var (sent, delivered) = (0, 0)
    for stream in streams where isWanted(stream) {
      for (time, fate) in zip(stream.sent, stream.fates) where window.contains(time) {
        if fate == .refused { continue }
        sent += 1
        if case .delivered(let arrival) = fate, arrival <= window.upperBound { delivered += 1 }
      }
    }
    return (sent, delivered)
  }

  /// How many reliable messages of a way through a session were sent within a window, and have not arrived.
  func underwayCount(_ direction: Direction, in session: String, sentIn window: Window) -> Int {
    streams.filter {
      $0.direction == direction && $0.session == session && $0.isReliable
    }.reduce(0) { sum, stream in
      sum + zip(stream.sent, stream.fates).count { window.contains($0) && $1 == .underway }
    }
  }

  /// Whether any message of a way arrived within a window.
  func hasArrival(_ direction: Direction, in window: Window) -> Bool {
    streams.contains { stream in
      stream.direction == direction
        && stream.fates.contains {
          if case .delivered(let time) = $0 { window.contains(time) } else { false }
        }
    }
  }

  /// How long the messages that were sent within a window took, the shortest first.
  ///
  /// One that has not arrived has taken the time up to the end of the run, unless it was sent unreliably: then it does
  /// not count.
  func delays(
    _ isWanted: (Stream) -> Bool, sentIn window: Window, until end: Duration
  ) -> [Duration] {
    var delays: [Duration] = []
    for stream in streams where isWanted(stream) {
      for (time, fate) in zip(stream.sent, stream.fates) where window.contains(time) {
        switch fate {
        case .refused: break
        case .underway: if stream.isReliable { delays.append(end - time) }
        case .delivered(let arrival): delays.append(arrival - time)
        }
      }
    }
    return delays.sorted()
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

  /// What became of the messages of some streams, and what up to a time.
  ///
  /// - Parameters:
  ///   - ranges: The first and the last message of each stream.
  ///   - time: The time in question.
  ///   - end: When their membership ended; those of that instant need not be its own.
  /// - Returns: How many there were of each kind.
  func tally(
    _ ranges: [Int: ClosedRange<Int>], until time: Duration, endingAt end: Duration? = nil
  ) -> Tally {
    var tally = Tally()
    for (stream, range) in ranges {
      for number in range where streams[stream].fates[number] != .refused {
        tally.sent += 1
        if streams[stream].sent[number] <= time { tally.sentInTime += 1 }
        guard case .delivered(let arrival) = streams[stream].fates[number] else {
          if end.map({ streams[stream].sent[number] < $0 }) ?? true { tally.missing += 1 }
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
    return streams.indices.reduce(0) { sum, index in
      let stream = streams[index]
      guard stream.direction == direction, stream.session == ledger.key.session, stream.isReliable
      else { return sum }
      let own = ledger.streams[index]
      return sum
        + stream.sent.indices.count { number in
          stream.sent[number] == ledger.start && own?.contains(number) != true
            && stream.fates[number].isOpen(at: time)
        }
    }
  }

  /// The messages of each way, in the order in which they were used first.
  package var messages: [Verdict.Messages] {
    var order: [Direction] = []
    var counts: [Direction: (sent: Int, delivered: Int)] = [:]
    for stream in streams {
      if counts[stream.direction] == nil { order.append(stream.direction) }
      counts[stream.direction, default: (0, 0)].sent += stream.fates.count { $0 != .refused }
      counts[stream.direction, default: (0, 0)].delivered +=
        stream.arrivals.isEmpty ? 0 : stream.deliveredCount
    }
    return order.compactMap { direction in
      counts[direction].map {
        Verdict.Messages(direction.from, direction.to, sent: $0.sent, delivered: $0.delivered)
      }
    }
  }
}

extension Traffic.Stream {
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
