import BenchmarkKit
import Earshot
import LoopbackPeers

/// What is left of sessions that were joined and left.
enum Cycling {
  static func measure(in benchmark: inout Benchmark) {
    let wished = benchmark.value(of: "--cycles").flatMap(Int.init)
    let count = max(2, wished ?? (benchmark.isQuick ? 200 : 10_000))
    let warmUp = count / 2  // What is remembered of the last ones has filled its bounds then.
    let service = Role.service("cycle")
    let joining = Role.start(.join, service)
    joining.expect("ready")
    let leaving = Role.start(.leave, service, warmUp + count)
    let processes = [("guest", joining), ("host", leaving)]
    leaving.expect("\(warmUp)")
    let before = processes.map { Footprint(of: $1.id) }
    leaving.expect("\(warmUp + count)")
    for (before, (name, process)) in zip(before, processes) {
      let after = Footprint(of: process.id)
      let descriptors = Double(after.descriptors - before.descriptors)
      benchmark.add(
        Sample("\(count) cycles, \(name)", unit: "descriptors", values: [descriptors]))
      benchmark.add(
        Sample(
          "\(count) cycles, \(name)", unit: "MiB", values: [after.residentMiB - before.residentMiB])
      )
    }
    leaving.kill()
    joining.kill()
  }

  /// Joins whatever it is invited to, until it is left alone.
  static func join(_ service: String) async throws { try await Inviting.accept(service) }

  /// Invites to a session and leaves it, so many times; says so when a third are done, and all.
  static func leave(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("host")
    try await host.run(.loop) {
      let browser = try await host.peer.browse(service)
      let other = await Inviting.first(of: browser)
      for number in 1...count {
        let session = try await host.peer.makeSession()
        let outcome = try await host.peer.invite(other, to: session)
        require(outcome == .accepted, "invitation \(number) ended as \(outcome)")
        await session.stop()
        guard number == count / 3 || number == count else { continue }
        try await host.host.sleep(for: .seconds(2))  // For links that linger.
        ChildProcess.answer("\(number)")
        try await host.host.sleep(for: .milliseconds(200))  // To be looked at.
      }
    }
    _ = readLine()
  }
}
