package import EarshotCore

/// Turns bytes into bytes: plaintext into what goes over the wire, and back.
///
/// A channel does no I/O and keeps no time: its owner hands it what arrives, and sends what it appends to `wire`.
/// Its functions are called in this order:
///
/// 1. ``start(into:)`` once, when the transport is open;
/// 2. ``receive(_:into:lending:)`` for whatever arrives, until ``remote`` is known;
/// 3. ``seal(_:into:)`` for whatever is to be sent, from then on;
/// 4. ``finish(into:)`` before the transport is closed, ``receiveEnd()`` when the other side has closed it.
package enum SecureChannel {
  /// Identified, neither encrypted nor authenticated.
  case plain(PlainChannel)
  /// Encrypted and authenticated.
  case tls(TLSChannel)

  /// The remote peer, once the channel has found out.
  package var remote: PeerID? {
    switch self {
    case .plain(let channel): channel.remote
    case .tls(let channel): channel.remote
    }
  }

  /// Whether plaintext may be sealed.
  package var isReady: Bool { remote != nil }

  /// Appends what is to be sent first.
  package func start(into wire: inout [UInt8]) {
    switch self {
    case .plain(let channel): channel.start(into: &wire)
    case .tls(let channel): channel.start(into: &wire)
    }
  }

  /// Takes in what arrived and lends the plaintext in it.
  ///
  /// - Parameters:
  ///   - bytes: What arrived, any number of bytes.
  ///   - wire: Where to append what must be sent in turn.
  ///   - body: Takes plaintext; not called while there is none. The channel is ready by then.
  /// - Throws: Why the channel is not to be trusted; what `body` has taken by then is authentic.
  package func receive(
    _ bytes: Span<UInt8>, into wire: inout [UInt8], lending body: (Span<UInt8>) -> Void
  ) throws(SecureChannelError) {
    switch self {
    case .plain(let channel): try channel.receive(bytes, lending: body)
    case .tls(let channel): try channel.receive(bytes, into: &wire, lending: body)
    }
  }

  /// Appends the bytes that carry some plaintext.
  ///
  /// - Precondition: The channel is ready.
  package func seal(_ plaintext: Span<UInt8>, into wire: inout [UInt8]) {
    precondition(isReady, "nothing is sealed for a peer that is not known yet")
    switch self {
    case .plain: wire.append(copying: plaintext)
    case .tls(let channel): channel.seal(plaintext, into: &wire)
    }
  }

  /// Appends the bytes that carry some plaintext, and leaves it empty; copies nothing where nothing is
  /// changed.
  ///
  /// - Precondition: The channel is ready.
  package func seal(_ plaintext: inout [UInt8], into wire: inout [UInt8]) {
    if case .plain = self, wire.isEmpty {
      swap(&plaintext, &wire)
    } else {
      seal(plaintext.span, into: &wire)
    }
    plaintext.removeAll(keepingCapacity: true)
  }

  /// Says whether more is expected soon, so that the memory that it takes is kept.
  package func setBusy(_ isBusy: Bool) {
    if case .tls(let channel) = self { channel.isBusy = isBusy }
  }

  /// Has both sides change their keys with what is sealed next.
  ///
  /// - Returns: Whether there are keys.
  package func updateKeys() -> Bool {
    switch self {
    case .plain: return false
    case .tls(let channel):
      channel.updateKeys()
      return true
    }
  }

  /// How what is sealed is encrypted, once the channel is ready; `nil` if it is not.
  package var cipherSuite: String? {
    switch self {
    case .plain: nil
    case .tls(let channel): channel.cipherSuite
    }
  }

  /// What makes secrets that both ends have, once the channel is ready.
  package var exporter: SecretExporter? {
    switch self {
    case .plain(let channel): channel.exporter
    case .tls(let channel): channel.remote == nil ? nil : SecretExporter(channel)
    }
  }

  /// Appends what tells the other side that nothing more will come.
  package func finish(into wire: inout [UInt8]) {
    switch self {
    case .plain: break  // The end of the transport says it.
    case .tls(let channel): channel.finish(into: &wire)
    }
  }

  /// Whether the other side has said that nothing more comes, though its transport may go on.
  package var hasEnded: Bool {
    switch self {
    case .plain: false  // The end of the transport says it.
    case .tls(let channel): channel.hasEnded
    }
  }

  /// The other side has closed its direction of the transport.
  ///
  /// - Throws: That it did so too early.
  package func receiveEnd() throws(SecureChannelError) {
    switch self {
    case .plain(let channel): if channel.remote == nil { throw .truncated }
    case .tls(let channel): try channel.receiveEnd()
    }
  }
}
