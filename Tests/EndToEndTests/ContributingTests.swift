import Foundation
import Testing

@Suite("What the article for contributors says", .fewAtOnce)
struct ContributingTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The names in the first column of the table below a heading.
  private func rows(below heading: String) throws -> [String] {
    let path = "Sources/Earshot/Earshot.docc/Contributing.md"
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
    let lines = (section.components(separatedBy: "\n## ").first ?? "").split(separator: "\n")
    return lines.filter { $0.hasPrefix("| `") }.flatMap { line in
      line.dropFirst().prefix { $0 != "|" }.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
  }

  @Test(
    "Its tables have the steps and rows that the scripts have, in their order",
    arguments: [(".ci/run", "What each step protects"), (".ci/night", "Long runs")])
  func tables(script: String, heading: String) async throws {
    let program = try Program(running: [Self.root.appending(path: script).path(), "--list"])
    #expect(await program.exitStatus() == 0)
    let names = program.lines.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names.count > 10)
    #expect(try rows(below: heading) == names)
  }

  @Test(
    "A wrong command line is refused, and says what is wrong",
    arguments: [
      ([".ci/run", "--only", "nothing"], "no step is called nothing"),
      ([".ci/run", "--only"], "--only needs the name of a step"),
      ([".ci/run", "tests"], "tests is no option"),
      ([".ci/night", "--row", "nothing"], "no row is called nothing"),
      ([".ci/night", "--row"], "--row needs a name"),
      ([".ci/night", "--half"], "--half is no option"),
    ])
  func wrong(words: [String], message: String) async throws {
    let program = try Program(running: ["-C", Self.root.path()] + words)
    #expect(await program.exitStatus() == 2)
    #expect(program.lines.contains { $0.contains(message) }, "\(program.lines)")
  }

  @Test("Each script explains itself", arguments: [".ci/run", ".ci/night", ".ci/tests"])
  func help(script: String) async throws {
    let program = try Program(running: ["-C", Self.root.path(), script, "--help"])
    #expect(await program.exitStatus() == 0)
    #expect(program.lines.contains { $0.contains("\(script) [") || $0.contains("\(script) --") })
  }

  @Test("Every benchmark is run by CI, and at length at night")
  func benchmarks() throws {
    let script = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    let names = manifest.matches(of: #/name: "(\w+)",\s+dependencies: \["BenchmarkKit"/#).map {
      String($0.1)
    }.filter { $0 != "LoopbackPeers" }
    #expect(names.count == 14)
    let lists = script.matches(of: #/for name in ([\w\s\\]+); do.*\n +benchmark /#).map(\.1)
    let run = lists.flatMap { $0.matches(of: /\w+/).map { String($0.0) } }
    #expect(run.sorted() == names.sorted())
    #expect(Set(names).isSubset(of: try rows(below: "Long runs")))
  }
}
