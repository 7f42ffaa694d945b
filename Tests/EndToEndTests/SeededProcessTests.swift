#if os(Linux)
  import CEarshotCLI
  import EarshotCommandLine
  import Foundation
  import Testing

  @Suite("One seed in fresh processes", .fewAtOnce)
  struct SeededProcessTests {
    private func run(seed: Int) async throws -> [String] {
      let path = Program.executable.deletingLastPathComponent().appending(path: "SeededSubject")
      let program = try Program(running: [path.path(), "\(seed)"])
      #expect(await program.exitStatus() == 0)
      return program.lines
    }

    @Test(
      "A program that walks sets, draws numbers and keeps an identity is one run in eight processes"
    )
    func eight() async throws {
      var runs: [[String]] = []
      for _ in 0..<8 { runs.append(try await run(seed: 7)) }
      #expect(runs[0].count == 16 && Set(runs).count == 1, "\(runs)")
      let other = try await run(seed: 8)
      // The order of sets is that of the process alone.
      #expect(other[0] == runs[0][0])
      #expect(zip(other, runs[0]).dropFirst().allSatisfy { $0 != $1 })
    }

    @Test("Commands that meet real peers hash with random seeds, and no others")
    func commands() {
      for command in EarshotTool.commands {
        let words = ["earshot", command.name, "--help"]
        var arguments = words.map { strdup($0) }
        defer { arguments.forEach { free($0) } }
        let isRandom = earshot_hashing_is_random(3, &arguments) == 1
        #expect(isRandom == EarshotTool.liveNames.contains(command.name), "\(command.name)")
      }
      var none = [strdup("earshot")]
      defer { none.forEach { free($0) } }
      #expect(earshot_hashing_is_random(1, &none) == 0)
    }
  }
#endif
