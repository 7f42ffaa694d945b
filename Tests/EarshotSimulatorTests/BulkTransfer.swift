import EarshotSimulator
import Synchronization

/// One host that sends another as much as its connection takes, over a slow link.
struct BulkTransfer {
  /// What came of it.
  struct Outcome {
    /// What the receiving program got, in kbit/s.
    let goodput: Double
    /// Payload bytes that were sent again, in percent of the payload bytes that were sent.
    let resentPercent: Double
    let resentBytes: Int
    /// Payload bytes that were sent again although the receiver had acknowledged them before.
    let resentAfterAcknowledgement: Int
  }
  /// In kbit/s, each way.
  let rate: Int
  let lossPercent: Int
  var seconds = 120
  /// How much is sent, until whose end is measured; without it as much as is taken in so many seconds.
  var bytes: Int?
  var queueBytes = 256 * 1024
  var reorderingPercent = 0
  var duplicationPercent = 0
  var congestionControl = CongestionControl.cubic

  func run(seed: UInt64) throws -> Outcome {
    var configuration = WorldConfiguration()
    configuration.congestionControl = congestionControl
    let world = World(seed: seed, configuration: configuration)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    world.setLink(
      between: ann, and: bob,
      LinkConditions(
        latency: .microseconds(50), jitter: .zero, loss: .percent(lossPercent),
        duplication: .percent(duplicationPercent), reordering: .percent(reorderingPercent),
        bandwidth: rate * 1_000 / 8, queueBytes: queueBytes))
    let log = SegmentLog()
    world.record { log.take($0) }
    let (source, sink) = (Source(bytes ?? .max), Sink())
    let options = ConnectionOptions(connectTimeout: .seconds(60), userTimeout: nil)
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: sink)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: options, handler: source)
    while !sink.isAccepted { world.run(for: .milliseconds(1)) }
    let start = world.now
    if bytes == nil {
      world.run(for: .seconds(seconds))
    } else {
      _ = world.run(until: { sink.hasEnded }, within: .seconds(1_000))
    }
    let milliseconds = (world.now - start) / .milliseconds(1)
    let outcome = log.outcome(goodput: Double(8 * sink.count) / milliseconds)
    world.finish()
    return outcome
  }
}

/// What goes over the wire from Ann to Bob, read from the trace.
private final class SegmentLog: Sendable {
  private struct State {
    var sent = 0
    var resent = 0
    var resentAfterAcknowledgement = 0
    var highest = 0
    var acknowledged = 0
    var selective = RangeSet<Int>()
  }
  private let state = Mutex(State())

  func take(_ event: TraceEvent) {
    guard event.label == "tcp" else { return }
    state.withLock { state in
      if event.kind == .sent, event.from == "ann" { Self.note(event, &state) }
      if event.kind == .delivered, event.from == "bob" { Self.noteAnswer(event, &state) }
    }
  }

  private static func note(_ event: TraceEvent, _ state: inout State) {
    let count = event.payload.count
    guard count > 0, let sequence = number(after: "seq ", in: event.detail) else { return }
    state.sent += count
    if sequence < state.highest { state.resent += count }
    if sequence < state.acknowledged || state.selective.contains(sequence) {
      state.resentAfterAcknowledgement += count
    }
    state.highest = max(state.highest, sequence + count)
  }

  private static func noteAnswer(_ event: TraceEvent, _ state: inout State) {
    state.acknowledged = max(state.acknowledged, number(after: "ack ", in: event.detail) ?? 0)
    guard let words = event.detail.split(separator: "sack ").dropFirst().first else { return }
    for block in words.split(separator: " ") {
      let ends = block.split(separator: "-").compactMap { Int($0) }
      if ends.count == 2 { state.selective.insert(contentsOf: ends[0]..<ends[1]) }
    }
  }

  private static func number(after word: String, in detail: String) -> Int? {
    detail.split(separator: ", ").first { $0.hasPrefix(word) }
      .flatMap { Int($0.dropFirst(word.count)) }
  }

  func outcome(goodput: Double) -> BulkTransfer.Outcome {
    state.withLock {
      BulkTransfer.Outcome(
        goodput: goodput, resentPercent: 100 * Double($0.resent) / Double(max(1, $0.sent)),
        resentBytes: $0.resent, resentAfterAcknowledgement: $0.resentAfterAcknowledgement)
    }
  }
}

/// Writes what the connection takes.
private final class Source: ConnectionHandler {
  private let unwritten: Mutex<Int>

  init(_ bytes: Int) { unwritten = Mutex(bytes) }

  func connectionOpened(_ connection: any Connection) { feed(connection) }
  func connectionBecameWritable(_ connection: any Connection) { feed(connection) }
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}

  private func feed(_ connection: any Connection) {
    let block = [UInt8](repeating: 0xA5, count: 65_536)
    while case let count = min(block.count, unwritten.withLock { $0 }), count > 0 {
      let taken = (try? connection.write(block.span.extracting(0..<count))) ?? 0
      unwritten.withLock { $0 -= taken }
      if taken < count { return }
    }
    connection.finishWriting()
  }
}

/// Counts what arrives.
private final class Sink: ConnectionHandler, ListenerHandler {
  private let state = Mutex<(count: Int, isAccepted: Bool, hasEnded: Bool)>((0, false, false))

  var count: Int { state.withLock { $0.count } }
  var isAccepted: Bool { state.withLock { $0.isAccepted } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func listener(_ listener: any Listener, accepted connection: any Connection)
    -> (any ConnectionHandler)?
  {
    state.withLock { $0.isAccepted = true }
    return self
  }

  func listener(_ listener: any Listener, failed error: NetworkError) {}
  func connectionOpened(_ connection: any Connection) {}
  func connectionBecameWritable(_ connection: any Connection) {}
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    let count = bytes.count
    state.withLock { $0.count += count }
  }
  func connectionReceivedEnd(_ connection: any Connection) {
    state.withLock { $0.hasEnded = true }
  }
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}
