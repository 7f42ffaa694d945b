import Earshot
import GatheringExample

/// Somebody in a gathering, and what it has seen of the others.
final class Guest: Sendable {
  let gathering: Gathering
  var id: PeerID { gathering.peer.id }
  private let host: any NetworkHost
  private let log = Watched(Log())

  private struct Log: Sendable {
    var present: Set<PeerID> = []
    var met: Set<PeerID> = []
    var published: [String] = []
    var heard: [PeerID: [String]] = [:]
  }

  init(
    _ name: String, on host: any NetworkHost, upTo maximumMemberCount: Int = 7,
    patience: Duration = .seconds(30)
  ) async throws {
    self.host = host
    gathering = try await Gathering(
      name, on: host, upTo: maximumMemberCount, patience: patience)
    gathering.peer.addTask("events") { await self.follow() }
    gathering.peer.addTask("posts") {
      for await post in self.gathering.posts {
        let text = String(decoding: post.bytes, as: UTF8.self)
        self.log.update { $0.heard[post.sender, default: []].append(text) }
      }
    }
  }

  private func follow() async {
    for await event in gathering.events {
      log.update { log in
        switch event {
        case .joined(let member):
          log.present.insert(member.id)
          log.met.insert(member.id)
        case .left(let member, _, _): log.present.remove(member.id)
        default: break
        }
      }
    }
  }

  /// The others that are members now.
  var present: Set<PeerID> { log.value.present }
  /// The others that were members.
  var met: Set<PeerID> { log.value.met }
  /// What this one has published.
  var published: [String] { log.value.published }

  func heard(from other: Guest) -> [String] { log.value.heard[other.id] ?? [] }

  func hears(_ count: Int, from other: Guest) async -> [String] {
    await log.first { ($0.heard[other.id] ?? []).count >= count }.heard[other.id] ?? []
  }

  func hasMet(_ count: Int) async { _ = await log.first { $0.met.count >= count } }

  func publish(_ count: Int, every pace: Duration) async throws {
    for _ in 0..<count {
      let text = log.update { log in
        log.published.append("post \(log.published.count)")
        return log.published[log.published.count - 1]
      }
      try await gathering.publish(text)
      try await host.sleep(for: pace)
    }
  }
}
