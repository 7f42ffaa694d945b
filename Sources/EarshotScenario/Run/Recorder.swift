import Earshot
import EarshotCore
package import EarshotSimulator
import Synchronization

/// Everything that the programs of a run report, as it happens.
///
/// It all goes into the trace of the world too, what happens at one instant in an order of its own: tasks that
/// are ready at once take turns as the compiler has cut them into pieces, which optimising changes.
/// What is reported after ``close()`` is left out, but for the ends of calls: code of a world that is taken
/// down no longer means what it says.
package final class Recorder: Sendable {
  /// What was reported.
  package struct Record: Sendable {
    package var timeline = Timeline()
    package var traffic = Traffic()
    /// What must never happen, and did.
    package var breaches: [Breach] = []
    /// The calls of programs.
    package var calls = CallLog()
    /// What became of invitations.
    package var invitations = InvitationLog()
    /// What was written to streams and read from them.
    package var streams = StreamLog()
    /// What became of files.
    package var files = FileLog()
    /// How many bytes went over links, if an expectation asks.
    package var linkTraffic = LinkTraffic()
    /// What was sent to members.
    package var memberships = MembershipLog()
    /// What befell peers and network.
    package var disturbances = Disturbances()
    /// What was planned to befall them; `nil` when nothing is known of a plan.
    package var plan: FaultPlan?
    /// The sessions of members that have another name than the observer's, as each joined last.
    var otherSessions: [MembershipSpan.Key: String] = [:]
    /// The names of sessions.
    var sessions: [SessionID: String] = [:]
    var names: [PeerID: (name: String, identity: Int)] = [:]
    /// How many identities each peer has had.
    package var identities: [String: Int] = [:]
    var isClosed = false
    private static let voidAnswers = [EarshotError.Code.invitationEnded, .cancelled].map(\.name)

    package init() {}

    /// Takes in what happened.
    package mutating func apply(_ entry: Timeline.Entry) {
      timeline.append(entry)
      memberships.apply(entry)
      guard let observer = entry.observer, let subject = entry.subject else { return }
      let key = MembershipSpan.Key(observer: observer, subject: subject, session: entry.session)
      if entry.kind == .joined {
        let isMixed = entry.otherSession != entry.session
        otherSessions[key] = isMixed ? entry.otherSession : nil
        traffic.join(Direction(observer, subject), in: entry.otherSession)
      }
      if entry.kind == .left {
        traffic.breakOff(Direction(observer, subject), in: entry.session)
        otherSessions[key].map { traffic.breakOff(Direction(observer, subject), in: $0) }
      }
      // The other one may have had the observer as a member, whose acceptance has come to nothing.
      if entry.kind == .answered, Self.voidAnswers.contains(entry.detail) {
        traffic.breakOff(Direction(observer, subject), in: entry.session)
      }
    }
  }

  /// Something that must never happen.
  package struct Breach: Hashable, Sendable {
    package enum Law: Hashable, Sendable, CaseIterable {
      case messages, streams, files, transfers, programs, calls, links
    }
    package let law: Law
    package let complaint: Complaint
  }

  /// What is to go into the trace at the end of this instant.
  private struct Note {
    let host: SimulatedHost?
    let kind: String
    let text: String
    /// The event that it follows from.
    let cause: Int?

    /// Whether it comes first of what happens at one instant: by host, kind and text.
    func isBefore(_ other: Note) -> Bool {
      if host !== other.host {
        let (name, otherName) = (host?.name ?? "", other.host?.name ?? "")
        if name != otherName { return name < otherName }
      }
      return kind == other.kind ? text < other.text : kind < other.kind
    }
  }

  /// The kinds of the notes of messages that are given to sessions, and of those that arrive.
  static let (sentLabel, receivedLabel) = ("sent", "received")

  private let record = Mutex(Record())
  private let isBroken = Atomic(false)
  private let notes = Mutex<[Note]>([])
  private let world: World?

  /// A recorder without a record yet.
  ///
  /// - Parameter world: The world in whose trace the record goes; none in tests of the record alone.
  package init(in world: World? = nil) { self.world = world }

  /// What has been reported.
  package var everything: Record { record.withLock { $0 } }

  /// Whether something has happened that must not.
  var isBreached: Bool { isBroken.load(ordering: .relaxed) }

  /// Leaves out what comes after the end of a run, and says which calls should have returned before it.
  package func close(at time: Duration = .zero) {
    record.withLock { record in
      let late = record.calls.complaints(at: time, record.disturbances)
      record.breaches += late.map { Breach(law: .calls, complaint: $0) }
      record.isClosed = true
    }
  }

  // MARK: Names and identities

  /// Learns that an identity is a peer's.
  package func know(_ id: PeerID, as name: String) {
    record.withLock { record in
      guard record.names[id] == nil else { return }
      let identity = record.identities[name, default: 0]
      record.identities[name] = identity + 1
      record.names[id] = (name, identity)
    }
  }

  /// Learns that a session has a name.
  func know(_ session: SessionID, as name: String) {
    record.withLock { $0.sessions[session] = name }
  }

  /// The name of a session.
  func name(of session: SessionID) -> String? { record.withLock { $0.sessions[session] } }

  /// The name of a peer and the number of its identity.
  func who(_ id: PeerID) -> (name: String, identity: Int)? { record.withLock { $0.names[id] } }

  // MARK: What happens

  /// Notes that something happened, on a host or to the network.
  func note(
    _ time: Duration, _ host: SimulatedHost?, _ kind: Timeline.Kind, _ subject: PeerID? = nil,
    _ detail: String = "", in session: String = SessionPlan.nameOfFirst, sessionNumber: Int = 0,
    with otherSession: String? = nil
  ) {
    let who = subject.map { id in
      self.who(id) ?? (name: "stranger \(id.short)", identity: 0)
    }
    let entry = Timeline.Entry(
      time, host?.name, kind, who?.name, identity: who?.identity ?? 0, detail, in: session,
      sessionNumber: sessionNumber, with: otherSession)
    guard note(entry) else { return }
    let place = session == SessionPlan.nameOfFirst ? "" : session
    let words = [entry.subject ?? "", detail, place].filter { !$0.isEmpty }
    trace(host, kind: kind.rawValue, words.joined(separator: " "))
  }

  /// Takes in what happened, unless the run is over.
  @discardableResult
  package func note(_ entry: Timeline.Entry) -> Bool {
    record.withLock { record in
      if !record.isClosed { record.apply(entry) }
      return !record.isClosed
    }
  }

  func trace(_ host: SimulatedHost?, kind: String, _ text: String) {
    guard let world else { return }
    let isFirst = notes.withLock { notes in
      notes.append(Note(host: host, kind: kind, text: text, cause: world.handledEvent))
      return notes.count == 1
    }
    // Until the world ends, at the latest. A weak reference would make each retain and release of the recorder slower.
    if isFirst { world.at(world.now) { [self] in traceNotes(in: world) } }
  }

  private func traceNotes(in world: World) {
    let notes = notes.withLock { notes in
      defer { notes = [] }
      return notes
    }
    for note in notes.count > 1 ? notes.sorted(by: { $0.isBefore($1) }) : notes {
      world.note(note.host, kind: note.kind, note.text, cause: note.cause)
    }
  }

  /// Notes that a peer's program has lost its memory.
  func noteCrash(
    _ time: Duration, of host: SimulatedHost, among peers: [String], _ sessions: Set<String>
  ) {
    note(time, host, .crashed)
    record.withLock { record in
      for peer in peers {
        for session in sessions { record.traffic.crash(Direction(host.name, peer), in: session) }
      }
      record.streams.crash(host.name, at: time)
      record.files.crash(host.name, at: time)
    }
  }

  /// Learns what is to befall peers and network.
  package func know(_ plan: FaultPlan) { record.withLock { $0.plan = plan } }

  /// Notes that a fault begins.
  package func beginFault(_ kind: Fault.Kind, _ number: Int, at time: Duration) {
    record.withLock { $0.disturbances.begin(kind, number, at: time) }
  }

  /// Notes that a fault is over.
  package func endFault(_ number: Int, at time: Duration) {
    record.withLock { $0.disturbances.end(number, at: time) }
  }

  /// Notes that something happened that must not, by a time, and that it is about some peers.
  package func breach(
    _ law: Breach.Law, _ text: String, at time: Duration? = nil, about peers: [String] = []
  ) {
    breach(
      law, Complaint(text, at: time ?? world.map { $0.now - .zero }, about: peers, isEvent: true))
  }

  /// Notes that something happened that must not.
  func breach(_ law: Breach.Law, _ complaint: Complaint) {
    record.withLock { record in
      guard !record.isClosed else { return }
      record.breaches.append(Breach(law: law, complaint: complaint))
      isBroken.store(true, ordering: .relaxed)
    }
  }

  // MARK: Calls

  /// A call begins.
  ///
  /// - Returns: Its number.
  package func begin(_ call: Call) -> Int { record.withLock { $0.calls.begin(call) } }

  /// A call has returned.
  package func end(_ call: Int, at time: Duration) {
    let complaint = record.withLock { record in
      record.calls.end(call, at: time, record.disturbances)
    }
    if let complaint { breach(.calls, complaint) }
  }

  /// Works on what is known of invitations.
  package func invitations<Answer: Sendable>(_ work: (inout InvitationLog) -> Answer) -> Answer {
    record.withLock { work(&$0.invitations) }
  }

  /// Works on what is known of streams.
  package func streams<Answer: Sendable>(_ work: (inout StreamLog) -> Answer) -> Answer {
    record.withLock { work(&$0.streams) }
  }

  /// Works on what is known of files.
  package func files<Answer: Sendable>(_ work: (inout FileLog) -> Answer) -> Answer {
    record.withLock { work(&$0.files) }
  }

  /// Takes in a packet, if the event is one that is sent.
  package func carry(_ event: TraceEvent) { record.withLock { $0.linkTraffic.add(event) } }

  // MARK: Messages

  package func openSeries(
    _ direction: Direction, in session: String, isEcho: Bool, isReliable: Bool = true
  ) -> Int {
    record.withLock {
      $0.traffic.open(direction, in: session, isEcho: isEcho, isReliable: isReliable)
    }
  }

  func sendBegins(
    on series: Int, _ key: MembershipLog.LedgerKey, at host: SimulatedHost
  ) -> Int {
    let number = sendBegins(on: series, key, at: host.elapsed)
    trace(host, kind: Self.sentLabel, "\(series):\(number)")
    return number
  }

  /// A message is about to be sent.
  ///
  /// - Returns: Its number in the series.
  package func sendBegins(
    on series: Int, _ key: MembershipLog.LedgerKey, at time: Duration
  ) -> Int {
    record.withLock { record in
      let number = record.traffic.send(on: series, at: time)
      // What may be lost is in no account of what was delivered.
      if record.traffic.allSeries[series].isReliable {
        record.memberships.send(number, on: series, key)
      }
      return number
    }
  }

  /// The session did not take a message.
  package func refuse(_ number: Int, on series: Int) {
    record.withLock { $0.traffic.refuse(number, on: series) }
  }

  /// Notes an arrival.
  ///
  /// - Returns: Whether it was an echo.
  func arrived(
    _ message: TestMessage?, from: String, in session: String, sessionNumber: Int,
    at host: SimulatedHost
  ) -> Bool {
    if let message { trace(host, kind: Self.receivedLabel, "\(message.series):\(message.number)") }
    return arrived(
      message, from: from, to: host.name, in: session, sessionNumber: sessionNumber, host.elapsed)
  }

  /// Takes an arrival in.
  ///
  /// - Returns: Whether it was an echo.
  package func arrived(
    _ message: TestMessage?, from: String, to: String, in session: String,
    sessionNumber: Int = 0, _ time: Duration
  ) -> Bool {
    guard let message else {
      breach(
        .messages, "\(to) received a garbled message from \(from)", at: time, about: [to, from])
      return true
    }
    let (mistake, isEcho) = record.withLock { record -> (String?, Bool) in
      guard !record.isClosed else { return (nil, true) }
      let key = MembershipSpan.Key(observer: to, subject: from, session: session)
      let mistake = record.traffic.receive(
        message.number, on: message.series, from: from, to: to,
        in: record.otherSessions[key] ?? session, sessionNumber: sessionNumber, at: time)
      return (mistake, record.traffic.isEcho(message.series))
    }
    if let mistake {
      breach(
        .messages, "at \(Quantity.moment(time)) \(mistake)", at: time, about: [to, from])
    }
    return isEcho
  }
}
