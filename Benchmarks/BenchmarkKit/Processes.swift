import Foundation

/// How the processes of a benchmark of links are placed, and what they find.
public struct Processes {
  /// Help for the options that are understood here.
  public static let options = [
    "--cores free|split|one  where processes may run: anywhere (messages), each on a core (round trips), all on one",
    "--congestion NAME       in a network namespace whose TCP uses this, such as reno (as root)",
  ]
  private let cores: ChildProcess.Cores

  /// What the command line asks for.
  public init(_ benchmark: Benchmark, cores: ChildProcess.Cores = .free) {
    if let name = benchmark.value(of: "--congestion") {
      Machine.enterNamespace(congestionControl: name)
    }
    self.cores = benchmark.value(of: "--cores").flatMap(ChildProcess.Cores.init) ?? cores
  }

  /// Says under which conditions processes run.
  public func note(in benchmark: inout Benchmark) {
    benchmark.note("congestion control", "\(Machine.congestionControl), of all contenders")
    benchmark.note("cores", cores.rawValue)
    benchmark.note("load before", Machine.load)
    benchmark.note("at less than half of its speed before", "\(Pace.slowPercent()) % of the time")
  }

  /// The core of the process that the others answer.
  public var first: Int? { cores == .free ? nil : 0 }

  /// Starts so many processes beside the first one.
  public func start(_ count: Int, _ body: (Int?) -> ChildProcess) -> [ChildProcess] {
    (0..<count).map { _ in body(cores == .free ? nil : cores == .split ? 1 : 0) }
  }
}
