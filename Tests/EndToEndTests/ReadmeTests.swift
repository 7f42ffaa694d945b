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

  @Test("Its picture is what the scenario draws")
  func picture() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let drawing = folder.appending(path: "run.svg")
    let program = try Program(running: [
      Program.path, "simulate", root.appending(path: "Simulations/a-link-is-mended.json5").path(),
      "--drawing", drawing.path(),
    ])
    #expect(await program.exitStatus() == 0)
    let picture = "Sources/Earshot/Earshot.docc/Resources/a-link-is-mended.svg"
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("](\(picture))"))
    #expect(try Data(contentsOf: drawing) == Data(contentsOf: root.appending(path: picture)))
  }

  @Test(
    "The first message arrives; an invitation that is declined is told, and is a status",
    .enabled(if: Namespaces.areAvailable), arguments: [true, false])
  func firstMessage(isWelcome: Bool) async throws {
    let hosts = try Namespaces()
    let path = Program.executable.deletingLastPathComponent().appending(path: "FirstExample").path()
    let ann = try Program(running: hosts.left.prefix + [path, isWelcome ? "listen" : "refuse"])
    let bob = try Program(running: hosts.right.prefix + [path, "greet"])
    #expect(await bob.exitStatus() == (isWelcome ? 0 : 1))
    if isWelcome {
      #expect(await ann.exitStatus() == 0)
      #expect(ann.lines == ["hello"] && bob.lines.isEmpty)
    } else {
      #expect(bob.lines == ["Ann did not accept: declined"])
      ann.signal(SIGKILL)
    }
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "An example without its arguments prints its usage",
    arguments: ["FirstExample", "ChatExample", "GatheringExample", "GameExample", "DropExample"])
  func usage(example: String) async throws {
    let folder = Program.executable.deletingLastPathComponent()
    let program = try Program(running: [folder.appending(path: example).path()])
    #expect(await program.exitStatus() == 2)
    #expect(program.lines.count == 1 && program.lines[0].hasPrefix("usage: \(example) "))
  }

  @Test(
    "An example that cannot start says why, and ends with 1",
    arguments: [
      ("ChatExample", []), ("GatheringExample", []), ("GameExample", ["Bob"]),
      ("DropExample", ["/tmp"]),
    ] as [(String, [String])])
  func failing(example: String, words: [String]) async throws {
    let folder = Program.executable.deletingLastPathComponent()
    let name = String(repeating: "n", count: 64)  // One more than fits.
    let program = try Program(
      running: [folder.appending(path: example).path(), name] + words + ["lo"])
    #expect(await program.exitStatus() == 1)
    #expect(program.lines.count == 1 && program.lines[0].contains("63"), "\(program.lines)")
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

  @Test("The package that the README prints finds all that it asks of Earshot")
  func dependency() async throws {
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let manifest = try #require(
      readme.firstMatch(of: #/```swift\n(// swift-tools-version.*?)```/#.dotMatchesNewlines()))
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let package = folder.appending(path: "Greeter")
    let sources = package.appending(path: "Sources/Greeter")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "Earshot"), withDestinationURL: root)
    try String(manifest.1).write(
      to: package.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    try FileManager.default.copyItem(
      at: root.appending(path: "Sources/Examples/First/main.swift"),
      to: sources.appending(path: "main.swift"))
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
