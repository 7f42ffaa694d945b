import Synchronization

/// The members that can be sent to, and the sources of messages, for callers on any thread.
final class SessionDirectory: Sendable {
  /// One member's end of the sending path.
  struct Entry: Sendable {
    let id: PeerID
    let reliable: ReliableChannel
    let unreliable: UnreliableChannel
  }
  private struct State {
    var entries: [Entry] = []  // In ascending order.
    var sources: [any MessageSource] = []  // In the order of joining.
    var isEnded = false
  }
  private let state = Mutex(State())
  /// Whether the session is left or being left, for those that must not hold the directory.
  let departure = Departure()

  func add(_ id: PeerID, _ parts: MembershipParts) {
    let entry = Entry(id: id, reliable: parts.reliable, unreliable: parts.unreliable)
    state.withLock { state in
      state.entries.removeAll { $0.id == id }
      let index = state.entries.firstIndex { id < $0.id } ?? state.entries.endIndex
      state.entries.insert(entry, at: index)
      state.sources += parts.sources
    }
  }

  /// Nothing is sent to a member any more; messages may still come from it.
  func remove(_ id: PeerID) {
    state.withLock { $0.entries.removeAll { $0.id == id } }
  }

  /// No messages come from some sources any more.
  func close(_ sources: [any MessageSource]) {
    state.withLock { state in
      state.sources.removeAll { source in sources.contains { $0 === source } }
    }
  }

  /// Nothing is sent to anybody any more; messages may still come.
  func end() {
    state.withLock { ($0.entries, $0.isEnded) = ([], true) }
    departure.note()
  }

  /// Whether the session is left or being left.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Gives the sources of messages that every consumer has taken their room back.
  ///
  /// A source that ended, whose peer may have begun another one since, wants none back.
  func release(_ activities: ArraySlice<SessionActivity>, at now: Instant) {
    var rest = activities
    while let first = rest.firstIndex(where: \.isMessage), case .message(let message) = rest[first]
    {
      let (origin, start) = (message.origin, first)
      var (end, bytes) = (start, 0)
      while end < rest.endIndex, case .message(let next) = rest[end], next.origin == origin {
        bytes += next.bytes.count
        end += 1
      }
      source(origin)?.release(messages: end - start, bytes: bytes, at: now)
      rest = rest[end...]
    }
  }

  /// Where messages came from, or `nil` when it has ended.
  private func source(_ id: MessageSourceID?) -> (any MessageSource)? {
    state.withLock { state in state.sources.first { $0.id == id } }
  }

  /// The paths to the recipients of a message, each once.
  func entries(of recipients: Recipients) throws(EarshotError) -> [Entry] {
    let (entries, isEnded) = state.withLock { ($0.entries, $0.isEnded) }
    if isEnded { throw EarshotError(.sessionEnded, "The session was left.") }
    switch recipients.choice {
    case .present: return entries
    case .all:
      guard !entries.isEmpty else {
        throw EarshotError(.notConnected, "The session has no members. Nothing was sent.")
      }
      return entries
    case .one(let peer):
      guard let entry = entries.first(where: { $0.id == peer }) else {
        throw Self.notConnected([peer])
      }
      return entries.count == 1 ? entries : [entry]
    case .several(let peers):
      guard !peers.isEmpty else {
        throw EarshotError(.notConnected, "The list of recipients is empty. Nothing was sent.")
      }
      let chosen = entries.filter { peers.contains($0.id) }
      let missing = peers.filter { peer in !chosen.contains { $0.id == peer } }
      guard missing.isEmpty else { throw Self.notConnected(missing) }
      return chosen
    }
  }

  /// The error of a message for peers that are no members.
  static func notConnected(_ peers: [PeerID]) -> EarshotError {
    let names = peers.map(\.short).joined(separator: ", ")
    return EarshotError(
      .notConnected, "Not a member of the session: \(names). Nothing was sent.", peers: peers)
  }
}

/// Whether a session is left or being left.
final class Departure: Sendable {
  private let isNoted = Atomic(false)

  var hasBegun: Bool { isNoted.load(ordering: .acquiring) }

  fileprivate func note() { isNoted.store(true, ordering: .releasing) }
}

extension SessionActivity {
  fileprivate var isMessage: Bool {
    if case .message = self { true } else { false }
  }
}
