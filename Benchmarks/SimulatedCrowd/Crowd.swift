import BenchmarkKit
import EarshotSimulator
import Synchronization

/// Pairs of hosts that send each other pings and echoes: the same work for every simulator.
///
/// Every packet takes 10 ms and up to 2 ms more, one in a hundred is lost, it carries 64 bytes. A client
/// sends ping k until echo k has come, once every 100 ms; then ping k + 1. Its server echoes every ping.
struct Crowd {
  let hostCount: Int
  let roundTrips: UInt64

  static let latency = Duration.milliseconds(10)
  static let jitter = Duration.milliseconds(2)
  static let patience = Duration.milliseconds(100)
  static let payloadBytes = 64

  /// A crowd that delivers at least so many packets.
  init(hostCount: Int, packets: Int) {
    self.hostCount = hostCount
    roundTrips = UInt64((packets + hostCount - 1) / hostCount)
  }

  /// Runs it in a simulated world, in one task a host.
  ///
  /// - Returns: How many packets were delivered to code.
  func runInWorld(seed: UInt64, schedule: SchedulePolicy = .fifo) -> Int {
    let conditions = LinkConditions(
      latency: Self.latency, jitter: Self.jitter, loss: .percent(1))
    let world = World(
      seed: seed, configuration: WorldConfiguration(defaultLink: conditions, schedule: schedule))
    let delivered = Counter()
    let hosts = (0..<hostCount).map { world.makeHost("host\($0)") }
    for pair in stride(from: 0, to: hostCount, by: 2) {
      let (client, server) = (hosts[pair], hosts[pair + 1])
      server.addTask("server") { await Server(server, delivered).run() }
      client.addTask("client") {
        await Client(client, server.address, roundTrips, delivered).run()
      }
    }
    world.runUntilIdle()
    world.finish()
    return delivered.value
  }
}

/// How many packets were delivered.
final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// Echoes every ping.
private struct Server {
  private let host: SimulatedHost
  private let delivered: Counter

  init(_ host: SimulatedHost, _ delivered: Counter) {
    (self.host, self.delivered) = (host, delivered)
  }

  func run() async {
    do {
      let channel = try DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 7100))
      while let ping = try await channel.receive() {
        delivered.add()
        try channel.send(ping.bytes.span, to: ping.header.source)
      }
    } catch {
      require(error.code == .hostDown, "\(host.name): \(error)")
    }
  }
}

/// Sends pings until every one has been answered.
private struct Client {
  private let host: SimulatedHost
  private let server: Endpoint
  private let roundTrips: UInt64
  private let delivered: Counter

  init(
    _ host: SimulatedHost, _ server: IPAddress, _ roundTrips: UInt64, _ delivered: Counter
  ) {
    (self.host, self.server) = (host, Endpoint(server, port: 7100))
    (self.roundTrips, self.delivered) = (roundTrips, delivered)
  }

  func run() async {
    do {
      let channel = try DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 0))
      var ping = [UInt8](repeating: 0xA5, count: Crowd.payloadBytes)
      for number in 0..<roundTrips {
        write(number, into: &ping)
        repeat { try channel.send(ping.span, to: server) } while try await !hears(number, channel)
      }
    } catch {
      fail("\(host.name): \(error)")
    }
  }

  /// Waits for one echo; counts and ignores those that came before.
  private func hears(_ number: UInt64, _ channel: DatagramChannel) async throws(NetworkError)
    -> Bool
  {
    let deadline = host.now + Crowd.patience
    while let echo = try await channel.receive(until: deadline) {
      delivered.add()
      if read(echo.bytes) == number { return true }
    }
    return false
  }

  private func write(_ number: UInt64, into bytes: inout [UInt8]) {
    for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
  }

  private func read(_ bytes: [UInt8]) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<8 { number |= UInt64(bytes[index]) << UInt64(8 * index) }
    return number
  }
}
