import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers
import Synchronization

/// One process of the measurement: the sender or the receiver.
struct Worker {
  /// What one process does.
  enum Part: String {
    /// One file, when the benchmark says so.
    case send, receive
    /// Files until their first bytes arrive, over one link or each over a new one.
    case begin, meet, greet
    /// Messages, files or both for a while.
    case mix, take
  }
  private let part: Part
  /// The service, or the ticket of the other process.
  private let service: String
  /// The file that is sent, or the folder for what is received.
  private let path: String
  private let load: Load
  /// The number of messages, one each millisecond.
  private let count: Int

  /// The command line of a worker.
  static func arguments(
    _ part: Part, _ path: String, _ load: Load = .file, _ count: Int = 0,
    at ticket: String? = nil
  ) -> [String] {
    let service = ticket ?? "bench-\(getpid())"
    return ["work", part.rawValue, service, path, load.rawValue, "\(count)"]
  }

  /// What a command line of ours asks for, or `nil` if it is that of a user.
  init?(_ arguments: [String]) {
    guard arguments.count == 7, arguments[1] == "work", let part = Part(rawValue: arguments[2]),
      let load = Load(rawValue: arguments[5]), let count = Int(arguments[6])
    else { return nil }
    (self.part, service, path) = (part, arguments[3], arguments[4])
    (self.load, self.count) = (load, count)
  }

  /// Does its part.
  func run() async throws {
    let peer = try await LoopbackPeer("\(part.rawValue) \(getpid())")
    try await peer.run(.pool) {
      switch part {
      case .send: try await send(from: peer)
      case .receive: try await receive(at: peer)
      case .begin: try await begin(from: peer)
      case .meet: try await meet(from: peer)
      case .greet: try await greet(at: peer)
      case .mix: try await mix(from: peer)
      case .take: try await take(at: peer)
      }
    }
    await peer.stop()
  }

  // MARK: A file

  private func send(from peer: LoopbackPeer) async throws {
    let (session, other) = try await join(peer)
    ChildProcess.answer("joined")
    require(readLine() == "go", "the benchmark did not say go")
    let (start, cpu) = (Machine.nanoseconds, Resources.cpuTime)
    try await session.sendResource(at: file, to: other).completed()
    let seconds = Double(Machine.nanoseconds - start) / 1e9
    ChildProcess.answer("sent \(seconds) \((Resources.cpuTime - cpu) / .seconds(1))")
    require(readLine() == "end", "the benchmark did not say end")
  }

  private func receive(at peer: LoopbackPeer) async throws {
    ChildProcess.answer("ready")
    let session = try await peer.host(service, accepting)
    ChildProcess.answer("joined")
    let cpu = Resources.cpuTime
    for await offer in session.resources {
      guard let transfer = offer.transfer else { fail("the offer was not accepted") }
      try await transfer.completed()
      ChildProcess.answer("received \((Resources.cpuTime - cpu) / .seconds(1))")
      break
    }
    await Self.waitForLeaving(session)
  }

  // MARK: First bytes

  private func begin(from peer: LoopbackPeer) async throws {
    let session = try await peer.peer.makeSession(LoopbackPeer.patient)
    let ticket = try await invite(to: session, peer)
    ChildProcess.answer("joined")
    while readLine() == "go" {
      let start = Machine.nanoseconds
      try await sendUntilToldSo(ticket.peer, in: session, since: start)
    }
  }

  private func meet(from peer: LoopbackPeer) async throws {
    ChildProcess.answer("joined")
    while readLine() == "go" {
      let start = Machine.nanoseconds
      let session = try await peer.peer.makeSession(LoopbackPeer.patient)
      let ticket = try await invite(to: session, peer)
      try await sendUntilToldSo(ticket.peer, in: session, since: start)
      await session.stop()
    }
  }

  private func invite(to session: Session, _ peer: LoopbackPeer) async throws -> PeerTicket {
    let ticket = try PeerTicket(parsing: service)
    let outcome = try await peer.peer.invite(ticket, to: session)
    require(outcome == .accepted, "the invitation: \(outcome)")
    return ticket
  }

  private func sendUntilToldSo(
    _ other: PeerID, in session: Session, since start: Int64
  ) async throws {
    let transfer = try await session.sendResource(at: file, to: other)
    ChildProcess.answer("began \(start)")
    require(readLine() == "end", "the benchmark did not say end")
    transfer.cancel()
    _ = try? await transfer.completed()
    ChildProcess.answer("ended")
  }

  private func greet(at peer: LoopbackPeer) async throws {
    let advertiser = try await peer.peer.advertise(service)
    ChildProcess.answer("ready \(try await peer.peer.ticket(for: service))")
    for await invitation in advertiser.invitations {
      let session = try await invitation.accept(into: peer.peer.makeSession(accepting))
      Task.detached { for await offer in session.resources { await Self.noteFirstByte(of: offer) } }
      Task.detached {
        await Self.waitForLeaving(session)
        await session.stop()
      }
    }
  }

  private static func noteFirstByte(of offer: ResourceOffer) async {
    guard let transfer = offer.transfer else { fail("the offer was not accepted") }
    for await progress in transfer.progress where progress.completedBytes > 0 {
      ChildProcess.answer("first \(Machine.nanoseconds)")
      break
    }
    if let file = try? await transfer.completed().file {
      try? FileManager.default.removeItem(at: file)
    }
  }

  // MARK: Messages beside files

  private func mix(from peer: LoopbackPeer) async throws {
    let (session, other) = try await join(peer)
    let sending = Task.detached {
      while load != .messages, !Task.isCancelled {
        let transfer = try await session.sendResource(at: file, to: other)
        do { try await transfer.completed() } catch { transfer.cancel() }
      }
    }
    if load != .file {
      try await Task.sleep(for: Self.start)
      try await session.sendTimedMessages(count)
    }
    var messages = session.messages.makeAsyncIterator()
    _ = await messages.next()
    sending.cancel()
    try? await sending.value
  }

  private func take(at peer: LoopbackPeer) async throws {
    ChildProcess.answer("ready")
    let session = try await peer.host(service, accepting)
    let count = count
    let rating = Task.detached { load == .messages ? 0 : try await Self.rate(session, count) }
    let times = load == .file ? [] : await session.receiveTimedMessages(count)
    let line = times.map { "\($0)" }.joined(separator: " ")
    ChildProcess.answer("received \(try await rating.value) " + line)
    try await session.send([1])
    await Self.waitForLeaving(session)
  }

  /// The MiB a second of files for so many milliseconds, from a short time after the first bytes on.
  private static func rate(_ session: Session, _ milliseconds: Int) async throws -> Double {
    let inbox = Inbox()
    let receiving = Task.detached {
      for await offer in session.resources {
        guard let transfer = offer.transfer else { fail("the offer was not accepted") }
        inbox.begin(transfer)
        // Stays until the end: removing a gibibyte of memory takes a core longer than a message may.
        inbox.end((try? await transfer.completed())?.byteCount ?? 0)
      }
    }
    defer { receiving.cancel() }
    while inbox.byteCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: start)
    let (time, count) = (Machine.nanoseconds, inbox.byteCount)
    try await Task.sleep(for: .milliseconds(milliseconds))
    let seconds = Double(Machine.nanoseconds - time) / 1e9
    return Double(inbox.byteCount - count) / 1_048_576 / seconds
  }

  // MARK: All of them

  private var file: URL { URL(filePath: path, directoryHint: .notDirectory) }

  private var accepting: Session.Configuration {
    var configuration = LoopbackPeer.patient
    configuration.resourcePolicy = .accept(into: URL(filePath: path, directoryHint: .isDirectory))
    return configuration
  }

  private func join(_ peer: LoopbackPeer) async throws -> (Session, PeerID) {
    let session = try await peer.gather(1, service)
    guard let other = await session.members.first?.id else { fail("there is no member") }
    return (session, other)
  }

  private static func waitForLeaving(_ session: Session) async {
    for await event in session.events(from: .unread) { if case .left = event { return } }
  }

  /// How long files go before anything is measured.
  private static let start = Duration.milliseconds(500)
}

/// What a pair of processes carries.
enum Load: String {
  case file, messages, both
}

/// The files that were received, and the one that is being received.
private final class Inbox: Sendable {
  private let state = Mutex<(bytes: Int64, transfer: ResourceTransfer?)>((0, nil))

  func begin(_ transfer: ResourceTransfer) { state.withLock { $0.transfer = transfer } }

  func end(_ count: Int64) {
    state.withLock { $0 = ($0.bytes + count, nil) }
  }

  var byteCount: Int64 {
    state.withLock { $0.bytes + ($0.transfer?.currentProgress.completedBytes ?? 0) }
  }
}
