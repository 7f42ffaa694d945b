import Synchronization

/// Who can be sent to, for senders on any thread.
final class SessionDirectory: Sendable {
  /// One member's end of the sending path.
  struct Entry: Sendable {
    let id: PeerID
    let delivery: Delivery
  }
  private struct State {
    var entries: [Entry] = []  // In ascending order.
    var isEnded = false
  }
  private let state = Mutex(State())

  func add(_ id: PeerID, _ delivery: Delivery) {
    state.withLock { state in
      state.entries.removeAll { $0.id == id }
      let index = state.entries.firstIndex { id < $0.id } ?? state.entries.endIndex
      state.entries.insert(Entry(id: id, delivery: delivery), at: index)
    }
  }

  func remove(_ id: PeerID) {
    state.withLock { $0.entries.removeAll { $0.id == id } }
  }

  func end() {
    state.withLock { $0 = State(entries: [], isEnded: true) }
  }

  /// The path to one member, or `nil` when it is none.
  func delivery(to id: PeerID) -> Delivery? {
    state.withLock { state in state.entries.first { $0.id == id }?.delivery }
  }

  /// The paths to some peers, each once, or to all members.
  func entries(of peers: [PeerID]?) throws(EarshotError) -> [Entry] {
    let (entries, isEnded) = state.withLock { ($0.entries, $0.isEnded) }
    if isEnded { throw EarshotError(.sessionEnded, "The session was disconnected.") }
    guard let peers else { return entries }
    if peers.count == 1, let entry = entries.first(where: { $0.id == peers[0] }) { return [entry] }
    let chosen = entries.filter { peers.contains($0.id) }
    let missing = peers.filter { peer in !chosen.contains { $0.id == peer } }
    guard missing.isEmpty else { throw Self.notConnected(missing) }
    return chosen
  }

  static func notConnected(_ peers: [PeerID]) -> EarshotError {
    let names = peers.map(\.short).joined(separator: ", ")
    return EarshotError(
      .notConnected, "Not a member of the session: \(names). Nothing was sent to them.",
      peers: peers)
  }
}
