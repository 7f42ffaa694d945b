import EarshotCommandLine
import Foundation
import Testing

@Suite("Programs that trap while they are simulated", .timeLimit(.minutes(30)))
struct TrapTests {
  @Test("simulate and explore in one process name the seed and the replay of the run")
  func alone() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) {
      CrashNote.arm()
      let folder = try Folder()
      let shell = Shell(seeds: { _ in fatalError("as a program would") })
      _ = shell.run("simulate", try folder.file("a.json5"), "--seed", "4711")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let note = try #require(text.split(separator: "\n").first { $0.contains("crashed; again:") })
    #expect(note.contains("earshot: seed 4711 crashed; again: earshot simulate "))
    #expect(note.contains("a.json5 --seed 4711"))
  }

  /// A program that takes the place of `earshot`, and traps.
  private func engine(in folder: Folder) throws -> Engine {
    let script = "#!/bin/sh\nread order; echo Core/Machine.swift:7: Fatal error: planted >&2\n"
    let path = try folder.file("program", script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return .processes(of: URL(fileURLWithPath: path))
  }

  @Test(
    "Several runs at once go on, and each that trapped is told with its cause, seed and replay",
    arguments: ["1", "2"])
  func sweep(jobs: String) throws {
    let folder = try Folder()
    let engine = try engine(in: folder)
    let shell = Shell(isColoured: false, orders: { engine.run($0) })
    let file = try folder.file("a.json5")
    let code = shell.run(["simulate", file, "--seeds", "5...8", "--jobs", jobs, "--once"])
    #expect(code == .broken && shell.runs.sorted() == [5, 6, 7, 8])
    #expect(shell.out.contains("4 crashed"))
    #expect(shell.out.contains("the program crashed: Core/Machine.swift:7: Fatal error: planted"))
    #expect(shell.out.contains("--seed 5"))
  }

  @Test("An exploration tells a trap as a kind of failure, with the seed that shows it")
  func explore() throws {
    let folder = try Folder()
    let engine = try engine(in: folder)
    let shell = Shell(isColoured: false, orders: { engine.run($0) })
    let file = try folder.file("a.json5")
    let code = shell.run(
      ["explore", file, "--seeds", "5...8", "--jobs", "2", "--no-shrink", "--policy", "fifo"])
    #expect(code == .broken)
    #expect(
      shell.out.contains("fifo: the program crashed: Core/Machine.swift:7: Fatal error: planted"))
    #expect(shell.out.contains("two, seed 5") && shell.out.contains("1 kind of failure"))
  }
}
