import EarshotTesting
import Foundation
import Testing

@Suite("Files of failing tests, in processes of their own", .timeLimit(.minutes(30)))
final class AttachedFilesTests {
  private static let variable = "EARSHOT_TEST_FAILS"
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test(
    "Fails with one of its seeds",
    .enabled(if: ProcessInfo.processInfo.environment[variable] != nil),
    .simulated(seeds: [41, 42], jobs: 1))
  func stumbles() {
    let world = World.current
    world.makeHosts(["ann", "bob"], atLeast: 1)
    world.execute(FaultPlan([Fault(at: .seconds(1), .crash("ann"))]))
    world.run(for: .seconds(2))
    #expect(world.seed == 41 || world.hosts.allSatisfy(\.isUp))
  }

  private func process(
    _ options: [String] = [], _ environment: [String: String] = [:]
  ) throws -> TestProcess {
    try TestProcess(
      "EarshotCommandLineTests.AttachedFilesTests/stumbles", options,
      environment: environment.merging([Self.variable: "1"]) { $1 })
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  @Test("The files are attached when attachments are kept, and remain nowhere else")
  func attached() throws {
    let other = folder.appending(path: "temporary")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let options = ["--attachments-path", folder.path]
    #expect(try process(options, ["TMPDIR": other.path]).hasFailed)
    let left = try FileManager.default.subpathsOfDirectory(atPath: other.path)
    #expect(left.filter { $0.contains("stumbles") } == [])
    let endings = ["packets.pcapng", "report.html", "repro.json", "trace.perfetto"]
    #expect(
      try files == endings.map { "AttachedFilesTests.stumbles-seed-42-\($0)" } + ["temporary"])
  }

  @Test("The folder and the file of the environment are for every test of a process")
  func replayed() throws {
    #expect(try process([], ["EARSHOT_REPORT": folder.path]).hasFailed)
    #expect(try files == ["AttachedFilesTests.stumbles-seed-42"])
    let repro = folder.appending(path: "AttachedFilesTests.stumbles-seed-42/repro.json").path
    let replay = try process([], ["EARSHOT_REPRO": repro])
    #expect(replay.hasFailed)
    #expect(replay.errors.contains("This is the run of \(repro)."), "\(replay.errors)")
  }
}
