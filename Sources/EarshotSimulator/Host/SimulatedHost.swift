/// One host of a simulated world, from its start to its crash.
///
/// Sendable as its world is: one thread drives both.
public final class SimulatedHost: NetworkHost, @unchecked Sendable {
  let life: Incarnation
  let engine: Engine
  /// Where everything of this host runs.
  public let executor: NetworkExecutor
  var sockets: [SimulatedDatagramSocket] = []
  var listeners: [SimulatedListener] = []
  var connections: [ConnectionKey: SimulatedConnection] = [:]
  /// Sockets that are gone, whose handlers have not been told.
  var defunct: [any HostSocket] = []
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var shutdownObservers: [Int: @Sendable () -> Void] = [:]
  private var shutdownCount = 0
  private var taskCount = 0
  private var nextPort: UInt16
  let generation: Int

  init(_ name: String, index: Int, generation: Int, engine: Engine) {
    life = Incarnation(name, index, engine)
    self.engine = engine
    self.generation = generation
    var random = RandomStream(seed: engine.seed, name: "ports \(name)#\(generation)")
    nextPort = 49_152 + UInt16(random.below(16_384))
    let task = TaskDoor(life)
    executor = NetworkExecutor(serial: SerialDoor(life, beside: task), task: task)
  }

  /// The host's name.
  public var name: String { life.name }

  var index: Int { life.index }

  /// The host's IPv4 address.
  public var address: IPAddress { Fabric.addressV4(of: index) }

  /// The time of this host's clock.
  public var now: Instant { engine.instant }

  /// Whether the host lives: it has not crashed, and the world has not ended.
  public var isUp: Bool { life.condition != .crashed && engine.isOpen }

  /// The one interface of the host.
  public var interfaces: [NetworkInterface] {
    guard isUp else { return [] }
    return [
      NetworkInterface(
        index: 1, name: "en0",
        addresses: [Fabric.addressV4(of: index), Fabric.addressV6(of: index)],
        networks: [
          AddressRange(Fabric.addressV4(of: index), bits: 8),
          AddressRange(Fabric.addressV6(of: index), bits: 64),
        ])
    ]
  }

  /// Calls back after every change of `interfaces`: never, they do not change.
  public func observeInterfaces(_ changed: @escaping @Sendable () -> Void)
    -> any NetworkObservation
  { SimulatedObservation {} }

  /// Calls back at the end of the world, also on hosts that crashed before.
  public func observeShutdown(_ shutDown: @escaping @Sendable () -> Void)
    -> any NetworkObservation
  {
    shutdownCount += 1
    let number = shutdownCount
    shutdownObservers[number] = shutDown
    return SimulatedObservation { [weak self] in self?.shutdownObservers[number] = nil }
  }

  /// Tells whoever observes that the host is down, in the order in which they began to.
  func tellShutdown() {
    let observers = shutdownObservers.sorted { $0.key < $1.key }.map(\.value)
    shutdownObservers = [:]
    for observer in observers { life.perform(observer) }
  }

  /// The stream of random numbers of one concern on this host.
  public func random(_ name: String) -> RandomStream {
    let life = generation == 0 ? "" : "#\(generation)"
    return RandomStream(seed: engine.seed, name: "host \(self.name)\(life) \(name)")
  }

  /// A timer that is not armed yet.
  public func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any NetworkTimer {
    SimulatedTimer(life, fire)
  }

  /// A signal; raising it from a thread that does not drive the world traps.
  public func makeSignal(_ fire: @escaping @Sendable () -> Void) -> any NetworkSignal {
    SimulatedSignal(life, fire)
  }

  /// Starts a task on this host.
  ///
  /// The end of the world cancels it, and waits for its end.
  ///
  /// - Parameters:
  ///   - name: The task's name, for messages about it.
  ///   - operation: What it does.
  /// - Returns: The task.
  @discardableResult
  public func spawn(
    _ name: String, _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    engine.enter()
    let number = taskCount
    taskCount += 1
    engine.spawning = name
    defer { engine.spawning = nil }
    let task = Task(name: name, executorPreference: executor.task) { [self] in
      await operation()
      tasks[number] = nil
    }
    tasks[number] = task
    return task
  }

  /// Cancels the tasks that were spawned and have not ended, the oldest first.
  func cancelTasks() {
    for (_, task) in tasks.sorted(by: { $0.key < $1.key }) { task.cancel() }
  }

  /// A port that nothing is bound to.
  func freePort(_ isTaken: (UInt16) -> Bool) throws(NetworkError) -> UInt16 {
    for _ in 0..<16_384 {
      let port = nextPort
      nextPort = port == .max ? 49_152 : port + 1
      if !isTaken(port) { return port }
    }
    throw NetworkError(.addressInUse, call: "bind", errno: 98)
  }

  func checkUp(_ call: @autoclosure () -> String) throws(NetworkError) {
    guard isUp else { throw NetworkError(.hostDown, call: call(), errno: 100) }
  }
}

/// What ends an observation.
final class SimulatedObservation: NetworkObservation, @unchecked Sendable {
  // Sendable as its engine is: one thread drives both.
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  func cancel() { end() }

  deinit { end() }
}
