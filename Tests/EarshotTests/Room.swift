import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import EarshotTLS
import Synchronization
import Testing

/// Simulated users in one world, and what they have seen.
final class Room: Sendable {
  let world: World
  private let lines = Mutex<[Line]>([])

  struct Line: Sendable, CustomStringConvertible {
    let at: Instant
    let who: String
    let what: String
    var description: String { "\(at) \(who): \(what)" }
  }

  init(seed: UInt64, links: LinkConditions = .lan, isSecure: Bool = false) {
    var configuration = WorldConfiguration(defaultLink: links)
    configuration.isSecure = isSecure
    world = World(seed: seed, configuration: configuration)
  }

  deinit { world.finish() }

  func note(_ who: String, _ what: String) {
    let line = Line(at: world.now, who: who, what: what)
    lines.withLock { $0.append(line) }
  }

  var log: [Line] { lines.withLock { $0 } }

  func seen(by who: String, _ what: String) -> [Instant] {
    log.filter { $0.who == who && $0.what == what }.map(\.at)
  }

  func count(_ who: String, _ prefix: String) -> Int {
    log.count { $0.who == who && $0.what.hasPrefix(prefix) }
  }

  /// A user who advertises, accepts everybody into one session, and notes what happens in it.
  ///
  /// It may invite everybody it finds, and do something else once its session is made.
  func addGuest(
    _ name: String, identity: Identity? = nil, on host: SimulatedHost? = nil,
    invites: Bool = true, configuration: Session.Configuration = Session.Configuration(),
    then: @escaping @Sendable (Peer, Session) async throws -> Void = { _, _ in }
  ) -> SimulatedHost {
    let host = host ?? world.makeHost(name)
    host.addTask(name) { [self] in
      do {
        let peer = try await Peer(name, identity: identity, trusting: .anyPeer, on: host)
        let session = try await peer.makeSession(configuration)
        let advertiser = try await peer.advertise("room")
        let browser = try await peer.browse("room")
        host.addTask("\(name) answers") { await self.answer(name, advertiser, session) }
        if invites {
          host.addTask("\(name) invites") { await self.invite(name, host, browser, peer, session) }
        }
        host.addTask("\(name) listens") { await self.listen(name, session) }
        try await then(peer, session)
      } catch { note(name, "failed: \(error)") }
    }
    return host
  }

  private func answer(_ name: String, _ advertiser: Advertiser, _ session: Session) async {
    for await invitation in advertiser.invitations {
      do { try await invitation.accept(into: session) } catch {
        note(name, "could not accept: \(error)")
      }
    }
  }

  private func invite(
    _ name: String, _ host: SimulatedHost, _ browser: Browser, _ peer: Peer,
    _ session: Session
  ) async {
    for await event in browser.events {
      switch event {
      case .found(let found):
        note(name, "found \(found.name)")
        host.addTask("\(name) invites \(found.name)") { [self] in
          do {
            let outcome = try await peer.invite(found.id, to: session)
            note(name, "inviting \(found.name): \(outcome)")
          } catch { note(name, "could not invite: \(error)") }
        }
      case .updated(let found): note(name, "updated \(found.name)")
      case .lost(let lost): note(name, "no longer sees \(lost.id.short)")
      case .unavailable, .available: note(name, "\(event)")
      }
    }
  }

  private func listen(_ name: String, _ session: Session) async {
    var order = EventOrder()
    for await activity in session.activity {
      note(name, activity.text)
      if !order.permits(activity) { Issue.record("\(name): \(activity.text) out of order") }
      switch activity {
      case .event(.left(let member, _, _)) where member.state != .joining:
        note(name, "departed \(member.name)")
      case .event, .message: break
      }
    }
    note(name, "session ended")
  }

  /// Who is a member in somebody's eyes by what it was told.
  func members(of name: String) -> Set<String> {
    var members: [String] = []
    for line in log where line.who == name {
      if line.what.hasPrefix("joined ") { members.append(String(line.what.dropFirst(7))) }
      if line.what.hasPrefix("departed ") {
        members.firstIndex(of: String(line.what.dropFirst(9))).map { _ = members.remove(at: $0) }
      }
    }
    return Set(members)
  }
}

extension SessionEvent {
  var text: String {
    switch self {
    case .joining(let member): "joining \(member.name)"
    case .joined(let member): "joined \(member.name)"
    case .interrupted(_, let reason): "interrupted \(reason)"
    case .resumed: "resumed"
    case .left(_, let reason, let undelivered):
      undelivered == 0 ? "\(reason)" : "\(reason), \(undelivered) undelivered"
    }
  }
}

extension SessionActivity {
  var text: String {
    switch self {
    case .event(let event): event.text
    case .message(let message): "message \(String(decoding: message.bytes, as: UTF8.self))"
    }
  }
}
