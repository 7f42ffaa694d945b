extension Link {
  func decode(_ plaintext: Span<UInt8>, at now: Instant) {
    do throws(FrameError) {
      var offset = 0
      while phase == .greeting || phase == .open {
        guard let arrival = try decodeMessages(plaintext, from: &offset, at: now) else { return }
        try handle(arrival, at: now)
      }
    } catch {
      handOverMessages()
      violate(error.closeCode, error.description)
    }
  }

  /// Takes in messages up to the first frame that is none, or to the end.
  private func decodeMessages(
    _ plaintext: Span<UInt8>, from offset: inout Int, at now: Instant
  ) throws(FrameError) -> Arrival? {
    let rest = plaintext.extracting(offset...)
    if let stream, let remote {
      return try stream.receive(
        rest, with: &decoder, from: remote, at: now, into: &arrived, used: &offset)
    }
    var arrival: Arrival?
    offset += try decoder.decode(rest) { type, payload, _ throws(FrameError) in
      guard !type.isReliable else { throw Self.unexpected(type, payload.count) }
      arrival = try Arrival(type, payload)
      return arrival == nil
    }
    return arrival
  }

  private func handle(_ arrival: Arrival, at now: Instant) throws(FrameError) {
    let (type, frame) = (arrival.type, arrival.frame)
    if phase == .greeting {
      handshake?.handle(frame, into: &handshakeActions)
      performHandshakeActions()
      if handshake?.isDone != true || type == .hello { return }
    }
    switch frame {
    case .ping(let ping): drive { $0.handle(.pingReceived(token: ping.token), at: $1, into: &$2) }
    case .pong(let pong): drive { $0.handle(.pongReceived(token: pong.token), at: $1, into: &$2) }
    case .close(let close): drive { $0.handle(.closeReceived(close.code), at: $1, into: &$2) }
    case .acknowledgement(let acknowledgement):
      guard let stream else { throw Self.unexpected(type, arrival.payloadBytes) }
      try stream.acknowledge(acknowledgement)
    case .hello: throw Self.unexpected(type, arrival.payloadBytes)
    case .invite, .accept, .decline, .cancel, .attach, .attached, .introduce, .retract, .leave:
      handOverMessages()
      owner?.link(self, received: frame)
    }
  }

  private static func unexpected(_ type: FrameType, _ payloadBytes: Int) -> FrameError {
    FrameError(.unexpected, type: type, payloadBytes: payloadBytes)
  }

  func handOverMessages() {
    guard !arrived.isEmpty else { return }
    let messages = arrived
    arrived = []
    owner?.link(self, received: messages)
  }

  // MARK: Machines

  func handle(_ event: HandshakeMachine.Event) {
    handshake?.handle(event, into: &handshakeActions)
    performHandshakeActions()
  }

  func performHandshakeActions() {
    let actions = handshakeActions
    handshakeActions.removeAll(keepingCapacity: true)
    for action in actions { perform(action) }
  }

  func perform(_ action: HandshakeMachine.Action) {
    switch action {
    case .wake(let deadline): setDeadline(.handshake, at: deadline)
    case .cancelWake: setDeadline(.handshake, at: nil)
    case .sendHello: context.greeting.encode(into: &frames)
    case .sendClose(let code): if remote != nil { Close(code: code).encode(into: &frames) }
    case .closeTransport: beginClosing()
    case .reportGreeted(let hello), .reportRequested(let hello): opened(by: hello)
    case .reportFailed(let reason): failed(reason)
    }
  }

  func opened(by hello: Hello) {
    phase = .open
    liveness = LivenessMachine(context.liveness, at: now, into: &livenessActions)
    performLivenessActions()
    owner?.linkOpened(self, greeting: hello)
  }

  func failed(_ reason: HandshakeMachine.Reason) {
    let owner = owner
    self.owner = nil
    let call = "greet \(connection?.remoteEndpoint.description ?? "a peer")"
    switch reason {
    case .timedOut: owner?.link(self, ended: .unreachable(NetworkError(.timedOut, call: call)))
    case .broken:
      owner?.link(self, ended: .unreachable(NetworkError(.connectionReset, call: call)))
    case .closed(let code): owner?.link(self, ended: .closed(code))
    case .closing(let code): owner?.link(self, ended: .violation(code))
    }
  }

  func drive(
    _ event: (inout LivenessMachine, Instant, inout [LivenessMachine.Action]) -> Void
  ) {
    guard var machine = liveness.take() else { return }
    event(&machine, now, &livenessActions)
    liveness = machine
    performLivenessActions()
  }

  func performLivenessActions() {
    guard !livenessActions.isEmpty else { return }
    let actions = livenessActions
    livenessActions.removeAll(keepingCapacity: true)
    for action in actions { perform(action) }
    flushUnlessReading()
  }

  func perform(_ action: LivenessMachine.Action) {
    switch action {
    case .sendPing(let token):
      Ping(token: token).encode(into: &frames)
      questionEnd = .max
    case .sendPong(let token): Ping(token: token).encodePong(into: &frames)
    case .sendClose(let code): Close(code: code).encode(into: &frames)
    case .closeTransport: beginClosing()
    case .wake(let deadline): setDeadline(.liveness, at: deadline)
    case .reportSuspected, .reportTrusted: break
    case .reportRoundTrip(let time): owner?.link(self, measured: time)
    case .reportDown(let reason): down(reason)
    }
  }

  func down(_ reason: LivenessMachine.Reason) {
    handOverMessages()
    let owner = owner
    self.owner = nil
    switch reason {
    case .silence: owner?.link(self, ended: .silence)
    case .closed(let code): owner?.link(self, ended: .closed(code))
    case .closing: break
    case .broken: owner?.link(self, ended: .broken)
    }
  }

}

/// A frame that is not a MESSAGE.
struct Arrival {
  let type: FrameType
  let frame: Frame
  let payloadBytes: Int

  /// The frame of a payload; `nil` when its type is unknown and it may be skipped.
  init?(_ type: FrameType, _ payload: Span<UInt8>) throws(FrameError) {
    guard let frame = try Frame(type, payload: payload) else { return nil }
    (self.type, self.frame, payloadBytes) = (type, frame, payload.count)
  }
}
