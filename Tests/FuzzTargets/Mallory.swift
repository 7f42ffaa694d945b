import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization

/// One end of a connection that proves who it is, and then says whatever it is told to.
final class Mallory: ConnectionHandler {
  /// What was heard last of each kind that an answer repeats something of, and the numbers of all.
  struct Heard {
    var invite: Invite?
    var accept: Accept?
    var attach: Attach?
    var attempt: UInt64 = 0
    var numbers: Set<FrameNumber> = []
  }
  private struct State {
    var channel: SecureChannel
    var decoder = FrameDecoder()
    var connection: (any Connection)?
    var heard = Heard()
    /// What goes out as soon as something has come.
    var unsaid: [UInt8] = []
    var isOpen = false
  }
  private let state: Mutex<State>

  /// Dials.
  init(as id: PeerID, to endpoint: Endpoint, on host: any NetworkHost) throws {
    state = Mutex(State(channel: .plain(PlainChannel(id, expecting: nil))))
    let connection = try host.connect(to: endpoint, options: ConnectionOptions(), handler: self)
    state.withLock { $0.connection = connection }
  }

  /// Takes a connection that was accepted, and says who it is when the dialler has.
  init(as id: PeerID, accepting connection: any Connection) {
    var initial = State(channel: .plain(PlainChannel(id, expecting: nil)))
    initial.channel.start(into: &initial.unsaid)
    (initial.connection, initial.isOpen) = (connection, true)
    state = Mutex(initial)
  }

  var heard: Heard { state.withLock { $0.heard } }

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
      swap(&wire, &state.unsaid)
      try? state.channel.receive(bytes, into: &wire) { plaintext.append(copying: $0) }
      var heard = state.heard
      _ = try? state.decoder.decode(plaintext.span) { number, payload, _ throws(FrameError) in
        heard.numbers.insert(number)
        switch number.type {
        case .invite: heard.invite = (try? Invite(payload: payload)) ?? heard.invite
        case .accept: heard.accept = (try? Accept(payload: payload)) ?? heard.accept
        case .attach: heard.attach = (try? Attach(payload: payload)) ?? heard.attach
        case .verify:
          heard.attempt = (try? VerificationRequest(payload: payload).attempt) ?? heard.attempt
        default: break
        }
        return true
      }
      state.heard = heard
    }
    if !wire.isEmpty { _ = try? connection.write(wire.span) }
  }

  func connectionReceivedEnd(_ connection: any Connection) { hangUp(inOrder: true) }

  func connectionBecameWritable(_ connection: any Connection) {}

  func connection(_ connection: any Connection, failed error: NetworkError) {
    state.withLock { ($0.isOpen, $0.connection) = (false, nil) }
  }
}

/// Takes what is dialled to Mallory, as whoever she says she is just then.
final class MalloryListener: ListenerHandler {
  private struct State {
    var id: PeerID
    /// All that she has been.
    var proved: Set<PeerID>
    var accepted: [Mallory] = []
    var listener: (any Listener)?
  }
  private let state: Mutex<State>

  init(as id: PeerID, on host: any NetworkHost) throws {
    state = Mutex(State(id: id, proved: [id]))
    guard let address = host.interfaces.first?.addresses.first else { return }
    let listener = try host.listen(on: Endpoint(address, port: 0), handler: self)
    state.withLock { $0.listener = listener }
  }

  var endpoint: Endpoint? { state.withLock { $0.listener?.localEndpoint } }
  var proved: Set<PeerID> { state.withLock { $0.proved } }
  /// Every connection that was accepted, the newest last.
  var accepted: [Mallory] { state.withLock { $0.accepted } }

  /// Is somebody from now on.
  func become(_ id: PeerID) {
    state.withLock { state in
      state.id = id
      state.proved.insert(id)
    }
  }

  func close() { state.withLock { $0.listener.take() }?.close() }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    state.withLock { state in
      let mallory = Mallory(as: state.id, accepting: connection)
      state.accepted.append(mallory)
      return mallory
    }
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
}
