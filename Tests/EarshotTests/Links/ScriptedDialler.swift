import Earshot
import EarshotCore
import EarshotNetwork
import EarshotTLS
import Synchronization

/// Somebody who dials a peer, greets it, says what a test wants, and notes what it hears.
final class ScriptedDialler: ConnectionHandler {
  private struct State {
    var channel: SecureChannel
    var decoder = FrameDecoder()
    var heard: [Frame] = []
    var hasEnded = false
    var connection: (any Connection)?
    var unsent: [UInt8] = []
  }
  private let state: Mutex<State>
  private let first: [UInt8]

  /// Dials, and says HELLO and what follows it.
  init(
    as identity: Identity, named name: String = "Mallory", to endpoint: Endpoint,
    on host: any NetworkHost, saying frame: some FramePayload
  ) throws {
    var bytes: [UInt8] = []
    Hello(port: 0, displayName: name).encode(into: &bytes)
    frame.encode(into: &bytes)
    first = bytes
    state = Mutex(State(channel: Self.makeChannel(identity)))
    let connection = try host.connect(to: endpoint, options: ConnectionOptions(), handler: self)
    state.withLock { $0.connection = connection }
  }

  /// Secured, if the identity has a key.
  private static func makeChannel(_ identity: Identity) -> SecureChannel {
    switch identity.proof {
    case .none: .plain(PlainChannel(identity.id, expecting: nil))
    case .key(let pair): .tls(TLSChannel(TLSContext(pair), as: .client, expecting: nil))
    }
  }

  /// The acceptance of an invitation, if one came.
  var accept: Accept? {
    state.withLock { state in
      state.heard.lazy.compactMap { frame in
        if case .invitation(.accept(let accept)) = frame { accept } else { nil }
      }.first
    }
  }

  /// The frames of streams that came, apart from their bytes.
  var streamFrames: [StreamFrame] {
    state.withLock { state in
      state.heard.compactMap { if case .stream(let frame) = $0 { frame } else { nil } }
    }
  }

  /// Whether a request to attach was answered.
  var isAttached: Bool {
    state.withLock { state in
      state.heard.contains { if case .attachment(.attached) = $0 { true } else { false } }
    }
  }

  /// Says more.
  func say(_ frames: [UInt8]) {
    var frames = frames
    state.withLock { $0.channel.seal(&frames, into: &$0.unsent) }
    flush()
  }

  /// Says bytes that the channel has not sealed.
  func sayUnsealed(_ bytes: [UInt8]) {
    state.withLock { $0.unsent += bytes }
    flush()
  }

  /// Says that nothing more will come, and leaves the connection as it is.
  func finish() {
    state.withLock { $0.channel.finish(into: &$0.unsent) }
    flush()
  }

  /// Reads nothing from now on.
  func stopReading() { state.withLock { $0.connection }?.pauseReading() }

  /// Writes what the connection takes.
  private func flush() {
    state.withLock { state in
      guard let connection = state.connection, !state.unsent.isEmpty else { return }
      let count = (try? connection.write(state.unsent.span)) ?? 0
      state.unsent.removeFirst(count)
    }
  }

  /// The codes of the CLOSE frames that came, and whether the connection was ended after that.
  var closes: [CloseCode] {
    state.withLock { state in
      state.heard.compactMap { if case .link(.close(let close)) = $0 { close.code } else { nil } }
    }
  }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func connectionOpened(_ connection: any Connection) {
    let wire = state.withLock { state in
      var wire: [UInt8] = []
      state.channel.start(into: &wire)
      return wire
    }
    _ = try? connection.write(wire.span)
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    var (wire, plaintext) = ([UInt8](), [UInt8]())
    var greeting = first
    state.withLock { state in
      let wasReady = state.channel.isReady
      try? state.channel.receive(bytes, into: &wire) { plaintext.append(copying: $0) }
      if !wasReady, state.channel.isReady { state.channel.seal(&greeting, into: &wire) }
      var heard: [Frame] = []
      _ = try? state.decoder.decode(plaintext.span) { number, payload, _ throws(FrameError) in
        if number == .message || number == .data { return true }
        if let frame = try Frame(number, payload: payload) { heard.append(frame) }
        return true
      }
      state.heard += heard
    }
    if !wire.isEmpty { _ = try? connection.write(wire.span) }
  }

  func connectionReceivedEnd(_ connection: any Connection) {
    state.withLock { $0.hasEnded = true }
    connection.close()
  }

  func connectionBecameWritable(_ connection: any Connection) { flush() }

  func connection(_ connection: any Connection, failed error: NetworkError) {
    state.withLock { $0.hasEnded = true }
  }
}
