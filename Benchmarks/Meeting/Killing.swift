import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers

/// How soon the members of a session are told that another member's process was killed.
enum Killing {
  static func measure(in benchmark: inout Benchmark) {
    let times = (0..<(benchmark.isQuick ? 2 : 20)).flatMap { _ in measureOnce() }
    benchmark.add(milliseconds: times, "killed to known")
  }

  private static func measureOnce() -> [Double] {
    let service = Role.service("kill")
    let members = (0..<2).map { _ in Role.start(.member, service) }
    for member in members { member.expect("ready") }
    let inviting = Role.start(.gather, service)
    for process in members + [inviting] { process.expect("joined") }
    let start = "\(Machine.nanoseconds)"
    members[0].kill()
    let times = [members[1], inviting].map { other in
      milliseconds(from: start, to: other.expect("interrupted")[0])
    }
    members[1].kill()
    inviting.kill()
    return times
  }

  /// Accepts an invitation and says what happens.
  static func member(_ service: String) async throws {
    let host = try await LoopbackPeer("member")
    ChildProcess.answer("ready")
    try await tell(host.host(service), at: host)
  }

  /// Invites two others and says what happens.
  static func gather(_ service: String) async throws {
    let host = try await LoopbackPeer("inviting")
    try await tell(host.gather(2, service), at: host)
  }

  private static func tell(_ session: Session, at host: LoopbackPeer) async throws {
    try await host.run(.loop) {
      var missing = 2
      for await event in session.events(from: .unread) {
        switch event {
        case .joined:
          missing -= 1
          if missing == 0 { ChildProcess.answer("joined") }
        case .interrupted: ChildProcess.answer("interrupted \(Machine.nanoseconds)")
        case .joining, .resumed, .left: break
        }
      }
    }
  }
}
