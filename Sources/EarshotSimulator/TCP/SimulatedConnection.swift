/// A TCP connection of a simulated host: the kernel's part, and the socket that the application holds.
///
/// The kernel's part lives on behind a socket that was closed, until all is sent and acknowledged; and it
/// works on while the host is frozen. ``TCP`` says what is modelled. Sendable as its
/// ``Scheduler`` is: used by the thread that drives the world alone.
final class SimulatedConnection: Connection, HostSocket, @unchecked Sendable {
  let kernel: HostKernel
  // Here, too, so that nothing on the way to them is retained for a segment.
  let scheduler: Scheduler
  let fabric: Fabric
  let gauges: KernelGauges
  let localEndpoint: Endpoint
  let remoteEndpoint: Endpoint
  let link: SimulatedLink?
  let options: ConnectionOptions
  /// The event during which it was begun.
  let origin: Int
  // What every segment touches goes without the dynamic checks of exclusivity: no access calls out while it lasts.
  @exclusivity(unchecked) var tcb: TransmissionControlBlock
  @exclusivity(unchecked) var upcalls = Upcalls()
  @exclusivity(unchecked) var timer: KernelTimer?
  /// The listener that has not handed the connection over yet.
  weak var listener: SimulatedListener?

  init(
    _ kernel: HostKernel, local: Endpoint, remote: Endpoint, link: SimulatedLink?,
    state: TransmissionControlBlock.State, options: ConnectionOptions
  ) {
    (self.kernel, localEndpoint, remoteEndpoint) = (kernel, local, remote)
    (scheduler, fabric, gauges) = (kernel.scheduler, kernel.fabric, kernel.fabric.watch.gauges)
    (self.link, self.options) = (link, options)
    tcb = TransmissionControlBlock(state, fabric.configuration.congestionControl)
    origin = scheduler.cause.handled
  }

  var key: ConnectionKey { ConnectionKey(local: localEndpoint, remote: remoteEndpoint) }
  var now: Int64 { scheduler.now }
  var progress: TransportProgress {
    let progress = tcb.progress
    if tcb.state == .established, upcalls.handler != nil { return progress }
    let hasOpened = progress.leastRoundTrip != nil
    return TransportProgress(retransmissionCount: hasOpened ? progress.retransmissionCount : nil)
  }
  /// Whether an application holds the connection, or will once it is accepted.
  var isHeld: Bool { upcalls.handler != nil || listener != nil }

  func write(_ bytes: Span<UInt8>) throws(NetworkError) -> Int {
    guard kernel.isUp else { throw writeError(.hostDown, errno: 100) }
    guard upcalls.handler != nil, upcalls.failure == nil, !tcb.outbound.hasFIN else {
      throw writeError(.brokenPipe, errno: 32)
    }
    guard tcb.state == .established else { throw writeError(.notConnected, errno: 107) }
    let count = tcb.outbound.append(bytes)
    gauges.sendBuffer.note(tcb.outbound.bufferedBytes)
    tcb.counters.writtenBytes += count
    if count < bytes.count { upcalls.isWriterWaiting = true }
    transmit()
    return count
  }

  private func writeError(_ code: NetworkError.Code, errno: Int32) -> NetworkError {
    NetworkError(code, call: "write \(remoteEndpoint)", errno: errno)
  }

  func finishWriting() {
    guard upcalls.handler != nil, tcb.state == .established, !tcb.outbound.hasFIN else { return }
    tcb.outbound.finish()
    transmit()
  }

  func pauseReading() { upcalls.isPaused = true }

  func resumeReading() {
    guard upcalls.isPaused else { return }
    upcalls.isPaused = false
    scheduleUpcalls()
  }

  func close() {
    guard upcalls.handler != nil else { return }
    guard tcb.state == .established, tcb.inbound.unread.isEmpty else { return reset() }
    upcalls.handler = nil
    tcb.outbound.finish()
    transmit()
    settle()
  }

  func reset() {
    guard upcalls.handler != nil else { return }
    if tcb.state == .established { send(.rst) }
    upcalls.handler = nil
    forget()
  }

  /// Takes the connection out of the kernel; nothing is sent any more.
  func forget() {
    guard tcb.state != .closed else { return }
    tcb.state = .closed
    timer = nil
    listener?.drop(self)
    kernel.connections.remove(key)
  }

  /// The connection is gone; the application is told behind all that it has yet to hear.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    let call = tcb.state == .synSent ? "connect" : "read"
    upcalls.failure = NetworkError(code, call: "\(call) \(remoteEndpoint)", errno: errno)
    forget()
    if upcalls.handler != nil { scheduleUpcalls() }
  }
}
