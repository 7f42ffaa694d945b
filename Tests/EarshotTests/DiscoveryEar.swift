import Earshot
import EarshotCore
import EarshotSimulator
import Synchronization
import TestKit

/// Hears all that discovery sends to the group, or to this host.
final class Ear: DatagramHandler {
  typealias Heard = (message: DNSMessage, header: DatagramHeader)
  let host: SimulatedHost
  private let state = Mutex<[Heard]>([])
  private let sockets = Mutex<[any DatagramSocket]>([])

  init(in world: World, name: String = "ear", port: UInt16 = DNSArrival.port) throws {
    host = world.makeHost(name)
    let socket = try host.openDatagramSocket(
      on: Endpoint(.anyV4, port: port), options: DatagramOptions(), handler: self)
    try socket.join(HostileDiscoveryTests.group.address, on: 1)
    let other = try host.openDatagramSocket(
      on: Endpoint(.anyV6, port: port), options: DatagramOptions(), handler: self)
    try other.join(HostileDiscoveryTests.groupV6.address, on: 1)
    sockets.withLock { $0 = [socket, other] }
  }

  var heard: [Heard] { state.withLock { $0 } }

  func send(_ message: DNSMessage) throws {
    for packet in message.packets() {
      try sockets.withLock { $0 }.first?.send(packet.span, to: HostileDiscoveryTests.group, on: 1)
    }
  }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let packet = (0..<bytes.count).map { bytes[$0] }
    guard let message = try? DNSMessage(decoding: packet) else { return }
    state.withLock { $0.append((message, header)) }
  }
  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
}

extension Announcement {
  /// All that is said of a peer, as if by a host with an address.
  func records(at address: IPAddress) -> [DNSRecord] {
    [
      DNSRecord(service.domain, .pointer(instanceName), lifetimeSeconds: 4_500),
      DNSRecord(
        instanceName, .service(priority: 0, weight: 0, port: port, host: hostName),
        lifetimeSeconds: 120, flushesCache: true),
      DNSRecord(instanceName, .text(text.bytes), lifetimeSeconds: 4_500, flushesCache: true),
      DNSRecord(hostName, .address(address), lifetimeSeconds: 120, flushesCache: true),
    ]
  }
}
