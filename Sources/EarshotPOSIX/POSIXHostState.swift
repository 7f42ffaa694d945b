import EarshotNetwork

/// What belongs to one host on a loop: whether it is up, its sockets, and its observers.
///
/// Sendable because its state is used on the loop's thread alone: ``POSIXHost`` comes there to shut it down, and
/// ``EventLoop/check(_:)`` traps on other threads before anything is opened or observed. The list of interfaces, which
/// is read from anywhere, has a lock of its own.
final class POSIXHostState: @unchecked Sendable {
  let loop: EventLoop
  let interfaces: InterfaceList
  private(set) var isUp = true
  private var sockets: [ObjectIdentifier: any HostSocket] = [:]
  private var observers: [Subject: [Int: @Sendable () -> Void]] = [:]
  private var lastObserver = 0
  private var lastSocket = 0
  private var interfaceMonitor: InterfaceMonitor?
  private var sleepMonitor: SleepMonitor?

  init(_ loop: EventLoop, _ interfaces: InterfaceList) {
    (self.loop, self.interfaces) = (loop, interfaces)
  }

  // MARK: Sockets

  /// Has the loop watch the descriptor of a new socket; closes it if that cannot be done.
  func adopt(
    _ descriptor: Int32, _ interest: Interest, _ socket: any HostSocket
  ) throws(SystemFailure) {
    do throws(SystemFailure) {
      try loop.add(descriptor, interest, socket)
    } catch {
      System.close(descriptor)
      throw error
    }
    lastSocket += 1
    socket.number = lastSocket
    sockets[ObjectIdentifier(socket)] = socket
  }

  /// Closes the descriptor of a socket, which has none from now on.
  func release(_ descriptor: Int32, of socket: any HostSocket) {
    sockets[ObjectIdentifier(socket)] = nil
    loop.remove(descriptor)
    System.close(descriptor)
  }

  func checkUp(_ call: @autoclosure () -> String) throws(NetworkError) {
    loop.check("a host")
    guard isUp else { throw Self.hostDown(call()) }
  }

  static func hostDown(_ call: String) -> NetworkError {
    NetworkError(.hostDown, call: call, errno: SystemFailure.networkDown.number)
  }

  // MARK: Observing

  enum Subject { case shutdown, interfaces, waking }

  func observe(_ subject: Subject, _ body: @escaping @Sendable () -> Void) -> LoopObservation {
    loop.check("a host")
    lastObserver += 1
    let number = lastObserver
    observers[subject, default: [:]][number] = body
    return LoopObservation(self, number)
  }

  func forgetObserver(_ number: Int) {
    for subject in observers.keys { observers[subject]?[number] = nil }
  }

  /// Watches the interfaces, and the sleep of the computer, from now on.
  func watchSystem() {
    interfaceMonitor = InterfaceMonitor(self)
    watchSleep(every: .seconds(10)) { System.asleep }
  }

  /// Watches the sleep of the computer from now on.
  ///
  /// - Parameters:
  ///   - interval: How often to look.
  ///   - asleep: How many nanoseconds the computer has slept so far.
  func watchSleep(every interval: Duration, by asleep: @escaping @Sendable () -> Int64) {
    sleepMonitor = SleepMonitor(self, every: interval, by: asleep)
  }

  /// Tells those who observe something, in the order in which they began.
  func tell(_ subject: Subject) {
    for number in (observers[subject] ?? [:]).keys.sorted() { observers[subject]?[number]?() }
  }

  // MARK: The end

  /// Closes everything and tells all handlers and observers; nothing works from now on.
  func shutDown() {
    guard isUp else { return }
    isUp = false
    interfaceMonitor?.close()
    (interfaceMonitor, sleepMonitor) = (nil, nil)
    for socket in sockets.values.sorted(by: { $0.number < $1.number }) {
      socket.fail(Self.hostDown("shut down"))
    }
    for record in loop.timers.armed(of: self) { record.fall() }
    tell(.shutdown)
    observers = [:]
  }
}

/// A socket of a host, which ends with it.
protocol HostSocket: EventSource {
  /// The place among the sockets in the order of their making.
  var number: Int { get set }
  /// Closes the descriptor, and tells the handler why.
  func fail(_ error: NetworkError)
}

/// What ends an observation, from any thread.
final class LoopObservation: NetworkObservation {
  private let host: POSIXHostState
  private let number: Int

  init(_ host: POSIXHostState, _ number: Int) { (self.host, self.number) = (host, number) }

  deinit { cancel() }

  func cancel() {
    host.loop.perform { [host, number] in host.forgetObserver(number) }
  }
}
