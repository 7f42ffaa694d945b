import BenchmarkKit
import Earshot
import LoopbackPeers

/// How long from the invitation of a peer that was found to the session with it.
enum Inviting {
  static func measure(in benchmark: inout Benchmark) {
    let count = benchmark.isQuick ? 5 : 200
    let service = Role.service("invite")
    let accepting = Role.start(.accept, service)
    accepting.expect("ready")
    let inviting = Role.start(.invite, service, count)
    let times = inviting.lines(until: "done").compactMap(Double.init).map { $0 / 1e6 }
    require(times.count == count, "\(times.count) invitations were accepted")
    inviting.finish()
    accepting.kill()
    benchmark.add(milliseconds: times, "invited to connected")
  }

  /// Accepts every invitation.
  static func accept(_ service: String) async throws {
    let host = try await LoopbackPeer("accepting")
    let advertiser = try await host.peer.advertise(service)
    ChildProcess.answer("ready")
    try await host.run(.loop) {
      for await invitation in advertiser.invitations {
        Task(executorPreference: host.host.executor.task) {
          let session = try await invitation.accept()
          for await event in session.events(from: .unread) { if case .left = event { break } }
          await session.stop()
        }
      }
    }
  }

  /// Invites the same peer again and again, each time to a new session.
  static func invite(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("inviting")
    let times = try await host.run(.loop) {
      let browser = try await host.peer.browse(service)
      let other = await first(of: browser)
      var times: [Int64] = []
      for _ in 0..<count {
        let session = try await host.peer.makeSession()
        let start = Machine.nanoseconds
        let outcome = try await host.peer.invite(other, to: session)
        times.append(Machine.nanoseconds - start)
        require(outcome == .accepted, "the invitation ended as \(outcome)")
        await session.stop()
      }
      return times
    }
    ChildProcess.answer(times.map(String.init).joined(separator: "\n"))
    ChildProcess.answer("done")
    await host.stop()
  }

  /// Waits for a peer.
  static func first(of browser: Browser) async -> PeerID {
    for await event in browser.events { if case .found(let peer) = event { return peer.id } }
    fail("the browser was stopped")
  }
}
