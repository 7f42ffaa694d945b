import EarshotNetwork
import Synchronization

/// Somebody between two peers, who hands on what they say, and may add to it or change it.
final class Relay: ListenerHandler {
  /// Changes what one side said before the other one hears it.
  typealias Change = @Sendable (_ bytes: inout [UInt8], _ isForth: Bool) -> Void

  private let host: any NetworkHost
  private let target: Endpoint
  private let ways = Mutex<[Way]>([])
  private let addition = Mutex<[UInt8]>([])
  private let isSilent = Mutex(false)
  private let change: Change

  /// Somebody who has what comes to it handed on.
  init(
    to target: Endpoint, on host: any NetworkHost, changing change: @escaping Change = { _, _ in }
  ) {
    (self.target, self.host, self.change) = (target, host, change)
  }

  /// Appends bytes to what comes next, once.
  func append(_ bytes: [UInt8]) { addition.withLock { $0 = bytes } }

  /// Breaks all connections, and hands nothing on from now on.
  func fallSilent() {
    isSilent.withLock { $0 = true }
    for way in ways.withLock({ $0 }) { way.reset() }
  }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    if isSilent.withLock({ $0 }) { return Way { _ in } }
    let there = Way { [self] bytes in
      bytes += addition.withLock { addition in
        defer { addition = [] }
        return addition
      }
      change(&bytes, true)
    }
    let back = Way { [change] in change(&$0, false) }
    back.lead(to: connection)
    back.opposite = there
    ways.withLock { $0 += [there, back] }
    _ = try? host.connect(to: target, options: ConnectionOptions(), handler: back)
    return there
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
}

/// One direction.
private final class Way: ConnectionHandler {
  private struct State {
    var exit: (any Connection)?
    var held: [UInt8] = []
    weak var opposite: Way?
  }
  private let state = Mutex(State())
  private let change: @Sendable (inout [UInt8]) -> Void

  init(changing change: @escaping @Sendable (inout [UInt8]) -> Void) { self.change = change }

  /// The other direction, which leads where this one comes from.
  var opposite: Way? {
    get { state.withLock { $0.opposite } }
    set { state.withLock { $0.opposite = newValue } }
  }

  func lead(to exit: any Connection) {
    let held = state.withLock { state in
      defer { (state.exit, state.held) = (exit, []) }
      return state.held
    }
    if !held.isEmpty { _ = try? exit.write(held.span) }
  }

  func reset() { state.withLock { $0.exit }?.reset() }

  func connectionOpened(_ connection: any Connection) { opposite?.lead(to: connection) }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    var copy = (0..<bytes.count).map { bytes[$0] }
    change(&copy)
    let exit = state.withLock { state in
      if state.exit == nil { state.held += copy }
      return state.exit
    }
    _ = try? exit?.write(copy.span)
  }

  func connectionReceivedEnd(_ connection: any Connection) {
    state.withLock { $0.exit }?.finishWriting()
  }

  func connectionBecameWritable(_ connection: any Connection) {}

  func connection(_ connection: any Connection, failed error: NetworkError) { reset() }
}
