extension SimulatedConnection {
  /// When the kernel has to do something about a connection by itself.
  struct Deadlines {
    /// Send again: a SYN, or a probe of a full buffer.
    var retransmit: Int64?
    /// Send the acknowledgement that was put off.
    var acknowledge: Int64?
    /// Fail the connection.
    var giveUp: Int64?
    /// Forget the connection, which has ended.
    var linger: Int64?

    var next: Int64? {
      let first = min(retransmit ?? .max, acknowledge ?? .max, giveUp ?? .max, linger ?? .max)
      return first == .max ? nil : first
    }
  }

  /// Sets the deadlines that follow from what is under way, and the timer to the first of them.
  func watch() {
    if state == .established { watchStream() }
    guard state != .closed,
      let next = [deadlines.next, outbound.deadline].compactMap({ $0 }).min()
    else {
      timer?.disarm()
      return
    }
    if timer == nil { timer = KernelTimer(kernel.scheduler) { [weak self] in self?.deadlineReached() } }
    timer?.arm(at: next)
  }

  private func watchStream() {
    if !outbound.isStarved {
      deadlines.retransmit = nil
    } else if deadlines.retransmit == nil {
      deadlines.retransmit = now + outbound.timeout
    }
    // As with Linux's TCP_USER_TIMEOUT, time counts from the first segment that was sent again, or from
    // when there was no room.
    if !outbound.isStarved, outbound.roundTrips.backOffs == 0 {
      deadlines.giveUp = nil
    } else if deadlines.giveUp == nil, let timeout = options.userTimeout {
      deadlines.giveUp = now + timeout.nanoseconds
    }
  }

  private func deadlineReached() {
    let now = now
    if let giveUp = deadlines.giveUp, giveUp <= now { return giveUpNow() }
    if let linger = deadlines.linger, linger <= now { return forget() }
    if let acknowledge = deadlines.acknowledge, acknowledge <= now { send(.ack) }
    if let retransmit = deadlines.retransmit, retransmit <= now { askAgain() }
    if state == .established { lookAfterStream(now) }
    watch()
  }

  private func giveUpNow() {
    if state == .established { send(.rst) }
    let isUnreachable = state == .synSent && link == nil
    isUnreachable ? fail(.hostUnreachable, errno: 113) : fail(.timedOut, errno: 110)
  }

  /// Sends the SYN again, or asks whether there is room.
  private func askAgain() {
    deadlines.retransmit = nil
    outbound.backOff()
    switch state {
    case .synSent, .synReceived:
      guard outbound.roundTrips.backOffs <= 6 else { return giveUpNow() }
      sendSYN()
    case .established:
      unansweredProbes += 1
      guard unansweredProbes <= 15 else { return giveUpNow() }
      send(.probe)
      deadlines.retransmit = now + outbound.timeout
    case .closed: break
    }
  }

  private func lookAfterStream(_ now: Int64) {
    switch outbound.deadlineReached(at: now) {
    case .nothing: probeTail()
    case .transmit: transmit()
    case .timedOut where outbound.roundTrips.backOffs > 15: giveUpNow()
    case .timedOut: transmit()
    }
  }
}
