import Foundation
import Testing

/// The program `earshot simulate`, with the processes that it starts and the signals that it gets.
@Suite("Simulate as a process", .timeLimit(.minutes(30)), .fewAtOnce)
struct SimulateProcessTests {
  private let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Simulations/first-hello.json5").standardized.path

  private func start(_ words: String...) throws -> Program {
    try Program(running: [Program.executable.path, "simulate", file] + words)
  }

  @Test("A sweep that is interrupted says what it found, and ends with 130", arguments: [1, 3])
  func interrupt(jobs: Int) async throws {
    let program = try start("--seeds", "0..<1000000000", "--json", "--jobs", "\(jobs)")
    await program.expect("\"seed\":\"9\"")
    program.signal(SIGINT)
    await program.expect("{\"summary\":true,")
    await program.expect("\"interrupted\":true,\"exitCode\":130,")
    #expect(await program.exitStatus() == 130)
  }

  @Test("A sweep by several processes finds what one finds")
  func same() async throws {
    let programs = try ["1", "4"].map { try start("--seeds", "0...40", "--json", "--jobs", $0) }
    var answers: [[String]] = []
    for program in programs {
      #expect(await program.exitStatus() == 0)
      answers.append((0...40).compactMap { program.line(with: "\"seed\":\"\($0)\"") })
    }
    #expect(answers[0].count == 41)
    #expect(answers[0] == answers[1])
  }
}
