import EarshotNetwork

/// A TCP connection of the system.
///
/// Sendable because its state is used on the loop's thread alone: `close` and the like go there from other threads, and
/// what else a program calls traps on them, as ``EventLoop/check(_:)`` sees to.
final class POSIXConnection: Connection, HostSocket, @unchecked Sendable {
  private let host: POSIXHostState
  private var descriptor: Int32
  private var handler: (any ConnectionHandler)?
  private var state: State
  private var interest: Interest
  private var isPaused = false
  private var hasEnded = false
  private var hasFinished = false
  /// Why writing failed; what was received before is handed over first.
  private var failure: SystemFailure?
  private var connectTimer: LoopTimer?
  /// The options to begin again with, by the routes of the system, if the first attempt fails.
  private var secondAttempt: ConnectionOptions?
  /// How many segments had been sent again when the connection ended.
  private var lastRetransmissionCount: UInt64?
  private(set) var localEndpoint: Endpoint
  let remoteEndpoint: Endpoint
  var number = 0

  private enum State { case connecting, open, gone }

  /// How many reads one turn of the loop does for a connection, so that others have theirs.
  private static let readsMax = 4

  /// Begins a connection.
  init(
    _ host: POSIXHostState, to endpoint: Endpoint, _ options: ConnectionOptions,
    _ handler: any ConnectionHandler
  ) throws(SystemFailure) {
    guard endpoint.port > 0 else { throw .invalidArgument }
    (self.host, self.handler) = (host, handler)
    (state, interest) = (.connecting, .writing)
    (localEndpoint, remoteEndpoint) = (Endpoint(endpoint.address.family.any, port: 0), endpoint)
    let options = options.bounded
    let detour = options.firstInterface.flatMap {
      System.leads(to: endpoint.address, elsewhereThan: $0) ? $0 : nil
    }
    descriptor = -1
    if let detour, (try? begin(options, keptTo: detour)) != nil {
      secondAttempt = options
    } else {
      try begin(options, keptTo: nil)
    }
    let timer = LoopTimer(host) { [weak self] in self?.connectTimedOut() }
    let patience = secondAttempt == nil ? options.connectTimeout : options.connectTimeout / 2
    timer.arm(at: Instant(nanoseconds: System.now) + patience)
    connectTimer = timer
  }

  /// Opens a socket and has it connect, by one interface or by the routes of the system.
  private func begin(
    _ options: ConnectionOptions, keptTo interface: UInt32?
  ) throws(SystemFailure) {
    var failure: SystemFailure?
    let descriptor = try System.openSocket(remoteEndpoint.address, .stream) {
      descriptor throws(SystemFailure) in
      Self.apply(options, to: descriptor)
      if let interface { try System.keep(descriptor, to: interface) }
      do throws(SystemFailure) {
        try System.connect(descriptor, remoteEndpoint)
      } catch {
        if error.concernsRemote { failure = error } else if error != .inProgress { throw error }
      }
    }
    try host.adopt(descriptor, interest, self)
    (self.descriptor, self.failure) = (descriptor, failure)
  }

  /// The attempt to connect has failed: begins again by the routes of the system, if it was kept to
  /// an interface.
  private func attemptFailed(_ failure: SystemFailure) {
    guard let options = secondAttempt else { return fail(failure) }
    secondAttempt = nil
    host.release(descriptor, of: self)
    descriptor = -1
    do throws(SystemFailure) {
      try begin(options, keptTo: nil)
      connectTimer?.arm(at: Instant(nanoseconds: System.now) + options.connectTimeout / 2)
    } catch {
      fail(error)
    }
  }

  /// Takes over an accepted connection.
  init(
    _ host: POSIXHostState, accepted descriptor: Int32, from remote: Endpoint, at listener: Endpoint
  ) {
    (self.host, self.descriptor) = (host, descriptor)
    (state, interest) = (.open, .reading)
    localEndpoint = System.localEndpoint(descriptor) ?? listener
    remoteEndpoint = remote
    Self.apply(ConnectionOptions(userTimeout: nil), to: descriptor)
  }

  /// Begins to hand over what an accepted connection receives.
  func start(_ handler: any ConnectionHandler) {
    guard state == .open else { return }  // The handler's making may have closed it.
    self.handler = handler
    do throws(SystemFailure) {
      try host.adopt(descriptor, interest, self)
    } catch {
      descriptor = -1
      (state, self.handler) = (.gone, nil)
      host.loop.call { [self] in
        handler.connection(self, failed: error.error("accept \(remoteEndpoint)"))
      }
    }
  }

  private func failSoon(_ failure: SystemFailure) {
    host.loop.call { [self] in fail(failure) }
  }

  /// What a system without these options lacks, it has to do without.
  private static func apply(_ options: ConnectionOptions, to descriptor: Int32) {
    try? System.set(descriptor, .noDelay, to: 1)
    guard let timeout = options.bounded.userTimeout else { return }
    #if canImport(Darwin)
      let value = max(1, timeout.components.seconds)
    #else
      let value = timeout.nanoseconds / 1_000_000
    #endif
    try? System.set(descriptor, .userTimeout, to: Int32(clamping: value))
  }

  // MARK: What the loop says

  func ready(_ readiness: Readiness) {
    if state == .connecting { return finishConnecting() }
    if readiness.contains(.readable), interest.contains(.reading) { read() }
    if state == .open, readiness.contains(.writable), interest.contains(.writing) {
      becomeWritable()
    }
    if state == .open, readiness.contains(.over), !interest.contains(.reading) { lookForFailure() }
  }

  private func finishConnecting() {
    if let failure = failure ?? System.pendingFailure(descriptor) { return attemptFailed(failure) }
    let local = System.localEndpoint(descriptor) ?? localEndpoint
    // The system may have given the port that was dialled to this very connection.
    guard local != remoteEndpoint else { return fail(.refused) }
    (state, localEndpoint, connectTimer, secondAttempt) = (.open, local, nil, nil)
    setInterest(isPaused ? [] : .reading)
    handler?.connectionOpened(self)
  }

  private func connectTimedOut() {
    if state == .connecting { attemptFailed(.timedOut) }
  }

  private func read() {
    let buffer = host.loop.buffer
    var (count, hasReceived) = (buffer.count, false)
    do throws(SystemFailure) {
      for _ in 0..<Self.readsMax where state == .open && !isPaused && count == buffer.count {
        count = try System.receive(descriptor, buffer)
        guard count > 0 else { break }
        hasReceived = true
        let bytes = Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        handler?.connection(self, received: bytes)
      }
      if hasReceived { handler?.connectionReceivedAll(self) }
      if count == 0, state == .open, !isPaused { receiveEnd() }
    } catch {
      if hasReceived { handler?.connectionReceivedAll(self) }
      if !error.isTemporary { fail(error) }
    }
  }

  private func receiveEnd() {
    if let failure { return fail(failure) }
    hasEnded = true
    setInterest(interest.subtracting(.reading))
    handler?.connectionReceivedEnd(self)
  }

  private func becomeWritable() {
    setInterest(interest.subtracting(.writing))
    handler?.connectionBecameWritable(self)
  }

  /// Nothing is read, so the reason why the connection is gone would not be seen.
  private func lookForFailure() {
    if let failure = failure ?? System.pendingFailure(descriptor) { fail(failure) }
  }

  private func setInterest(_ wanted: Interest) {
    guard wanted != interest else { return }
    interest = wanted
    if number > 0 { host.loop.change(descriptor, to: wanted) }  // Else it is not on the loop yet.
  }

  // MARK: What the owner says

  func write(_ bytes: Span<UInt8>) throws(NetworkError) -> Int {
    host.loop.check("a connection")
    guard state == .open, !hasFinished, failure == nil else {
      let failure: SystemFailure = state == .connecting ? .notConnected : .brokenPipe
      throw failure.error("send \(remoteEndpoint)")
    }
    guard !bytes.isEmpty else { return 0 }
    do throws(SystemFailure) {
      let count = try System.send(descriptor, bytes)
      if count < bytes.count { setInterest(interest.union(.writing)) }
      return count
    } catch {
      if error.isTemporary || error.isOutOfBuffers {
        setInterest(interest.union(.writing))
        return 0
      }
      writingFailed(error)
      throw SystemFailure.brokenPipe.error("send \(remoteEndpoint)")
    }
  }

  var progress: TransportProgress {
    host.loop.check("a connection")
    return state == .open
      ? System.progress(descriptor)
      : TransportProgress(retransmissionCount: lastRetransmissionCount)
  }

  /// The failure comes to light behind what was received before, or soon if nothing is read.
  private func writingFailed(_ failure: SystemFailure) {
    self.failure = failure
    if isPaused || hasEnded { failSoon(failure) }
  }

  func finishWriting() {
    host.loop.check("a connection")
    guard state == .open, !hasFinished else { return }
    hasFinished = true
    setInterest(interest.subtracting(.writing))
    System.finishWriting(descriptor)
  }

  func pauseReading() {
    host.loop.check("a connection")
    isPaused = true
    if state == .open { setInterest(interest.subtracting(.reading)) }
  }

  func resumeReading() {
    host.loop.check("a connection")
    isPaused = false
    if state == .open, !hasEnded { setInterest(interest.union(.reading)) }
  }

  func close() { end(resetting: false) }

  func reset() { end(resetting: true) }

  private func end(resetting: Bool) {
    host.loop.perform { [self] in
      if state != .gone, resetting { System.makeCloseReset(descriptor) }
      release()
    }
  }

  // MARK: The end

  private func fail(_ failure: SystemFailure) {
    let verb = state == .connecting ? "connect" : failure == self.failure ? "send" : "recv"
    let call = "\(verb) \(remoteEndpoint)"
    // What a reset is called behind the end of the other direction.
    guard failure != .brokenPipe else {
      return fail(NetworkError(.connectionReset, call: call, errno: failure.number))
    }
    fail(failure.error(call))
  }

  func fail(_ error: NetworkError) {
    guard state != .gone else { return }
    let handler = handler
    release()
    handler?.connection(self, failed: error)
  }

  private func release() {
    guard state != .gone else { return }
    if state == .open { lastRetransmissionCount = System.progress(descriptor).retransmissionCount }
    (state, handler, connectTimer) = (.gone, nil, nil)
    if descriptor >= 0 { host.release(descriptor, of: self) }
    descriptor = -1
  }
}
