extension SimulatedConnection {
  /// How much a segment carries: all there is where nothing can be lost, as segmentation offload does.
  private var segmentBytesMax: Int {
    guard let link else { return OutboundStream.segmentBytes }
    let conditions = link.conditions
    if conditions.loss == .zero, conditions.bandwidth == nil { return 65_536 }
    return max(64, conditions.maximumTransmissionUnit - 52)
  }

  /// Sends a segment without payload.
  func send(_ flags: Segment.Flags) {
    transfer(flags.contains(.syn) ? flags : flags.union(.ack), outbound.next, [])
  }

  private func transfer(_ flags: Segment.Flags, _ position: Int, _ payload: [UInt8]) {
    advertisedWindow = inbound.window
    (unacknowledgedBytes, deadlines.acknowledge) = (0, nil)
    guard let link else { return }
    engine.send(
      Segment(
        source: localEndpoint, destination: remoteEndpoint, flags: flags, position: position,
        acknowledged: inbound.next, window: inbound.window, payload: payload), over: link)
  }

  /// Sends what may be sent.
  func transmit() {
    guard state == .open else { return }
    while let segment = outbound.takeSegment(atMost: segmentBytesMax) {
      clock.sent(upTo: outbound.next, at: engine.now)
      transfer(segment.isLast ? [.ack, .fin] : .ack, segment.position, segment.payload)
    }
    watch()
  }

  private func resendFirst() {
    let segment = outbound.firstSegment(atMost: segmentBytesMax)
    clock.resent()
    transfer(segment.isLast ? [.ack, .fin] : .ack, segment.position, segment.payload)
  }

  func receive(_ segment: Segment) {
    if segment.flags.contains(.rst) { return receiveReset() }
    switch state {
    case .opening: receiveWhileOpening(segment)
    case .answering:
      if segment.flags.contains(.syn) { return sendGreeting() }
      open(window: segment.window)
      listener?.offer(self)
      receiveWhileOpen(segment)
    case .open: receiveWhileOpen(segment)
    case .gone: break
    }
  }

  private func receiveReset() {
    if state == .opening { return fail(.connectionRefused, errno: 111) }
    isHeld ? fail(.connectionReset, errno: 104) : forget()
  }

  private func receiveWhileOpening(_ segment: Segment) {
    guard segment.flags.contains(.syn) else {
      // The other side still knows a connection of an earlier life of ours.
      return send(.rst)
    }
    open(window: segment.window)
    send(.ack)
    isOpeningUntold = true
    callPump()
  }

  private func open(window: Int) {
    state = .open
    clock = RetransmissionClock()
    deadlines = Deadlines()
    outbound.peerWindow = window
  }

  private func receiveWhileOpen(_ segment: Segment) {
    if segment.flags.contains(.syn) { return send(.ack) }
    let isBare = segment.payload.isEmpty && !segment.flags.contains(.fin)
    takeAcknowledgement(segment, isBare: isBare && !segment.flags.contains(.probe))
    guard state == .open else { return }
    if !isBare { takePayload(segment) } else if segment.flags.contains(.probe) { send(.ack) }
    guard state == .open else { return }
    transmit()
    settle()
  }

  private func takeAcknowledgement(_ segment: Segment, isBare: Bool) {
    unansweredProbes = 0
    let wasStarved = outbound.isStarved
    let progress = outbound.acknowledge(
      segment.acknowledged, window: segment.window, isBare: isBare)
    if wasStarved, !outbound.isStarved {
      clock.restart()
      (deadlines.retransmit, deadlines.giveUp) = (nil, nil)
    }
    switch progress {
    case .none: break
    case .advanced, .resend:
      clock.acknowledged(upTo: segment.acknowledged, at: engine.now)
      deadlines.retransmit = nil
      deadlines.giveUp = nil
      if progress == .resend { resendFirst() }
      if isWriterWaiting { callPump() }
    }
  }

  private func takePayload(_ segment: Segment) {
    // Nobody will ever read it: say so, as Linux does.
    if !isHeld && !segment.payload.isEmpty {
      send(.rst)
      return forget()
    }
    let isNew = inbound.receive(
      segment.payload, at: segment.position, isLast: segment.flags.contains(.fin))
    guard isNew, !inbound.hasGap, !segment.flags.contains(.fin) else {
      send(.ack)
      return callPump()
    }
    unacknowledgedBytes += segment.payload.count
    if unacknowledgedBytes >= 2 * OutboundStream.segmentBytes {
      send(.ack)
    } else if deadlines.acknowledge == nil {
      deadlines.acknowledge = engine.now + Self.delayedAcknowledgement
    }
    callPump()
  }

  /// Forgets a connection that both sides have ended, when it is time.
  func settle() {
    guard state == .open, !isHeld, outbound.isEndAcknowledged else { return }
    if deadlines.linger == nil { deadlines.linger = engine.now + Self.lingering }
    watch()
  }

  func sendGreeting() {
    send(state == .opening ? .syn : [.syn, .ack])
    deadlines.retransmit = engine.now + clock.timeout
    watch()
  }

  private static let delayedAcknowledgement: Int64 = 40_000_000  // Linux's least.
  private static let lingering: Int64 = 60_000_000_000  // Linux's TIME_WAIT and orphaned FIN_WAIT2.
}
