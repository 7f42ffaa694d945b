import Earshot
import EarshotCore
import EarshotNetwork
import Synchronization

/// The reports that the programs of a world receive, in order, and the results of their calls.
final class Notebook: Sendable {
  /// A report to one program.
  struct Line: Hashable, Sendable, CustomStringConvertible {
    /// Whether something begins with the report, or ends with it.
    enum Change: Hashable, Sendable { case begins(String), ends(String), none }
    let at: Instant
    let text: String
    let change: Change

    var description: String { "\(at) \(text)" }
  }
  private let state = Mutex<(lines: [Line], facts: [String: String])>(([], [:]))
  private let host: any NetworkHost

  init(on host: any NetworkHost) { self.host = host }

  func note(_ text: String, _ change: Line.Change = .none) {
    let line = Line(at: host.now, text: text, change: change)
    state.withLock { $0.lines.append(line) }
  }

  /// Keeps the result of a call, or of something else that ends once.
  func keep(_ name: String, _ result: String) { state.withLock { $0.facts[name] = result } }

  var lines: [Line] { state.withLock { $0.lines } }
  var facts: [String: String] { state.withLock { $0.facts } }
}

// MARK: The streams

extension Notebook {
  func watch(_ peer: Peer, as name: String) {
    peer.addTask("\(name) listens") { [self, events = peer.events] in
      for await event in events { note("\(name): \(event)") }
    }
  }

  func watch(_ browser: Browser, as name: String, of peer: Peer) {
    peer.addTask("\(name) browses") { [self] in
      for await event in browser.events {
        switch event {
        case .found(let found), .updated(let found): note("\(name): \(found.text)")
        case .lost(let lost): note("\(name): lost \(lost.id.short)")
        case .unavailable, .available: note("\(name): \(event)")
        }
      }
    }
  }

  func watch(_ session: Session, as name: String, of peer: Peer) {
    peer.addTask("\(name) reads") { [self] in
      for await activity in session.activity {
        switch activity {
        case .message(let message):
          let start = String(decoding: message.bytes.prefix(16), as: UTF8.self)
          note("\(name): \(message.bytes.count) bytes of \(message.sender.short), “\(start)”")
        case .event(let event):
          let membership = "\(name): \(event.member.id.short) is a member"
          let isLeft = if case .left = event { true } else { false }
          note(
            "\(name): \(event.member.id.short) \(event.text)",
            isLeft ? .ends(membership) : .begins(membership))
        }
      }
      note("\(name): ended")
    }
  }

  /// Notes the verifications that members begin, and gives them to the program.
  func watch(
    verificationsOf session: Session, as name: String, of peer: Peer,
    _ taken: @escaping @Sendable (Verification) -> Void
  ) {
    peer.addTask("\(name) compares") { [self, verifications = session.verifications] in
      for await verification in verifications {
        taken(verification)
        let comparison = "\(name): comparison"
        note("\(name): comparison with \(verification.peer.short)", .begins(comparison))
        peer.addTask("\(name) waits") { [self] in
          guard let ending = await verification.waitForEnd() else { return }
          note("\(name): comparison \(ending)", .ends(comparison))
        }
      }
    }
  }

  /// Notes the invitations that a peer receives, and gives them to the program.
  func watch(
    invitationsOf advertiser: Advertiser, as name: String, of peer: Peer,
    _ taken: @escaping @Sendable (Invitation) -> Void
  ) {
    peer.addTask("\(name) answers") { [self] in
      for await invitation in advertiser.invitations {
        note(invitation, as: name, of: peer)
        taken(invitation)
      }
    }
  }

  func note(_ invitation: Invitation, as name: String, of peer: Peer) {
    let context = String(decoding: invitation.context, as: UTF8.self)
    let question = "\(name): invitation \(context)"
    note("\(question) of \(invitation.senderName)", .begins(question))
    peer.addTask("\(name) waits") { [self] in
      guard let ending = await invitation.waitForEnd() else { return }
      note("\(question) \(ending)", .ends(question))
    }
  }
}

extension DiscoveredPeer {
  /// Everything that a browser shows of it.
  var text: String {
    let pairs = info.map { $0.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined() } ?? "nil"
    return "\(id.short) \(name) \(pairs) \(endpoints)"
  }
}
