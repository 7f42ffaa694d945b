import Foundation
import Synchronization
import Testing

/// Real processes that meet each other by multicast DNS on the loopback interface.
///
/// Every test has a kind of service of its own, so that tests that run at once do not meet.
@Suite("Processes", .timeLimit(.minutes(30)), .fewAtOnce)
final class ProcessTests: Sendable {
  private let service = "e\(UInt32.random(in: .min ... .max))"
  /// Held until the test has ended: a program that nobody holds is killed.
  private let programs = Mutex<[Program]>([])

  private func start(_ words: String...) throws -> Program { try start(words) }

  private func start(_ words: [String]) throws -> Program {
    let program = try Program(words + ["--service", service])
    programs.withLock { $0.append(program) }
    return program
  }

  private func chat(_ name: String, _ words: String...) throws -> Program {
    try start(["chat", "--name", name] + words)
  }

  @Test("Two processes find each other and chat, and one hears that the other left")
  func two() async throws {
    let (ann, bob) = (try chat("Ann"), try chat("Bob"))
    try await Program.bringTogether([("Ann", ann), ("Bob", bob)])
    try ann.type("hello")
    await bob.expect("Ann said: hello")
    try bob.type("hello yourself")
    await ann.expect("Bob said: hello yourself")
    await ann.expect("You said: hello")
    await bob.expect("Ann is nearby")
    try ann.type("/leave")
    await bob.expect("Ann ended this chat")
    try ann.type("/quit")
    await bob.expect("Ann is no longer nearby")
    try bob.closeInput()
    #expect(await ann.exitStatus() == 0)
    #expect(await bob.exitStatus() == 0)
  }

  @Test("Eight processes are in one chat, and each hears what each says")
  func eight() async throws {
    let people = try (1...8).map { ("P\($0)", try chat("P\($0)")) }
    try await Program.bringTogether(people)
    for (name, program) in people { try program.type("I am \(name)") }
    for (name, program) in people {
      for (other, _) in people where other != name {
        await program.expect("\(other) said: I am \(other)")
      }
    }
    for (_, program) in people { program.signal(SIGINT) }
    for (_, program) in people { #expect(await program.exitStatus() == 0) }
  }

  @Test("A process that is killed has ended the chat for the others")
  func killed() async throws {
    let people = try ["Ann", "Bob", "Eve"].map { ($0, try chat($0, "--patience", "1")) }
    try await Program.bringTogether(people)
    people[0].1.signal(SIGKILL)
    await people[1].1.expect("Ann left this chat (the connection was lost)")
    await people[2].1.expect("Ann left this chat (the connection was lost)")
    try people[1].1.type("and we go on")
    await people[2].1.expect("Bob said: and we go on")
  }

  @Test("A process that is stopped and goes on misses nothing")
  func stopped() async throws {
    let (ann, bob) = (try chat("Ann", "--patience", "60"), try chat("Bob", "--patience", "60"))
    try await Program.bringTogether([("Ann", ann), ("Bob", bob)])
    ann.signal(SIGSTOP)
    try bob.type("are you there?")
    await bob.expect("Ann is out of reach; waiting for a while")
    try bob.type("still there?")
    ann.signal(SIGCONT)
    await bob.expect("Ann is back, and has missed nothing")
    await ann.expect("Bob said: are you there?")
    await ann.expect("Bob said: still there?")
    try ann.type("here")
    await bob.expect("Ann said: here")
  }

  @Test("The end of a process that is interrupted is a goodbye", arguments: [SIGINT, SIGTERM])
  func goodbye(signal: Int32) async throws {
    let browser = try start("browse")
    let ann = try start("advertise", "--name", "Ann", "--info", "room=lobby")
    await browser.expect("room=lobby")
    await ann.expect("Advertising Ann")
    ann.signal(signal)
    await browser.expect("lost\tAnn")
    #expect(await ann.exitStatus() == 0)
    browser.signal(signal)
    #expect(await browser.exitStatus() == 0)
  }

  @Test("Lines to who advertises change its info for others, and the end of them changes nothing")
  func info() async throws {
    let browser = try start("browse", "--json")
    let ann = try start("advertise", "--name", "Ann", "--info", "room=lobby")
    await browser.expect("\"room\":\"lobby\"")
    try ann.type("room=attic")
    await ann.expect("The info is now room=attic")
    await browser.expect("\"info\":{\"room\":\"attic\"}")
    #expect(browser.line(with: "attic")?.contains("\"event\":\"updated\"") == true)
    try ann.type("room")
    await ann.expect("is not a change of the info; type key=value")
    try ann.type("room=")
    try ann.closeInput()
    await ann.expect("There is no info now")
    await browser.expect("\"info\":null")
    let bob = try start("browse")
    await bob.expect("found\tAnn")
    ann.signal(SIGINT)
    await browser.expect("lost")
    #expect(await ann.exitStatus() == 0)
    let events = browser.lines.compactMap { $0.firstMatch(of: /"event":"([a-z]+)"/)?.1 }
    #expect(events == ["found", "updated", "updated", "lost"])
  }

  @Test("A process prints its log to standard error, from its beginning to its end")
  func logged() async throws {
    for _ in 0..<5 {
      let program = try Program(
        ["ping", "nobody", "--timeout", "0.1", "--service", service], prefix: ["EARSHOT_LOG=info"])
      #expect(await program.exitStatus() == 1)
      let records = program.lines.filter { $0.contains(" info peer ") }
      #expect(records.first?.contains(": runs, and listens") == true, "\(records)")
      #expect(records.last?.hasSuffix(": is stopped") == true, "\(records)")
    }
  }

  @Test("A second signal ends at once a process that is still waiting for others")
  func twice() async throws {
    let (ann, bob) = (try chat("Ann"), try chat("Bob"))
    try await Program.bringTogether([("Ann", ann), ("Bob", bob)])
    bob.signal(SIGSTOP)
    try ann.type("nobody takes this")
    await ann.expect("You said: nobody takes this")
    ann.signal(SIGINT)
    ann.signal(SIGTERM)
    #expect(await ann.exitStatus() == 130)
  }

  @Test("A ping measures round trips, and says so in its status")
  func ping() async throws {
    let ann = try start("advertise", "--name", "Ann", "--accept")
    let eve = try start("advertise", "--name", "Eve")
    let words = ["--count", "3", "--interval", "0.05"]
    let toAnn = try start(["ping", "Ann", "--size", "100000"] + words)
    await toAnn.expect("3 sent, 3 answered, 0 % lost")
    await toAnn.expect("round trip min ")
    #expect(await toAnn.exitStatus() == 0)
    await ann.expect("is gone")
    let toEve = try start(["ping", "Eve"] + words)
    await toEve.expect(") declined the invitation.")
    #expect(await toEve.exitStatus() == 1)
    await eve.expect("has sent an invitation: declined")
    let toNobody = try start(["ping", "Zoë", "--timeout", "1.5"] + words)
    await toNobody.expect("earshot: “Zoë” was never discovered: ")
    #expect(await toNobody.exitStatus() == 1)
  }

  @Test("Lines that end with the input are all delivered before the end")
  func pipe() async throws {
    let (ann, bob) = (try chat("Ann"), try chat("Bob"))
    try await Program.bringTogether([("Ann", ann), ("Bob", bob)])
    for number in 1...500 { try ann.type("line \(number).") }
    try ann.closeInput()
    #expect(await ann.exitStatus() == 0)
    await bob.expect("Ann said: line ", times: 500)
    await bob.expect("Ann ended this chat")
  }

  @Test(
    "A process without descriptors refuses connections, accepts again when it has some, and ends in order",
    .enabled(if: Shell.has("prlimit"), "needs prlimit of util-linux"))
  func descriptors() async throws {
    let ann = try Program(
      ["advertise", "--name", "Ann", "--accept", "--service", service],
      prefix: ["prlimit", "--nofile=26:26"])
    let browser = try Program(["browse", "--service", service])
    await browser.expect("found\tAnn")
    let port = try #require(browser.line(with: "found\tAnn")?.firstMatch(of: /127\.0\.0\.1:(\d+)/))
      .1
    let crowd = try Program(
      running: [
        "bash", "-c",
        "for i in {1..40}; do exec {fd}<>/dev/tcp/127.0.0.1/\(port); done; echo all here; cat",
      ])
    await crowd.expect("all here")
    try crowd.closeInput()
    #expect(await crowd.exitStatus() == 0)
    let ping = try Program(
      ["ping", "Ann", "--count", "2", "--interval", "0.05", "--service", service])
    await ping.expect("2 sent, 2 answered, 0 % lost")
    ann.signal(SIGINT)
    #expect(await ann.exitStatus() == 0)
    await browser.expect("lost\tAnn")
    browser.signal(SIGINT)
    #expect(await browser.exitStatus() == 0)
  }

  @Test(
    "A process with too few descriptors says so each time, and raises a limit that it may raise",
    .enabled(if: Shell.has("prlimit"), "needs prlimit of util-linux"))
  func tooFewDescriptors() async throws {
    for count in [6, 9, 12, 14, 14, 14] {
      let refused = try Program(
        ["browse", "--service", service], prefix: ["prlimit", "--nofile=\(count):\(count)"])
      #expect(await refused.exitStatus() == 1)
      #expect(refused.line(with: "may open \(count) files, and needs") != nil, "\(refused.lines)")
    }
    let ann = try Program(
      ["advertise", "--name", "Ann", "--accept", "--service", service],
      prefix: ["prlimit", "--nofile=14:64"])
    let ping = try Program(["ping", "Ann", "--count", "1", "--service", service])
    #expect(await ping.exitStatus() == 0, "\(ping.lines)")
    withExtendedLifetime(ann) {}
  }

  @Test("An interrupt that comes before the program has begun to listen is not lost")
  func interruptedBefore() async throws {
    for signal in ["INT", "TERM", "HUP"] {
      let words = [Program.path, "browse", "--interface", "lo", "--service", service]
      let program = try Program(
        running: [
          "env", "--block-signal=\(signal)", "sh", "-c", "kill -\(signal) $$; exec \"$@\"", "sh",
        ] + words)
      #expect(await program.exitStatus() == 0)
    }
  }

  @Test("An interrupt in the first milliseconds ends the program")
  func interruptedEarly() async throws {
    for step in 0..<40 {
      let program = try start("browse")
      usleep(UInt32(1_000 * step))
      program.signal(SIGINT)
      let status = await program.exitStatus()
      #expect(status == 0 || status == SIGINT)  // Goodbye, or before there was anybody to say it.
    }
  }

  @Test("An interface that there is not is wrong usage")
  func interface() async throws {
    let program = try start("browse", "--interface", "no-such-if")
    await program.expect("earshot: interface \"no-such-if\" not found; available: lo")
    #expect(await program.exitStatus() == 2)
  }
}
