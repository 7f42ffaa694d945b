/// A whole simulated world: hosts, the network between them, their clocks, their code and their chance.
///
/// What happens is a function of the seed and of the code alone. Nothing happens but inside of ``run(until:)``
/// and its like, which return when the given virtual time has come; everything runs on the calling thread.
///
/// ```swift
/// let world = World(seed: 7)
/// let ann = world.makeHost("ann")
/// ann.spawn("greeter") { await greet(ann) }
/// world.run(for: .seconds(10))
/// world.finish()
/// ```
///
/// Sendable so that code inside of the world can hold it; it traps when used from two threads at once.
public final class World: @unchecked Sendable {
  let engine: Engine
  /// The seed of everything that is left to chance.
  public let seed: UInt64

  /// A world without hosts, at time zero.
  public init(seed: UInt64, configuration: WorldConfiguration = WorldConfiguration()) {
    self.seed = seed
    engine = Engine(seed: seed, configuration: configuration)
  }

  deinit { engine.finish() }

  /// The virtual time.
  public var now: Instant { engine.instant }

  /// The hosts as they are now, in the order of their making.
  public var hosts: [SimulatedHost] { engine.hosts }

  /// Adds a host.
  ///
  /// - Parameters:
  ///   - name: What it is called; no other host may have the name.
  ///   - segment: Where it is attached: multicast, and so discovery, reaches the hosts of one segment only.
  /// - Returns: The host, on which nothing runs yet.
  public func makeHost(_ name: String, segment: String = "lan") -> SimulatedHost {
    engine.enter()
    return engine.makeHost(name, segment: segment)
  }

  /// The random numbers of one concern of the world itself, such as a plan of faults.
  public func random(_ name: String) -> RandomStream {
    RandomStream(seed: seed, name: "world \(name)")
  }

  /// Has the world itself do something at an instant: a fault, a check.
  ///
  /// It runs on no host, and before the events of the same instant that are begun later.
  public func at(_ instant: Instant, _ action: @escaping () -> Void) {
    engine.enter()
    engine.schedule(at: instant.nanoseconds, action)
  }

  /// Runs everything up to and including an instant, which is the time afterwards.
  public func run(until instant: Instant) {
    _ = engine.run(until: instant.nanoseconds)
    engine.now = max(engine.now, instant.nanoseconds)
  }

  /// Runs so much virtual time.
  public func run(for duration: Duration) { run(until: now + duration) }

  /// Runs until nothing is left that could ever happen, or until an instant.
  ///
  /// The time afterwards is that of the last event.
  ///
  /// - Returns: Whether nothing is left.
  @discardableResult
  public func runUntilIdle(limit: Instant = .distantFuture) -> Bool {
    engine.run(until: limit.nanoseconds)
  }

  /// Ends the world: tasks are cancelled, whatever waits on a host is told `hostDown`, and code runs until
  /// none is left, while the network refuses everything.
  ///
  /// Also the code of crashed and suspended hosts. Releasing the world does the same.
  public func finish() { engine.finish() }
}
