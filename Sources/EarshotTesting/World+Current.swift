public import EarshotSimulator

/// The world that a test runs in.
enum CurrentWorld {
  @TaskLocal static var world: World?
  /// What further worlds of the test are made with.
  @TaskLocal static var configuration: WorldConfiguration?
}

extension World {
  /// The world of the test that is running, which has the trait ``Testing/Trait/simulated(seeds:configuration:jobs:shrink:)``.
  public static var current: World {
    guard let world = CurrentWorld.world else {
      preconditionFailure("no test with the trait .simulated(seeds:) is running here")
    }
    return world
  }
}
