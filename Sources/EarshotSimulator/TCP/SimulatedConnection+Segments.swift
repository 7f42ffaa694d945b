extension SimulatedConnection {
  /// Whether segments are as large as segmentation offload hands them on: where nothing can be lost.
  private var isOffloaded: Bool {
    guard let conditions = link?.conditions else { return false }
    return conditions.loss == .zero && conditions.bandwidth == nil
  }

  /// How much a segment carries.
  private var segmentBytesMax: Int {
    guard let conditions = link?.conditions else { return TCP.segmentBytes }
    if isOffloaded { return 65_536 }
    let headerBytes = Segment.headerBytes(remoteEndpoint.address.family)
    return max(64, conditions.maximumTransmissionUnit - headerBytes)
  }

  /// Sends a segment without payload.
  func send(_ flags: Segment.Flags) {
    transfer(flags.contains(.syn) ? flags : flags.union(.ack), tcb.outbound.nextSequence, [])
  }

  private func transfer(
    _ flags: Segment.Flags, _ sequence: Int, _ payload: consuming [UInt8]
  ) {
    tcb.advertisedWindow = tcb.inbound.receiveWindow
    tcb.quickAcknowledgements.noteSent(hasPayload: !payload.isEmpty, at: now)
    (tcb.unacknowledgedBytes, tcb.deadlines.acknowledgement) = (0, nil)
    defer { tcb.inbound.noteAcknowledgement() }
    guard let link else { return }
    fabric.send(
      Segment(
        source: localEndpoint, destination: remoteEndpoint, flags: flags, sequenceNumber: sequence,
        acknowledgementNumber: tcb.inbound.nextSequence, window: tcb.inbound.receiveWindow,
        selectiveAcknowledgements: tcb.inbound.selectiveAcknowledgements,
        duplicate: tcb.inbound.duplicate,
        timestamp: now, echoedTimestamp: tcb.inbound.recentTimestamp, payload: payload), over: link)
  }

  private func transfer(_ segment: consuming OutboundStream.Outgoing) {
    transfer(segment.carriesFIN ? [.ack, .fin] : .ack, segment.sequenceNumber, segment.payload)
  }

  /// Sends what may be sent.
  func transmit() {
    guard tcb.state == .established else { return }
    while tcb.outbound.mayHaveNext(at: now),
      let segment = tcb.outbound.nextSegment(atMost: segmentBytesMax, at: now)
    {
      transfer(segment)
    }
    watch()
  }

  /// Sends the tail loss probe, unless an earlier one is not answered.
  func probeTail() {
    if let segment = tcb.outbound.takeTailLossProbe(atMost: segmentBytesMax, at: now) {
      transfer(segment)
    }
  }

  func receive(_ segment: borrowing Segment) {
    if segment.flags.contains(.rst) { return receiveReset() }
    switch tcb.state {
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
    if tcb.state == .synSent { return fail(.connectionRefused, errno: 111) }
    isHeld ? fail(.connectionReset, errno: 104) : forget()
  }

  private func receiveInSynSent(_ segment: borrowing Segment) {
    guard segment.flags.contains(.syn) else {
      // The other side still knows an earlier connection of the same ports.
      return send(.rst)
    }
    tcb.inbound.noteSYN(segment)
    establish(segment)
    send(.ack)
    upcalls.isOpeningDue = true
    scheduleUpcalls()
  }

  private func establish(_ segment: borrowing Segment) {
    tcb.state = .established
    tcb.deadlines = TransmissionControlBlock.Deadlines()
    tcb.outbound.open(
      window: segment.window, roundTrip: now - segment.echoedTimestamp,
      evenRetries: tcb.evenRetries)
  }

  private func receiveEstablished(_ segment: borrowing Segment) {
    if segment.flags.contains(.syn) { return send(.ack) }
    tcb.count(segment)
    let isBare = segment.payload.isEmpty && !segment.flags.contains(.fin)
    takeAcknowledgement(segment)
    guard tcb.state == .established else { return }
    if !isBare { takePayload(segment) } else if segment.flags.contains(.probe) { send(.ack) }
    guard tcb.state == .established else { return }
    transmit()
    settle()
  }

  private func takeAcknowledgement(_ segment: borrowing Segment) {
    tcb.unansweredProbes = 0
    let wasWindowClosed = tcb.outbound.isWindowClosed
    let isProgress = tcb.outbound.acknowledge(with: segment, at: now)
    if wasWindowClosed, !tcb.outbound.isWindowClosed {
      tcb.outbound.forgetBackOffs()
      (tcb.deadlines.retransmission, tcb.deadlines.failure) = (nil, nil)
    }
    guard isProgress else { return }
    tcb.deadlines.failure = nil
    if upcalls.isWriterWaiting { scheduleUpcalls() }
  }

  private func takePayload(_ segment: borrowing Segment) {
    // No application will ever read it: a reset says so, as with Linux.
    if !isHeld && !segment.payload.isEmpty {
      send(.rst)
      return forget()
    }
    let hadGap = tcb.inbound.hasGap
    let isNew = tcb.inbound.receive(segment)
    gauges.receiveBuffer.note(tcb.inbound.bufferedBytes)
    tcb.quickAcknowledgements.noteArrival(
      at: now, timeout: tcb.outbound.retransmissionTimeout,
      isDuplicate: tcb.inbound.duplicate != nil)
    guard isNew, !hadGap, !tcb.inbound.hasGap, !segment.flags.contains(.fin) else {
      send(.ack)
      return scheduleUpcalls()
    }
    tcb.unacknowledgedBytes += segment.payload.count
    let isQuick = tcb.quickAcknowledgements.isDue && !isOffloaded
    if isQuick || tcb.unacknowledgedBytes > TCP.segmentBytes {
      send(.ack)
    } else if tcb.deadlines.acknowledgement == nil {
      tcb.deadlines.acknowledgement = now + TCP.delayedAcknowledgement
    }
    scheduleUpcalls()
  }

  /// Forgets a connection that both sides have ended, when it is time.
  func settle() {
    guard tcb.state == .established, !isHeld, tcb.outbound.isFINAcknowledged else { return }
    if tcb.deadlines.timeWait == nil { tcb.deadlines.timeWait = now + TCP.timeWait }
    watch()
  }

  func sendSYN() {
    send(tcb.state == .synSent ? .syn : [.syn, .ack])
    tcb.deadlines.retransmission = TimerWheel.expiry(
      of: now + tcb.outbound.retransmissionTimeout, setAt: now)
    watch()
  }
}
