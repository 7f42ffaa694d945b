import EarshotNetwork
import EarshotTLS

extension Link {
  nonisolated func connectionOpened(_ connection: any Connection) {
    assumeIsolated { $0.transportOpened(connection) }
  }

  nonisolated func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    inTurn(with: bytes) { $0.receive($1) }
  }

  nonisolated func connectionReceivedAll(_ connection: any Connection) {
    inTurn { $0.receivedAll() }
  }

  nonisolated func connectionReceivedEnd(_ connection: any Connection) {
    assumeIsolated { $0.transportEnded() }
  }

  nonisolated func connectionBecameWritable(_ connection: any Connection) {
    inTurn { $0.flush() }
  }

  nonisolated func connection(_ connection: any Connection, failed error: NetworkError) {
    assumeIsolated { $0.transportFailed(error) }
  }

  func dial(_ endpoint: Endpoint) {
    do throws(NetworkError) {
      let connection = try context.host.connect(
        to: endpoint,
        options: ConnectionOptions(
          connectTimeout: context.connectTimeout, userTimeout: nil, firstInterface: firstInterface),
        handler: self)
      life = .dialling(endpoint, connection)
    } catch {
      end(.unreachable(error))
    }
  }

  func transportOpened(_ connection: any Connection) {
    let now = now
    var actions: [HandshakeMachine.Action] = []
    let machine = HandshakeMachine(isDialled ? .dialler : .listener, at: now, into: &actions)
    let handshake = MachineDriver(machine, beginningWith: actions)
    let channel = context.credentials.makeChannel(as: isDialled ? .client : .server, expected)
    let transport = LinkTransport(connection, channel, at: now, buggify: context.buggify)
    life = .securing(transport, handshake)
    context.meter.assumeIsolated { $0.began(self) }
    handshake.start(at: now) { perform($0) }
    flush()
  }

  func transportFailed(_ error: NetworkError) {
    transport?.hasFailed = true
    switch life {
    case .accepted, .dialling, .securing, .greeting: end(.unreachable(error))
    case .open: handle(LivenessMachine.Event.transportEnded)
    case .closing: end(nil)
    case .ended: break
    }
  }

  func transportEnded() {
    // Without CLOSE the link is broken in any case, whether the channel was cut short or not.
    try? transport?.receiveEnd()
    switch life {
    case .securing, .greeting: handle(HandshakeMachine.Event.transportEnded)
    case .open: handle(LivenessMachine.Event.transportEnded)
    case .closing: end(nil)
    case .accepted, .dialling, .ended: break
    }
  }

  // MARK: Reading

  func receive(_ bytes: Span<UInt8>) {
    if let buggify = context.buggify, let end = buggify.draw(.splitRead, below: bytes.count) {
      receive(bytes.extracting(..<end))
      receivedAll()
      return receive(bytes.extracting(end...))
    }
    let now = now
    switch life {
    case .securing, .greeting: handle(HandshakeMachine.Event.bytesReceived(bytes.count))
    case .open: handle(LivenessMachine.Event.bytesReceived, at: now)
    case .accepted, .dialling, .closing, .ended: return
    }
    (isReading, hasReceived) = (true, true)
    do throws(SecureChannelError) {
      try read(bytes, at: now)
      isReading = false
      // What comes behind that is no life: it could go on for ever.
      if isListening, transport?.hasChannelEnded == true {
        handOverMessages()
        return transportEnded()
      }
      if arrivedCount >= Self.arrivedMax { handOverMessages() }
      if isAcknowledgementUrgent {
        isAcknowledgementUrgent = false
        flush()
      }
    } catch {
      isReading = false
      handOverMessages()
      refuse(error)
    }
  }

  private func refuse(_ error: SecureChannelError) {
    switch (error, life) {
    case (.badRecord, .open):
      // The record was changed on the way: the remote peer keeps to the protocol.
      report(.broken)
      drop()
    case (.wrongPeer(_, let found), _):
      violate(.protocolViolation, error.description, ending: .otherPeer(found))
    case (.selfConnection, _): violate(.selfConnection, error.description)
    default: violate(.protocolViolation, error.description)
    }
  }

  /// How many messages do not wait for those that follow in the same turn.
  private static let arrivedMax = 128

  /// Hands over, and answers, what has arrived in this turn.
  func receivedAll() {
    guard hasReceived else { return }
    hasReceived = false
    handOverMessages()
    flush()
  }

  private func read(_ bytes: Span<UInt8>, at now: Instant) throws(SecureChannelError) {
    guard case .securing(let transport, let handshake) = life else {
      try transport?.receive(bytes) { decode($0, at: now) }
      return
    }
    // Until the channel knows who the remote peer is; what follows those bytes waits until then.
    var plaintext: [UInt8] = []
    try transport.receive(bytes) { plaintext.append(copying: $0) }
    guard let remote = transport.remote else { return }
    life = .greeting(transport, remote, handshake)
    if context.trust.assumeIsolated({ $0.refuses(remote) }) { return refuseUntrusted() }
    handle(HandshakeMachine.Event.channelReady)
    decode(plaintext.span, at: now)
  }

  /// Ends the link, since the remote peer is not trusted.
  func refuseUntrusted() {
    if let remote { context.log.noteUntrusted(remote, over: token) }
    violate(.untrusted, "That key is not trusted here.")
  }

  /// Ends the link, since the remote peer broke the protocol.
  func violate(_ code: CloseCode, _ text: String, ending end: LinkEnd? = nil) {
    let owner = owner
    noteEnding(.end(end ?? .violation(code)))
    close(code, text: text)
    owner?.link(self, ended: end ?? .violation(code))
  }

  // MARK: Writing

  /// Something of the reliable channel wants to go out.
  nonisolated func flushRequested() { inTurn { $0.flush() } }

  func flushUnlessReading() { if !isReading { flush() } }

  /// Writes what there is, as far as the transport takes it.
  func flush() {
    switch life {
    case .open(let open): flush(open.transport, open.parts?.reliable)
    case .securing(let transport, _), .greeting(let transport, _, _), .closing(let transport, _):
      flush(transport, nil)
    case .accepted, .dialling, .ended: break
    }
  }

  private func flush(_ transport: LinkTransport, _ channel: ReliableChannel?) {
    guard !transport.hasFailed, !leavesFlushToTimer() else { return }
    var mayHaveMore = true
    while true {
      if transport.isWritten, mayHaveMore { mayHaveMore = gather(from: channel, in: transport) }
      if transport.isWritten { break }
      guard transport.write() else { return boundAnswers(in: transport) }
    }
    if case .closing = life { return finishWriting(transport) }
    if let channel, !isWaiting(for: .acknowledgement),
      let deadline = channel.acknowledgementDeadline
    {
      setDeadline(.acknowledgement, at: deadline)
    }
  }

  /// Ends the link when the remote peer asks on and on, and does not read what it is answered.
  private func boundAnswers(in transport: LinkTransport) {
    guard isListening, transport.isUnread else { return }
    violate(.protocolViolation, "It does not read what it is answered.")
  }

  /// Leaves the flush to a timer, if a point of BUGGIFY takes effect.
  ///
  /// - Returns: Whether it did.
  private func leavesFlushToTimer() -> Bool {
    guard let buggify = context.buggify,
      let delay = buggify.draw(.delayedFlush, in: .zero ... .milliseconds(2))
    else { return false }
    if !isWaiting(for: .room) { setDeadline(.room, at: now + delay) }
    return true
  }

  /// - Returns: Whether there may be more to gather when that is written.
  private func gather(from channel: ReliableChannel?, in transport: LinkTransport) -> Bool {
    let now = now
    if transport.updateOldKeys(at: now) { context.host.reached(.keysUpdated) }
    let rest = transport.gather(from: channel, at: now)
    if rest == .blocked, !isWaiting(for: .room) {
      setDeadline(.room, at: now + transport.nextWait())
    }
    return rest != .none
  }

  /// Closes this direction, now that everything is written.
  private func finishWriting(_ transport: LinkTransport) {
    if transport.finish() { return flush() }
    transport.connection.finishWriting()
    if transport.hasRemoteEnded { end(nil) }  // There is nothing to wait for.
  }
}
