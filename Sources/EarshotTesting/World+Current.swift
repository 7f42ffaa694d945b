public import EarshotSimulator

/// The world that a test runs in.
enum CurrentWorld {
  @TaskLocal static var world: World?
}

extension World {
  /// The world of the test that is running, which has the trait ``Testing/Trait/simulated(seeds:configuration:)``.
  public static var current: World {
    guard let world = CurrentWorld.world else {
      preconditionFailure("no test with the trait .simulated(seeds:) is running here")
    }
    return world
  }
}
