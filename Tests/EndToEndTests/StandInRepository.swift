import EarshotCommandLine
import Foundation
import Testing

/// A repository with a script of CI, and with stand-ins for all programs that the script starts.
///
/// A stand-in fails if its name and first word are a line of the file `failing`.
final class StandInRepository: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A repository with two scenarios and one source, and stand-ins for all that the steps call.
  init(_ name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let names = [
      "FrameThroughput", "SimulatedCrowd", "ScheduleRaces", "FuzzedExploration", "PlantedBugs",
      "HistoryCheck", "CrowdedHall", "Calibration", "LinkThroughput", "LinkRoundTrip",
      "StreamThroughput", "ResourceThroughput", "DatagramThroughput", "Meeting",
    ]
    let programs =
      [".ci/tests", ".ci/determinism", ".ci/sanitize", ".ci/fuzz", "bin/swift"]
      + ["python", "pip"].map { ".build/interop/bin/\($0)" }
      + (["earshot"] + names).map { ".build/release/\($0)" }
      + [".build-debug/release/earshot", ".build-fuzz/release/FuzzedExploration"]
      + [".build-fuzz/release/FuzzedScenario"]
    let standIn = """
      #!/bin/bash
      name="$(basename "$0") $1"
      echo "$name: $*" >>'\(folder.path())/calls'
      echo "reproduced: $name"
      echo '{"scenario":"a","traceHash":"ab","events":5,"virtualSeconds":1}'
      echo '{"scenario":"b","traceHash":"cd","events":5,"virtualSeconds":1}'
      ! grep -qxF "$name" '\(folder.path())/failing' 2>/dev/null
      """
    for program in programs { try write(standIn, to: program, isProgram: true) }
    try write("#!/bin/sh\nprintf 'install ok installed'\n", to: "bin/dpkg-query", isProgram: true)
    try write("#!/bin/sh\nexit 1\n", to: "bin/apt-get", isProgram: true)
    let script = try String(contentsOf: root.appending(path: name), encoding: .utf8)
    try write(script, to: name, isProgram: true)
    for file in ["Simulations/a.json5", "Simulations/regressions/b.json5", "Package.swift"] {
      try write("", to: file)
    }
    try write("// First.", to: "Sources/Earshot/Peer.swift")
    try write(".build*\nbin\ncache\nfailing\ncalls\nheld\nruns\n", to: ".gitignore")
    try git("init", "--quiet")
    try commit()
  }

  func write(_ text: String, to path: String, isProgram: Bool = false) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    if isProgram {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path())
    }
  }

  func append(_ line: String, to path: String) throws {
    let file = try FileHandle(forWritingTo: folder.appending(path: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data("\(line)\n".utf8))
  }

  private func git(_ words: String...) throws {
    let options = ["-C", folder.path(), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    try Shell.run(["git"] + options + words)
  }

  func commit() throws {
    try git("add", "--all")
    try git("commit", "--quiet", "--message", "state")
  }

  /// The calls of stand-ins since the last look, a line each.
  func calls() -> [String] {
    let file = folder.appending(path: "calls")
    defer { try? FileManager.default.removeItem(at: file) }
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// Starts the script, with settings such as `NAME=value` in its environment.
  func start(
    _ script: String, _ words: [String] = [], settings: [String] = []
  ) throws -> Program {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return try Program(
      running: [
        "PATH=\(folder.path())/bin:\(path)", "XDG_CACHE_HOME=\(folder.path())/cache",
        "EARSHOT_INTERFACE_BASE=",
      ] + settings + [folder.appending(path: script).path()] + words)
  }

  /// Runs the script.
  func run(
    _ script: String, _ words: [String], settings: [String] = []
  ) async throws -> (status: Int32?, lines: [String]) {
    let program = try start(script, words, settings: settings)
    return (await program.exitStatus(), program.lines)
  }

  /// Has one program run until it is ended from outside, and another one wait until that runs.
  func hang(_ program: String, before other: String) throws {
    let hanging = """
      #!/bin/bash
      exec 9>'\(folder.path())/held'
      flock 9
      touch '\(folder.path())/runs'
      exec sleep 600
      """
    try write(hanging, to: program, isProgram: true)
    let waiting = "#!/bin/sh\nuntil [ -e '\(folder.path())/runs' ]; do sleep 0.1; done\n"
    try write(waiting, to: other, isProgram: true)
  }

  /// Waits until the program that hangs has ended, for a minute.
  func awaitHanging() throws {
    try Shell.run("flock", "--timeout", "60", "\(folder.path())/held", "true")
    try FileManager.default.removeItem(at: folder.appending(path: "runs"))
  }
}
