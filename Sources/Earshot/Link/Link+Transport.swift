import EarshotTLS

extension Link {
  nonisolated func connectionOpened(_ connection: any Connection) {
    assumeIsolated { $0.transportOpened() }
  }

  nonisolated func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    assumeIsolated { $0.receive(bytes) }
  }

  nonisolated func connectionReceivedEnd(_ connection: any Connection) {
    assumeIsolated { $0.transportEnded() }
  }

  nonisolated func connectionBecameWritable(_ connection: any Connection) {
    assumeIsolated { $0.flush() }
  }

  nonisolated func connection(_ connection: any Connection, failed error: NetworkError) {
    assumeIsolated { $0.transportFailed(error) }
  }

  func dialNext(after error: NetworkError?) {
    guard let endpoint = candidates.popFirst() else {
      let none = NetworkError(.hostUnreachable, call: "dial a peer without addresses")
      return end(.unreachable(error ?? none))
    }
    let timeout = candidates.isEmpty ? context.connectTimeout : context.connectTimeout / 2
    do throws(NetworkError) {
      connection = try context.host.connect(
        to: endpoint, options: ConnectionOptions(connectTimeout: timeout, userTimeout: nil),
        handler: self)
    } catch {
      dialNext(after: error)
    }
  }

  func transportOpened() {
    phase = .greeting
    remoteAddress = connection?.remoteEndpoint.address
    channel.start(into: &protocolBytes)
    handshake = HandshakeMachine(
      isDialled ? .dialler : .listener, at: now, into: &handshakeActions)
    performHandshakeActions()
    flush()
  }

  func transportFailed(_ error: NetworkError) {
    connection = nil
    switch phase {
    case .connecting: dialNext(after: error)
    case .greeting: end(.unreachable(error))
    case .open: drive { $0.handle(.transportEnded, at: $1, into: &$2) }
    case .closing: end(nil)
    case .ended: break
    }
  }

  func transportEnded() {
    hasRemoteEnded = true
    switch phase {
    case .greeting: handle(.transportEnded)
    case .open: drive { $0.handle(.transportEnded, at: $1, into: &$2) }
    case .closing: end(nil)
    case .connecting, .ended: break
    }
  }

  func receive(_ bytes: Span<UInt8>) {
    guard phase == .greeting || phase == .open else { return }
    bytesReceived += bytes.count
    let now = now
    heard(at: now)
    isReading = true
    do throws(SecureChannelError) {
      if remote == nil { try greet(bytes, at: now) } else { try read(bytes, at: now) }
    } catch {
      isReading = false
      distrust(error)
    }
    isReading = false
    handOverMessages()
    flush()
  }

  private func heard(at now: Instant) {
    if phase == .open { return drive { $0.touched(at: now, into: &$2) } }
    handshake?.heard(at: now, into: &handshakeActions)
    performHandshakeActions()
  }

  /// Takes in bytes until the channel knows who the other side is; what follows them waits until then.
  func greet(_ bytes: Span<UInt8>, at now: Instant) throws(SecureChannelError) {
    var plaintext: [UInt8] = []
    try channel.receive(bytes, into: &protocolBytes) { plaintext.append(copying: $0) }
    guard channel.isReady else { return }
    remote = channel.remote
    handle(.channelReady)
    decode(plaintext.span, at: now)
  }

  /// Takes in bytes of a channel that is ready, in place.
  func read(_ bytes: Span<UInt8>, at now: Instant) throws(SecureChannelError) {
    try channel.receive(bytes, into: &protocolBytes) { decode($0, at: now) }
  }

  func distrust(_ error: SecureChannelError) {
    let code: CloseCode = error == .selfConnection ? .selfConnection : .protocolViolation
    let owner = owner
    close(code, text: error.description)
    owner?.link(self, ended: .violation(code))
  }

  func violate(_ code: CloseCode, _ text: String) {
    let owner = owner
    close(code, text: text)
    owner?.link(self, ended: .violation(code))
  }

  // MARK: Writing

  /// Something of the membership's stream wants to go out.
  nonisolated func flushRequested() { assumeIsolated { $0.flush() } }

  func flushUnlessReading() { if !isReading { flush() } }

  /// Writes what there is, as far as the transport takes it.
  func flush() {
    guard let connection, phase != .connecting, phase != .ended else { return }
    while true {
      if written == wire.count { refill() }
      guard !wire.isEmpty else { break }
      do throws(NetworkError) {
        let count = try connection.write(wire.span.extracting(written...))
        written += count
        bytesSent += count
        if count == 0 { return }
      } catch {
        return  // The handler hears of the failure.
      }
    }
    if phase == .closing {
      connection.finishWriting()
      if hasRemoteEnded { return end(nil) }  // There is nothing to wait for.
    }
    if let deadline = stream?.acknowledgementDeadline, timers[.acknowledgement] == nil {
      setDeadline(.acknowledgement, at: deadline)
    }
  }

  /// What the machine is to know of the transport.
  var signs: LivenessMachine.Signs {
    let progress = connection?.progress ?? TransportProgress()
    return LivenessMachine.Signs(
      transport: progress,
      isQuestionUnderWay: bytesSent - progress.unacknowledgedBytes < questionEnd,
      unansweredSince: decoder.bufferedBytes > 0 ? lastWritten : nil)
  }

  func refill() {
    wire.removeAll(keepingCapacity: true)
    written = 0
    if !protocolBytes.isEmpty {
      wire += protocolBytes
      protocolBytes = []
    }
    guard remote != nil else { return }
    let now = now
    if let stream { fill(from: stream, at: now) }
    guard !frames.isEmpty else { return }
    channel.seal(&frames, into: &wire)
    lastWritten = now
    if questionEnd == .max { questionEnd = bytesSent + wire.count }
  }

  /// Takes as much of the membership's stream as may be under way.
  private func fill(from stream: ReliableStream, at now: Instant) {
    if budget.room(written: bytesSent) <= 0, let connection {
      budget.observe(written: bytesSent, connection.progress, at: now)
    }
    let room = min(budget.room(written: bytesSent), Self.writeBytesMax)
    let waits = stream.fill(&frames, max: room, partBytesMax: budget.partBytesMax, at: now)
    if waits, timers[.room] == nil { setDeadline(.room, at: now + budget.nextWait()) }
  }

}
