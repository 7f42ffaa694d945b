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
