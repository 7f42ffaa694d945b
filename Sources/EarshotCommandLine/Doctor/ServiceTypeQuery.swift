import Earshot
import EarshotCore
import EarshotNetwork
import Synchronization

/// Asks which kinds of service are advertised on the links of this host.
///
/// - SeeAlso: RFC 6763 §9.
final class ServiceTypeQuery: DatagramHandler {
  private let host: any NetworkHost
  private let found = Mutex<[ServiceType]>([])
  private let sockets = Mutex<[any DatagramSocket]>([])

  /// Shares the port of multicast DNS, where that can be had.
  ///
  /// To be closed at the end; until then the host holds it.
  init(on host: any NetworkHost) {
    self.host = host
    let interfaces = Self.interfaces(of: host)
    for family in IPAddress.Family.allCases where interfaces.contains(where: { $0.has(family) }) {
      let socket = try? host.openDatagramSocket(
        on: Endpoint(family.any, port: DNSArrival.port), options: .multicastDNS, handler: self)
      guard let socket else { continue }
      for interface in interfaces where interface.has(family) {
        try? socket.join(family.multicastDNSGroup, on: interface.index)
      }
      sockets.withLock { $0.append(socket) }
    }
  }

  /// The kinds of service over TCP that were named so far, in the order in which they came.
  var services: [ServiceType] { found.withLock { $0 } }

  /// Asks on every interface.
  func ask() {
    let packets = DNSMessage(asking: [DNSQuestion(Self.name, .ptr)]).packets()
    for socket in sockets.withLock({ $0 }) {
      let family = socket.localEndpoint.address.family
      let group = Endpoint(family.multicastDNSGroup, port: DNSArrival.port)
      for interface in Self.interfaces(of: host) where interface.has(family) {
        for packet in packets { try? socket.send(packet.span, to: group, on: interface.index) }
      }
    }
  }

  /// Closes the port.
  func close() {
    let open = sockets.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for socket in open { socket.close() }
  }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    guard bytes.count <= DNSMessage.packetBytesMax, header.source.port == DNSArrival.port,
      let message = try? DNSMessage(decoding: [UInt8](copying: bytes)), message.isResponse,
      message.isOrdinary
    else { return }
    for record in message.answers where record.name == Self.name {
      guard case .pointer(let domain) = record.data, let service = Self.service(of: domain) else {
        continue
      }
      found.withLock { found in
        if found.count < Self.servicesMax, !found.contains(service) { found.append(service) }
      }
    }
  }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}

  /// The kind of service of a domain such as `_chat._tcp.local`; `nil` for what peers cannot
  /// advertise.
  static func service(of domain: DNSName) -> ServiceType? {
    let label = String(decoding: domain.firstLabel.dropFirst(), as: UTF8.self)
    guard let service = try? ServiceType(label), service.domain == domain else { return nil }
    return service
  }

  private static func interfaces(of host: any NetworkHost) -> [NetworkInterface] {
    host.interfaces.filter(\.supportsMulticast)
  }

  private static let name = DNSName("_services", "_dns-sd", "_udp", "local")
  /// A peer browses for no more than 72 at a time.
  private static let servicesMax = 60
}
