import EarshotCommandLine
import Foundation
import Testing

/// `.ci/run` in a repository of its own, with stand-ins for all programs.
@Suite(
  "What CI runs", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Shell.has("git"), "needs git"))
struct RunScriptTests {
  private static let sanitized = [
    "planted-bugs", "address-sanitizer", "thread-sanitizer", "fuzzing",
  ]
  private let repository: StandInRepository

  private init() throws { repository = try StandInRepository(".ci/run") }

  /// The result of each step that a run reports in its table, and its exit status.
  private func run(
    _ words: String...
  ) async throws -> (status: Int32?, results: [String: String], lines: [String]) {
    let (status, lines) = try await repository.run(".ci/run", words)
    let table = lines.drop { !$0.hasPrefix("step  ") }.dropFirst().prefix { !$0.isEmpty }
    let rows = table.map { $0.split(separator: " ").map(String.init) }.filter { $0.count == 3 }
    return (status, Dictionary(rows.map { ($0[0], $0[1]) }) { $1 }, lines)
  }

  @Test("All steps pass, and each is in the table")
  func passes() async throws {
    let run = try await run()
    #expect(run.status == 0, "\(run.lines)")
    #expect(run.results.count == 15)  // 14 steps, and the builds in the background.
    #expect(Set(run.results.values) == ["ok"])
    #expect(run.lines.last == "all steps passed")
  }

  @Test("What sanitizers look at is not looked at again until it changes, unless --all asks for it")
  func unchanged() async throws {
    _ = try await run()
    let again = try await run()
    #expect(again.status == 0)
    let unchanged = again.results.filter { $0.value == "unchanged" }.keys.sorted()
    #expect(unchanged == Self.sanitized.sorted())
    let all = try await run("--all")
    #expect(Set(all.results.values) == ["ok"], "\(all.lines)")
    try repository.write("// Second.", to: "Sources/Earshot/Peer.swift")
    #expect(try await run().results.values.allSatisfy { $0 == "ok" }, "not committed")
    try repository.commit()
    #expect(try await run().results.values.allSatisfy { $0 == "ok" }, "never passed")
    #expect(try await run().results["fuzzing"] == "unchanged")
    #expect(try await run("--only", "fuzzing").results["fuzzing"] == "ok")
    try repository.append("# A step is changed.", to: ".ci/run")
    try repository.commit()
    #expect(try await run().results["fuzzing"] != "unchanged", "the step has changed")
  }

  @Test(
    "A step that fails is told with its output, fails the run, stops no other, and is repeated",
    arguments: [
      ("tests", "tests --unsteady"), ("format", "swift format"), ("scenarios", "earshot simulate"),
      ("exploration", "earshot merge"), ("benchmarks", "Meeting --quick"),
      ("surroundings", "determinism 20"), ("planted-bugs", "FuzzedExploration --quick"),
      ("address-sanitizer", "sanitize address"), ("thread-sanitizer", "sanitize thread"),
      ("fuzzing", "fuzz 4"),
    ])
  func fails(step: String, command: String) async throws {
    try repository.write(command, to: "failing")
    for _ in 0..<2 {
      let run = try await run()
      #expect(run.status == 1)
      #expect(run.results.count == 15)
      #expect(run.results[step] == "FAILED", "\(run.lines)")
      #expect(run.lines.contains("failed: \(step)"))
    }
  }

  @Test("Unsteady tests are listed in the summary, and fail no run")
  func unsteady() async throws {
    try repository.write("#!/bin/sh\necho 'a test' >\"$2\"\n", to: ".ci/tests", isProgram: true)
    let run = try await run()
    #expect(run.status == 0)
    #expect(
      run.lines.suffix(3) == [
        "unsteady, each a defect to be found:", "a test", "all steps passed",
      ])
  }

  @Test("One step runs alone, after the build that it needs, or without it")
  func only() async throws {
    #expect(try await run("--only", "scenarios").results == ["build": "ok", "scenarios": "ok"])
    let both = try await run("--only", "format", "packages")
    #expect(both.results == ["format": "ok", "packages": "ok"], "\(both.lines)")
  }

  @Test(
    "The public interface is compared with the commit before HEAD, or with a named one")
  func interface() async throws {
    let file = "Interface/Earshot.txt"
    func printed(since base: String? = nil) async throws -> (status: Int32?, lines: [String]) {
      let settings = base.map { ["EARSHOT_INTERFACE_BASE=\($0)"] } ?? []
      let words = ["--only", "interface"]
      let (status, lines) = try await repository.run(".ci/run", words, settings: settings)
      return (status, lines.filter { $0.contains(/^[-+]\w|this clone|the same|not in git/) })
    }
    let alone = try await printed()
    #expect(alone.status == 0)
    #expect(
      alone.lines == [
        "this clone has no commit before HEAD, so the public interface is not compared"
      ])
    for line in ["Peer | func stop()", "Peer | func stop() async", "Peer | func rest()"] {
      try repository.write("Peer | actor Peer\n\(line)\n", to: file)
      try repository.commit()
    }
    let last = try await printed()
    #expect(last.status == 0)
    #expect(last.lines == ["-Peer | func stop() async", "+Peer | func rest()"])
    let named = try await printed(since: "HEAD~2")
    #expect(named.status == 0)
    #expect(named.lines == ["-Peer | func stop()", "+Peer | func rest()"])
    #expect(
      try await printed(since: "HEAD").lines == ["the public interface is the same as in HEAD"])
    try repository.append("Peer | func wake()", to: file)
    #expect(try await printed(since: "HEAD").lines == ["+Peer | func wake()"], "not committed")
    try repository.write("", to: "Interface/EarshotTLS.txt")
    #expect(
      try await printed(since: "HEAD").lines == [
        "+Peer | func wake()", "not in git yet: Interface/EarshotTLS.txt",
      ])
    let unknown = try await printed(since: "unknown")
    #expect(unknown.status == 1)
    #expect(unknown.lines.contains { $0.hasPrefix("this clone has no commit unknown; fetch it") })
  }

  @Test("A run that is interrupted ends what it has begun in the background")
  func interrupted() async throws {
    try repository.hang(".ci/sanitize", before: ".ci/tests")
    for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
      let program = try repository.start(".ci/run")
      await program.expect("=== builds")
      program.signal(signal)
      #expect(await program.exitStatus() == status)
      try repository.awaitHanging()
    }
  }
}
