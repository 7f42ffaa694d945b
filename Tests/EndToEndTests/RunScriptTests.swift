import EarshotCommandLine
import Foundation
import Testing

/// `.ci/run` in a repository of its own, whose programs are stand-ins that fail when they are told to.
@Suite(
  "What CI runs", .timeLimit(.minutes(10)), .fewAtOnce,
  .enabled(if: Shell.has("git"), "needs git"))
final class RunScriptTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private static let sanitized = [
    "planted-bugs", "address-sanitizer", "thread-sanitizer", "fuzzing",
  ]

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A repository with two scenarios and one source, and stand-ins for all that the steps call.
  private init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let names = [
      "FrameThroughput", "SimulatedCrowd", "ScheduleRaces", "FuzzedExploration", "PlantedBugs",
      "HistoryCheck", "CrowdedHall", "Calibration", "LinkThroughput", "LinkRoundTrip",
      "DatagramThroughput", "Meeting",
    ]
    let programs =
      [".ci/tests", ".ci/determinism", ".ci/sanitize", ".ci/fuzz", "bin/swift"]
      + ["python", "pip"].map { ".build/interop/bin/\($0)" }
      + (["earshot"] + names).map { ".build/release/\($0)" }
      + [".build/debug/earshot", ".build-fuzz/release/FuzzedExploration"]
      + [".build-fuzz/release/FuzzedScenario"]
    let standIn = """
      #!/bin/bash
      name="$(basename "$0") $1"
      echo "reproduced: $name"
      echo '{"scenario":"a","traceHash":"ab"}'
      echo '{"scenario":"b","traceHash":"cd"}'
      ! grep -qxF "$name" '\(folder.path())/failing' 2>/dev/null
      """
    for program in programs { try write(standIn, to: program, isProgram: true) }
    try write("#!/bin/sh\nprintf 'install ok installed'\n", to: "bin/dpkg-query", isProgram: true)
    try write("#!/bin/sh\nexit 1\n", to: "bin/apt-get", isProgram: true)
    let script = try String(contentsOf: root.appending(path: ".ci/run"), encoding: .utf8)
    try write(script, to: ".ci/run", isProgram: true)
    for file in ["Simulations/a.json5", "Simulations/regressions/b.json5", "Package.swift"] {
      try write("", to: file)
    }
    try write("// First.", to: "Sources/Earshot/Peer.swift")
    try write(".build*\nbin\ncache\nfailing\n", to: ".gitignore")
    try git("init", "--quiet")
    try commit()
  }

  private func write(_ text: String, to path: String, isProgram: Bool = false) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    if isProgram {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path())
    }
  }

  private func git(_ words: String...) throws {
    let options = ["-C", folder.path(), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    try Shell.run(["git"] + options + words)
  }

  private func commit() throws {
    try git("add", "--all")
    try git("commit", "--quiet", "--message", "state")
  }

  /// The result of each step that a run reports in its table, and its exit status.
  private func run(
    _ words: String...
  ) async throws -> (status: Int32?, results: [String: String], lines: [String]) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let program = try Program(
      running: [
        "PATH=\(folder.path())/bin:\(path)", "XDG_CACHE_HOME=\(folder.path())/cache",
        folder.appending(path: ".ci/run").path(),
      ] + words)
    let status = await program.exitStatus()
    let lines = program.lines
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
    try write("// Second.", to: "Sources/Earshot/Peer.swift")
    #expect(try await run().results.values.allSatisfy { $0 == "ok" }, "not committed")
    try commit()
    #expect(try await run().results.values.allSatisfy { $0 == "ok" }, "never passed")
    #expect(try await run().results["fuzzing"] == "unchanged")
    #expect(try await run("--only", "fuzzing").results["fuzzing"] == "ok")
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
    try write(command, to: "failing")
    for _ in 0..<2 {
      let run = try await run()
      #expect(run.status == 1)
      #expect(run.results.count == 14)
      #expect(run.results[step] == "FAILED", "\(run.lines)")
      #expect(run.lines.contains("failed: \(step)"))
    }
  }

  @Test("One step runs alone, after the build that it needs, or without it")
  func only() async throws {
    #expect(try await run("--only", "scenarios").results == ["build": "ok", "scenarios": "ok"])
    let both = try await run("--only", "format", "packages")
    #expect(both.results == ["format": "ok", "packages": "ok"], "\(both.lines)")
  }
}
