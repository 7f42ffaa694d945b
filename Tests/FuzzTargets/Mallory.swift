import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization

/// A dialler who proves who it is, and then says whatever it is told to.
final class Mallory: ConnectionHandler {
  private struct State {
    var channel: SecureChannel
    var decoder = FrameDecoder()
    var connection: (any Connection)?
    var accept: Accept?
    var isOpen = false
  }
  private let state: Mutex<State>

  /// Dials.
  init(as id: PeerID, to endpoint: Endpoint, on host: any NetworkHost) throws {
    state = Mutex(State(channel: .plain(PlainChannel(id, expecting: nil))))
    let connection = try host.connect(to: endpoint, options: ConnectionOptions(), handler: self)
    state.withLock { $0.connection = connection }
  }

  /// The last acceptance that was heard.
  var accept: Accept? { state.withLock { $0.accept } }

  /// Sends some bytes, if there is still somebody to hear them.
  func say(_ bytes: [UInt8]) {
    let (connection, isOpen) = state.withLock { ($0.connection, $0.isOpen) }
    if isOpen, let connection { _ = try? connection.write(bytes.span) }
  }

  /// Ends the connection, in order or not.
  func hangUp(inOrder: Bool) {
    let connection = state.withLock { state in
      state.isOpen = false
      return state.connection.take()
    }
    if inOrder { connection?.close() } else { connection?.reset() }
  }

  func connectionOpened(_ connection: any Connection) {
    let wire = state.withLock { state in
      var wire: [UInt8] = []
      state.channel.start(into: &wire)
      state.isOpen = true
      return wire
    }
    _ = try? connection.write(wire.span)
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    var (wire, plaintext) = ([UInt8](), [UInt8]())
    state.withLock { state in
      try? state.channel.receive(bytes, into: &wire) { plaintext.append(copying: $0) }
      var accept: Accept?
      _ = try? state.decoder.decode(plaintext.span) { type, payload, _ throws(FrameError) in
        if type == .accept { accept = try? Accept(payload: payload) }
        return true
      }
      state.accept = accept ?? state.accept
    }
  }

  func connectionReceivedEnd(_ connection: any Connection) { hangUp(inOrder: true) }

  func connectionBecameWritable(_ connection: any Connection) {}

  func connection(_ connection: any Connection, failed error: NetworkError) {
    state.withLock { ($0.isOpen, $0.connection) = (false, nil) }
  }
}
