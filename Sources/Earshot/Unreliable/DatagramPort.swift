import EarshotNetwork
import EarshotTLS

/// The UDP port of one peer, at which the members of its sessions send it datagrams.
///
/// Opened when it is first needed: a peer that sends and receives nothing unreliably has none.
actor DatagramPort: DatagramHandler {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let host: any NetworkHost
  /// The port, or 0 while it is closed.
  private(set) var number: UInt16 = 0
  /// How many datagrams came that were for no connection.
  private(set) var strayCount = 0
  private var lostEarlier = 0  // At sockets that were closed.
  private var sockets: [any DatagramSocket] = []  // One for each family of addresses.
  private var channels: [UInt64: UnreliableChannel] = [:]
  /// Those with messages that were not handed on yet.
  private var filled: [UnreliableChannel] = []
  private nonisolated let waiting = Mailbox<UnreliableChannel>()
  private nonisolated let wakeup = Wakeup()
  private let name: String
  private lazy var random = host.random("datagrams of peer \(name)")

  /// A port that is closed.
  init(of name: String, on host: any NetworkHost) {
    (self.name, self.host) = (name, host)
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
  }

  /// Has channels flushed from now on.
  func start() {
    wakeup.connect(to: host.makeSignal { [weak self] in self?.assumeIsolated { $0.flush() } })
  }

  // MARK: Opening

  /// Opens the port, if it is closed: at the number that is given if it is free, or at any other one.
  ///
  /// - Returns: The number, or 0 if the system gives none.
  func open(near preferred: UInt16) -> UInt16 {
    guard sockets.isEmpty else { return number }
    for wanted in preferred == 0 ? [0] : [preferred, 0] {
      guard let first = openSocket(Endpoint(.anyV4, port: wanted)) else { continue }
      number = first.localEndpoint.port
      let second = openSocket(Endpoint(.anyV6, port: number))  // IPv4 may have to do.
      sockets = [first] + (second.map { [$0] } ?? [])
      return number
    }
    return 0
  }

  private func openSocket(_ endpoint: Endpoint) -> (any DatagramSocket)? {
    let options = DatagramOptions(receiveBufferBytes: Self.receiveBufferBytes)
    return try? host.openDatagramSocket(on: endpoint, options: options, handler: self)
  }

  /// How many datagrams came to the port and were not handed over by the system.
  var lostCount: Int { sockets.reduce(lostEarlier) { $0 + $1.lostCount } }

  /// Closes the port; it can be opened again.
  func close() {
    lostEarlier = lostCount
    for socket in sockets { socket.close() }
    (sockets, number) = ([], 0)
  }

  /// Closes the port for good.
  func stop() {
    close()
    channels = [:]
    wakeup.connect(to: nil)
  }

  // MARK: Channels

  /// A connection that no other channel has.
  func register(_ channel: UnreliableChannel) -> UInt64 {
    var connection = random.next()
    while channels[connection] != nil { connection = random.next() }
    channels[connection] = channel
    return connection
  }

  func unregister(_ connection: UInt64) { channels[connection] = nil }

  func makePathRandom() -> RandomStream { RandomStream(seed: random.next()) }

  /// Has a channel flushed soon, from any thread.
  nonisolated func flushSoon(_ channel: UnreliableChannel) {
    waiting.add(channel)
    wakeup.raise()
  }

  private func flush() {
    for channel in waiting.take() { channel.assumeIsolated { $0.flush() } }
  }

  // MARK: Datagrams

  /// Sends datagrams of one size.
  ///
  /// - Returns: How many bytes the system took.
  func send(_ datagrams: [UInt8], inDatagramsOf size: Int, to endpoint: Endpoint) -> Int {
    let family = endpoint.address.family
    guard let socket = sockets.first(where: { $0.localEndpoint.address.family == family }) else {
      return 0
    }
    return (try? socket.send(datagrams.span, inDatagramsOf: size, to: endpoint)) ?? 0
  }

  nonisolated func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    inTurn(with: bytes, header.source) { $0.received($1, from: $2) }
  }

  private func received(_ datagram: Span<UInt8>, from source: Endpoint) {
    guard let connection = DatagramProtection.connection(of: datagram),
      let channel = channels[connection]
    else { return strayCount += 1 }
    if channel.inTurn(with: datagram, source, { $0.received($1, from: $2) }) {
      filled.append(channel)
    }
  }

  nonisolated func datagramSocketPaused(_ socket: any DatagramSocket) {
    inTurn { $0.handOver() }
  }

  /// Has the program get what has arrived.
  private func handOver() {
    guard !filled.isEmpty else { return }
    let channels = filled
    filled.removeAll(keepingCapacity: true)
    for channel in channels { channel.inTurn { $0.handOver() } }
  }

  /// What arrives while the program's loop has other things to do: 8 ms of 4 Gbit/s.
  private static let receiveBufferBytes = 4_194_304

  nonisolated func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {
    assumeIsolated { $0.lost(socket) }
  }

  /// The system has taken a socket away: the others go, too, and all are opened when they are needed again.
  private func lost(_ socket: any DatagramSocket) {
    guard sockets.contains(where: { $0 === socket }) else { return }
    close()
    for connection in channels.keys.sorted() {
      channels[connection]?.assumeIsolated { $0.portLost() }
    }
  }
}
