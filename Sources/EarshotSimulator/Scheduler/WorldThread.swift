import CEarshotSimulator
import EarshotCore

/// The thread that drives a world.
///
/// What code reads there of the clocks and of the random numbers of the system (`Date()`,
/// `ContinuousClock`, `Int.random`, `UUID()`) is a function of the seed. Jobs that leave the world
/// there, which hooks of the language's runtime see, are taken or refused. Other threads get what
/// the system says, and their jobs pass.
enum WorldThread {
  private static let installation: Void = {
    var calls = earshot_world_calls(
      now: { world in scheduler(world) { $0.systemTime } ?? 0 },
      draw: { world, start, count in
        let bytes = UnsafeMutableBufferPointer(start: start, count: Int(clamping: count))
        scheduler(world) { $0.drawForSystem(into: bytes) }
      },
      stuck: { world in scheduler(world) { $0.passTimeForLoop() } ?? 0 },
      pool: { world, job in
        guard let job else { return 0 }
        return scheduler(world) { $0.takePoolJob(unsafeBitCast(job, to: UnownedJob.self)) } == true
          ? 1 : 0
      },
      main: { world, executor in
        guard let other = scheduler(world, { $0.takeMainActor() }) ?? nil else { return 0 }
        executor?.pointee = unsafeBitCast(other, to: earshot_executor.self)
        return 1
      })
    earshot_world_install(&calls)
  }()

  private static func scheduler<Result>(
    _ world: UnsafeRawPointer?, _ body: (Scheduler) -> Result
  ) -> Result? {
    guard let world else { return nil }
    return Unmanaged<Scheduler>.fromOpaque(world)._withUnsafeGuaranteedRef(body)
  }

  /// Runs a body on this thread that lets code of a world run.
  static func driving<Result>(_ scheduler: Scheduler, _ body: () throws -> Result) rethrows
    -> Result
  {
    let outer = drive(scheduler)
    let outerLine = earshot_crash_line(scheduler.crashLine.text)
    earshot_clock_readings_reset()
    defer {
      _ = earshot_world_drive(outer)
      _ = earshot_crash_line(outerLine)
    }
    return try body()
  }

  /// Runs a body that is not of the world, such as a sink of its trace.
  static func leaving(_ body: () -> Void) {
    let outer = earshot_world_drive(nil)
    body()
    _ = earshot_world_drive(outer)
  }

  /// From now on the calling thread drives a world.
  ///
  /// - Returns: What it has driven before.
  @discardableResult
  static func drive(_ scheduler: Scheduler) -> UnsafeRawPointer? {
    installation
    return earshot_world_drive(Unmanaged.passUnretained(scheduler).toOpaque())
  }
}

extension Scheduler {
  /// The nanoseconds that clocks of the system show: those of the clock of the host whose code
  /// runs.
  var systemTime: Int64 { systemHost?.now ?? now }

  /// Draws random numbers as the system would: each host has its own, and so has the world.
  func drawForSystem(into bytes: UnsafeMutableBufferPointer<UInt8>) {
    var span = bytes.mutableSpan
    if let host = systemHost { host.chance.fill(&span) } else { chance.fill(&span) }
  }
}
