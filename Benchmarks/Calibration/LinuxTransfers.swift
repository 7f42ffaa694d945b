import BenchmarkKit

/// Transfers through Linux's TCP, as many at a time as the machine carries without being late.
struct LinuxTransfers {
  /// A transfer to make.
  struct Job {
    let cell: Cell
    let seed: UInt64
    /// How much of the machine it takes, in Mbit/s: packets cost little, processes some.
    var weight: Double { cell.expectedBytesPerSecond * 8 / 1_000_000 + 0.3 }
  }
  private let program: Baseline
  private let congestionControl: String

  init(_ program: Baseline, congestionControl: String) {
    (self.program, self.congestionControl) = (program, congestionControl)
  }

  /// Whether the system lets the process make network namespaces and devices, and has the congestion control.
  var arePossible: Bool {
    ChildProcess(program.path, [congestionControl]).readLine() == "able"
  }

  /// Makes transfers; `nil` for those that were not over in time.
  func run(_ jobs: [Job]) -> [Transfer?] {
    var transfers: [Transfer?] = []
    while transfers.count < jobs.count {
      var weight = 0.0
      let wave = jobs[transfers.count...].prefix { job in
        weight += job.weight
        return weight - job.weight < Self.weightMax
      }
      let processes = wave.map(start)
      transfers += zip(wave, processes).map { finish($1, $0.cell) }
    }
    return transfers
  }

  private func start(_ job: Job) -> ChildProcess {
    let cell = job.cell
    let numbers = [
      cell.bytesPerSecond, cell.roundTrip * 500, cell.queueBytes,
      Int(LossSequence.threshold(percent: cell.lossPercent)), Int(job.seed), cell.bytes,
      Transfer.limit,
    ]
    return ChildProcess(program.path, [congestionControl] + numbers.map(String.init))
  }

  private func finish(_ process: ChildProcess, _ cell: Cell) -> Transfer? {
    let words = process.readLine()?.split(separator: " ") ?? []
    process.finish()
    let numbers = words.dropFirst().compactMap { Int($0) }
    guard numbers.count == 4 else { return nil }
    return Transfer(
      opening: Double(numbers[0]) / 1e9, completion: Double(numbers[1]) / 1e9, bytes: cell.bytes,
      sentBytes: numbers[2], resentBytes: numbers[3])
  }

  private static let weightMax = 60.0
}
