import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

extension UnreliableTests {
  /// Ann and Bob, who are in one session, in a world in which a test does harm.
  final class Pair: Sendable {
    private let world: World
    private let ann, bob: SimulatedHost
    /// A host that takes part in nothing.
    let mallory: SimulatedHost

    init(seed: UInt64 = 1, links: LinkConditions = .lan) {
      world = World(seed: seed, configuration: WorldConfiguration(defaultLink: links))
      (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
      mallory = world.makeHost("mallory")
    }

    deinit { world.finish() }

    /// Has the two meet, then do something, and waits until it is done.
    func run(
      for limit: Duration,
      _ body:
        @escaping @Sendable (
          _ ann: Peer, _ bob: Peer, _ anns: Session, _ bobs: Session
        ) async throws -> Void
    ) {
      let result = Mutex<Result<Void, any Error>?>(nil)
      let (first, second) = (ann, bob)
      ann.addTask("all") {
        do {
          let ann = try await Peer("Ann", trusting: .anyPeer, on: first)
          let bob = try await Peer("Bob", trusting: .anyPeer, on: second)
          let meeting = try await Meeting(of: ann, test: "unreliable")
          let session = try await meeting.join(bob)
          try await body(ann, bob, meeting.session, session)
          await DropMetricsTests.expectCounted(ann, meeting.session, with: bob.id)
          await DropMetricsTests.expectCounted(bob, session, with: ann.id)
          result.withLock { $0 = .success(()) }
        } catch { result.withLock { $0 = .failure(error) } }
      }
      world.run(for: limit)
      switch result.withLock({ $0 }) {
      case .success: break
      case .failure(let error): Issue.record("\(error)")
      case nil: Issue.record("it was not done within \(limit)")
      }
    }

    /// Drops all datagrams, or those to one address, as a firewall does, but for discovery.
    func dropDatagrams(to address: IPAddress? = nil) -> ActiveFault {
      world.add(
        Rule { packet, _ in
          guard packet.kind == .udp, !packet.destination.address.isMulticast,
            packet.destination.port != 5_353
          else { return nil }
          return address.map { $0 == packet.destination.address } ?? true ? .drop : nil
        })
    }

    func add(_ rule: Rule) { _ = world.add(rule) }

    /// Parts the two.
    func cut() -> ActiveFault { world.partition([[ann], [bob]]) }

    /// The datagrams that are sent from now on, apart from multicasts.
    func capture() -> Capture {
      let capture = Capture()
      world.record { event in
        guard event.kind == .sent, let packet = event.packet, packet.kind == .udp,
          !packet.destination.address.isMulticast
        else { return }
        capture.add(event.payload, packet.source, packet.destination)
      }
      return capture
    }
  }

  /// Datagrams that were seen.
  final class Capture: Sendable {
    private let datagrams = Mutex<[(bytes: [UInt8], source: Endpoint, destination: Endpoint)]>([])

    func add(_ bytes: [UInt8], _ source: Endpoint, _ destination: Endpoint) {
      datagrams.withLock { $0.append((bytes, source, destination)) }
    }

    /// The first bytes of the last datagrams from an address.
    func lastKinds(from address: IPAddress?, _ count: Int) -> [UInt8] {
      datagrams.withLock { datagrams in
        datagrams.filter { $0.source.address == address }.suffix(count).compactMap(\.bytes.first)
      }
    }

    var largest: (bytes: [UInt8], source: Endpoint, destination: Endpoint)? {
      datagrams.withLock { $0.max { $0.bytes.count < $1.bytes.count } }
    }
  }
}
