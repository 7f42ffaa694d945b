/// The faults of a world that have not ended, each with what ends it.
struct FaultTable {
  /// What a fault is about, which says what else ends it.
  enum Scope: Hashable {
    /// The network: ``Fault/Kind/heal`` ends it.
    case network
    /// The code of a host stands still: ``HostFault/resume`` ends it, and a restart.
    case pause(host: Int)
    /// A host has no power: a restart ends it.
    case power(host: Int)
    /// Something else of a host.
    case host(Int)
  }
  private struct Entry {
    let id: Int
    let scope: Scope
    let undo: () -> Void
    var strike: FaultStrike?
    var ended: (() -> Void)?
  }
  private var entries: [Entry] = []
  private var lastID = 0

  mutating func takeID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ id: Int, _ scope: Scope, undo: @escaping () -> Void) {
    entries.append(Entry(id: id, scope: scope, undo: undo))
  }

  /// Has something called when a fault ends, however that comes about.
  mutating func whenEnded(_ id: Int, _ ended: @escaping () -> Void) {
    if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].ended = ended }
  }

  /// Has what a fault strikes noted until it ends.
  mutating func set(_ strike: FaultStrike, of id: Int) {
    if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].strike = strike }
  }

  /// Notes that a fault has met something.
  func noteStrike(of id: Int) { entries.first { $0.id == id }?.strike?.note() }

  func contains(_ id: Int) -> Bool { entries.contains { $0.id == id } }

  /// The faults of a scope, the oldest first.
  func ids(_ scope: Scope) -> [Int] { ids { $0 == scope } }

  /// The faults of some scopes, the oldest first.
  func ids(where isMeant: (Scope) -> Bool) -> [Int] {
    entries.filter { isMeant($0.scope) }.map(\.id)
  }

  /// Takes a fault out.
  ///
  /// - Returns: What takes its effect back, and what hears of its end; `nil` when it has ended already.
  mutating func remove(_ id: Int) -> (undo: () -> Void, ended: () -> Void)? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    let entry = entries.remove(at: index)
    entry.strike?.close()
    return (entry.undo, entry.ended ?? {})
  }

  mutating func removeAll() { entries = [] }
}
