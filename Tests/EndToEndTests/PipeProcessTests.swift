import EarshotCommandLine
import Foundation
import Synchronization
import Testing

/// Pipes between real processes, over the loopback interface, as a shell joins them with other programs.
@Suite("Pipes between processes", .timeLimit(.minutes(30)), .fewAtOnce)
final class PipeProcessTests: Sendable {
  private let service = "p\(UInt32.random(in: .min ... .max))"
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "earshot-pipe-\(UUID())").path
  /// Held until the test has ended: a program that is released is killed.
  private let programs = Mutex<[Program]>([])

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs a script in a folder of its own; `pipe …` is `earshot pipe …` there.
  private func run(_ script: String) throws -> Program {
    let prelude = """
      cd "$3"
      pipe() { "$earshot" pipe "$@" $options; }
      earshot=$1 options="--interface lo --service $2"

      """
    let program = try Program(
      running: ["bash", "-c", prelude + script, "bash", Program.path, service, folder])
    programs.withLock { $0.append(program) }
    return program
  }

  /// Starts `earshot pipe` in place of a shell, so that signals get there.
  private func start(_ words: String..., redirection: String = "") throws -> Program {
    let program = try Program(
      running: [
        "bash", "-c", "cd \"$1\"; shift; exec \"$@\" \(redirection)", "bash", folder, Program.path,
        "pipe",
      ] + words + ["--interface", "lo", "--service", service])
    programs.withLock { $0.append(program) }
    return program
  }

  @Test("A folder goes through two instances of tar and a pipe as it is")
  func tar() async throws {
    let ann = try run(
      """
      mkdir copy
      pipe --listen --accept --name Ann </dev/null | tar x -C copy
      echo "listener ${PIPESTATUS[0]} tar ${PIPESTATUS[1]}"
      """)
    let bob = try run(
      """
      mkdir dir; head -c 3000001 /dev/urandom > dir/large; echo hello > dir/small
      tar c dir | pipe --to An --name Bob
      echo "caller ${PIPESTATUS[1]}"
      """)
    await bob.expect("caller 0")
    await ann.expect("listener 0 tar 0")
    let same = try run("diff -r dir copy/dir && echo same")
    await same.expect("same")
    await bob.expect("Connected to Ann (")
    await bob.expect("Done: 2.8 MiB sent, 0 bytes received")
    await ann.expect("Done: 0 bytes sent, 2.8 MiB received")
  }

  @Test("Megabytes go both ways at once, to the byte")
  func digests() async throws {
    let ann = try run(
      """
      head -c 5000000 /dev/urandom > a
      echo "a is $(sha256sum < a)"
      pipe --listen --accept --name Ann < a | (echo "Ann got $(sha256sum)")
      """)
    let bob = try run(
      """
      head -c 4000000 /dev/urandom > b
      echo "b is $(sha256sum < b)"
      pipe --to Ann < b | (echo "Bob got $(sha256sum)")
      """)
    for program in [ann, bob] { #expect(await program.exitStatus() == 0) }
    func digest(_ program: Program, _ start: String) -> Substring? {
      program.line(with: start)?.dropFirst(start.count).prefix(64)
    }
    #expect(digest(ann, "a is ") != nil && digest(ann, "a is ") == digest(bob, "Bob got "))
    #expect(digest(bob, "b is ") != nil && digest(bob, "b is ") == digest(ann, "Ann got "))
  }

  @Test("A program that answers after the end of its input answers over the same pipe")
  func halfClose() async throws {
    let ann = try run(
      """
      mkfifo back
      # A function would run in a shell that holds the output open, too.
      sort < back | "$earshot" pipe --listen --accept --name Ann $options > back
      echo "listener ${PIPESTATUS[1]}"
      """)
    let bob = try run(
      """
      printf 'pear\\napple\\nfig\\n' | pipe --to Ann | tr '\\n' ' '
      echo "caller ${PIPESTATUS[1]}"
      """)
    await bob.expect("apple fig pear caller 0")
    await ann.expect("listener 0")
  }

  @Test("With --keep two callers at once are served one after the other, never mixed")
  func keep() async throws {
    let ann = try start(
      "--listen", "--accept", "--keep", "--name", "Ann", redirection: "< /dev/null > all")
    await ann.expect("Listening as Ann (")
    let callers = try ["a", "b"].map { letter in
      try run(
        """
        head -c 400000 /dev/zero | tr '\\0' \(letter) | pipe --to Ann --timeout 60
        echo "caller ${PIPESTATUS[2]}"
        """)
    }
    for caller in callers { await caller.expect("caller 0") }
    ann.signal(SIGINT)
    #expect(await ann.exitStatus() == 0)
    let all = try String(contentsOfFile: "\(folder)/all", encoding: .utf8)
    let (a, b) = (String(repeating: "a", count: 400_000), String(repeating: "b", count: 400_000))
    #expect(all == a + b || all == b + a)
  }

  @Test("While one caller is connected, a second one is declined as busy")
  func busy() async throws {
    let ann = try start("--listen", "--accept", "--name", "Ann")
    let bob = try start("--to", "Ann")
    await bob.expect("Connected to Ann")
    let cy = try start("--to", "Ann", "--name", "Cy")
    await cy.expect(") is busy, or has too many open invitations. Invite it again later.")
    #expect(await cy.exitStatus() == 1)
    await ann.expect("is declined: another peer is connected")
    for program in [ann, bob] { try program.closeInput() }
    for program in [ann, bob] { #expect(await program.exitStatus() == 0) }
  }

  @Test("A reader of the output that has gone ends both ends, each with its own status")
  func brokenOutput() async throws {
    let ann = try run(
      """
      pipe --listen --accept --name Ann </dev/null | head -c 10 | wc -c
      echo "listener ${PIPESTATUS[0]}"
      """)
    let bob = try run("pipe --to Ann < /dev/zero; echo \"caller $?\"")
    await ann.expect("listener 5")
    await ann.expect("10") { $0 == "10" }
    await ann.expect("earshot: standard output cannot be written: Broken pipe")
    await bob.expect("caller 1")
    await bob.expect("earshot: Ann reset the pipe (code 5, its output cannot be written): ")
  }

  @Test(
    "An output that cannot be written is told with its reason",
    arguments: [
      ("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
    ])
  func unwritten(redirection: String, reason: String) async throws {
    let ann = try run(
      "pipe --listen --accept --name Ann </dev/null \(redirection); echo \"listener $?\" >&2")
    let bob = try run("echo hello | pipe --to Ann; echo \"caller ${PIPESTATUS[1]}\"")
    await ann.expect("earshot: standard output cannot be written: \(reason)")
    await ann.expect("listener 5")
    await bob.expect("earshot: Ann reset the pipe (code 5, its output cannot be written): ")
    await bob.expect("caller 1")
  }

  @Test(
    "An input that cannot be read is told with its reason, and is not taken for an empty one",
    arguments: [("< .", "Is a directory"), ("<&-", "Bad file descriptor")])
  func unread(redirection: String, reason: String) async throws {
    let ann = try run("pipe --listen --accept --name Ann </dev/null; echo \"listener $?\"")
    let bob = try run("pipe --to Ann \(redirection); echo \"caller $?\"")
    await bob.expect("earshot: standard input cannot be read: \(reason)")
    await bob.expect("caller 1")
    await ann.expect("reset the pipe (code 1, its input cannot be read)")
    await ann.expect("listener 1")
  }

  @Test(
    "Ctrl-C in the middle ends with 130, and the other end fails", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) async throws {
    let ann = try start("--listen", "--accept", "--name", "Ann")
    let bob = try start("--to", "Ann", "--name", "Bob")
    try bob.type("half a sentence")
    await ann.expect("half a sentence")
    bob.signal(signal)
    #expect(await bob.exitStatus() == 130)
    await bob.expect("earshot: interrupted: ")
    await ann.expect("earshot: Bob reset the pipe (code 130, it was interrupted)")
    #expect(await ann.exitStatus() == 1)
  }

  @Test("A process that is killed has not ended its output: the other end fails")
  func killed() async throws {
    let ann = try start("--listen", "--accept", "--name", "Ann", "--patience", "1")
    let bob = try start("--to", "Ann", "--name", "Bob")
    try bob.type("half a sentence")
    await ann.expect("half a sentence")
    bob.signal(SIGKILL)
    await ann.expect("Bob is out of reach; waiting for up to 1 s")
    await ann.expect("earshot: Bob left before the end: 0 bytes sent, 16 bytes received")
    #expect(await ann.exitStatus() == 1)
  }

  @Test("A process that is stopped for a while and goes on loses nothing")
  func stopped() async throws {
    let ann = try start("--listen", "--accept", "--name", "Ann", "--patience", "60")
    let bob = try start("--to", "Ann", "--name", "Bob", "--patience", "60")
    await bob.expect("Connected to Ann")
    await ann.expect("is connected")
    ann.signal(SIGSTOP)
    try bob.type("are you there?")
    await bob.expect("Ann is out of reach; waiting for up to 60 s")
    ann.signal(SIGCONT)
    await bob.expect("Ann is back, and nothing is lost")
    await ann.expect("are you there?")
    for program in [ann, bob] { try program.closeInput() }
    for program in [ann, bob] { #expect(await program.exitStatus() == 0) }
  }

  @Test("A name that several begin with is answered with the choices; a whole name is taken")
  func names() async throws {
    let listeners = try ["Anna", "Annabel"].map { name in
      try start("--listen", "--accept", "--name", name)
    }
    for listener in listeners { await listener.expect("Listening as Anna") }
    let both = try start("--to", "ann")
    await both.expect("earshot: the names of 2 peers begin with \"ann\"; choose one of Anna (")
    #expect(await both.exitStatus() == 1)
    let one = try start("--to", "Anna")
    await one.expect("Connected to Anna (")
    for program in [one, listeners[0]] { try program.closeInput() }
    for program in [one, listeners[0]] { #expect(await program.exitStatus() == 0) }
    let nobody = try start("--to", "Zoë", "--timeout", "1.5")
    await nobody.expect("earshot: “Zoë” was never discovered: ")
    #expect(await nobody.exitStatus() == 1)
  }

  @Test("A ticket is printed on standard error, and leads to its listener")
  func ticket() async throws {
    let ann = try start("--listen", "--accept", "--ticket", redirection: "> out")
    await ann.expect("earshot:\(service)/")
    let text = try #require(ann.line(with: "earshot:\(service)/"))
    let bob = try start("--ticket", text)
    try bob.type("by ticket")
    for program in [ann, bob] { try program.closeInput() }
    for program in [ann, bob] { #expect(await program.exitStatus() == 0) }
    #expect(try String(contentsOfFile: "\(folder)/out", encoding: .utf8) == "by ticket\n")
  }

  @Test(
    "On a terminal, lines go to the other end, and Ctrl-D ends them",
    .enabled(if: TerminalProgram.isAvailable, "needs setsid of util-linux"))
  func terminal() async throws {
    let ann = try TerminalProgram(
      "pipe", "--listen", "--accept", "--name", "Ann", "--progress", "--service", service,
      columns: 100)
    await ann.expect("Listening as Ann (")
    let bob = try start("--to", "Ann", "--name", "Bob")
    await ann.expect("Bob (")
    ann.press("typed\r")
    await bob.expect("typed")
    await ann.expect("6 bytes sent, 0 bytes received, ")
    try bob.closeInput()
    await ann.expect("Bob has ended its direction; Ctrl-D ends yours")
    ann.press("\u{4}")
    #expect(await ann.exitStatus() == 0)
    #expect(await bob.exitStatus() == 0)
    await ann.expect("Done: 6 bytes sent, 0 bytes received")
  }

  @Test(
    "A listener at a terminal whose output goes elsewhere ends with the caller",
    .enabled(if: TerminalProgram.isAvailable, "needs setsid of util-linux"))
  func terminalInput() async throws {
    let ann = try TerminalProgram(
      running: [
        "bash", "-c", "exec \"$@\" > '\(folder)/out'", "bash", Program.path, "pipe", "--listen",
        "--accept", "--name", "Ann", "--interface", "lo", "--service", service,
      ])
    await ann.expect("Listening as Ann (")
    let bob = try run("echo everything | pipe --to Ann; echo \"caller ${PIPESTATUS[1]}\"")
    await bob.expect("caller 0")
    #expect(await ann.exitStatus() == 0)
    #expect(try String(contentsOfFile: "\(folder)/out", encoding: .utf8) == "everything\n")
  }
}
