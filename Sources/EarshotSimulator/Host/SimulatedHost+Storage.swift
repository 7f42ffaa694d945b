extension SimulatedHost {
  /// The disk of the host, which crashes and restarts leave as it is; a restart that erases the
  /// host empties it.
  public var disk: SimulatedStorage { kernel.fabric.disk(of: index) }

  /// The files and folders of ``disk``, for the code of this run of the host.
  ///
  /// A call takes time when an offloaded body makes it, and none otherwise. After a crash, and
  /// after the end of the world, every call throws `hostDown`.
  public var storage: any Storage { HostStorage(disk, kernel) }

  /// Has work that blocks done soon, as code of the host; ``offload(_:)`` is for programs.
  ///
  /// The work is over when its calls of ``storage`` are, or after 20 to 200 µs if it makes none. On
  /// a host that crashes before, it is done, and over, at the end of the world.
  ///
  /// - Parameter work: Runs once. Returns what is called as code of the host when the work is over.
  public func beginOffloaded(_ work: @escaping @Sendable () -> @Sendable () -> Void) {
    offloadedWork.begin(work)
  }
}
