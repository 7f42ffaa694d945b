import BenchmarkKit
import Earshot
import LoopbackPeers

/// What a session costs in which nothing is said.
enum Idling {
  private static let watched = 10  // Seconds.

  static func measure(in benchmark: inout Benchmark) {
    let wished = benchmark.value(of: "--sessions").flatMap(Int.init)
    let count = max(2, wished ?? (benchmark.isQuick ? 40 : 2_000))
    let warmUp = count / 10
    let service = Role.service("idle")
    let joining = Role.start(.join, service)
    joining.expect("ready")
    let holding = Role.start(.hold, service, warmUp + count)
    let processes = [("guest", joining), ("host", holding)]
    holding.expect("\(warmUp)")
    let before = processes.map { Footprint(of: $1.id) }
    holding.tell("more")
    holding.expect("\(warmUp + count)")
    let begin = processes.map { Footprint(of: $1.id) }
    let start = Machine.nanoseconds
    holding.tell("wait")
    holding.expect("waited")
    let seconds = Double(Machine.nanoseconds - start) / 1e9
    let end = processes.map { Footprint(of: $1.id) }
    let ends = Double(warmUp + count)
    for index in processes.indices {
      let name = "\(warmUp + count) idle sessions, \(processes[index].0)"
      let kibibytes = (begin[index].residentMiB - before[index].residentMiB) * 1_024
      benchmark.add(Sample(name, unit: "KiB each", values: [kibibytes / Double(count)]))
      let time = end[index].processorSeconds - begin[index].processorSeconds
      benchmark.add(
        Sample(name, unit: "µs a second each", values: [time * 1e6 / seconds / ends]))
    }
    holding.tell("end")
    holding.kill()
    joining.kill()
  }

  /// Invites to so many sessions and keeps them; says so when a tenth are there, and all.
  static func hold(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("host")
    var sessions: [Session] = []
    let browser = try await host.peer.browse(service)
    let other = await Inviting.first(of: browser)
    for number in 1...count {
      let session = try await host.peer.makeSession()
      let outcome = try await host.peer.invite(other, to: session)
      require(outcome == .accepted, "invitation \(number) ended as \(outcome)")
      sessions.append(session)
      guard number == count / 11 || number == count else { continue }
      ChildProcess.answer("\(number)")
      _ = readLine()
    }
    try await host.host.sleep(for: .seconds(watched))
    ChildProcess.answer("waited")
    _ = readLine()
    for session in sessions { await session.stop() }
  }
}
