extension SimulatedConnection {
  /// How much a segment carries: all there is where nothing can be lost, as segmentation offload does.
  private var segmentBytesMax: Int {
    guard let link else { return OutboundStream.segmentBytes }
    let conditions = link.conditions
    if conditions.loss == .zero, conditions.bandwidth == nil { return 65_536 }
    let headerBytes = remoteEndpoint.address.isV4 ? Segment.headerBytes : Segment.headerBytes + 20
    return max(64, conditions.maximumTransmissionUnit - headerBytes)
  }

  /// Sends a segment without payload.
  func send(_ flags: Segment.Flags) {
    transfer(flags.contains(.syn) ? flags : flags.union(.ack), outbound.next, [])
  }

  private func transfer(_ flags: Segment.Flags, _ sequence: Int, _ payload: [UInt8]) {
    advertisedWindow = inbound.window
    inbound.noteAcknowledged()
    (unacknowledgedBytes, deadlines.acknowledge) = (0, nil)
    guard let link else { return }
    kernel.fabric.send(
      Segment(
        source: localEndpoint, destination: remoteEndpoint, flags: flags, sequence: sequence,
        acknowledgment: inbound.next, window: inbound.window, selective: inbound.selective,
        timestamp: now, echo: inbound.timestamp, payload: payload), over: link)
  }

  private func transfer(_ segment: OutboundStream.Outgoing) {
    transfer(segment.isLast ? [.ack, .fin] : .ack, segment.sequence, segment.payload)
  }

  /// Sends what may be sent.
  func transmit() {
    guard state == .established else { return }
    while let segment = outbound.nextSegment(atMost: segmentBytesMax, at: now) {
      transfer(segment)
    }
    watch()
  }

  /// Sends the tail loss probe, if its time has come.
  func probeTail() {
    if let segment = outbound.takeProbe(atMost: segmentBytesMax, at: now) {
      transfer(segment)
    }
  }

  func receive(_ segment: Segment) {
    if segment.flags.contains(.rst) { return receiveReset() }
    switch state {
    case .synSent: receiveInSynSent(segment)
    case .synReceived:
      if segment.flags.contains(.syn) { return sendSYN() }
      establish(segment)
      listener?.offer(self)
      receiveEstablished(segment)
    case .established: receiveEstablished(segment)
    case .closed: break
    }
  }

  private func receiveReset() {
    if state == .synSent { return fail(.connectionRefused, errno: 111) }
    isHeld ? fail(.connectionReset, errno: 104) : forget()
  }

  private func receiveInSynSent(_ segment: Segment) {
    guard segment.flags.contains(.syn) else {
      // The other side still knows a connection of an earlier life of ours.
      return send(.rst)
    }
    inbound.noteSYN(segment)
    establish(segment)
    send(.ack)
    isOpeningUntold = true
    callPump()
  }

  private func establish(_ segment: Segment) {
    state = .established
    deadlines = Deadlines()
    outbound.open(window: segment.window, roundTrip: now - segment.echo)
  }

  private func receiveEstablished(_ segment: Segment) {
    if segment.flags.contains(.syn) { return send(.ack) }
    count(segment)
    let isBare = segment.payload.isEmpty && !segment.flags.contains(.fin)
    takeAcknowledgement(segment)
    guard state == .established else { return }
    if !isBare { takePayload(segment) } else if segment.flags.contains(.probe) { send(.ack) }
    guard state == .established else { return }
    transmit()
    settle()
  }

  private func takeAcknowledgement(_ segment: Segment) {
    unansweredProbes = 0
    let wasStarved = outbound.isStarved
    let isProgress = outbound.acknowledge(with: segment, at: now)
    if wasStarved, !outbound.isStarved {
      outbound.forgetBackOffs()
      (deadlines.retransmit, deadlines.giveUp) = (nil, nil)
    }
    guard isProgress else { return }
    deadlines.giveUp = nil
    if isWriterWaiting { callPump() }
  }

  private func takePayload(_ segment: Segment) {
    // Nobody will ever read it: say so, as Linux does.
    if !isHeld && !segment.payload.isEmpty {
      send(.rst)
      return forget()
    }
    let hadGap = inbound.hasGap
    let isNew = inbound.receive(segment)
    guard isNew, !hadGap, !inbound.hasGap, !segment.flags.contains(.fin) else {
      send(.ack)
      return callPump()
    }
    unacknowledgedBytes += segment.payload.count
    if unacknowledgedBytes > OutboundStream.segmentBytes {
      send(.ack)
    } else if deadlines.acknowledge == nil {
      deadlines.acknowledge = now + Self.delayedAcknowledgement
    }
    callPump()
  }

  /// Forgets a connection that both sides have ended, when it is time.
  func settle() {
    guard state == .established, !isHeld, outbound.isEndAcknowledged else { return }
    if deadlines.linger == nil { deadlines.linger = now + Self.timeWait }
    watch()
  }

  func sendSYN() {
    send(state == .synSent ? .syn : [.syn, .ack])
    deadlines.retransmit = now + outbound.timeout
    watch()
  }

  private static let delayedAcknowledgement: Int64 = 40_000_000  // Linux's least.
  private static let timeWait: Int64 = 60_000_000_000  // Linux's TIME_WAIT and orphaned FIN_WAIT2.
}
