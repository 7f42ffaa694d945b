import Foundation
import Testing

@Suite("What the README says", .fewAtOnce)
struct ReadmeTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("The first command prints what the README has, but for what it leaves out and for times")
  func firstCommand() async throws {
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let sample = try #require(
      readme.firstMatch(of: #/```\n(first hello\n.*?)```/#.dotMatchesNewlines()))
    let scenario = "Simulations/first-hello.json5"
    let program = try Program(running: [
      "env", "-C", root.path(), Program.path, "simulate", scenario,
    ])
    #expect(await program.exitStatus() == 0)
    var printed = program.lines[...]
    for line in sample.1.split(separator: "\n") where line != "…" && line != "    …" {
      let isSame = { (other: String) in
        line.hasSuffix("of processor") ? other.hasSuffix("of processor") : other == line
      }
      let place = try #require(printed.firstIndex(where: isSame), "\(line) is not printed")
      printed = printed[(place + 1)...]
    }
  }

  @Test("The package of the samples finds all that it asks of Earshot")
  func package() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let package = folder.appending(path: "Hello")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "Earshot"), withDestinationURL: root)
    for part in ["Package.swift", "Sources", "Tests"] {
      try FileManager.default.copyItem(
        at: root.appending(path: "Sources/Examples/Hello/\(part)"),
        to: package.appending(path: part))
    }
    let program = try Program(running: [
      "swift", "package", "--package-path", package.path(), "show-dependencies",
    ])
    #expect(await program.exitStatus() == 0, "\(program.lines)")
  }

  @Test("The simulated sample prints hello")
  func simulated() async throws {
    let folder = Program.executable.deletingLastPathComponent()
    let program = try Program(running: [folder.appending(path: "Simulated").path()])
    #expect(await program.exitStatus() == 0)
    #expect(program.lines == ["hello"])
  }
}
