import EarshotSimulator
import Synchronization

/// Remembers when which numbered datagram arrived.
final class TimedLog: DatagramHandler {
  private let world: World
  private let state = Mutex<[(number: Int, time: Instant)]>([])

  init(_ world: World) { self.world = world }

  var arrivals: [(number: Int, time: Instant)] { state.withLock { $0 } }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    let number = (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    state.withLock { $0.append((number, world.now)) }
  }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
}
