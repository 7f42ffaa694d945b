import Earshot
import Foundation
import Testing

/// What happens to a program whose answers nobody gets.
@Suite("Answers that cannot be written", .timeLimit(.minutes(30)), .fewAtOnce)
struct UnwrittenTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Simulations/first-hello.json5").standardized.path

  private static let commands: [[String]] = [
    ["help"], ["help", "simulate"], ["simulate", "--help"], ["--version"], ["simulate", file],
    ["simulate", file, file, "--quiet"],
    ["simulate", file, "--seeds", "0..<1000000000", "--json"],
    ["advertise", "--interface", "lo", "--service", "unwritten"],
    ["chat", "--interface", "lo", "--service", "unwritten"],
  ]

  /// Runs the program with its standard output somewhere.
  private func run(_ words: [String], _ redirection: String) throws -> Program {
    try Program(
      running: ["sh", "-c", "exec \"$@\" \(redirection)", "sh", Program.executable.path] + words)
  }

  @Test("A full disk is an error with a status of its own, in every command", arguments: commands)
  func full(words: [String]) async throws {
    let program = try run(words, "> /dev/full")
    await program.expect("earshot: standard output cannot be written: No space left on device")
    #expect(await program.exitStatus() == 5)
  }

  @Test("So is a closed output, which no other file takes the place of", arguments: commands)
  func closed(words: [String]) async throws {
    let program = try run(words, ">&- <&-")
    await program.expect("earshot: standard output cannot be written: Bad file descriptor")
    #expect(await program.exitStatus() == 5)
  }

  @Test("So is a reader that has gone, and a sweep ends with it")
  func gone() async throws {
    let sweep = try Program(
      running: [
        "bash", "-c",
        "\"$@\" | head -n 3 | cut -c 1-12; echo \"status ${PIPESTATUS[0]}\"", "bash",
        Program.executable.path, "simulate", Self.file, "--seeds", "0..<1000000000", "--json",
      ])
    await sweep.expect("status 5")
    await sweep.expect("earshot: standard output cannot be written: Broken pipe")
    await sweep.expect("{\"scenario\":", times: 3)
  }

  @Test("A disk that takes a part of a list of trusted peers is what the error speaks of")
  func partly() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "trust-\(UUID()).json").path
    defer { for end in ["", ".lock"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let store = FileTrustStore(path: path)
    try store.change { records in
      records = (0..<100).map { TrustRecord(peer: Identity().id, name: "\($0)") }
    }
    let before = try store.records()
    let program = try Program(
      running: [
        "bash", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "bash", Program.executable.path,
        "trust", path, "--pin", "\(Identity().id)", "--name", "Ann",
      ])
    await program.expect(
      "earshot: The list of trusted peers cannot be stored (\(path): File too large).")
    #expect(await program.exitStatus() == 5)
    #expect(try store.records() == before)
  }
}
