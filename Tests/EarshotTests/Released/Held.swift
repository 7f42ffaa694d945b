import Earshot
import Synchronization

/// Something that a test's program holds until it lets it go.
final class Held<Value: Sendable>: Sendable {
  private let held: Mutex<Value?>

  init(_ value: Value) { held = Mutex(value) }

  /// The thing; to be asked for while it is held.
  var value: Value {
    guard let value = held.withLock({ $0 }) else { preconditionFailure("it was let go") }
    return value
  }

  func letGo() {
    let value = held.withLock { $0.take() }
    withExtendedLifetime(value) {}  // Released outside the lock.
  }
}

/// What is watched without being held.
final class Remains: Sendable {
  private struct Watched {
    let name: String
    weak var object: AnyObject?
  }
  private let watched = Mutex<[Watched]>([])

  func watch(_ name: String, _ object: any AnyObject & Sendable) {
    watched.withLock { $0.append(Watched(name: name, object: object)) }
  }

  func watch(_ name: String, _ peer: Peer) async {
    watch(name, peer as any AnyObject & Sendable)
    watch(insideOf: name, await peer.inside)
  }

  func watch(_ name: String, _ session: Session) async {
    watch(name, session as any AnyObject & Sendable)
    watch(insideOf: name, await session.inside)
  }

  private func watch(insideOf name: String, _ parts: [any Actor]) {
    for part in parts { watch("\(type(of: part)) of \(name)", part) }
  }

  /// What lives.
  var names: [String] { watched.withLock { $0.filter { $0.object != nil }.map(\.name) } }

  /// What lives of somebody.
  func names(of name: String) -> [String] {
    names.filter { $0.split(separator: " ").contains { $0.hasPrefix(name) } }
  }
}
