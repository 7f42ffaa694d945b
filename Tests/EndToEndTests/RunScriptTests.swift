import EarshotCommandLine
import Foundation
import Testing

/// `.ci/run` in a repository of its own, with stand-ins for all programs.
@Suite(
  "What CI runs", .timeLimit(.minutes(10)), .fewAtOnce,
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
    #expect(run.results.count == 14)  // 13 steps, and the builds in the background.
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
      #expect(run.results.count == 14)
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
