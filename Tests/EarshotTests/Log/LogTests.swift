import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Foundation
import Synchronization
import Testing

/// The records of a peer's log, as far as they were read.
final class Logged: Sendable {
  private let records = Mutex<[LogRecord]>([])
  private let isOver = Mutex(false)

  /// Reads a log from now on, in a task of a host.
  init(_ stream: EventStream<LogRecord>, on host: SimulatedHost) {
    host.addTask("log") { [self] in
      for await record in stream { records.withLock { $0.append(record) } }
      isOver.withLock { $0 = true }
    }
  }

  /// What was read so far.
  var all: [LogRecord] { records.withLock { $0 } }

  /// Whether the log has ended.
  var hasEnded: Bool { isOver.withLock { $0 } }

  /// Those of an event.
  func all(_ event: LogRecord.Event) -> [LogRecord] { all.filter { $0.event == event } }
}

@Suite("The log of a peer")
struct LogTests {
  /// Bob invites Ann, who accepts; returns both sessions.
  private static func join(_ scene: Scene) async throws -> (Session, Session) {
    let (own, session) = (try await scene.ann.makeSession(), try await scene.bob.makeSession())
    let call = scene.invite(to: session)
    if let invitation = await scene.invitation() { scene.accept(invitation, into: own) }
    #expect(await call.end() == "accepted")
    return (own, session)
  }

  @Test("A log begins with running, tells each step of joining, and ends after stopped")
  func steps() {
    Scene.play { scene in
      let port = await scene.bob.port
      let log = Logged(scene.bob.log(LogFilter(.debug)), on: scene.hosts[1])
      let (own, session) = try await Self.join(scene)
      await own.stop()
      try await scene.sleep(.seconds(5))
      await session.stop()
      await scene.bob.stop()
      try await scene.sleep(.seconds(1))
      let events = log.all.map(\.event)
      let steps: [LogRecord.Event] = [
        .running, .invited, .dialled, .linkOpened, .reached, .memberJoining, .memberJoined,
        .invitationConcluded, .linkEnded, .memberLeft, .browsingStopped, .stopped,
      ]
      #expect(events.filter { steps.contains($0) }.uniqued == steps)
      #expect(events.last == .stopped && log.hasEnded)
      #expect(log.all.first?.numbers == ["port": Int(port)])
      let joined = log.all(.memberJoined)[0]
      #expect(joined.peer == scene.ann.id && joined.local == scene.bob.id)
      #expect(joined.subsystem == .session && joined.level == .info)
      #expect(joined.message == "Ann (\(scene.ann.id.short)) became a member")
      let link = log.all(.linkOpened)[0]
      #expect(link.link == 1 && link.reason == "dialled" && link.endpoint != nil)
      #expect(log.all(.linkEnded).contains { ($0.numbers["bytesSent"] ?? 0) > 0 && $0.link == 1 })
    }
  }

  @Test("The records of a log are the notes of the trace of its world, with the same words")
  func traced() {
    let notes = Mutex<[String]>([])
    let lines = Mutex<[String]>([])
    Scene.play { scene in
      let from = scene.now
      scene.world.record { event in
        if event.kind == .note, event.label == "log", event.from == "ann" {
          notes.withLock { $0.append("\(event.time) \(event.detail)") }
        }
      }
      let log = Logged(scene.ann.log(LogFilter(.debug)), on: scene.hosts[0])
      let (own, _) = try await Self.join(scene)
      try await scene.sleep(.seconds(1))
      await own.stop()
      try await scene.sleep(.seconds(2))
      let read = log.all.filter { $0.time >= from && $0.event != .running }
      lines.withLock { $0 = read.map(\.description) }
    }
    let (expected, read) = (notes.withLock { $0 }, lines.withLock { $0 })
    #expect(expected.count >= 8 && expected == read, "\(expected), \(read)")
  }

  @Test("A reader of a log changes nothing of what happens in its world")
  func unseen() {
    func hash(isRead: Bool) -> String {
      let hash = Mutex("")
      Scene.play { scene in
        let log = isRead ? Logged(scene.bob.log(LogFilter(.debug)), on: scene.hosts[1]) : nil
        _ = try await Self.join(scene)
        try await scene.sleep(.seconds(5))
        #expect(log?.all.isEmpty != true)
      } afterwards: {
        let value = $0.traceHash.description
        hash.withLock { $0 = value }
      }
      return hash.withLock { $0 }
    }
    #expect(hash(isRead: true) == hash(isRead: false))
  }

  @Test("Each reader has the records that its own filter lets through")
  func filtered() {
    Scene.play { scene in
      let texts = [
        "debug", "info", "discovery:debug", "link:off,debug", "session:info,error", "off", "",
      ]
      let filters = try texts.map { try LogFilter($0) }
      let logs = filters.map { Logged(scene.bob.log($0), on: scene.hosts[1]) }
      scene.keep(try await Self.join(scene))
      try await scene.sleep(.seconds(1))
      let all = logs[0].all
      #expect(Set(all.map(\.subsystem)).count >= 4 && Set(all.map(\.level)).count >= 2)
      for (filter, log) in zip(filters, logs) {
        #expect(log.all == all.filter { filter.includes($0) })
      }
      #expect(logs[4].all.map(\.event) == [.memberJoined])
      #expect(logs[5].all.isEmpty && logs[6].all.isEmpty)
    }
  }

  @Test("Records that wait too long are dropped, the oldest first, and counted")
  func dropped() {
    Scene.play(for: .seconds(1_000)) { scene in
      let records = scene.bob.log(LogFilter(.info))
      for _ in 0..<600 {
        for _ in 0..<10 { try await scene.bob.browse("other").stop() }
        try await scene.sleep(.seconds(1))
      }
      await scene.bob.stop()
      var read: [LogRecord] = []
      for await record in records { read.append(record) }
      #expect(read.first?.event == .recordsDropped && read.count <= 4_097)
      #expect(read.first?.level == .warning && read.last?.event == .stopped)
      let dropped = read.first?.numbers["records"] ?? 0
      // Two of each browser, and what the beginning and the end have.
      let ends = read.filter { $0.service != "other" && $0.event != .recordsDropped }.count
      #expect(dropped + read.count - 1 - ends == 12_000 + 1, "\(dropped), \(read.count), \(ends)")
    }
  }

  @Test("Of one event a thousand are recorded at once, and the next one counts the others")
  func suppressed() {
    Scene.play { scene in
      let log = Logged(scene.bob.log(LogFilter(.info)), on: scene.hosts[1])
      for _ in 0..<1_500 { try await scene.bob.browse("other").stop() }
      try await scene.sleep(.seconds(1))
      #expect(log.all(.browsing).count == 1_000 && log.all(.browsingStopped).count == 1_000)
      #expect(log.all.allSatisfy { $0.numbers["suppressedRecords"] == nil })
      try await scene.bob.browse("other").stop()
      try await scene.sleep(.seconds(1))
      #expect(log.all(.browsing).last?.numbers["suppressedRecords"] == 500)
      // A hundred a second come back.
      for _ in 0..<200 { try await scene.bob.browse("other").stop() }
      try await scene.sleep(.milliseconds(1))
      #expect(log.all(.browsing).count == 1_200)
    }
  }

  @Test("A log does not hold its peer, and one of a stopped peer is empty")
  func unheld() {
    Scene.play { scene in
      let log = Mutex<EventStream<LogRecord>?>(nil)
      do {
        let cy = try await Peer("Cy", trusting: .anyPeer, on: scene.hosts[0])
        let records = cy.log(LogFilter(.debug))
        log.withLock { $0 = records }
      }
      var events: [LogRecord.Event] = []
      if let log = log.withLock({ $0 }) { for await record in log { events.append(record.event) } }
      #expect(events == [.running, .released, .stopped])
      await scene.bob.stop()
      for await record in scene.bob.log(LogFilter(.debug)) { Issue.record("\(record)") }
    }
  }

  @Test("A cancelled reader leaves, and another one goes on")
  func cancelled() {
    Scene.play { scene in
      let records = scene.bob.log(LogFilter(.info))
      let read = Mutex(0)
      let reader = scene.hosts[1].addTask("reader") {
        for await _ in records { read.withLock { $0 += 1 } }
      }
      try await scene.sleep(.milliseconds(10))
      #expect(read.withLock { $0 } == 1)
      reader.cancel()
      _ = try? await reader.wait()
      try await scene.bob.browse("other").stop()
      // What the first one has not got is there for the next.
      let log = Logged(records, on: scene.hosts[1])
      try await scene.sleep(.milliseconds(10))
      #expect(log.all.map(\.event) == [.browsing, .browsingStopped] && read.withLock { $0 } == 1)
    }
  }

  @Test("Nothing that is sent, and no name of it, is in any record")
  func secrets() {
    Scene.play { scene in
      let secret = "Tr0ub4dor"
      let logs = [
        Logged(scene.ann.log(LogFilter(.debug)), on: scene.hosts[0]),
        Logged(scene.bob.log(LogFilter(.debug)), on: scene.hosts[1]),
      ]
      let (own, session) = try await Self.join(scene)
      let verifications = Mutex<[Verification]>([])
      scene.hosts[0].addTask("verify") {
        for await verification in own.verifications {
          verifications.withLock { $0.append(verification) }
          await verification.confirm()
        }
      }
      scene.hosts[0].addTask("offers") {
        for await offer in own.resources { offer.decline(secret) }
      }
      try await session.send(Array(secret.utf8), to: [scene.ann.id])
      try session.sendUnreliably(Array(secret.utf8), to: [scene.ann.id])
      let stream = try await session.openStream(secret, to: scene.ann.id)
      try await stream.write(Array(secret.utf8))
      stream.finish()
      let verification = try await session.verify(scene.ann.id)
      await verification.confirm()
      let transfer = try session.sendResource(
        Array(secret.utf8), named: secret, to: scene.ann.id)
      _ = try? await transfer.completed()
      try await scene.sleep(.seconds(1))
      let records = logs.flatMap(\.all)
      for event: LogRecord.Event in [.streamOpened, .verificationEnded, .resourceEnded] {
        #expect(records.contains { $0.event == event }, "\(event)")
      }
      let codes = verifications.withLock { $0 }.map { "\($0.code)" } + ["\(verification.code)"]
      for record in records {
        let text = "\(record) \(record.metadata)"
        for hidden in [secret] + codes {
          #expect(!text.contains(hidden), "\(record)")
        }
      }
    }
  }

  // MARK: Loggers

  @Test("A logger of the shape of swift-log is attached in five lines")
  func logger() {
    Scene.play { scene in
      let logger = Logger(label: "earshot")
      let peer = scene.bob
      // The lines of the article on looking inside a running program.
      let records = peer.log(LogFilter(.debug))
      peer.addTask("log") {
        for await record in records {
          let level = Logger.Level(rawValue: record.level.rawValue) ?? .info
          logger.log(
            level: level, "\(record.message)", metadata: record.metadata.mapValues { "\($0)" })
        }
      }
      _ = try await Self.join(scene)
      try await scene.sleep(.seconds(1))
      let joined = logger.entries.first { $0.message.contains("became a member") }
      #expect(joined?.level == .info)
      #expect(joined?.metadata["peer"] == .string(scene.ann.id.description))
      #expect(joined?.metadata["event"] == .string("memberJoined"))
    }
  }

  @Test("The article attaches a logger by the same lines")
  func article() throws {
    let article = try SourceText("Sources/Earshot/Earshot.docc/Observing.md").code(in: "swift")
    let test = try SourceText("Tests/EarshotTests/Log/LogTests.swift").words
    #expect(article.count == 1)
    for block in article { #expect(test.contains(block), "\(block)") }
  }

  @Test("The table of the article has each event, in the row of its subsystem, with its level")
  func table() throws {
    let article = try SourceText("Sources/Earshot/Earshot.docc/Observing.md")
    for event in LogRecord.Event.allCases {
      let row = try #require(article.row(event.subsystem.rawValue), "\(event)")
      let place = event.level == .debug ? 1 : 0
      let groups = row[place].components(separatedBy: ";")
      let group = groups.first { $0.contains("`\(event.rawValue)`") }
      #expect(group != nil, "\(event)")
      let levels = ["notice", "warning", "error"].filter { group?.contains("(\($0))") == true }
      #expect(
        levels == (event.level > .info ? [event.level.rawValue] : []), "\(event): \(group ?? "")")
    }
  }

  @Test("Messages and parts of streams have no records, however many there are")
  func counted() {
    Scene.play { scene in
      let (own, session) = try await Self.join(scene)
      let stream = try await session.openStream("s", to: scene.ann.id)
      let log = Logged(scene.bob.log(LogFilter(.debug)), on: scene.hosts[1])
      for _ in 0..<100 {
        try await session.send([1], to: [scene.ann.id])
        try await stream.write([1])
      }
      try await scene.sleep(.seconds(1))
      #expect(log.all.map(\.event) == [.running])
      scene.keep((own, stream))
    }
  }

  @Test("What failed has a higher level than what did not")
  func failures() {
    Scene.play { scene in
      let log = Logged(scene.bob.log(LogFilter(.debug)), on: scene.hosts[1])
      let (own, session) = try await Self.join(scene)
      let accepted = log.all(.invitationConcluded).last
      #expect(accepted?.reason == "accepted" && accepted?.level == .info)
      let other = scene.keep(try await scene.bob.makeSession())
      let call = scene.invite(to: other)
      await scene.invitation()?.decline()
      #expect(await call.end() == "declined")
      let declined = log.all(.invitationConcluded).last
      #expect(declined?.reason == "declined" && declined?.level == .notice)
      let transfer = try session.sendResource([1], named: "r", to: scene.ann.id)
      scene.cut()
      try await scene.sleep(.seconds(40))
      let left = log.all(.memberLeft).last
      #expect(left?.reason == "lost" && left?.level == .notice)
      _ = try? await transfer.completed()
      #expect(log.all(.resourceEnded).last?.level == .notice)
      scene.keep(own)
    }
  }

  @Test("A link that breaks the protocol, and a code that was rejected, end with a warning")
  func warnings() {
    Scene.play { scene in
      let log = Logged(scene.ann.log(LogFilter(.warning)), on: scene.hosts[0])
      let endpoint = Endpoint(scene.hosts[0].address, port: await scene.ann.port)
      let connection = try scene.hosts[1].connect(
        to: endpoint, options: ConnectionOptions(), handler: Babbler())
      try await scene.sleep(.seconds(1))
      let end = log.all(.linkEnded)
      #expect(end.count == 1 && end.first?.reason == "violation.protocolViolation", "\(end)")
      #expect(end.first?.level == .warning && end.first?.peer == nil)
      connection.close()
      let (own, session) = try await Self.join(scene)
      scene.hosts[0].addTask("verify") {
        for await verification in own.verifications { await verification.reject() }
      }
      _ = try await session.verify(scene.ann.id)
      try await scene.sleep(.seconds(1))
      let rejected = log.all(.verificationEnded)
      #expect(rejected.count == 1 && rejected.first?.reason == "rejected", "\(rejected)")
      #expect(rejected.first?.level == .warning && rejected.first?.peer == scene.bob.id)
    }
  }

  @Test("The levels are levels of swift-log, in its order")
  func levels() {
    let levels = LogRecord.Level.allCases
    #expect(levels.allSatisfy { Logger.Level(rawValue: $0.rawValue) != nil })
    let order = levels.compactMap { level in
      Logger.Level.allCases.firstIndex { $0.rawValue == level.rawValue }
    }
    #expect(order == order.sorted() && levels == levels.sorted() && Set(levels).count == 5)
  }
}

/// Says nothing that is of the protocol.
private final class Babbler: ConnectionHandler {
  func connectionOpened(_ connection: any Connection) {
    _ = try? connection.write([UInt8](repeating: 0xFF, count: 64).span)
  }
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) {}
  func connectionBecameWritable(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}

/// What swift-log calls by these names, as far as a log needs it.
private final class Logger: Sendable {
  enum Level: String, CaseIterable { case trace, debug, info, notice, warning, error, critical }
  enum MetadataValue: ExpressibleByStringInterpolation, Hashable, Sendable {
    case string(String)

    init(stringLiteral text: String) { self = .string(text) }
  }
  struct Message: ExpressibleByStringInterpolation, Sendable {
    let text: String
    init(stringLiteral text: String) { self.text = text }
  }
  struct Entry: Sendable {
    let level: Level
    let message: String
    let metadata: [String: MetadataValue]
  }
  private let state = Mutex<[Entry]>([])

  init(label: String) {}

  var entries: [Entry] { state.withLock { $0 } }

  func log(
    level: Level, _ message: @autoclosure () -> Message,
    metadata: @autoclosure () -> [String: MetadataValue]? = nil,
    source: @autoclosure () -> String? = nil
  ) {
    let entry = Entry(level: level, message: message().text, metadata: metadata() ?? [:])
    state.withLock { $0.append(entry) }
  }
}

extension [LogRecord.Event] {
  /// The events without those that came before.
  fileprivate var uniqued: [LogRecord.Event] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// A file of this repository.
private struct SourceText {
  private let text: String

  init(_ path: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The cells of the row of a table whose first cell is a word, apart from that.
  func row(_ word: String) -> [String]? {
    let line = text.components(separatedBy: "\n").first { $0.hasPrefix("| `\(word)` |") }
    return line?.components(separatedBy: " |").dropFirst().dropLast().map(\.self)
  }

  /// The words without the spaces and line breaks between them.
  var words: String { text.filter { !$0.isWhitespace } }

  /// The blocks of code of a language, as words.
  func code(in language: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().map { block in
      block.components(separatedBy: "```")[0].filter { !$0.isWhitespace }
    }
  }
}
