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
  var queueBytes = 256 * 1024
  var reorderingPercent = 0
  var duplicationPercent = 0

  func run(seed: UInt64) throws -> Outcome {
    let world = World(seed: seed)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    world.setLink(
      between: ann, and: bob,
      LinkConditions(
        latency: .microseconds(50), jitter: .zero, loss: .percent(lossPercent),
        duplication: .percent(duplicationPercent), reordering: .percent(reorderingPercent),
        bandwidth: rate * 1_000 / 8, queueBytes: queueBytes))
    let log = SegmentLog()
    world.record { log.take($0) }
    let (source, sink) = (Source(), Sink())
    let options = ConnectionOptions(connectTimeout: .seconds(60), userTimeout: nil)
    _ = try bob.listen(on: Endpoint(.anyV4, port: 7100), handler: sink)
    _ = try ann.connect(
      to: Endpoint(bob.address, port: 7100), options: options, handler: source)
    while !sink.isAccepted { world.run(for: .milliseconds(1)) }
    world.run(for: .seconds(seconds))
    let outcome = log.outcome(goodput: Double(8 * sink.count) / Double(seconds) / 1_000)
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
  func connectionOpened(_ connection: any Connection) { feed(connection) }
  func connectionBecameWritable(_ connection: any Connection) { feed(connection) }
  func connection(_ connection: any Connection, received bytes: Span<UInt8>) {}
  func connectionReceivedEnd(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}

  private func feed(_ connection: any Connection) {
    let block = [UInt8](repeating: 0xA5, count: 65_536)
    var isTaken = true
    while isTaken {
      do {
        let count = block.isEmpty ? 0 : try connection.write(block.span)
        isTaken = count == block.count
      } catch {
        isTaken = false
      }
    }
  }
}

/// Counts what arrives.
private final class Sink: ConnectionHandler, ListenerHandler {
  private let state = Mutex<(count: Int, isAccepted: Bool)>((0, false))

  var count: Int { state.withLock { $0.count } }
  var isAccepted: Bool { state.withLock { $0.isAccepted } }

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
  func connectionReceivedEnd(_ connection: any Connection) {}
  func connection(_ connection: any Connection, failed error: NetworkError) {}
}
