extension SimulatedConnection {
  /// When the kernel has to do something about a connection by itself.
  struct Deadlines {
    /// Send again: a greeting, a segment, or a probe of a full buffer.
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
    if state == .open {
      let isWaiting = outbound.isInFlight || outbound.isStarved
      if !isWaiting { (deadlines.retransmit, deadlines.giveUp) = (nil, nil) }
      if isWaiting, deadlines.retransmit == nil {
        deadlines.retransmit = engine.now + clock.timeout
      }
      if isWaiting, deadlines.giveUp == nil, let timeout = options.userTimeout {
        deadlines.giveUp = engine.now + timeout.nanoseconds
      }
    }
    guard state != .gone, let next = deadlines.next else { timer?.disarm(); return }
    if timer == nil { timer = KernelTimer(engine) { [weak self] in self?.deadlineReached() } }
    timer?.arm(at: next)
  }

  private func deadlineReached() {
    let now = engine.now
    if let giveUp = deadlines.giveUp, giveUp <= now { return giveUpNow() }
    if let linger = deadlines.linger, linger <= now { return forget() }
    if let acknowledge = deadlines.acknowledge, acknowledge <= now { send(.ack) }
    if let retransmit = deadlines.retransmit, retransmit <= now { retransmitNow() }
    watch()
  }

  private func giveUpNow() {
    if state == .open { send(.rst) }
    let isUnreachable = state == .opening && link == nil
    isUnreachable ? fail(.hostUnreachable, errno: 113) : fail(.timedOut, errno: 110)
  }

  private func retransmitNow() {
    deadlines.retransmit = nil
    clock.backOff()
    switch state {
    case .opening, .answering:
      guard clock.retries <= 6 else { return giveUpNow() }
      sendGreeting()
    case .open where outbound.isStarved:
      unansweredProbes += 1
      guard unansweredProbes <= 15 else { return giveUpNow() }
      send(.probe)
      deadlines.retransmit = engine.now + clock.timeout
    case .open where clock.retries > 15: giveUpNow()
    case .open:
      outbound.restart()
      transmit()
    case .gone: break
    }
  }
}
