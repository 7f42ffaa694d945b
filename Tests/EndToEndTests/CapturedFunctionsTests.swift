#if os(Linux)
  import EarshotCommandLine
  import Foundation
  import Testing

  @Suite("Functions of the C library in a simulated process", .fewAtOnce)
  struct CapturedFunctionsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    /// Runs the program that does what is captured, and what must not be done.
    private func run(
      _ words: String..., seed: Int = 7
    ) async throws -> (status: Int32?, lines: [String]) {
      let folder = Program.executable.deletingLastPathComponent()
      let path = folder.appending(path: "CapturedSubject").path()
      let program = try Program(
        running: ["SWIFT_BACKTRACE=enable=no", "EARSHOT_SEED=\(seed)", path] + words)
      let status = await program.exitStatus()
      return (status, program.lines)
    }

    /// What each answered function has returned, with files in a folder of their own.
    private func answers(seed: Int) async throws -> [(name: String, value: String)] {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (status, lines) = try await run("answers", folder.path(), seed: seed)
      #expect(status == 0 && lines.last == "ended at 2.000000", "\(lines)")
      return lines.dropFirst().dropLast().map { line in
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
      }
    }

    @Test(
      "Every function that the headers declare is captured, refused, or let through for a reason",
      .enabled(if: Shell.has("clang"), "needs the toolchain's clang to read the headers"))
    func classification() async throws {
      let includes = CapturedFunctions.headers.map { "#include <\($0)>" }.joined(separator: "\\n")
      let tree = "clang -x c -fsyntax-only -fno-color-diagnostics -Xclang -ast-dump -D_GNU_SOURCE -"
      let script = "printf '\(includes)\\n' | \(tree) | grep '^.-FunctionDecl'"
      let program = try Program(running: ["sh", "-c", script])
      #expect(await program.exitStatus() == 0)
      let declared = program.lines.compactMap { line in
        line.prefix { $0 != "'" }.split(separator: " ").last.map(String.init)
      }
      #expect(declared.count > 400, "clang has listed \(declared.count) functions only")
      let known = Set(CapturedFunctions.all)
      for name in Set(declared).subtracting(known).sorted() {
        Issue.record(
          """
          \(name) is in no class. If its result differs in each run, or it waits, answer or refuse \
          it in Sources/CEarshotProcess, and call it in Tests/CCapturedSubject. Then add it to \
          CapturedFunctions, with the reason if it is let through.
          """)
      }
    }

    @Test("No function is in two classes")
    func oneClass() {
      let counts = Dictionary(CapturedFunctions.all.map { ($0, 1) }, uniquingKeysWith: +)
      #expect(counts.filter { $0.value > 1 }.isEmpty)
    }

    @Test("Random numbers and names follow the seed; times, numbers and files do not vary")
    func answers() async throws {
      let first = try await answers(seed: 7)
      let again = try await answers(seed: 7)
      let other = try await answers(seed: 8)
      #expect(first.count == other.count)
      let chance = Set(CapturedFunctions.chance + ["SYS_getrandom", "SYS_openat"])
      for (index, (name, value)) in first.enumerated() where index < other.count {
        #expect(again[index] == (name, value))
        #expect((other[index].value != value) == chance.contains(name), "\(name) \(value)")
        #expect(value != "0" || !chance.contains(name), "\(name) has failed")
      }
    }

    @Test(
      "Times are those of the world, and identifiers are no real ones",
      arguments: [
        ("timespec_get", "1767225602.000000000"), ("SYS_clock_gettime", "3.000000000"),
        ("clock", "2000000"), ("times", "200 200"), ("getrusage", "2 0 0"), ("getcpu", "0"),
        ("getpid", "4194305"), ("SYS_getpid", "4194305"), ("getppid", "4194304"),
        ("getsid", "4194304"), ("__sysconf", "1"),
        ("stat", "1767225600.000000000"), ("changed", "1767225600.000000000"),
        ("statx", "1767225600"), ("born", "1767225600"), ("utimensat", "13.000000014"),
        ("written", "1767225600.000000000"), ("futimens", "1767225602.000000000"),
        ("utimes", "23.000024000"), ("utime", "33.000000000"),
      ])
    func values(name: String, value: String) async throws {
      #expect(try await answers(seed: 7).first { $0.name == name }?.value == value)
    }

    @Test("Each answered function is called by these tests")
    func allAreCalled() async throws {
      let (status, harmless) = try await run("harmless")
      #expect(status == 0)
      let called =
        try await answers(seed: 7).map(\.name) + harmless.map { String($0.prefix { $0 != " " }) }
      let wanted = Set(CapturedFunctions.chance + CapturedFunctions.answered)
      #expect(wanted.subtracting(called).sorted() == [])
    }

    @Test("What does not wait is no wait, and locks that may be taken twice are")
    func harmless() async throws {
      let lines = try await run("harmless").lines
      #expect(
        lines == [
          "begun", "poll 0", "ppoll 0", "sigtimedwait 1", "futex 1", "sem_wait 0",
          "sem_timedwait 1", "recursive 0", "checked 1", "timed 1", "again 0", "readers 0",
          "kill 0", "killpg 0", "sigqueue 0", "tgkill 0", "syscall 0", "tcgetpgrp 1", "terminal 0",
          "ended at 0.000000",
        ])
    }

    @Test(
      "The process group of a terminal is the group that the process believes to have",
      .enabled(if: TerminalProgram.isAvailable, "needs setsid of util-linux"))
    func terminal() async throws {
      let path = Program.executable.deletingLastPathComponent().appending(path: "CapturedSubject")
      let program = try TerminalProgram(running: [path.path(), "harmless"])
      await program.expect("terminal 1")
    }

    @Test(
      "Each refused function ends the process with its name, and with what to use instead",
      arguments: CapturedFunctions.refused + [
        "SYS_nanosleep", "SYS_clock_nanosleep", "SYS_ppoll", "SYS_pselect6", "SYS_epoll_pwait",
        "SYS_rt_sigtimedwait", "SYS_timer_create", "SYS_timerfd_create", "SYS_setitimer",
        "SYS_clone", "SYS_execve", "SYS_socket", "SYS_futex",
      ])
    func refusals(name: String) async throws {
      let (status, lines) = try await run("call", name)
      let text = lines.joined(separator: "\n")
      #expect(status != 0 && !text.contains("ended"), "\(text)")
      let sentence = #/task 'main' has left the world: it .+ \((syscall |__xpg_)?(\w+).*\); .+\./#
      #expect(text.firstMatch(of: sentence)?.2 == name[...], "\(text)")
      #expect(text.contains("world of seed 7, at 0.000000. Replay: EARSHOT_SEED=7 /"), "\(text)")
    }

    @Test("A timeout for what a socket sends is refused as one for what it receives is")
    func sendTimeout() async throws {
      let (status, lines) = try await run("call", "SO_SNDTIMEO")
      let text = lines.joined(separator: "\n")
      #expect(status != 0 && text.contains("(setsockopt SO_SNDTIMEO)"), "\(text)")
    }

    @Test(
      "A lock that its own thread holds ends the process with a sentence, in place of a hang",
      arguments: CapturedFunctions.locks)
    func locks(name: String) async throws {
      try await checkLock(["call", name], says: "task 'main' of host 'process'", name)
    }

    @Test(
      "So do the locks of Swift and Foundation, and constants that need each other",
      arguments: [
        ("mutex", "task 'locker' of host 'process'", "syscall SYS_futex"),
        ("global", "task 'main' of host 'process'", "syscall SYS_futex"),
        ("lock", "task 'main' of host 'process'", "pthread_mutex_lock"),
      ])
    func locks(word: String, subject: String, name: String) async throws {
      try await checkLock([word, ""], says: subject, name)
    }

    private func checkLock(
      _ words: [String], says subject: String, _ name: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let (status, lines) = try await run(words[0], words[1])
      let text = lines.joined(separator: "\n")
      #expect(status != 0, "\(text)", sourceLocation: sourceLocation)
      for part in [
        "\(subject) waits for a lock that its own thread holds (\(name))", "EARSHOT_SEED=7 /",
      ] {
        #expect(text.contains(part), "\(text)", sourceLocation: sourceLocation)
      }
    }

    @Test("A lock that may be taken twice is no error")
    func recursive() async throws {
      #expect(try await run("recursive").lines == ["begun", "ended at 0.000000"])
    }

    @Test("A crash of a simulated process is reported as that of others")
    func crash() async throws {
      let folder = Program.executable.deletingLastPathComponent()
      let program = try Program(running: [
        "SWIFT_BACKTRACE=enable=yes,color=no", folder.appending(path: "CapturedSubject").path(),
        "crash",
      ])
      #expect(await program.exitStatus() != 0)
      let text = program.lines.joined(separator: "\n")
      #expect(text.contains("Fatal error: a crash"), "\(text)")
      #expect(text.contains("Backtracing from"), "\(text)")
    }

    @Test("The article names each function that is captured or refused")
    func article() throws {
      let path = "Sources/Earshot/Earshot.docc/SimulatedProcesses.md"
      let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
      let captured = CapturedFunctions.chance + CapturedFunctions.answered
      for name in captured + CapturedFunctions.refused + CapturedFunctions.locks {
        #expect(text.contains("`\(name)`"), "\(name) is missing in \(path)")
      }
    }
  }
#endif
