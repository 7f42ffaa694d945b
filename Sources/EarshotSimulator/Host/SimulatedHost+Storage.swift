extension SimulatedHost {
  /// The disk of the host, which crashes and restarts leave as it is; a restart that erases the host empties it.
  public var disk: SimulatedStorage { kernel.fabric.disk(of: index) }

  /// The files and folders of ``disk``, for the code of this run of the host.
  ///
  /// A call takes time when an offloaded body makes it, and none otherwise. After a crash, and after the end of the
  /// world, every call throws `hostDown`.
  public var storage: any Storage { HostStorage(disk, kernel) }
}
