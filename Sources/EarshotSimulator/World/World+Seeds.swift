extension World {
  /// Runs something in one world after the other, each with a seed of its own, until one run fails.
  ///
  /// ```swift
  /// try World.run(seeds: 0..<200) { world in
  ///   let ann = world.makeHost("ann")
  ///   …
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - seeds: The seeds, in order.
  ///   - configuration: The conditions of the network.
  ///   - body: Fills the world, runs it and checks it; the world ends with the call.
  /// - Throws: ``SeedFailure`` for the first seed whose run throws an error, has
  ///   ``World/violations``, or ends with ``World/unawaitedErrors``.
  public static func run(
    seeds: some Sequence<UInt64>, configuration: WorldConfiguration = WorldConfiguration(),
    _ body: (World) throws -> Void
  ) throws(SeedFailure) {
    for seed in seeds {
      let world = World(seed: seed, configuration: configuration)
      defer { world.finish() }
      do { try body(world) } catch { throw SeedFailure(seed: seed, error: error) }
      if let violation = world.violations.first {
        throw SeedFailure(seed: seed, error: violation)
      }
      if let error = world.takeUnawaitedErrors().first {
        throw SeedFailure(seed: seed, error: error)
      }
    }
  }
}

/// A run in a simulated world that has failed.
public struct SeedFailure: Error, CustomStringConvertible {
  /// The seed of the world: its run fails every time.
  public let seed: UInt64
  /// The error of the run.
  public let error: any Error

  /// The seed and the error.
  public var description: String { "seed \(seed): \(error)" }
}
