import EarshotSimulator
import Synchronization

/// Remembers what a connection is told, and feeds it what there is to send.
final class ConnectionLog: ConnectionHandler, ListenerHandler {
  struct State {
    var events: [String] = []
    var received: [UInt8] = []
    var unsent: [UInt8] = []
    var endsAfterwards = false
    var connection: (any Connection)?
  }
  private let state: Mutex<State>
  private let endsOnEnd: Bool

  /// A log that sends some bytes when the connection is open, and then ends its direction if asked to.
  init(sending bytes: [UInt8] = [], ending: Bool = false, endsOnEnd: Bool = false) {
    state = Mutex(State(unsent: bytes, endsAfterwards: ending))
    self.endsOnEnd = endsOnEnd
  }

  var events: [String] { state.withLock { $0.events } }
  var received: [UInt8] { state.withLock { $0.received } }
  var connection: (any Connection)? { state.withLock { $0.connection } }
  var unsentCount: Int { state.withLock { $0.unsent.count } }

  /// Sends what the connection takes of what is left.
  func feed(_ connection: any Connection) {
    let bytes = state.withLock { $0.unsent }
    do {
      let count = bytes.isEmpty ? 0 : try connection.write(bytes.span)
      let isDone = state.withLock { state in
        state.unsent.removeFirst(count)
        return state.unsent.isEmpty && state.endsAfterwards
      }
      if isDone { connection.finishWriting() }
    } catch {
      note("write failed: \(error.code.name)")
    }
  }

  func connectionOpened(_ connection: any Connection) {
    note("opened")
    state.withLock { $0.connection = connection }
    feed(connection)
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    let copy = (0..<bytes.count).map { bytes[$0] }
    state.withLock { $0.received += copy }
  }

  func connectionReceivedEnd(_ connection: any Connection) {
    note("end")
    if endsOnEnd { connection.finishWriting() }
  }

  func connectionBecameWritable(_ connection: any Connection) { feed(connection) }

  func connection(_ connection: any Connection, failed error: NetworkError) {
    note(error.code.name)
    state.withLock { $0.connection = nil }
  }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    note("accepted")
    state.withLock { $0.connection = connection }
    return self
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {
    note("listener \(error.code.name)")
  }

  private func note(_ event: String) { state.withLock { $0.events.append(event) } }
}
