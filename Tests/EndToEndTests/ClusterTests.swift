import Foundation
import Testing

/// The examples of Simulations/cluster, as they are.
@Suite("Explorations on a cluster", .timeLimit(.minutes(30)), .fewAtOnce)
final class ClusterTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized.path
  private static let examples = "\(repository)/Simulations/cluster"
  private let folder = URL(filePath: NSTemporaryDirectory())
    .appending(path: "earshot-\(UUID().uuidString)").path
  private var results: String { "\(folder)/shards" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs a command in the folder of the repository, with a small exploration in its environment.
  private func start(
    _ words: [String], seeds: String = "0...29", program: String = Program.path
  ) throws -> Program {
    let environment = [
      "RESULTS=\(results)", "SEEDS=\(seeds)", "SCENARIOS=Simulations/first-hello.json5",
      "EARSHOT=\(program)", "CLUSTER=\(Self.examples)",
    ]
    return try Program(
      running: ["env", "--chdir=\(Self.repository)"] + environment + words)
  }

  private func merge() async throws -> Program {
    let files = try FileManager.default.contentsOfDirectory(atPath: results)
      .filter { $0.hasSuffix(".jsonl") }.sorted()
    let merge = try Program(
      running: [Program.path, "merge"] + files.map { "\(results)/\($0)" })
    _ = await merge.exitStatus()
    return merge
  }

  /// The program, which dies when it is given the shard 1.
  private func mortal() throws -> String {
    let path = "\(folder)/mortal"
    let text = """
      #!/bin/bash
      case " $* " in *" --shard 1/"*) "\(Program.path)" "$@" | head -n 1; kill -KILL $$ ;; esac
      exec "\(Program.path)" "$@"
      """
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private static let lost = "✗ 1 of 3 shards of seeds 0..<30 are lost (cut off: 1)"
  private static let whole = "1 file, 30 runs, "

  // MARK: GNU parallel

  private static let hasParallel = Shell.has("parallel")

  @Test("GNU parallel runs all shards", .enabled(if: hasParallel, "needs GNU parallel"))
  func parallel() async throws {
    let program = try start(["\(Self.examples)/parallel.sh", "3"])
    #expect(await program.exitStatus() == 0)
    #expect(program.line(with: Self.whole)?.hasSuffix("nothing found") == true)
    #expect(FileManager.default.fileExists(atPath: "\(results)/findings.xml"))
  }

  @Test(
    "A process that dies under GNU parallel loses its own shard",
    .enabled(if: hasParallel, "needs GNU parallel"))
  func parallelLoses() async throws {
    let program = try start(["\(Self.examples)/parallel.sh", "3"], program: mortal())
    #expect(await program.exitStatus() == 3)
    #expect(program.line(with: "✗") == Self.lost)
    #expect(program.line(with: "1 file, 20 runs, ") != nil)
  }

  @Test(
    "A shard that takes too long under GNU parallel ends its answer",
    .enabled(if: hasParallel, "needs GNU parallel"))
  func parallelEnds() async throws {
    let words = ["SHARD_TIME=3", "\(Self.examples)/parallel.sh", "2", "--retries", "1"]
    let program = try start(words, seeds: "0...999999999")
    #expect(await program.exitStatus() == 130)
    #expect(program.line(with: "are lost")?.hasSuffix("(interrupted: 0, 1)") == true)
  }

  // MARK: Slurm

  private static let hasSlurm =
    Shell.isRoot && ["slurmctld", "slurmd", "munged", "unshare", "ip"].allSatisfy(Shell.has)

  private func slurm(
    _ script: String, seeds: String = "0...29", program: String = Program.path
  ) throws -> Program {
    let lines = "batch=\(Self.examples)/slurm.sbatch\n" + script
    let words = ["\(Self.examples)/slurm-on-one-machine.sh", "bash", "-euc", lines]
    return try start(words, seeds: seeds, program: program)
  }

  @Test(
    "Slurm runs all shards as an array, and the merging after it",
    .enabled(if: hasSlurm, "needs root and Debian's slurm-wlm"))
  func slurm() async throws {
    let program = try slurm(
      """
      array=$(sbatch --parsable --array=0-2 "$batch")
      sbatch --wait --dependency=afterany:$array --output="$RESULTS/merged" \\
        --wrap '"$EARSHOT" merge "$RESULTS"/*.jsonl --junit "$RESULTS/findings.xml"'
      cat "$RESULTS/merged"
      """)
    #expect(await program.exitStatus() == 0)
    #expect(program.line(with: Self.whole)?.hasSuffix("nothing found") == true)
    #expect(FileManager.default.fileExists(atPath: "\(results)/findings.xml"))
  }

  @Test(
    "A job that dies under Slurm loses its own shard, which can be run again alone",
    .enabled(if: hasSlurm, "needs root and Debian's slurm-wlm"))
  func slurmLoses() async throws {
    let program = try slurm(
      """
      sbatch --wait --array=0-2 "$batch" || echo "status $?"
      "\(Program.path)" merge "$RESULTS"/*.jsonl || echo "merged $?"
      SHARDS=3 EARSHOT="\(Program.path)" sbatch --wait --array=1 "$batch"
      "\(Program.path)" merge "$RESULTS"/*.jsonl
      """, program: mortal())
    #expect(await program.exitStatus() == 0)
    #expect(program.line(with: "status") != nil)
    #expect(program.line(with: "✗") == Self.lost)
    #expect(program.line(with: "merged") == "merged 3")
    #expect(program.line(with: Self.whole) != nil)
  }

  @Test(
    "A job that Slurm ends has its answer ended",
    .enabled(if: hasSlurm, "needs root and Debian's slurm-wlm"))
  func slurmEnds() async throws {
    let program = try slurm(
      """
      array=$(sbatch --parsable --array=0-1 "$batch")
      for shard in 0 1; do
        until grep -qs '"exploring":true' "$RESULTS/$shard.jsonl"; do sleep 0.05; done
        scancel "${array}_$shard"
      done
      while squeue --noheader | grep -q .; do sleep 0.05; done
      """, seeds: "0...999999999")
    #expect(await program.exitStatus() == 0)
    let merged = try await merge()
    #expect(merged.line(with: "are lost")?.hasSuffix("(interrupted: 0, 1)") == true)
  }

  // MARK: Kubernetes

  private static let hasYAML = (try? Shell.run("python3", "-c", "import yaml")) != nil

  @Test(
    "What the pods of Kubernetes run is a whole exploration; the manifest has no key that means nothing",
    .enabled(if: hasYAML, "needs python3-yaml"))
  func kubernetes() async throws {
    let script = "\(Self.repository)/Tests/EndToEndTests/run-manifest.py"
    let words = ["python3", script, "\(Self.examples)/kubernetes.yaml", results, Program.path]
    let program = try start(words)
    #expect(await program.exitStatus() == 0)
    #expect(program.line(with: "1 file, 80 runs, ")?.hasSuffix("nothing found") == true)
    #expect(FileManager.default.fileExists(atPath: "\(results)/findings.xml"))
  }
}
