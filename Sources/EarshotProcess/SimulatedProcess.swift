#if os(Linux) && canImport(Glibc)
  import CEarshotProcess
  public import EarshotSimulator
  import Glibc
  @_spi(ExperimentalCustomExecutors) internal import _Concurrency

  /// A process whose tasks, actors, clocks and random numbers are those of a simulated world.
  ///
  /// Code that was not written for a simulator runs in virtual time: `Task { }`, `Task.detached`,
  /// task groups, actors and the main actor, `Task.sleep`, `ContinuousClock`, `SuspendingClock`,
  /// `Date()`, `SystemRandomNumberGenerator`, `UUID()` and the order of sets and dictionaries. All
  /// of it runs on one thread, in an order that is a function of the seed. Dates begin at 1 January
  /// 2026, 00:00 UTC. Files, arguments and the environment are those of the system, but for the
  /// times of files; processor time is that of the world. Addresses of objects are the same in each
  /// run with the same environment, where the system allows that.
  ///
  /// ```swift
  /// // main.swift
  /// import EarshotProcess
  ///
  /// SimulatedProcess.run { world in
  ///   let phone = world.makeHost("phone")
  ///   try await ordinaryProgram(on: phone)
  /// }
  /// ```
  ///
  /// Peers of the program live on hosts of the world. What cannot be simulated ends the process
  /// with a message that names it, the task, the seed, the virtual time and what to use instead:
  /// threads, processes, Dispatch queues, sleeping and waiting without `await`, sockets and timers
  /// of the system, and types that are built on these, such as `URLSession`. So does a wait for a
  /// lock that the only thread holds. The article "Simulated processes" lists all functions.
  ///
  /// Linux only, with the toolchain's shared libraries. Depends on parts of the language's runtime that may change.
  public enum SimulatedProcess {
    /// Runs a program to its end, as its process.
    ///
    /// The first call of a synchronous `main`, before any use of tasks, actors and threads. The program starts anew once,
    /// with addresses that are the same in each run.
    ///
    /// - Parameters:
    ///   - seed: The seed of everything that is left to chance; `nil` for that in the environment variable
    ///     `EARSHOT_SEED`, or else 0.
    ///   - configuration: The conditions of the network.
    ///   - main: The program, which begins at the time zero of the world. The process ends when it returns, with the
    ///     status 0, or 1 with a message if it throws an error; other tasks end then.
    public static func run(
      seed: UInt64? = nil, configuration: WorldConfiguration = WorldConfiguration(),
      _ main: @escaping @MainActor @Sendable (World) async throws -> Void
    ) -> Never {
      earshot_process_restart(CommandLine.unsafeArgv)
      let seed = seed ?? environmentSeed
      var configuration = configuration
      configuration.replay = configuration.replay ?? replay(seed)
      let world = World(seed: seed, configuration: configuration)
      capture(world)
      let end = ProcessEnd()
      Task(name: "main") { @MainActor in
        do {
          try await main(world)
          end.status = 0
        } catch {
          report("Error: \(error)")
          end.status = 1
        }
      }
      guard ProcessExecutors.captured.run(until: { end.status != nil }) else {
        fflush(nil)
        ProcessExecutors.captured.trapIdle()
      }
      exit(end.status ?? 0)
    }

    /// Puts a world in the place of the executors, clocks and random numbers.
    private static func capture(_ world: World) {
      let process = CapturedProcess(in: world)
      ProcessExecutors.process = process
      _createExecutors(factory: ProcessExecutors.self)
      guard earshot_process_thread_count() == 1, Task.defaultExecutor === ProcessExecutors.pool
      else {
        StandardError.trap("SimulatedProcess.run comes before any use of tasks, actors and threads")
      }
      earshot_process_capture { reason, name in
        fflush(nil)
        Refusal(reason: Int(reason), name: name.map { String(cString: $0) } ?? "").end()
      }
      process.answerSystem()
      checkCapture()
    }

    /// Traps unless the language's runtime asks this library for the time and for random numbers.
    private static func checkCapture() {
      var random = SystemRandomNumberGenerator()
      let isCaptured =
        ContinuousClock.now.duration(to: ContinuousClock.now) == .zero && random.next() != 0
      guard isCaptured else {
        StandardError.trap("the clocks of the runtime are not those of this executable")
      }
    }

    private static var environmentSeed: UInt64 {
      guard let text = getenv("EARSHOT_SEED").map({ String(cString: $0) }), !text.isEmpty else {
        return 0
      }
      guard let seed = UInt64(text) else {
        report(
          "EARSHOT_SEED is \"\(text)\", which is no seed: a whole number from 0 to \(UInt64.max)")
        exit(2)
      }
      return seed
    }

    private static func replay(_ seed: UInt64) -> String {
      "EARSHOT_SEED=\(seed) \(CommandLine.arguments.joined(separator: " "))"
    }

    private static func report(_ line: String) {
      let line = line + "\n"
      _ = write(STDERR_FILENO, line, line.utf8.count)
    }
  }

  /// How a program has ended.
  ///
  /// Sendable because one thread uses it: that which drives the world.
  private final class ProcessEnd: @unchecked Sendable {
    var status: Int32?
  }
#endif
