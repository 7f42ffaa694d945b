import EarshotCore
import EarshotNetwork

/// Remembers what a connection is told, and writes what it is given as fast as it is taken.
final class ConnectionRecorder: ConnectionHandler {
  struct State: Sendable {
    var isOpen = false
    var received: [UInt8] = []
    var largestPiece = 0
    var isReceiving = false  // And has not been told that this was all of the turn.
    var wasInterrupted = false  // Between that.
    var isEnded = false
    var writableCount = 0
    var error: NetworkError?
    var callCount = 0
    var unsent: ArraySlice<UInt8> = []
    var endsAfterwards = false
  }
  let seen = Watched(State())
  private let pausesAfterFirst: Bool

  init(pausesAfterFirst: Bool = false) { self.pausesAfterFirst = pausesAfterFirst }

  var state: State { seen.state }

  /// Writes bytes, now and whenever there is room, and then ends our direction if asked to.
  func send(_ bytes: [UInt8], ending: Bool = false, over connection: any Connection) throws {
    seen.update { state in
      state.unsent += bytes
      state.endsAfterwards = ending
    }
    try feed(connection)
  }

  private func feed(_ connection: any Connection) throws(NetworkError) {
    let bytes = Array(state.unsent)
    let count = bytes.isEmpty ? 0 : try connection.write(bytes.span)
    seen.update { $0.unsent = $0.unsent.dropFirst(count) }
    if count == bytes.count && state.endsAfterwards { connection.finishWriting() }
  }

  func connectionOpened(_ connection: any Connection) {
    note { $0.isOpen = true }
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    let copy = [UInt8](copying: bytes)
    note(isReceiving: true) { state in
      state.received += copy
      state.largestPiece = max(state.largestPiece, copy.count)
    }
    if pausesAfterFirst { connection.pauseReading() }
  }

  func connectionReceivedAll(_ connection: any Connection) {
    seen.update { $0.isReceiving = false }
  }

  func connectionReceivedEnd(_ connection: any Connection) {
    note { $0.isEnded = true }
  }

  func connectionBecameWritable(_ connection: any Connection) {
    note { $0.writableCount += 1 }
    do throws(NetworkError) {
      try feed(connection)
    } catch {
      note { $0.error = error }
    }
  }

  func connection(_ connection: any Connection, failed error: NetworkError) {
    note { $0.error = error }
  }

  private func note(isReceiving: Bool = false, _ change: (inout State) -> Void) {
    seen.update { state in
      state.callCount += 1
      state.wasInterrupted = state.wasInterrupted || state.isReceiving && !isReceiving
      state.isReceiving = isReceiving
      change(&state)
    }
  }
}

/// Accepts connections, each with a recorder of its own, or refuses them.
final class ListenerRecorder: ListenerHandler {
  struct Accepted: Sendable {
    let connection: any Connection
    let recorder: ConnectionRecorder
  }
  struct State: Sendable {
    var accepted: [Accepted] = []
    var error: NetworkError?
  }
  let seen = Watched(State())
  private let makeRecorder: (@Sendable () -> ConnectionRecorder)?
  private let pausesAtFirst: Bool

  /// Accepts with recorders of this making, or has every connection reset without one.
  ///
  /// It may have nothing read from them at first.
  init(
    pausesAtFirst: Bool = false,
    _ makeRecorder: (@Sendable () -> ConnectionRecorder)? = { ConnectionRecorder() }
  ) {
    (self.pausesAtFirst, self.makeRecorder) = (pausesAtFirst, makeRecorder)
  }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    guard let recorder = makeRecorder?() else { return nil }
    if pausesAtFirst { connection.pauseReading() }
    seen.update { $0.accepted.append(Accepted(connection: connection, recorder: recorder)) }
    return recorder
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {
    seen.update { $0.error = error }
  }
}
