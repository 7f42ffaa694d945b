import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// How much a peer says when there is nobody to hear it.
@Suite("Chattiness")
struct ChattinessTests {
  /// Counts what is multicast on the link, and by which family.
  private final class Ear: DatagramHandler {
    private let heard = Mutex<[(at: Instant, family: IPAddress.Family)]>([])
    private let host: any NetworkHost
    private let sockets = Mutex<[any DatagramSocket]>([])

    init(on host: SimulatedHost) throws {
      self.host = host
      let groups: [IPAddress] = [.v4(0xE000_00FB), .v6(0xFF02_0000_0000_0000, 0xFB, scope: 0)]
      for (own, group) in zip([IPAddress.anyV4, .anyV6], groups) {
        let socket = try host.openDatagramSocket(
          on: Endpoint(own, port: 5_353), options: DatagramOptions(sharesPort: true), handler: self)
        for interface in host.interfaces { try socket.join(group, on: interface.index) }
        sockets.withLock { $0.append(socket) }
      }
    }

    func datagramSocket(
      _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
    ) {
      let (now, family) = (host.now, header.source.address.family)
      heard.withLock { $0.append((now, family)) }
    }

    func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}

    /// When packets came over a family.
    func times(over family: IPAddress.Family) -> [Instant] {
      heard.withLock { $0.filter { $0.family == family }.map(\.at) }
    }
  }

  @Test(
    "A peer that advertises and browses alone says seven things in ten seconds, later one in minutes",
    arguments: Seed.some(5))
  func alone(seed: Seed) throws {
    let world = World(seed: seed.value)
    defer { world.finish() }
    let ear = try Ear(on: world.makeHost("ear"))
    let host = world.makeHost("ann")
    let kept = Mutex<[any Sendable]>([])
    host.addTask("ann") {
      do {
        let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
        let (advertiser, browser) = (try await ann.advertise("room"), try await ann.browse("room"))
        kept.withLock { $0 = [ann, advertiser, browser] }
      } catch { Issue.record("\(error)") }
    }
    world.run(for: .seconds(1_200))
    let families = IPAddress.Family.allCases.map { ear.times(over: $0) }
    // Three announcements and four questions, each over both families.
    for times in families { #expect(1...7 ~= times.count { $0 < .zero + .seconds(10) }) }
    // After two minutes only the question goes out again, each time after twice as long at least.
    for times in families.map({ $0.filter { $0 >= .zero + .seconds(120) } }) {
      for (earlier, later) in zip(times, times.dropFirst()) {
        #expect(later - earlier > .seconds(60))
      }
    }
  }
}
