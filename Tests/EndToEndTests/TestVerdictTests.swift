import EarshotCommandLine
import Foundation
import Testing

/// `.ci/tests`, with a program in place of `swift` that reports runs as they are written here.
@Suite(
  "What CI makes of a run of tests", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Shell.has("python3"), "needs python3"))
final class TestVerdictTests {
  /// A run of tests: how each ends, and how the run does.
  private struct Run {
    var passed: [String] = []
    var failed: [String] = []
    var known: [String] = []
    var running: [String] = []
    var status = 0
    /// What Swift's runtime writes of a crash.
    var crash: String?

    /// Its event stream, as swift-testing writes it.
    var events: String {
      let tests = (passed + failed + known + running).map { Self.line("test", Self.test($0)) }
      let ends = [(passed, nil as Bool?), (failed, false), (known, true)].flatMap {
        names, isKnown in
        names.flatMap { name in
          [Self.event("testStarted", name)]
            + (isKnown.map { [Self.event("issueRecorded", name, issueIsKnown: $0)] } ?? [])
            + [Self.event("testEnded", name)]
        }
      }
      let starts = running.map { Self.event("testStarted", $0) }
      let end = running.isEmpty ? [Self.event("runEnded", nil)] : []
      return (tests + ends + starts + end).joined(separator: "\n")
    }

    private static func id(_ name: String) -> String { "\(name)()/Some.swift:3:4" }

    private static func test(_ name: String) -> String {
      #"{"kind":"function","id":"\#(id(name))","name":"law()","displayName":"A law of \#(name)"}"#
    }

    private static func event(_ kind: String, _ name: String?, issueIsKnown: Bool? = nil) -> String
    {
      let test = name.map { #","testID":"\#(id($0))""# } ?? ""
      let issue =
        issueIsKnown.map {
          #","issue":{"isKnown":\#($0),"isFailure":\#(!$0),"sourceLocation":{"fileID":"Some.swift","line":5}}"#
        } ?? ""
      return line(
        "event",
        #"{"kind":"\#(kind)"\#(test)\#(issue),"messages":[{"text":"Expectation failed: 1 == 2"}]}"#)
    }

    private static func line(_ kind: String, _ payload: String) -> String {
      #"{"kind":"\#(kind)","payload":\#(payload)}"#
    }
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The exit status and the output of `.ci/tests` for runs that follow each other, and its commands.
  private func verdict(
    _ runs: Run..., options: [String] = []
  ) async throws -> (status: Int32?, lines: [String], commands: [String], unsteady: String) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, run) in runs.enumerated() {
      try Data(run.events.utf8).write(to: folder.appending(path: "\(number + 1).events"))
      try Data("\(run.status)".utf8).write(to: folder.appending(path: "\(number + 1).status"))
      if let crash = run.crash {
        try Data(crash.utf8).write(to: folder.appending(path: "\(number + 1).crash"))
      }
    }
    let swift = folder.appending(path: "swift")
    let script = """
      #!/bin/bash
      cd "$(dirname "$0")" || exit
      echo "$*" >>commands
      number=$(wc -l <commands)
      cp "$number.events" "${@: -1}"
      [ -e "$number.crash" ] && cp "$number.crash" "${SWIFT_BACKTRACE##*=}EarshotPackageT-1.log"
      exit "$(cat "$number.status")"
      """
    try Data(script.utf8).write(to: swift)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path())
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let program = try Program(
      running: [
        "PATH=\(folder.path()):\(path)", root.appending(path: ".ci/tests").path(), "--log",
        folder.appending(path: "log").path(), "--unsteady",
        folder.appending(path: "unsteady").path(),
      ] + options)
    let status = await program.exitStatus()
    func text(_ name: String) -> String {
      (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }
    let commands = text("commands").split(separator: "\n").map(String.init)
    return (status, program.lines, commands, text("unsteady"))
  }

  @Test("A run that passes is one command, the README's, and known issues are no failures")
  func passes() async throws {
    let verdict = try await verdict(Run(passed: ["Core.Laws/one"], known: ["Core.Laws/two"]))
    #expect(verdict.status == 0)
    #expect(verdict.lines.last == "2 tests passed, 0 failed, 0 skipped, 0 unsteady")
    #expect(verdict.commands.count == 1)
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let command = try #require(
      verdict.commands.first?.prefix { $0 != "\n" }.components(separatedBy: " --event-stream").first
    )
    #expect(readme.contains("\nswift \(command) "))
  }

  @Test("A test of real time that passes twice by itself is unsteady, and told with its issue")
  func unsteady() async throws {
    let (fails, passes) = (
      Run(passed: ["Core.Laws/one"], failed: ["EndToEndTests.Wire/law"], status: 1),
      Run(passed: ["EndToEndTests.Wire/law"])
    )
    let verdict = try await verdict(fails, passes, passes)
    #expect(verdict.status == 0)
    #expect(verdict.lines.last == "2 tests passed, 0 failed, 0 skipped, 1 unsteady")
    #expect(verdict.unsteady.contains("A law of EndToEndTests.Wire/law"))
    #expect(verdict.unsteady.contains("Some.swift:5: Expectation failed: 1 == 2"))
    #expect(verdict.commands.count == 3)
    for command in verdict.commands.dropFirst() {
      #expect(command.contains("--no-parallel"))
      #expect(command.contains(#"--filter ^EndToEndTests\.Wire/law\(\)/Some\.swift:3:4$"#))
    }
  }

  @Test("A test of real time that fails again fails, the first time or the second")
  func failsAgain() async throws {
    let (fails, passes) = (
      Run(failed: ["EndToEndTests.Wire/law"], status: 1), Run(passed: ["EndToEndTests.Wire/law"])
    )
    let first = try await verdict(fails, fails)
    #expect(first.status == 1)
    #expect(first.lines.last == "0 tests passed, 1 failed, 0 skipped, 0 unsteady")
    try FileManager.default.removeItem(at: folder)
    let second = try await verdict(fails, passes, fails)
    #expect(second.status == 1)
    #expect(second.unsteady.isEmpty)
  }

  @Test("A repeat that runs no test is no pass")
  func repeatsNothing() async throws {
    let fails = Run(failed: ["EndToEndTests.Wire/law"], status: 1)
    #expect(try await verdict(fails, Run(), Run()).status == 1)
  }

  @Test("No other test is repeated, and none with --strict")
  func others() async throws {
    let other = try await verdict(Run(failed: ["Core.Laws/one"], status: 1))
    #expect(other.status == 1)
    #expect(other.commands.count == 1)
    #expect(
      other.lines.contains { $0.contains("failed: Core.Laws/one() \"A law of Core.Laws/one\"") })
    try FileManager.default.removeItem(at: folder)
    let strict = try await verdict(
      Run(failed: ["EndToEndTests.Wire/law"], status: 1), options: ["--strict"])
    #expect(strict.status == 1)
    #expect(strict.commands.count == 1)
  }

  @Test("Two unsteady tests pass, three fail", arguments: [2, 3])
  func limit(count: Int) async throws {
    let tests = (1...count).map { "EndToEndTests.Wire/law\($0)" }
    let passes = Run(passed: tests)
    let fails = Run(failed: tests, status: 1)
    let verdict = try await verdict(fails, passes, passes, passes, passes, passes, passes)
    #expect(verdict.status == (count > 2 ? 1 : 0))
    #expect(verdict.lines.contains("more than 2 tests are unsteady") == (count > 2))
  }

  @Test("A crash fails, names what was running and the thread, and nothing is repeated")
  func crash() async throws {
    let report = "Thread 3 crashed:\n0 law() in Some.swift\n\nRegisters:\nrax 1"
    let verdict = try await verdict(
      Run(
        failed: ["EndToEndTests.Wire/law"], running: ["Core.Laws/one"], status: 1, crash: report))
    #expect(verdict.status == 1)
    #expect(verdict.lines.contains("0 law() in Some.swift"))
    #expect(!verdict.lines.contains("Registers:"))
    #expect(verdict.lines.contains { $0.contains("  Core.Laws/one() \"A law of Core.Laws/one\"") })
    #expect(verdict.commands.count == 1)
  }

  @Test("A run without tests fails, and so does one that fails without an issue")
  func nothing() async throws {
    #expect(try await verdict(Run()).status == 1)
    try FileManager.default.removeItem(at: folder)
    #expect(try await verdict(Run(passed: ["Core.Laws/one"], status: 1)).status == 1)
  }
}
