import EarshotNetwork

extension Link {
  /// Takes in what the channel let through.
  func decode(_ plaintext: Span<UInt8>, at now: Instant) {
    do throws(FrameError) {
      var offset = 0
      while offset < plaintext.count, isListening, let transport {
        let frame = try nextFrame(of: plaintext, in: transport, from: &offset, at: now)
        guard let frame else { return }
        handOverMessages()
        try handle(frame)
      }
    } catch {
      handOverMessages()
      violate(error.closeCode, error.description)
    }
  }

  /// Whether frames of the remote peer are taken in.
  var isListening: Bool {
    switch life {
    case .greeting, .open: true
    case .accepted, .dialling, .securing, .closing, .ended: false
    }
  }

  /// Takes in messages and bytes of streams up to the first other frame, which it returns, or to
  /// the end.
  private func nextFrame(
    of plaintext: Span<UInt8>, in transport: LinkTransport, from offset: inout Int,
    at now: Instant
  ) throws(FrameError) -> Frame? {
    let rest = plaintext.extracting(offset...)
    guard let channel = parts?.reliable else {
      return try transport.nextFrame(of: rest, used: &offset)
    }
    return try channel.receive { channel throws(FrameError) in
      defer {
        arrivedCount = channel.countArrivals()
        isAcknowledgementUrgent = channel.machine.inboundLog.isAcknowledgementUrgent
      }
      return try transport.nextFrame(of: rest, used: &offset, taking: &channel, at: now)
    }
  }

  /// The one place where frames are routed: to the link's own machines, to the parts of the
  /// membership that it carries, or to the owner.
  private func handle(_ frame: Frame) throws(FrameError) {
    if case .greeting(_, _, let handshake) = life {
      handle(HandshakeMachine.Event(frame))
      guard handshake.machine.isDone, frame.type != .hello else { return }
    }
    if case .link(let frame) = frame { return try handle(frame) }
    if case .open(let open) = life, open.held != nil {
      guard open.held?.append(frame) == true else { throw frame.unexpected }
      return
    }
    switch frame {
    case .link: break
    case .invitation(let frame): owner?.link(self, received: frame)
    case .attachment(let frame): owner?.link(self, received: frame)
    case .group(let frame): owner?.link(self, received: frame)
    case .acknowledgement(let acknowledgement):
      guard let parts else { throw frame.unexpected }
      try parts.reliable.acknowledge(acknowledgement)
    case .credit(let credit):
      guard let parts else { throw frame.unexpected }
      try parts.reliable.receive(credit)
    case .stream(let stream):
      guard let parts else { throw frame.unexpected }
      try parts.reliable.receive(stream)
    case .datagram(let datagram):
      guard let parts else { return refuseUncarried() }
      parts.unreliable.assumeIsolated { $0.received(datagram, on: self) }
    case .verification(let verification):
      guard let parts else { return refuseUncarried() }
      parts.verifier.assumeIsolated { $0.received(verification, on: self) }
    }
  }

  private func refuseUncarried() { owner?.linkReceivedUncarried(self) }

  private func handle(_ frame: LinkFrame) throws(FrameError) {
    switch frame {
    case .hello: throw Frame.link(frame).unexpected
    case .ping(let ping): handle(LivenessMachine.Event.pingReceived(token: ping.token))
    case .pong(let pong): handle(LivenessMachine.Event.pongReceived(token: pong.token))
    case .close(let close): handle(LivenessMachine.Event.closeReceived(close.code))
    }
  }

  /// Ends the link after a frame for which its owner has no use.
  func violateByFrame() {
    violate(.protocolViolation, "That frame must not come now.")
  }

  func handOverMessages() {
    guard arrivedCount > 0 else { return }
    arrivedCount = 0
    parts?.reliable.deliver()
  }

  // MARK: The handshake

  func handle(_ event: HandshakeMachine.Event) {
    switch life {
    case .securing(_, let handshake), .greeting(_, _, let handshake):
      handshake.handle(event, at: now) { perform($0) }
    case .accepted, .dialling, .open, .closing, .ended: break
    }
  }

  func perform(_ action: HandshakeMachine.Action) {
    switch action {
    case .wake(let deadline): setDeadline(.handshake, at: deadline)
    case .cancelWake: setDeadline(.handshake, at: nil)
    case .sendHello: transport?.append(context.greeting)
    case .sendClose(let code): if remote != nil { transport?.append(Close(code: code)) }
    case .closeTransport: closeTransport()
    case .reportGreeted(let hello), .reportRequested(let hello): opened(by: hello)
    case .reportFailed(let reason): failed(reason)
    }
  }

  /// Closes the transport; at once if a stranger has not even said who it is, so that it leaves
  /// nothing behind.
  private func closeTransport() {
    guard !isDialled, case .securing(let transport, _) = life else { return beginClosing() }
    if !transport.hasFailed { transport.connection.reset() }
    end(nil)
  }

  private func opened(by hello: Hello) {
    guard case .greeting(let transport, let remote, _) = life else { return }
    let now = now
    var actions: [LivenessMachine.Action] = []
    let machine = LivenessMachine(context.silences, at: now, into: &actions)
    let liveness = MachineDriver(machine, beginningWith: actions)
    life = .open(OpenLink(transport, to: remote, liveness))
    noteOpening()
    context.log.noteOpened(self, with: remote, hello, at: transport.connection.remoteEndpoint)
    liveness.start(at: now) { perform($0) }
    flushUnlessReading()
    let name = hello.displayName
    switch context.trust.assumeIsolated({ $0.judge(remote, named: name, .linked) }) {
    case .trusted: owner?.link(self, opened: hello)
    case .refused: refuseUntrusted()
    case .undecided: hold(hello, of: remote)
    }
  }

  // MARK: Trust

  /// Has the owner hear of the link when the remote peer is trusted.
  ///
  /// Meanwhile the link lives as any other.
  private func hold(_ greeting: Hello, of remote: PeerID) {
    guard case .open(let open) = life else { return }
    open.held = HeldGreeting(greeting)
    let token = token
    context.trust.assumeIsolated { judge in
      judge.wait(for: remote, .link(token)) { [weak self] isTrusted in
        self?.assumeIsolated { $0.judged(isTrusted) }
      }
    }
  }

  private func judged(_ isTrusted: Bool) {
    guard case .open(let open) = life, let held = open.held else { return }
    open.held = nil
    guard isTrusted else { return refuseUntrusted() }
    owner?.link(self, opened: held.greeting)
    do throws(FrameError) {
      for frame in held.frames where isListening { try handle(frame) }
    } catch {
      violate(error.closeCode, error.description)
    }
    flushUnlessReading()
  }

  /// Has nobody wait any more for whether the remote peer is trusted.
  func letGoOfHeld() {
    guard case .open(let open) = life, open.held != nil else { return }
    open.held = nil
    let (token, remote) = (token, open.remote)
    context.trust.assumeIsolated { $0.stopWaiting(.link(token), for: remote) }
  }

  /// Answers invitations about whose sender the program is still being asked, since this peer ends.
  func declineHeld() {
    guard case .open(let open) = life, let held = open.held else { return }
    for invitation in held.invitations {
      open.transport.append(Decline(invitation: invitation, reason: .stopped))
    }
  }

  private func failed(_ reason: HandshakeMachine.Reason) {
    let call = "greet \(transport?.connection.remoteEndpoint.description ?? "a peer")"
    switch reason {
    case .timedOut: report(.unreachable(NetworkError(.timedOut, call: call)))
    case .broken: report(.unreachable(NetworkError(.connectionReset, call: call)))
    case .closed(let code): report(.closed(code))
    case .closing(let code): report(.violation(code))
    }
  }

  // MARK: Liveness

  /// - Returns: Whether something was done, and the link flushed behind it.
  @discardableResult
  func handle(_ event: LivenessMachine.Event, at time: Instant? = nil) -> Bool {
    guard case .open(let open) = life else { return false }
    var isActive = false
    open.liveness.handle(event, at: time ?? now) { action in
      perform(action)
      isActive = true
    }
    if isActive { flushUnlessReading() }
    return isActive && !isReading
  }

  func perform(_ action: LivenessMachine.Action) {
    switch action {
    case .sendPing(let token): ask(token)
    case .sendPong(let token): transport?.append(answer: Ping(token: token))
    case .closeTransport: beginClosing()
    case .wake(let deadline): setDeadline(.liveness, at: deadline)
    case .reportRoundTrip(let time): roundTrip = time
    case .reportDown(let reason): down(reason)
    }
  }

  private func ask(_ token: UInt64) {
    transport?.append(question: Ping(token: token))
    if context.buggify?.occurs(.repeatedQuestion) == true {
      transport?.append(question: Ping(token: token))
    }
  }

  private func down(_ reason: LivenessMachine.Reason) {
    switch reason {
    case .silence:
      report(.silence)
      // An end in order would wait behind what is not acknowledged, and what the system sends again
      // meanwhile would be life to a remote that still hears.
      drop()
    case .closed(let code): report(.closed(code))
    case .broken: report(.broken)
    }
  }
}

extension LinkTransport {
  /// Finds the first frame in some bytes; no channel could take a reliable one.
  fileprivate func nextFrame(
    of plaintext: Span<UInt8>, used: inout Int
  ) throws(FrameError) -> Frame? {
    var frame: Frame?
    used += try decode(plaintext) { number, payload, _ throws(FrameError) in
      guard !number.isReliable else {
        throw FrameError(.unexpected, number: number, payloadBytes: payload.count)
      }
      frame = try Frame(number, payload: payload)
      return frame == nil
    }
    return frame
  }

  /// Hands parts of messages and bytes of streams to a channel, up to the first other frame, which
  /// it returns, or to the end.
  fileprivate func nextFrame(
    of plaintext: Span<UInt8>, used: inout Int, taking channel: inout ReliableChannel.State,
    at now: Instant
  ) throws(FrameError) -> Frame? {
    var frame: Frame?
    used += try decode(plaintext) { number, payload, frameBytes throws(FrameError) in
      if number == .message {
        try channel.receiveMessage(payload, frameBytes: frameBytes, at: now)
        return true
      }
      if number == .data {
        try channel.machine.receiveData(payload, frameBytes: frameBytes, at: now)
        return true
      }
      if number.isReliable { channel.machine.receive(frameBytes: frameBytes, at: now) }
      frame = try Frame(number, payload: payload)
      return frame == nil
    }
    return frame
  }
}
