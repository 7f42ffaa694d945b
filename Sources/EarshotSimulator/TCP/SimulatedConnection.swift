/// A TCP connection of a simulated host: the kernel's part, and the face that the app sees of it.
///
/// The kernel's part lives on behind a face that was closed, until all is sent and acknowledged; and it
/// works on while the host is frozen. Sendable as its engine is: one thread drives both.
final class SimulatedConnection: Connection, @unchecked Sendable {
  private(set) var localEndpoint: Endpoint
  let remoteEndpoint: Endpoint
  let host: SimulatedNetwork
  let link: Link?
  let options: ConnectionOptions
  var state: State
  var outbound = OutboundStream()
  var inbound = InboundStream()
  var clock = RetransmissionClock()
  var deadlines = Deadlines()
  var timer: KernelTimer?
  /// The window that the other side knows of.
  var advertisedWindow = InboundStream.bufferBytes
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
    /// We have sent our SYN.
    case opening
    /// We have answered a SYN.
    case answering
    case open
    /// Forgotten by the kernel.
    case gone
  }

  init(
    _ host: SimulatedNetwork, local: Endpoint, remote: Endpoint, link: Link?, state: State,
    options: ConnectionOptions
  ) {
    (self.host, localEndpoint, remoteEndpoint) = (host, local, remote)
    (self.link, self.state, self.options) = (link, state, options)
  }

  var key: ConnectionKey { ConnectionKey(local: localEndpoint, remote: remoteEndpoint) }
  var engine: Engine { host.engine }
  /// Whether an app holds the connection, or will once it is accepted.
  var isHeld: Bool { handler != nil || listener != nil }

  func write(_ bytes: Span<UInt8>) throws(NetworkError) -> Int {
    guard host.isUp else { throw writeError(.hostDown, errno: 100) }
    guard handler != nil, failure == nil, !outbound.isEnding else {
      throw writeError(.brokenPipe, errno: 32)
    }
    guard state == .open else { throw writeError(.notConnected, errno: 107) }
    let count = outbound.append(bytes)
    if count < bytes.count { isWriterWaiting = true }
    transmit()
    return count
  }

  private func writeError(_ code: NetworkError.Code, errno: Int32) -> NetworkError {
    NetworkError(code, call: "write \(remoteEndpoint)", errno: errno)
  }

  func finishWriting() {
    guard handler != nil, state == .open, !outbound.isEnding else { return }
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
    guard state == .open, inbound.unread.isEmpty else { return reset() }
    handler = nil
    outbound.finish()
    transmit()
    settle()
  }

  func reset() {
    guard handler != nil else { return }
    if state == .open { send(.rst) }
    handler = nil
    forget()
  }

  /// Takes the connection out of the kernel; nothing is sent any more.
  func forget() {
    guard state != .gone else { return }
    state = .gone
    timer = nil
    listener?.drop(self)
    host.connections[key] = nil
  }

  /// The connection is gone; the app is told behind all that it has yet to hear.
  func fail(_ code: NetworkError.Code, errno: Int32) {
    let call = state == .opening ? "connect" : "read"
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
    host.life.perform { [self] in
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
    if isWriterWaiting, failure == nil, outbound.room >= OutboundStream.bufferBytes / 3, let handler
    {
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
    guard state == .open, !inbound.isEnded else { return }
    let isWorthTelling = inbound.window - advertisedWindow >= InboundStream.bufferBytes / 4
    if isWorthTelling, advertisedWindow < InboundStream.bufferBytes / 2 { send(.ack) }
  }
}
