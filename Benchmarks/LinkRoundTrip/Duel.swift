import BenchmarkKit
import Foundation

/// Pairs of processes, one of which asks while the other one echoes.
struct Duel {
  private let pingpong: Baseline
  private let securePingpong: Baseline
  private let queue: Baseline?
  private let processes: Processes
  private let roundTrips: Int
  private static let bytes = "64"
  private static let warmUps = 1_000

  init(_ processes: Processes, roundTrips: Int) {
    guard let pingpong = Baseline("pingpong") else { fail("no baseline was built") }
    (self.pingpong, securePingpong) = (pingpong, .secure("pingpong"))
    queue = Baseline("queue", linking: ["zmq"], needing: "zmq.h")
    (self.processes, self.roundTrips) = (processes, roundTrips)
  }

  /// Whether libzmq is installed.
  var hasQueue: Bool { queue != nil }

  /// All contenders; C with epoll over TLS is the baseline.
  var trials: [Benchmark.Trial] {
    var trials = [Benchmark.Trial("C over TLS, epoll") { plain(securePingpong, "epoll") }]
    for way in ["epoll", "blocking"] {
      trials.append(.init("C, not encrypted, \(way)") { plain(pingpong, way) })
    }
    if let queue { trials.append(.init("libzmq PAIR, not encrypted") { queued(queue) }) }
    trials.append(.init("Earshot, consumer on the loop") { earshot("loop") })
    trials.append(.init("Earshot") { earshot("pool") })
    return trials
  }

  private var count: String { "\(Self.warmUps + roundTrips)" }

  private func plain(_ pingpong: Baseline, _ way: String) -> [Double] {
    let echo = processes.start(1) { core in
      ChildProcess(pingpong.path, ["echo", way, Self.bytes], core: core)
    }[0]
    let port = echo.expect("ready")[0]
    let asker = ChildProcess(
      pingpong.path, ["ask", way, Self.bytes, count, port], core: processes.first)
    return figures(asker, echo)
  }

  private func queued(_ queue: Baseline) -> [Double] {
    let echo = processes.start(1) { ChildProcess(queue.path, ["echo"], core: $0) }[0]
    let port = echo.expect("ready")[0]
    let asker = ChildProcess(queue.path, ["ask", Self.bytes, count, port], core: processes.first)
    defer { echo.kill() }
    return figures(asker, nil)
  }

  private func earshot(_ place: String) -> [Double] {
    let service = "bench-\(getpid())"
    let echo = processes.start(1) { core in
      ChildProcess(ourselves: ["echo", service, place, "0"], core: core)
    }[0]
    echo.expect("ready")
    let asker = ChildProcess(ourselves: ["ask", service, place, count], core: processes.first)
    return figures(asker, echo)
  }

  /// Median and 99th percentile in microseconds, without the first ones.
  private func figures(_ asker: ChildProcess, _ echo: ChildProcess?) -> [Double] {
    let times = asker.lines(until: "done").compactMap(Double.init).dropFirst(Self.warmUps)
    require(times.count == roundTrips, "\(times.count) round trips were measured")
    asker.finish()
    echo?.finish()
    let micros = Percentiles(times.map { $0 / 1_000 })
    return [micros[50], micros[99]]
  }
}
