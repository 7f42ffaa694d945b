import EarshotSimulator
import Synchronization

/// A transfer through the simulated TCP, over a link with the conditions of a cell.
struct SimulatedTransfer {
  let cell: Cell
  let seed: UInt64
  let congestionControl: CongestionControl
  /// Sees what happens.
  var observe: @Sendable (TraceEvent) -> Void = { _ in }

  /// Makes the transfer; `nil` when it is not over in time.
  func run() -> Transfer? {
    var configuration = WorldConfiguration()
    configuration.congestionControl = congestionControl
    let world = World(seed: seed, configuration: configuration)
    defer { world.finish() }
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    world.setLink(
      between: ann, and: bob,
      LinkConditions(
        latency: .milliseconds(cell.roundTrip) / 2, jitter: .zero, bandwidth: cell.bytesPerSecond,
        queueBytes: cell.queueBytes))
    let chance = Chance(cell, seed)
    _ = world.add(Rule { packet, _ in chance.takes(packet) ? .drop : nil })
    let meter = Meter()
    world.record { event in
      meter.take(event)
      observe(event)
    }
    let (source, sink) = (Source(world, cell.bytes), Sink(world))
    do {
      _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: sink)
      _ = try ann.connect(
        to: Endpoint(bob.address, port: 7100),
        options: ConnectionOptions(connectTimeout: .seconds(Transfer.limit), userTimeout: nil),
        handler: source)
    } catch {
      preconditionFailure("\(error)")
    }
    guard world.run(until: { sink.endedAt != nil }, within: .seconds(Transfer.limit)),
      let opened = source.openedAt, let ended = sink.endedAt
    else { return nil }
    return Transfer(
      opening: (opened - .zero) / .seconds(1), completion: (ended - .zero) / .seconds(1),
      bytes: cell.bytes, sentBytes: meter.sent, resentBytes: meter.resent)
  }
}

/// Takes the packets that chance takes from Linux, too.
private final class Chance {
  private var toServer: LossSequence
  private var fromServer: LossSequence

  init(_ cell: Cell, _ seed: UInt64) {
    toServer = LossSequence(percent: cell.lossPercent, seed: seed, direction: 0)
    fromServer = LossSequence(percent: cell.lossPercent, seed: seed, direction: 1)
  }

  func takes(_ packet: Packet) -> Bool {
    packet.from == "ann" ? toServer.losesNext() : fromServer.losesNext()
  }
}

/// Counts what goes over the wire from Ann to Bob.
private final class Meter: Sendable {
  private let state = Mutex<(sent: Int, resent: Int, end: Int)>((0, 0, 0))

  var sent: Int { state.withLock { $0.sent } }
  var resent: Int { state.withLock { $0.resent } }

  func take(_ event: TraceEvent) {
    guard event.kind == .sent, event.from == "ann", let packet = event.packet,
      let sequence = packet.tcp?.sequenceNumber
    else { return }
    state.withLock { state in
      state.sent += packet.payloadBytes
      if sequence < state.end { state.resent += packet.payloadBytes }
      state.end = max(state.end, sequence + packet.payloadBytes)
    }
  }
}

/// Writes so many bytes, as fast as the connection takes them, and ends.
private final class Source: ConnectionHandler {
  private let world: World
  private let state: Mutex<(unwritten: Int, openedAt: Instant?)>
  private static let block = [UInt8](repeating: 0, count: 1 << 18)

  init(_ world: World, _ bytes: Int) {
    self.world = world
    state = Mutex((bytes, nil))
  }

  var openedAt: Instant? { state.withLock { $0.openedAt } }

  func connectionOpened(_ connection: any Connection) {
    let now = world.now
    state.withLock { $0.openedAt = now }
    feed(connection)
  }

  func connectionBecameWritable(_ connection: any Connection) { feed(connection) }

  private func feed(_ connection: any Connection) {
    while case let unwritten = state.withLock({ $0.unwritten }), unwritten > 0 {
      let count = min(unwritten, Self.block.count)
      let taken = (try? connection.write(Self.block.span.extracting(0..<count))) ?? 0
      state.withLock { $0.unwritten -= taken }
      if taken < count { return }
    }
    connection.finishWriting()
  }

  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}

/// Reads all that arrives, and notes when it has ended.
private final class Sink: ConnectionHandler, ListenerHandler {
  private let world: World
  private let end = Mutex<Instant?>(nil)

  init(_ world: World) { self.world = world }

  var endedAt: Instant? { end.withLock { $0 } }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  { self }

  func connectionReceivedEnd(_ connection: any Connection) {
    let now = world.now
    end.withLock { $0 = now }
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
  func connectionOpened(_ connection: any Connection) {}
  func connectionBecameWritable(_ connection: any Connection) {}
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}
