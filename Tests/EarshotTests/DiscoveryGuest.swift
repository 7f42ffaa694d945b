import Earshot
import EarshotSimulator
import Synchronization
import TestKit

/// Peers of a simulated world that find each other.
final class FoundPeers: Sendable {
  private let state = Mutex<[BrowserEvent]>([])

  var reports: [BrowserEvent] { state.withLock { $0 } }
  func take(_ report: BrowserEvent) { state.withLock { $0.append(report) } }

  /// Who is there now, in the order of their finding.
  var present: [DiscoveredPeer] {
    reports.reduce(into: []) { present, report in
      switch report {
      case .found(let service): present.append(service)
      case .updated(let service):
        for index in present.indices where present[index].id == service.id {
          present[index] = service
        }
      case .lost(let peer): present.removeAll { $0.id == peer.id }
      case .unavailable, .available: break
      }
    }
  }
}

/// One peer on a host of its own.
struct Guest {
  let host: SimulatedHost
  let id: PeerID
  let discovery: MulticastDNS
  let found = FoundPeers()

  init(_ name: String, on host: SimulatedHost? = nil, in world: World) {
    self.host = host ?? world.makeHost(name)
    var random = world.random("identity of \(name)")
    id = PeerID(random: &random)
    discovery = MulticastDNS(for: id, on: self.host)
  }

  func announcement(_ info: [String: String]? = nil) throws -> Announcement {
    Announcement(
      of: id, named: try DisplayName(host.name), offering: try ServiceType("chat"), on: 7_100,
      info: try info.map { try DiscoveryInfo($0) })
  }

  /// As by `enter()`, in the other order.
  func enterBrowsing() throws {
    let (announcement, service) = (try announcement(), try ServiceType("chat"))
    host.addTask("enter") { [discovery, found] in
      _ = await discovery.browse(service) { found.take($0) }
      _ = await discovery.advertise(announcement)
    }
  }

  /// Enters to be found, without a look at others.
  func enterUnseeing() throws {
    let announcement = try announcement()
    host.addTask("enter") { [discovery] in _ = await discovery.advertise(announcement) }
  }

  func enter() throws {
    let (announcement, service) = (try announcement(), try ServiceType("chat"))
    host.addTask("enter") { [discovery, found] in
      _ = await discovery.advertise(announcement)
      _ = await discovery.browse(service) { found.take($0) }
    }
  }
}
