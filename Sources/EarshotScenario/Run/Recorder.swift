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
    /// Calls that have begun and not ended.
    package var openSends = 0
    package var openInvitations = 0
    package var sends = 0
    package var invitations = 0
    var names: [PeerID: (name: String, identity: Int)] = [:]
    /// How many identities each peer has had.
    package var identities: [String: Int] = [:]
    var isClosed = false

    package init() {}
  }

  /// Something that must never happen.
  package struct Breach: Hashable, Sendable {
    package enum Law: Hashable, Sendable, CaseIterable { case messages, programs }
    package let law: Law
    package let text: String
  }

  /// What is to go into the trace at the end of this instant.
  private struct Note {
    let host: SimulatedNetwork?
    let kind: String
    let text: String

    var rank: [String] { [host?.name ?? "", kind, text] }
  }

  private let record = Mutex(Record())
  private let notes = Mutex<[Note]>([])
  private let world: World?

  /// A recorder without a record yet.
  ///
  /// - Parameter world: The world in whose trace the record goes; none in tests of the record alone.
  package init(in world: World? = nil) { self.world = world }

  /// What has been reported.
  package var everything: Record { record.withLock { $0 } }

  /// Leaves out what comes now.
  func close() { record.withLock { $0.isClosed = true } }

  // MARK: Who is who

  /// Learns that an identity is a peer's.
  func know(_ id: PeerID, as name: String) {
    record.withLock { record in
      guard record.names[id] == nil else { return }
      let identity = record.identities[name, default: 0]
      record.identities[name] = identity + 1
      record.names[id] = (name, identity)
    }
  }

  /// The name of a peer and the number of its identity.
  func who(_ id: PeerID) -> (name: String, identity: Int)? { record.withLock { $0.names[id] } }

  // MARK: What happens

  /// Notes that something happened, on a host or to the network.
  func note(
    _ time: Duration, _ host: SimulatedNetwork?, _ kind: Timeline.Kind, _ subject: PeerID? = nil,
    _ detail: String = ""
  ) {
    let who = subject.map { id in
      self.who(id) ?? (name: "stranger \(id.short)", identity: 0)
    }
    let observer = host?.name
    let entry = Timeline.Entry(
      time, observer, kind, who?.name, identity: who?.identity ?? 0, detail)
    let isTaken = record.withLock { record in
      guard !record.isClosed else { return false }
      record.timeline.append(entry)
      if kind == .left, let observer, let who { record.traffic.breakOff(Way(observer, who.name)) }
      return true
    }
    guard isTaken else { return }
    let words = [entry.subject ?? "", detail].filter { !$0.isEmpty }
    trace(host, kind: kind.rawValue, words.joined(separator: " "))
  }

  private func trace(_ host: SimulatedNetwork?, kind: String, _ text: String) {
    guard let world else { return }
    let isFirst = notes.withLock { notes in
      notes.append(Note(host: host, kind: kind, text: text))
      return notes.count == 1
    }
    if isFirst { world.at(world.now) { [weak self] in self?.traceNotes(in: world) } }
  }

  private func traceNotes(in world: World) {
    let notes = notes.withLock { notes in
      defer { notes = [] }
      return notes
    }
    for note in notes.sorted(by: { $0.rank.lexicographicallyPrecedes($1.rank) }) {
      world.note(note.host, kind: note.kind, note.text)
    }
  }

  /// Notes that a peer's program has lost its memory.
  func noteCrash(_ time: Duration, of host: SimulatedNetwork, among peers: [String]) {
    note(time, host, .crashed)
    record.withLock { record in
      for peer in peers { record.traffic.breakOff(Way(host.name, peer)) }
    }
  }

  /// Notes that something happened that must not.
  package func breach(_ law: Breach.Law, _ text: String) {
    record.withLock { record in
      if !record.isClosed { record.breaches.append(Breach(law: law, text: text)) }
    }
  }

  // MARK: Calls

  func inviteBegins() {
    record.withLock { record in
      record.invitations += 1
      record.openInvitations += 1
    }
  }

  func inviteEnds() { record.withLock { $0.openInvitations -= 1 } }

  func openStream(_ way: Way, isEcho: Bool) -> Int {
    record.withLock { $0.traffic.open(way, isEcho: isEcho) }
  }

  func sendBegins(on stream: Int, at host: SimulatedNetwork) -> Int {
    let number = record.withLock { record in
      record.sends += 1
      record.openSends += 1
      return record.traffic.send(on: stream, at: host.elapsed)
    }
    trace(host, kind: "sent", "\(stream):\(number)")
    return number
  }

  func sendEnds(_ number: Int, on stream: Int, wasTaken: Bool) {
    record.withLock { record in
      record.openSends -= 1
      if !wasTaken { record.traffic.refuse(number, on: stream) }
    }
  }

  /// Notes an arrival.
  ///
  /// - Returns: Whether it was an echo.
  func arrived(_ message: TestMessage?, from: String, at host: SimulatedNetwork) -> Bool {
    if let message { trace(host, kind: "received", "\(message.stream):\(message.number)") }
    return arrived(message, from: from, to: host.name, host.elapsed)
  }

  /// Takes an arrival in.
  ///
  /// - Returns: Whether it was an echo.
  package func arrived(
    _ message: TestMessage?, from: String, to: String, _ time: Duration
  ) -> Bool {
    guard let message else {
      breach(.messages, "\(to) received a garbled message from \(from)")
      return true
    }
    let (mistake, isEcho) = record.withLock { record -> (String?, Bool) in
      guard !record.isClosed else { return (nil, true) }
      let mistake = record.traffic.receive(
        message.number, on: message.stream, from: from, to: to, at: time)
      let streams = record.traffic.streams
      return (mistake, streams.indices.contains(message.stream) && streams[message.stream].isEcho)
    }
    if let mistake { breach(.messages, "at \(Quantity.moment(time)) \(mistake)") }
    return isEcho
  }
}
