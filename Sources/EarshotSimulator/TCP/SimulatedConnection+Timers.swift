extension SimulatedConnection {
  /// Sets the deadlines that follow from what is in flight, and the timer to the first of them.
  func watch() {
    if tcb.state == .established { watchStream() }
    guard tcb.state != .closed,
      let next = tcb.deadline
    else {
      timer?.disarm()
      return
    }
    if timer == nil {
      // The timer is the connection's own. A weak reference would make each retain and release slower.
      timer = KernelTimer(kernel.process) { [unowned self] in deadlineReached() }
    }
    if let index = timer?.index { scheduler.armTimer(index, at: next) }
  }

  private func watchStream() {
    if !tcb.outbound.isWindowClosed {
      tcb.deadlines.retransmission = nil
    } else if tcb.deadlines.retransmission == nil {
      tcb.deadlines.retransmission = now + tcb.outbound.retransmissionTimeout
    }
    // As with Linux's TCP_USER_TIMEOUT, time counts from the first retransmission, or from when
    // the window closed.
    if !tcb.outbound.isWindowClosed, tcb.outbound.roundTrips.backOffs == 0 {
      tcb.deadlines.failure = nil
    } else if tcb.deadlines.failure == nil, let timeout = options.userTimeout {
      tcb.deadlines.failure = now + timeout.nanoseconds
    }
  }

  private func deadlineReached() {
    let now = now
    if let failure = tcb.deadlines.failure, failure <= now { return failForSilence() }
    if let timeWait = tcb.deadlines.timeWait, timeWait <= now { return forget() }
    if let acknowledgement = tcb.deadlines.acknowledgement, acknowledgement <= now { send(.ack) }
    if let retransmission = tcb.deadlines.retransmission, retransmission <= now {
      retransmitOrProbe()
    }
    if tcb.state == .established { lookAfterStream(now) }
    watch()
  }

  /// Gives the connection up, and sends no reset, as Linux sends none: the next segment of the other side gets one.
  private func failForSilence() {
    let isUnreachable = tcb.state == .synSent && link == nil
    isUnreachable ? fail(.hostUnreachable, errno: 113) : fail(.timedOut, errno: 110)
  }

  /// Retransmits the SYN, or probes a closed window.
  private func retransmitOrProbe() {
    tcb.deadlines.retransmission = nil
    switch tcb.state {
    case .synSent where tcb.evenRetries < TCP.evenRetriesOfSYN:
      tcb.evenRetries += 1
      tcb.counters.repeatedSYNs += 1
      sendSYN()
    case .synSent, .synReceived:
      tcb.outbound.backOff()
      guard tcb.outbound.roundTrips.backOffs <= TCP.retriesOfSYNMax else { return failForSilence() }
      tcb.counters.repeatedSYNs += 1
      sendSYN()
    case .established:
      tcb.outbound.backOff()
      tcb.unansweredProbes += 1
      guard tcb.unansweredProbes <= TCP.retriesMax else { return failForSilence() }
      send(.probe)
      tcb.deadlines.retransmission = now + tcb.outbound.retransmissionTimeout
    case .closed: break
    }
  }

  private func lookAfterStream(_ now: Int64) {
    switch tcb.outbound.deadlineReached(at: now) {
    case .nothing: break
    case .probe: probeTail()
    case .transmit: transmit()
    case .timedOut where tcb.outbound.roundTrips.backOffs > TCP.retriesMax: failForSilence()
    case .timedOut: transmit()
    }
  }
}
