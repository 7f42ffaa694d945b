/// One host of a simulated world, from its start to its crash.
///
/// Sendable as its world is: used by the thread that drives the world alone.
public final class SimulatedHost: NetworkHost, @unchecked Sendable {
  // Small numbers side by side: a world may have tens of thousands of hosts.
  let kernel: HostKernel
  private var observerCount: Int32 = 0
  /// The executor of everything on this host.
  public let executor: NetworkExecutor
  private var tasks = TaskRegistry()
  private var shutdownObservers: [Int32: @Sendable () -> Void] = [:]
  private var interfaceObservers: [Int32: @Sendable () -> Void] = [:]
  private var systemObserver: (@Sendable (SystemNotice) -> Void)?
  /// Whether its program knows that it is, or will be, suspended.
  private(set) var isToldOfSuspension = false
  /// Its work that blocks.
  private(set) lazy var offloadedWork = OffloadedWork(kernel, disk, random("offload"))

  init(_ name: String, index: Int, generation: Int32, over fabric: Fabric) {
    let process = HostProcess(name, index, generation: generation, fabric.scheduler)
    var random = RandomStream(seed: fabric.seed, name: "ports \(name)#\(generation)")
    kernel = HostKernel(process, fabric, ports: PortAllocator(&random))
    let task = HostTaskExecutor(process)
    executor = NetworkExecutor(serial: HostSerialExecutor(process, beside: task), task: task)
  }

  var process: HostProcess { kernel.process }

  var index: Int { process.index }

  var generation: Int32 { process.generation }

  /// The name of the host.
  public var name: String { process.name }

  /// The IPv4 address of the host.
  public var address: IPAddress { kernel.fabric.hosts.addressV4(of: index) }

  /// The time of this host's clock, which is the world's unless a fault changes it.
  public var now: Instant { Instant(nanoseconds: process.now) }

  /// The time of the world.
  public var worldTime: Instant { kernel.scheduler.instant }

  /// What takes in the statements of the host's code.
  public var instrumentation: Instrumentation? {
    kernel.scheduler.checkThread("a statement of host '\(name)'")
    return kernel.fabric.watch.instrumentation
  }

  /// TLS 1.3 with keys and randomness from the host's streams when the world is secure, otherwise none.
  public var linkSecurity: LinkSecurity { kernel.fabric.configuration.isSecure ? .seeded : .plain }

  /// Whether the host lives: it has not crashed, and the world has not ended.
  public var isUp: Bool { kernel.isUp }

  /// The one interface of the host; none while a fault takes it away.
  public var interfaces: [NetworkInterface] {
    guard isUp, !kernel.isUnplugged else { return [] }
    let hosts = kernel.fabric.hosts
    let addresses = [hosts.addressV4(of: index), hosts.addressV6(of: index)]
    return [
      NetworkInterface(
        index: 1, name: "en0", addresses: addresses,
        networks: [
          AddressRange(addresses[0], bits: 8), AddressRange(addresses[1], bits: 64),
        ])
    ]
  }

  /// Calls back after every change of ``interfaces``.
  public func observeInterfaces(_ changed: @escaping @Sendable () -> Void)
    -> any NetworkObservation
  {
    observerCount += 1
    let number = observerCount
    interfaceObservers[number] = changed
    // Who observes the host holds it. With a weak reference each retain and release of the host would be slower.
    return SimulatedObservation { [self] in interfaceObservers[number] = nil }
  }

  /// Tells the observers that the interfaces have changed, in the order in which they began.
  func tellInterfaces() {
    for (_, observer) in interfaceObservers.sorted(by: { $0.key < $1.key }) {
      process.perform(observer)
    }
  }

  /// Has the program of the host hear what the system tells it, in the place of what heard it before.
  ///
  /// - Parameter observer: Called as code of the host, when the system tells something; a host that does not run hears
  ///   nothing.
  public func observeSystem(_ observer: @escaping @Sendable (SystemNotice) -> Void) {
    systemObserver = observer
  }

  /// Tells the program something.
  func tell(_ notice: SystemNotice) {
    switch notice {
    case .willSuspend: isToldOfSuspension = true
    case .didResume: isToldOfSuspension = false
    case .willTerminate, .hide, .show: break
    }
    guard let systemObserver, process.condition != .crashed else { return }
    process.scheduler.run(as: process) { systemObserver(notice) }
  }

  /// Does something as code of the host, at once: looks at what its actors hold, from outside of the hosts.
  package func perform(_ body: () -> Void) { process.scheduler.run(as: process, body) }

  /// Lets the code go on, and gives the sockets what arrived in the meantime.
  func letGoOn() {
    process.goOn()
    for socket in kernel.datagramSockets.all {
      process.perform { socket.deliverBacklog() }
    }
  }

  /// Calls back at the end of the world, also on a host that has crashed before.
  public func observeShutdown(_ shutDown: @escaping @Sendable () -> Void)
    -> any NetworkObservation
  {
    observerCount += 1
    let number = observerCount
    shutdownObservers[number] = shutDown
    return SimulatedObservation { [self] in shutdownObservers[number] = nil }
  }

  /// Tells the observers that the host is down, in the order in which they began.
  func tellShutdown() {
    let observers = shutdownObservers.sorted { $0.key < $1.key }.map(\.value)
    shutdownObservers = [:]
    for observer in observers { process.perform(observer) }
  }

  /// The stream of random numbers of one concern on this host.
  public func random(_ name: String) -> RandomStream { process.random(name) }

  /// A timer that is not armed yet.
  public func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer {
    SimulatedTimer(kernel, fire)
  }

  /// A signal; raising it from a thread that does not drive the world traps.
  public func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal {
    SimulatedSignal(process, fire)
  }
}

// MARK: Tasks

extension SimulatedHost: TaskHost {
  package func start<Success: Sendable>(
    _ name: String, _ outcome: TaskOutcome<Success>,
    _ operation: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error> { spawn(name, outcome, operation).1 }

  /// Starts a task on this host.
  ///
  /// The end of the world cancels it, and waits for its end.
  ///
  /// - Parameters:
  ///   - name: The name of the task, for messages about it.
  ///   - operation: The task's code.
  /// - Returns: The task, which need not be kept; its value can be read when it has ended. An error
  ///   is one of ``World/unawaitedErrors`` until the result is read.
  @discardableResult
  public func addTask<Success: Sendable>(
    _ name: String, _ operation: @escaping @Sendable () async throws -> Success
  ) -> SimulatedTask<Success> {
    let outcome = TaskOutcome<Success>()
    let (spawned, task) = spawn(name, outcome, operation)
    return SimulatedTask(spawned, task, outcome)
  }

  private func spawn<Success: Sendable>(
    _ name: String, _ outcome: TaskOutcome<Success>,
    _ operation: @escaping @Sendable () async throws -> Success
  ) -> (SpawnedTask, Task<Success, any Error>) {
    let scheduler = kernel.scheduler
    scheduler.enter()
    let number = tasks.takeNumber()
    let spawned = SpawnedTask(name, on: process)
    // The task inherits the value; around the operation, it would cost each task a kilobyte of frames.
    let task = SpawnedTask.$current.withValue(spawned) {
      scheduler.registering(spawned) {
        Task(name: name, executorPreference: executor.task) { [self] in
          let result: Result<Success, any Error>
          do { result = .success(try await operation()) } catch { result = .failure(error) }
          tasks.remove(number)
          scheduler.noteEnd(of: spawned)
          if case .failure(let error) = result, !Task.isCancelled {
            note(error, of: spawned, outcome)
          }
          outcome.set(result)
          return try result.get()
        }
      }
    }
    tasks.add(number, spawned) { task.cancel() }
    return (spawned, task)
  }

  private func note<Success: Sendable>(
    _ error: any Error, of task: SpawnedTask, _ outcome: TaskOutcome<Success>
  ) {
    guard kernel.fabric.watch.instrumentation.isOpen else { return }
    let error = UnawaitedError(task: task.name, host: name, time: worldTime, error: error)
    kernel.fabric.watch.taskErrors.add(error) { outcome.isAskedFor }
  }

  /// The tasks that were spawned and have not ended, the oldest first.
  var waitingTasks: [SpawnedTask] { tasks.waiting }

  /// Cancels the tasks that were spawned and have not ended, the oldest first.
  func cancelTasks() { tasks.cancelAll() }
}

// MARK: Sockets

extension SimulatedHost {
  /// Opens a UDP socket.
  ///
  /// - Parameters:
  ///   - endpoint: The local endpoint. Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - options: Sharing of the port, and how multicast is sent.
  ///   - handler: The object that datagrams are handed to; held until the socket is closed.
  /// - Returns: The socket, which receives from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `hostDown`.
  public func openDatagramSocket(
    on endpoint: Endpoint, options: DatagramOptions, handler: any DatagramHandler
  ) throws(NetworkError) -> any DatagramSocket {
    try kernel.openDatagramSocket(on: endpoint, options: options, handler: handler)
  }

  /// The number of UDP sockets that have a port.
  public func datagramSocketCount(at port: UInt16) -> Int? {
    kernel.datagramSockets.count(at: port)
  }

  /// Accepts TCP connections.
  ///
  /// - Parameters:
  ///   - endpoint: The local endpoint. Port 0 chooses a free port; an unspecified address stands for all addresses.
  ///   - handler: The object that connections are handed to; held until the listener is closed.
  /// - Returns: The listener, which accepts from now on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `hostDown`.
  public func listen(
    on endpoint: Endpoint, handler: any ListenerHandler
  ) throws(NetworkError) -> any Listener {
    try kernel.listen(on: endpoint, handler: handler)
  }

  /// Begins a TCP connection; the handler is told when it is open or has failed.
  ///
  /// An address of the segment that no host has fails with `hostUnreachable` after the time that the world's
  /// configuration says; a host that has crashed is as silent as one behind a cut, which is `timedOut`.
  ///
  /// - Parameters:
  ///   - endpoint: The remote endpoint.
  ///   - options: Timeouts of the transport.
  ///   - handler: The object that hears of the connection; held until the connection is closed or has failed.
  /// - Returns: The connection, which is not open yet.
  /// - Throws: `invalidArgument`, `networkUnreachable`, `hostDown`.
  public func connect(
    to endpoint: Endpoint, options: ConnectionOptions, handler: any ConnectionHandler
  ) throws(NetworkError) -> any Connection {
    try kernel.connect(to: endpoint, options: options, handler: handler)
  }
}
