import BenchmarkKit
import Earshot
import EarshotSimulator
import Foundation

/// Messages beside a file over a simulated link of 10 Mbit/s with a round trip of 50 ms.
struct SlowLink {
  /// Both sides of a session.
  private struct Pair: Sendable {
    let world: World
    let host: Session
    let guest: Session
  }
  /// The number of messages, one each 20 ms.
  let count: Int

  private static let bytesPerSecond = 1_250_000

  /// The milliseconds that a message takes alone, by how many more the slowest hundredth does beside
  /// a file, and the MiB a second of the file.
  func run(seed: UInt64) throws -> [Double] {
    let links = LinkConditions(
      latency: .milliseconds(25), bandwidth: Self.bytesPerSecond,
      queueBytes: Self.bytesPerSecond / 10)
    let world = World(seed: seed, configuration: WorldConfiguration(defaultLink: links))
    defer { world.finish() }
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    ann.disk.makeFolder(at: "/inbox")
    let fileBytes = Self.bytesPerSecond * (count / 50 + 20)
    bob.disk.write((0..<fileBytes).map { UInt8(truncatingIfNeeded: $0 >> 4) }, to: "/home/file")
    let playing = ann.addTask("script") {
      let (annsPeer, bobsPeer) = try await (
        Peer("Ann", trusting: .anyPeer, on: ann), Peer("Bob", trusting: .anyPeer, on: bob)
      )
      let pair = try await Self.meet(annsPeer, bobsPeer, world)
      let figures = try await measure(pair, annsPeer.id)
      await annsPeer.stop()
      await bobsPeer.stop()
      return figures
    }
    require(
      world.run(until: { playing.result != nil }, within: .seconds(600)), "a world stands still")
    return try playing.value
  }

  private static func meet(_ ann: Peer, _ bob: Peer, _ world: World) async throws -> Pair {
    var configuration = Session.Configuration()
    configuration.resourcePolicy = .accept(
      into: URL(filePath: "/inbox", directoryHint: .isDirectory))
    let (host, guest) = try await (ann.makeSession(configuration), bob.makeSession())
    let advertiser = try await ann.advertise("files")
    let ticket = try await ann.ticket(for: "files")
    async let outcome = bob.invite(ticket, to: guest)
    for await invitation in advertiser.invitations {
      _ = try await invitation.accept(into: host)
      break
    }
    require(try await outcome == .accepted, "the invitation was not accepted")
    await advertiser.stop()
    return Pair(world: world, host: host, guest: guest)
  }

  private func measure(_ pair: Pair, _ ann: PeerID) async throws -> [Double] {
    let alone = Percentiles(try await times(pair))
    let file = URL(filePath: "/home/file", directoryHint: .notDirectory)
    let transfer = try await pair.guest.sendResource(at: file, to: ann)
    try await wait(.seconds(5), pair)
    let (start, completed) = (pair.world.now, transfer.currentProgress.completedBytes)
    let beside = Percentiles(try await times(pair))
    let seconds = (pair.world.now - start) / .seconds(1)
    let carried = transfer.currentProgress.completedBytes - completed
    require(!transfer.currentProgress.isEnded, "the file was too short")
    transfer.cancel()
    return [alone[99], beside[99] - alone[99], Double(carried) / 1_048_576 / seconds]
  }

  /// The milliseconds that each message takes.
  private func times(_ pair: Pair) async throws -> [Double] {
    let (world, count) = (pair.world, count)
    async let times = Self.receive(count, pair)
    for _ in 0..<count {
      let now = world.now.nanoseconds
      let stamp = (0..<8).map { UInt8(truncatingIfNeeded: now >> (8 * Int64($0))) }
      try await pair.guest.send(stamp + [UInt8](repeating: 0, count: 56))
      try await wait(.milliseconds(20), pair)
    }
    return await times
  }

  private static func receive(_ count: Int, _ pair: Pair) async -> [Double] {
    var times: [Double] = []
    for await message in pair.host.messages {
      let sent = (0..<8).reduce(Int64(0)) { $0 | Int64(message.bytes[$1]) << (8 * Int64($1)) }
      times.append(Double(pair.world.now.nanoseconds - sent) / 1e6)
      if times.count == count { break }
    }
    return times
  }

  private func wait(_ time: Duration, _ pair: Pair) async throws {
    try await pair.world.hosts[1].sleep(for: time)
  }
}
