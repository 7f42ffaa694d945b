#if os(Linux)
  import Foundation
  import Testing

  @Suite("Processes in a simulated world", .fewAtOnce)
  struct CapturedProcessTests {
    /// Runs a program that is simulated.
    ///
    /// - Parameters:
    ///   - words: The name of the program, and its arguments.
    ///   - environment: Settings such as `EARSHOT_SEED=7`.
    /// - Returns: Its exit status, and its lines.
    /// - Throws: An error if it could not be started.
    private func run(
      _ words: String..., environment: String...
    ) async throws -> (status: Int32?, lines: [String]) {
      let folder = Program.executable.deletingLastPathComponent()
      let path = folder.appending(path: words[0]).path()
      let program = try Program(
        running: ["SWIFT_BACKTRACE=enable=no"] + environment + [path] + words.dropFirst())
      let status = await program.exitStatus()
      return (status, program.lines)
    }

    private func checkRefusal(
      _ word: String, says reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let (status, lines) = try await run("CapturedSubject", word, environment: "EARSHOT_SEED=7")
      let text = lines.joined(separator: "\n")
      #expect(status != 0, sourceLocation: sourceLocation)
      #expect(text.contains("begun"), "\(text)", sourceLocation: sourceLocation)
      #expect(!text.contains("ended"), "\(text)", sourceLocation: sourceLocation)
      for part in [reason, "world of seed 7, at 0.000000", "EARSHOT_SEED=7 /"] {
        #expect(text.contains(part), "\(text)", sourceLocation: sourceLocation)
      }
    }

    @Test("Five hours of an ordinary program end at once, and again in the same way")
    func timekeeper() async throws {
      let (status, lines) = try await run("SimulatedTimekeeper")
      #expect(status == 0, "\(lines)")
      #expect(lines.count { $0.contains("break: ") } == 12)
      #expect(lines.contains { $0.hasPrefix("2026-01-01T05:00:00Z  break: ") })
      #expect(lines.contains { $0.hasPrefix("18000.0 seconds of work, ") })
      #expect(lines.last?.hasPrefix("hello at 18000.") == true)
      for _ in 0..<3 { #expect(try await run("SimulatedTimekeeper").lines == lines) }
      #expect(
        try await run("SimulatedTimekeeper", environment: "EARSHOT_SEED=1").lines != lines)
    }

    @Test("Tasks, actors, clocks, dates, random numbers and orders follow the seed")
    func everything() async throws {
      let (status, lines) = try await run("CapturedSubject", "everything")
      #expect(status == 0)
      #expect(
        lines.prefix(11) == [
          "begun",
          "0.0 seconds dates 2026-01-01 00:00:00 +0000 1767225600 1.0",
          "0.1 seconds child 4",
          "0.2 seconds child 3",
          "0.3 seconds child 2",
          "0.4 seconds child 1",
          "0.5 seconds child 0",
          "5.5 seconds cancelled true",
          "5.5 seconds on the pool",
          "5.5 seconds on the pool",
          "5.5 seconds pool 2",
        ])
      #expect(lines.last == "ended at 6.500000")
      let other = try await run("CapturedSubject", "everything", environment: "EARSHOT_SEED=1")
      // Random numbers are another seed's, hashes are not.
      let random = lines[11].split(separator: " ")
      let otherRandom = other.lines[11].split(separator: " ")
      #expect(random.count == otherRandom.count)
      #expect(zip(random, otherRandom).count { $0 == $1 } == 3)
      #expect(other.lines[12] == lines[12] && lines[12].contains("order ["))
      #expect(try await run("CapturedSubject", "everything").lines == lines)
    }

    @Test("Code on hosts may use the executors and clocks of the process")
    func hosts() async throws {
      // Ten seconds of sleep end in a freeze until sixty, and five follow.
      #expect(try await run("CapturedSubject", "hosts").lines == ["7 65.000000"])
    }

    @Test("A million virtual seconds are some milliseconds")
    func speed() async throws {
      #expect(try await run("CapturedSubject", "speed").lines.last == "ended at 1000000.000000")
    }

    @Test("An error of main ends the process with its text")
    func error() async throws {
      let (status, lines) = try await run("CapturedSubject", "error")
      #expect(status == 1 && lines.contains("Error: Failure()"))
    }

    @Test(
      "What cannot be simulated is refused with its name",
      arguments: [
        ("dispatch", "task 'main' has left the world: it uses a Dispatch queue"),
        ("dispatch", "(dispatch_async)"),
        ("after", "(dispatch_after)"),
        ("thread", "task 'spinner' has left the world: it starts a real thread"),
        ("thread", "(pthread_create of "),
        ("usleep", "it sleeps without await, which stops everything (usleep)"),
        ("sleep", "(nanosleep)"),
        ("socket", "it opens a socket of the system (socket)"),
        ("host", "as run loops and POSIXHost do (timerfd_create)"),
        ("timer", "as run loops and POSIXHost do (timerfd_create)"),
        ("session", "it opens a socket of the system (socketpair)"),
        ("condition", "it waits without await, which stops everything (pthread_cond_wait)"),
        ("poll", "asked 0"), ("poll", "it waits without await, which stops everything (poll)"),
        ("select", "it waits without await, which stops everything (select)"),
        ("epoll", "it waits without await, which stops everything (epoll_wait)"),
        ("alarm", "it uses a timer of the system"),
        ("semaphore", "it waits without await, which stops everything (dispatch_semaphore_wait)"),
      ])
    func refusals(word: String, reason: String) async throws {
      try await checkRefusal(word, says: reason)
    }

    @Test("A loop that waits for the time to pass ends with a sentence")
    func spin() async throws {
      let (status, lines) = try await run("CapturedSubject", "spin", environment: "EARSHOT_SEED=7")
      let text = lines.joined(separator: "\n")
      #expect(status != 0)
      for part in [
        "task 'main' of host 'process' waits for the time to pass in a loop", "EARSHOT_SEED=7 /",
      ] {
        #expect(text.contains(part), "\(text)")
      }
    }

    @Test("A wait that does not wait is none")
    func semaphore() async throws {
      let lines = try await run("CapturedSubject", "semaphore").lines
      #expect(lines.contains("one wait timedOut"), "\(lines)")
    }

    @Test("A main that nothing can wake is an error that names the tasks that wait")
    func idle() async throws {
      let text = try await run("CapturedSubject", "idle").lines.joined(separator: "\n")
      #expect(text.contains("main task has not ended, and nothing is left that could ever happen"))
      #expect(text.contains("task 'lingerer' of host 'ann', waiting since 3.000000"))
      #expect(text.contains("world of seed 0, at 3.000000"))
    }

    @Test("Code off the main actor is not taken for the main actor's")
    func assume() async throws {
      let text = try await run("CapturedSubject", "assume").lines.joined(separator: "\n")
      #expect(text.contains("this is not code of the main actor"))
    }

    @Test("A thread that is there before is an error")
    func early() async throws {
      let text = try await run("CapturedSubject", "early").lines.joined(separator: "\n")
      #expect(text.contains("comes before any use of tasks, actors and threads"))
    }

    @Test("A seed that is none is an error")
    func badSeed() async throws {
      let (status, lines) = try await run("CapturedSubject", environment: "EARSHOT_SEED=seven")
      #expect(status == 2 && lines.first?.contains("EARSHOT_SEED is \"seven\"") == true)
    }
  }
#endif
