import EarshotCommandLine
import Testing

/// `.ci/night` in a repository of its own, with stand-ins for all programs.
@Suite(
  "What CI runs at night", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Shell.has("git"), "needs git"))
struct NightScriptTests {
  private let repository: StandInRepository

  private init() throws { repository = try StandInRepository(".ci/night") }

  @Test(
    "A row does all of its work, and a tenth with --tenth",
    arguments: [
      ("fuzzing", ["fuzz 60: 60", "fuzz 6: 6"]),
      ("determinism", ["determinism twice: twice 10000", "determinism twice: twice 1000"]),
      ("surroundings", ["determinism 1000:", "determinism 100:"]),
      ("exploration", ["--seeds 0..<160 ", "--seeds 0..<16 "]),
      ("cycles", ["--cycles 100000 ", "--cycles 10000 "]),
      ("HistoryCheck", ["--rounds 9", "--rounds 1"]),
      ("thread-sanitizer", ["sanitize thread: thread .*", "/10"]),
      ("address-sanitizer", ["sanitize address: address .*", "/10"]),
    ])
  func amounts(row: String, expected: [String]) async throws {
    for (words, text) in zip([[], ["--tenth"]], expected) {
      _ = try await repository.run(".ci/night", ["--row", row] + words)
      let calls = repository.calls()
      #expect(calls.contains { $0.contains(text) }, "\(calls)")
    }
  }

  @Test(
    "Tests are repeated as often as a row says, without second chances",
    arguments: [("end-to-end", [5, 1]), ("load", [3, 1])])
  func repeated(row: String, counts: [Int]) async throws {
    try repository.write("#!/bin/sh\nexec sleep 600\n", to: "bin/stress", isProgram: true)
    for (words, count) in zip([[], ["--tenth"]], counts) {
      let (status, lines) = try await repository.run(".ci/night", ["--row", row] + words)
      #expect(status == 0, "\(lines)")
      #expect(repository.calls().count { $0.hasPrefix("tests --strict: ") } == count)
      #expect(lines.last?.hasSuffix("\(count) of \(count) runs passed") == true)
    }
  }

  @Test("A row that fails is in the table, fails the run, and stops no other")
  func fails() async throws {
    try repository.write("determinism twice", to: "failing")
    let (status, lines) = try await repository.run(
      ".ci/night", ["--row", "determinism", "--row", "proxy"])
    #expect(status == 1)
    let table = lines.drop { !$0.hasPrefix("row  ") }.dropFirst()
    #expect(table.count == 2)
    #expect(table.first?.contains(/^determinism +FAILED +\d+  see \.build\/night/) == true)
    #expect(table.last?.contains(/^proxy +ok +\d+  100000 handshakes/) == true)
  }

  @Test("A row without a figure has failed")
  func silent() async throws {
    try repository.write("#!/bin/sh\n", to: ".build/release/Meeting", isProgram: true)
    #expect(try await repository.run(".ci/night", ["--row", "Meeting"]).status == 1)
  }
}
