import Synchronization

/// What a datagram channel has received, and the task that waits for it.
///
/// A datagram that a task waits for is laid aside for it and never stored; the task finds it when it is resumed, since what
/// a continuation hands over is moved through memory several times. One timer serves all waits:
/// while it is armed for an earlier time than needed it is left alone, and goes on to the deadline of the
/// wait that it finds.
final class DatagramInbox: DatagramHandler {
  typealias Waiter = UnsafeContinuation<Void, Never>
  fileprivate struct State {
    // What every datagram touches comes first.
    var waiter: Waiter?
    var deadline = Instant.distantFuture
    var armedFor = Instant.distantFuture
    var stored: [Datagram] = []
    var taken = 0
    var timer: (any NetworkTimer)?
    /// What the task finds that has waited.
    ///
    /// In two parts, since an optional datagram is destroyed by way of its metadata even where there is none.
    var handedBytes: [UInt8]?
    var handedHeader: DatagramHeader?
    var error: NetworkError?
    var lostCount = 0

    /// How many datagrams are stored.
    var count: Int { stored.count - taken }
    var isEmpty: Bool { count == 0 }
  }
  private let state = Mutex(State())
  /// How many datagrams are stored, to be read without the lock.
  private let storedCount = Atomic(0)
  private let host: any NetworkHost
  private let capacity: Int
  private let gauge: QueueGauge?

  init(_ host: any NetworkHost, capacity: Int) {
    let capacity = capacity.clamped(to: 1...Self.capacityMax)
    (self.host, self.capacity) = (host, capacity)
    gauge = host.gauge("datagrams that a channel stores", atMost: capacity)
  }

  private static let capacityMax = 65_536

  var lostCount: Int { state.withLock { $0.lostCount } }

  /// The oldest datagram that is stored.
  func takeNext() -> Datagram? {
    // Most calls find none; what is missed here, the wait finds.
    if storedCount.load(ordering: .relaxed) == 0 { return nil }
    return state.withLock { takeNext(of: &$0) }
  }

  private func takeNext(of state: inout State) -> Datagram? {
    defer { storedCount.store(state.count, ordering: .relaxed) }
    return state.takeNext(capacity: capacity)
  }

  /// What the task was handed that has waited, if anything.
  func takeHanded() -> Datagram? { state.withLock { $0.takeHanded() } }

  /// Throws if no more can come.
  func check() throws(NetworkError) {
    if let error = state.withLock({ $0.error }) { throw error }
  }

  /// Stores the task that waits, or resumes it at once when there is something to take, or nothing to wait for; what it is
  /// handed, it takes then.
  func wait(_ waiter: Waiter, until deadline: Instant) {
    let (isWaiting, timer) = state.withLock { state -> (Bool, (any NetworkTimer)?) in
      precondition(state.waiter == nil, "two tasks receive from one channel")
      guard state.isEmpty, state.error == nil else {
        if let next = takeNext(of: &state) { state.hand(next.bytes, next.header) }
        return (false, nil)
      }
      (state.waiter, state.deadline) = (waiter, deadline)
      return (true, timerToArm(for: deadline, &state))
    }
    if isWaiting { timer?.arm(at: deadline) } else { waiter.resume() }
  }

  /// Ends the wait without a datagram.
  func wake() {
    let waiter = state.withLock { $0.waiter.take() }
    waiter?.resume()
  }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let waiter = state.withLock { state in
      if let waiter = state.waiter.take() {
        state.hand([UInt8](copying: bytes), header)
        return Optional(waiter)
      }
      state.store(
        Datagram(bytes: [UInt8](copying: bytes), header: header), capacity: capacity)
      storedCount.store(state.count, ordering: .relaxed)
      gauge?.note(state.count)
      return nil
    }
    waiter?.resume()
  }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) { fail(error) }

  /// Ends every wait, and releases the timer, which holds the inbox; from any thread.
  func fail(_ error: NetworkError) {
    let timer = state.withLock { state in
      state.error = state.error ?? error
      return state.timer.take()
    }
    withExtendedLifetime(timer) {}  // Released outside of the lock, which disarms it.
    wake()
  }
}

extension DatagramInbox {
  /// The timer, if it has to be armed for a deadline.
  private func timerToArm(for deadline: Instant, _ state: inout State) -> (any NetworkTimer)? {
    guard state.armedFor > deadline, state.error == nil else { return nil }
    state.armedFor = deadline
    if state.timer == nil { state.timer = host.makeTimer { [self] in timerFired() } }
    return state.timer
  }

  private func timerFired() {
    let now = host.isUp ? host.now : .distantFuture
    let (next, timer) = state.withLock { state -> (Instant?, (any NetworkTimer)?) in
      state.armedFor = .distantFuture
      guard state.waiter != nil, state.deadline > now else { return (nil, nil) }
      return (state.deadline, timerToArm(for: state.deadline, &state))
    }
    if let next { timer?.arm(at: next) } else { wake() }
  }
}

extension DatagramInbox.State {
  fileprivate mutating func hand(_ bytes: [UInt8], _ header: DatagramHeader) {
    (handedBytes, handedHeader) = (bytes, header)
  }

  fileprivate mutating func takeHanded() -> Datagram? {
    guard let bytes = handedBytes.take(), let header = handedHeader else { return nil }
    return Datagram(bytes: bytes, header: header)
  }

  fileprivate mutating func takeNext(capacity: Int) -> Datagram? {
    guard !isEmpty else { return nil }
    let datagram = stored[taken]
    taken += 1
    if isEmpty || taken > capacity {
      stored.removeFirst(taken)
      taken = 0
    }
    return datagram
  }

  fileprivate mutating func store(_ datagram: Datagram, capacity: Int) {
    if count < capacity { stored.append(datagram) } else { lostCount += 1 }
  }
}
