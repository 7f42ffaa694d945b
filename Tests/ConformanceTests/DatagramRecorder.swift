import EarshotCore
import EarshotNetwork

/// Remembers what a UDP socket is told.
final class DatagramRecorder: DatagramHandler {
  struct Received: Sendable {
    let bytes: [UInt8]
    let header: DatagramHeader
  }
  struct State: Sendable {
    var received: [Received] = []
    var error: NetworkError?
    var pausedAfter: Int?  // How many datagrams had come by the last pause.

    var payloads: [[UInt8]] { received.map(\.bytes) }
  }
  let seen = Watched(State())

  var state: State { seen.state }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let copy = [UInt8](copying: bytes)
    seen.update { $0.received.append(Received(bytes: copy, header: header)) }
  }

  func datagramSocketPaused(_ socket: any DatagramSocket) {
    seen.update { $0.pausedAfter = $0.received.count }
  }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    seen.update { $0.error = error }
  }
}

extension TwoHosts.Host {
  /// Opens a UDP socket on the host's address, on a port that the system chooses.
  func open(
    _ handler: DatagramRecorder, receiveBufferBytes: Int? = nil
  ) throws(NetworkError) -> any DatagramSocket {
    try network.openDatagramSocket(
      on: Endpoint(address, port: 0),
      options: DatagramOptions(receiveBufferBytes: receiveBufferBytes), handler: handler)
  }

  /// Opens a UDP socket on a port that no system chooses: whoever closes it finds it free again.
  func openOnUnchosenPort(
    _ handler: DatagramRecorder
  ) throws(NetworkError) -> (Endpoint, any DatagramSocket) {
    // Below what Linux and Darwin hand out by themselves (RFC 6335 §6 begins at 49,152, Linux at 32,768).
    var port: UInt16 = 20_000
    while true {
      let endpoint = Endpoint(address, port: port)
      do throws(NetworkError) {
        return (
          endpoint,
          try network.openDatagramSocket(on: endpoint, options: DatagramOptions(), handler: handler)
        )
      } catch {
        guard error.code == .addressInUse, port < 30_000 else { throw error }
        port += 1
      }
    }
  }

  /// Opens a UDP socket that shares a port with others, for multicast.
  func openShared(
    _ handler: DatagramRecorder, port: UInt16, loops: Bool = true
  ) throws(NetworkError) -> any DatagramSocket {
    try network.openDatagramSocket(
      on: Endpoint(.anyV4, port: port),
      options: DatagramOptions(sharesPort: true, loopsMulticast: loops), handler: handler)
  }
}
