import EarshotCore
import Synchronization

/// Everything that the programs of a run report, as it happens.
///
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
    var hash = RollingHash()
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

  private let record = Mutex(Record())
  private let trace: Trace?

  /// Where lines of the trace go; called on the thread that runs the world.
  package struct Trace: @unchecked Sendable {
    let line: (String) -> Void
  }

  /// A recorder without a record yet.
  package init(trace: Trace? = nil) { self.trace = trace }

  /// What has been reported.
  package var everything: Record { record.withLock { $0 } }

  /// The hash of what has been reported.
  var hash: RollingHash { record.withLock { $0.hash } }

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

  /// Notes that something happened.
  func note(
    _ time: Duration, _ observer: String?, _ kind: Timeline.Kind, _ subject: PeerID? = nil,
    _ detail: String = ""
  ) {
    let who = subject.map { id in
      self.who(id) ?? (name: "stranger \(id.short)", identity: 0)
    }
    let entry = Timeline.Entry(
      time, observer, kind, who?.name, identity: who?.identity ?? 0, detail)
    let isTaken = record.withLock { record in
      guard !record.isClosed else { return false }
      record.timeline.append(entry)
      record.hash.combine(text: entry.description)
      if kind == .left, let observer, let who { record.traffic.breakOff(Way(observer, who.name)) }
      return true
    }
    if isTaken { trace?.line(entry.description) }
  }

  /// Notes that a peer's program has lost its memory.
  func noteCrash(_ time: Duration, of name: String, among peers: [String]) {
    note(time, name, .crashed)
    record.withLock { record in
      for peer in peers { record.traffic.breakOff(Way(name, peer)) }
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

  func sendBegins(on stream: Int, _ time: Duration) -> Int {
    let (number, way) = record.withLock { record in
      record.sends += 1
      record.openSends += 1
      let number = record.traffic.send(on: stream, at: time)
      record.hash.combine(UInt64(stream) << 32 | UInt64(number))
      return (number, record.traffic.streams[stream].way)
    }
    traceMessage(time, way.from, "sent", way.to, stream, number)
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
  package func arrived(_ message: TestMessage?, from: String, to: String, _ time: Duration) -> Bool
  {
    guard let message else {
      breach(.messages, "\(to) received a garbled message from \(from)")
      return true
    }
    let (mistake, isEcho) = record.withLock { record -> (String?, Bool) in
      guard !record.isClosed else { return (nil, true) }
      record.hash.combine(UInt64(message.stream) << 32 | UInt64(message.number))
      let mistake = record.traffic.receive(
        message.number, on: message.stream, from: from, to: to, at: time)
      let streams = record.traffic.streams
      return (mistake, streams.indices.contains(message.stream) && streams[message.stream].isEcho)
    }
    if let mistake { breach(.messages, "at \(Quantity.moment(time)) \(mistake)") }
    traceMessage(time, to, "received", from, message.stream, message.number)
    return isEcho
  }

  private func traceMessage(
    _ time: Duration, _ peer: String, _ what: String, _ other: String, _ stream: Int, _ number: Int
  ) {
    trace?.line(
      "\(time.secondsText)\t\(peer)\t\(what)\t\(other)\tstream \(stream) message \(number)")
  }
}

extension RollingHash {
  /// Takes in a text.
  mutating func combine(text: String) {
    for byte in text.utf8 { combine(UInt64(byte)) }
    combine(UInt64(text.utf8.count))
  }
}
