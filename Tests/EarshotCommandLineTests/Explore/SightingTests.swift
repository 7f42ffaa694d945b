import EarshotCommandLine
import EarshotSimulator
import Foundation
import Testing

@Suite("What an exploration has seen")
struct SightingTests {
  /// An exploration in which seed 3 sees the rain, and none the snow.
  private static func explore(
    _ words: String..., in folder: Folder? = nil
  ) throws -> (Shell, ExitCode) {
    let folder = try folder ?? Folder()
    let file = try folder.file("a.json5")
    let shell = Shell(isColoured: false) { order in
      var result = RunResult.holding
      let world = World(seed: order.seed)
      world.sometimes(order.seed == 3, "it rains")
      world.sometimes(false, "it snows")
      world.declare(.reachable, "the pole")
      world.always(true, "gravity")
      world.finish()
      result.properties = world.properties
      return result
    }
    return (shell, shell.run(["explore", file] + words))
  }

  @Test("The last lines say what was seen, and name what never was; the status does not change")
  func text() throws {
    let (shell, code) = try Self.explore("--seeds", "0...9")
    #expect(code == .held)
    #expect(
      shell.out.hasSuffix(
        "nothing found\nseen at least once: 1 of 3\n  ○ never: it snows (reached 10 times)\n"
          + "  ○ never: the pole\n"))
  }

  @Test("With --require-seen, what was never seen is a failure")
  func required() throws {
    #expect(try Self.explore("--seeds", "0...9", "--require-seen").1 == .violated)
  }

  /// A run that sees all there is to see.
  private static func home() -> RunResult {
    var result = RunResult.holding
    let world = World(seed: 1)
    world.reachable("home")
    result.properties = world.properties
    return result
  }

  @Test("Where everything was seen, nothing is named")
  func complete() throws {
    let folder = try Folder()
    let file = try folder.file("a.json5")
    let shell = Shell { _ in Self.home() }
    #expect(shell.run("explore", file, "--seeds", "0...1", "--require-seen") == .held)
    #expect(shell.out.hasSuffix("seen at least once: 1 of 1\n"))
    let answering = Shell { _ in Self.home() }
    #expect(answering.run("explore", file, "--seeds", "0...1", "--json") == .held)
    let answer = try folder.file("answer.jsonl", answering.out)
    #expect(Shell().run("merge", "--require-seen", answer) == .held)
  }

  @Test("Shards are added up: what one of them has seen was seen")
  func merged() throws {
    let folder = try Folder()
    var paths: [String] = []
    for shard in 0..<2 {
      let (shell, code) = try Self.explore(
        "--seeds", "0...9", "--shard", "\(shard)/2", "--json", in: folder)
      #expect(code == .held)
      let path = URL(filePath: try folder.file("a.json5")).deletingLastPathComponent()
        .appending(path: "\(shard).jsonl")
      try Data(shell.out.utf8).write(to: path)
      paths.append(path.path)
    }
    let shell = Shell()
    #expect(shell.run(["merge"] + paths) == .held)
    #expect(
      shell.out.hasSuffix(
        "seen at least once: 1 of 3\n  ○ never: it snows (reached 10 times)\n  ○ never: the pole\n")
    )
    #expect(Shell().run(["merge", "--require-seen"] + paths) == .violated)
    let one = Shell()
    #expect(one.run("merge", paths[0]) == .broken)  // The other shard is missing.
    #expect(one.out.contains("seen at least once: 0 of 3"))
  }
}
