import EarshotNetwork
import EarshotSimulator

/// Runs a program on a host, over one UDP socket and one timer.
///
/// Sendable because all of it happens on the thread that drives its world, which traps on any other.
final class Node<Peer: Program>: DatagramHandler, @unchecked Sendable {
  private(set) var program: Peer?
  private(set) var disk: [String: [Int]]
  private let (id, count): (Int, Int)
  private let host: SimulatedHost
  private let flaw: Flaw?
  private let address: (Int) -> IPAddress
  private let note: ([Int]) -> Void
  private var random: RandomStream
  private var socket: (any DatagramSocket)?
  private var timer: (any NetworkTimer)?

  init(
    _ id: Int, of count: Int, on host: SimulatedHost, _ flaw: Flaw?, disk: [String: [Int]],
    address: @escaping (Int) -> IPAddress, note: @escaping ([Int]) -> Void
  ) {
    (self.id, self.count, self.host, self.flaw, self.disk) = (id, count, host, flaw, disk)
    (self.address, self.note, random) = (address, note, host.random("program"))
    open()
    timer = host.makeTimer { [weak self] in
      guard let self, self.host.isUp else { return }
      turn { $0?.tick(&$1) }
      wait()
    }
    turn { _, _ in }
    timer?.arm(at: host.now + .milliseconds(1 + Int(random.below(99))))
  }

  private func wait() { timer?.arm(at: host.now + .milliseconds(100)) }

  /// Opens the socket: at first, and after the system has taken it away.
  private func open() {
    socket = try? host.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7_100), options: DatagramOptions(), handler: self)
  }

  private func turn(_ body: (inout Peer?, inout Turn) -> Void) {
    var turn = Turn(
      id: id, of: count, flaw, time: Self.milliseconds(host.worldTime),
      clock: Self.milliseconds(host.now), disk: disk, random)
    if program == nil { program = Peer(&turn) }
    body(&program, &turn)
    (disk, random) = (turn.disk, turn.random)
    for numbers in turn.notes { note(numbers) }
    for (peer, message) in turn.sent { send(message, to: peer) }
  }

  private static func milliseconds(_ instant: Instant) -> Int {
    Int((instant - .zero) / .milliseconds(1))
  }

  private func send(_ message: [Int], to peer: Int) {
    var bytes: [UInt8] = []
    for number in [id] + message {
      withUnsafeBytes(of: Int64(number).littleEndian) { bytes += $0 }
    }
    // What cannot be sent is lost, as a datagram may be.
    try? socket?.send(bytes.span, to: Endpoint(address(peer), port: 7_100), on: nil)
  }

  func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    var numbers: [Int] = []
    for start in stride(from: 0, to: bytes.count - 7, by: 8) {
      var number: Int64 = 0
      for index in (start..<start + 8).reversed() { number = number << 8 | Int64(bytes[index]) }
      numbers.append(Int(number))
    }
    guard numbers.count > 1, (0..<count).contains(numbers[0]) else { return }
    turn { $0?.receive(Array(numbers.dropFirst()), from: numbers[0], &$1) }
  }

  func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    if host.isUp { open() }
  }
}
