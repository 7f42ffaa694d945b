/// A TCP connection of a simulated host: the kernel's part, and the face that the app sees of it.
///
/// The kernel's part lives on behind a face that was closed, until all is sent and acknowledged; and it
/// works on while the host is frozen. Sendable as its scheduler is: one thread drives both.
///
/// The kernel's part behaves as Linux's does with the congestion control `reno`; `LinuxComparisonTests` keeps
/// it to measured figures. Modelled are: connections that open and end with SYN and FIN, resets, windows and
/// probes of a closed window, delayed acknowledgements, timestamps (RFC 7323), selective acknowledgements (RFC
/// 2018), the retransmission time-out (RFC 6298) with its back-off, slow start, congestion avoidance and fast
/// recovery (RFC 5681, RFC 6675), losses found by time and probed for at the tail (RFC 8985), time-outs that
/// prove to be needless (RFC 3522), the user timeout, and buffers that grow: the receiver's from 64 to
/// 256 KiB, the sender's from 45 to 256 KiB.
///
/// Not modelled are:
/// * sequence numbers that wrap, begin anywhere but at zero, or are taken by a SYN; the states between the
///   first FIN and the last: a connection that is over is kept for a minute, on both sides; simultaneous
///   open; old segments that reach a new connection of the same ports (PAWS);
/// * any congestion control but Reno (CUBIC, BBR), pacing, proportional rate reduction, explicit congestion
///   notification, duplicate selective acknowledgements (RFC 2883) and what Linux learns from them;
/// * Nagle's algorithm, which Earshot turns off, urgent data, keep-alives, TCP Fast Open;
/// * buffers beyond 256 KiB, which Linux would give to fast and long paths, and the memory that a segment takes
///   besides its bytes; SYN cookies, and listeners' queues beyond their length;
/// * the network's answers: ICMP, path MTU discovery. A link without loss and bandwidth carries segments of
///   up to 64 KiB, as segmentation offload hands them on.
final class SimulatedConnection: Connection, HostSocket, @unchecked Sendable {
  private(set) var localEndpoint: Endpoint
  let remoteEndpoint: Endpoint
  let kernel: HostKernel
  let link: SimulatedLink?
  let options: ConnectionOptions
  var state: State
  var outbound = OutboundStream()
  var inbound = InboundStream()
  var deadlines = Deadlines()
  var timer: KernelTimer?
  /// The window that the other side knows of.
  var advertisedWindow = InboundStream.leastBufferBytes
  var counters = Counters()
  /// Bytes that arrived since the last acknowledgement.
  var unacknowledgedBytes = 0
  /// How often we have asked in vain whether there is room again.
  var unansweredProbes = 0

  // What the app has yet to be told.
  var handler: (any ConnectionHandler)?
  var isOpeningUntold = false
  var isEndTold = false
  var isWriterWaiting = false
  var isPaused = false
  var failure: NetworkError?
  var isPumpCalled = false
  /// The listener that has not handed the connection over yet.
  weak var listener: SimulatedListener?

  enum State {
    case synSent, synReceived
    /// Also while either direction has ended.
    case established
    /// Forgotten by the kernel.
    case closed
  }

  init(
    _ kernel: HostKernel, local: Endpoint, remote: Endpoint, link: SimulatedLink?, state: State,
    options: ConnectionOptions
  ) {
    (self.kernel, localEndpoint, remoteEndpoint) = (kernel, local, remote)
    (self.link, self.state, self.options) = (link, state, options)
  }

  var key: ConnectionKey { ConnectionKey(local: localEndpoint, remote: remoteEndpoint) }
  var now: Int64 { kernel.scheduler.now }
  /// Whether an app holds the connection, or will once it is accepted.
  var isHeld: Bool { handler != nil || listener != nil }

  func write(_ bytes: Span<UInt8>) throws(NetworkError) -> Int {
    guard kernel.isUp else { throw writeError(.hostDown, errno: 100) }
    guard handler != nil, failure == nil, !outbound.isEnding else {
      throw writeError(.brokenPipe, errno: 32)
    }
    guard state == .established else { throw writeError(.notConnected, errno: 107) }
    let count = outbound.append(bytes)
    counters.writtenBytes += count
    if count < bytes.count { isWriterWaiting = true }
    transmit()
    return count
  }

  private func writeError(_ code: NetworkError.Code, errno: Int32) -> NetworkError {
    NetworkError(code, call: "write \(remoteEndpoint)", errno: errno)
  }

  func finishWriting() {
    guard handler != nil, state == .established, !outbound.isEnding else { return }
    outbound.finish()
    transmit()
  }

  func pauseReading() { isPaused = true }

  func resumeReading() {
    guard isPaused else { return }
    isPaused = false
    callPump()
  }

  func close() {
    guard handler != nil else { return }
    guard state == .established, inbound.unread.isEmpty else { return reset() }
    handler = nil
    outbound.finish()
    transmit()
    settle()
  }

  func reset() {
    guard handler != nil else { return }
    if state == .established { send(.rst) }
    handler = nil
    forget()
  }

  /// Takes the connection out of the kernel; nothing is sent any more.
  func forget() {
    guard state != .closed else { return }
    state = .closed
    timer = nil
    listener?.drop(self)
    kernel.connections.remove(key)
  }

  /// The connection is gone; the app is told behind all that it has yet to hear.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    let call = state == .synSent ? "connect" : "read"
    failure = NetworkError(code, call: "\(call) \(remoteEndpoint)", errno: errno)
    forget()
    if handler != nil { callPump() }
  }
}

extension SimulatedConnection {
  /// Has the app told, behind what is ready to run.
  func callPump() {
    guard !isPumpCalled, handler != nil else { return }
    isPumpCalled = true
    kernel.process.perform { [self] in
      isPumpCalled = false
      pump()
    }
  }

  /// Tells the app what happened, in order, as far as it wants to hear.
  private func pump() {
    if isOpeningUntold, let handler {
      isOpeningUntold = false
      handler.connectionOpened(self)
    }
    pumpBytes()
    if inbound.isEnded, inbound.unread.isEmpty, !isEndTold, !isPaused, let handler {
      isEndTold = true
      handler.connectionReceivedEnd(self)
    }
    if isWriterWaiting, failure == nil, outbound.isWorthWriting, let handler {
      isWriterWaiting = false
      handler.connectionBecameWritable(self)
    }
    if let failure, let handler {
      self.handler = nil
      handler.connection(self, failed: failure)
    }
  }

  private func pumpBytes() {
    while !isPaused, !inbound.unread.isEmpty, let handler {
      let bytes = inbound.take(atMost: 65_536)
      handler.connection(self, received: bytes.span)
    }
    guard state == .established, !inbound.isEnded else { return }
    let isWorthTelling = inbound.window - advertisedWindow >= inbound.bufferBytes / 4
    if isWorthTelling, advertisedWindow < inbound.bufferBytes / 2 { send(.ack) }
  }
}
