import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization

/// Remembers what a datagram socket is told, and answers it if asked to.
final class DatagramLog: DatagramHandler {
  private let state = Mutex<[(bytes: [UInt8], header: DatagramHeader)]>([])
  private let failure = Mutex<NetworkError?>(nil)
  private let answers: Bool

  init(answers: Bool = false) { self.answers = answers }

  var received: [[UInt8]] { state.withLock { $0.map(\.bytes) } }
  var headers: [DatagramHeader] { state.withLock { $0.map(\.header) } }
  var error: NetworkError? { failure.withLock { $0 } }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let copy = (0..<bytes.count).map { bytes[$0] }
    state.withLock { $0.append((copy, header)) }
    if answers { try? socket.send(bytes, to: header.source, on: nil) }
  }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    failure.withLock { $0 = error }
  }
}

/// Sockets of hosts that listen for datagrams at one port, and for multicasts of one group.
struct DatagramListeners {
  static let group = IPAddress.v4(0xE000_00FB)
  static let port: UInt16 = 7100

  let logs: [DatagramLog]
  let sockets: [any DatagramSocket]

  init(on hosts: [SimulatedHost]) throws {
    let logs = hosts.map { _ in DatagramLog() }
    sockets = try zip(hosts, logs).map { host, log in
      let socket = try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: Self.port), options: DatagramOptions(), handler: log)
      try socket.join(Self.group, on: 1)
      return socket
    }
    self.logs = logs
  }

  func send(_ payload: [UInt8], from: Int, to host: SimulatedHost) throws {
    try sockets[from].send(payload.span, to: Endpoint(host.address, port: Self.port), on: nil)
  }

  func multicast(_ byte: UInt8, from: Int) throws {
    try sockets[from].send([byte].span, to: Endpoint(Self.group, port: Self.port), on: 1)
  }
}
