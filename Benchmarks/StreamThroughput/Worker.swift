import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers
import Synchronization

/// One process of the measurement: the sender or the receiver.
struct Worker {
  private let isSender: Bool
  private let service: String
  private let load: Load
  /// How many MiB are carried, or how many messages are timed.
  private let count: Int

  private static let chunk = [UInt8](repeating: 0xA5, count: 65_536)
  private static let streamCount = 1_000

  /// What a command line of ours asks for, or `nil` if it is that of a user.
  init?(_ arguments: [String]) {
    guard arguments.count == 5, ["send", "receive"].contains(arguments[1]),
      let load = Load(rawValue: arguments[3]), let count = Int(arguments[4])
    else { return nil }
    (isSender, service, self.load, self.count) = (arguments[1] == "send", arguments[2], load, count)
  }

  /// Does its part.
  func run() async throws {
    let peer = try await LoopbackPeer(isSender ? "sender" : "receiver")
    if isSender { try await send(from: peer) } else { try await receive(at: peer) }
    await peer.stop()
  }

  private func send(from peer: LoopbackPeer) async throws {
    let session = try await peer.gather(1, service)
    guard let other = await session.members.first?.id else { fail("there is no member") }
    let resting = Resources.peakMemoryBytes
    try await peer.run(.pool) {
      switch load {
      case .messages: for _ in 0..<count * 16 { try await session.send(Self.chunk) }
      case .stream:
        let stream = try await session.openStream("bytes", to: other, isOneWay: true)
        for _ in 0..<count * 16 { try await stream.write(Self.chunk) }
        stream.finish()
        try await stream.waitForDelivery()
      case .streams: try await sendStreams(session, other)
      case .idle: try await session.sendTimedMessages(count)
      case .beside:
        let stream = try await session.openStream("bytes", to: other, isOneWay: true)
        let writing = Task.detached {
          while !Task.isCancelled { _ = try? await stream.write(Self.chunk) }
        }
        try await session.sendTimedMessages(count)
        writing.cancel()
        stream.finish()
        try await stream.waitForDelivery()
      }
    }
    var messages = session.messages.makeAsyncIterator()
    _ = await messages.next()
    ChildProcess.answer("sent \(Self.mebibytes(Resources.peakMemoryBytes - resting))")
  }

  private func sendStreams(_ session: Session, _ other: PeerID) async throws {
    let each = count * 16 / Self.streamCount + 1
    try await withThrowingTaskGroup { group in
      for number in 0..<Self.streamCount {
        group.addTask {
          let stream = try await session.openStream("\(number)", to: other, isOneWay: true)
          for _ in 0..<each { try await stream.write(Self.chunk) }
          stream.finish()
          try await stream.waitForDelivery()
        }
      }
      try await group.waitForAll()
    }
  }

  private func receive(at peer: LoopbackPeer) async throws {
    ChildProcess.answer("ready")
    let session = try await peer.host(service)
    let resting = Resources.peakMemoryBytes
    let meter = Meter()
    let line = try await peer.run(.pool) {
      switch load {
      case .messages:
        var messages = session.messages.makeAsyncIterator()
        for _ in 0..<count * 16 { meter.add(await messages.next()?.bytes.count ?? 0) }
        return "\(meter.rate) \(Self.mebibytes(Resources.peakMemoryBytes - resting))"
      case .stream:
        try await read(session, 1, meter)
        return "\(meter.rate) \(Self.mebibytes(Resources.peakMemoryBytes - resting))"
      case .streams:
        try await read(session, Self.streamCount, meter)
        return "\(meter.rate) \(Self.mebibytes(Resources.peakMemoryBytes - resting))"
      case .idle: return "0 " + Self.line(await session.receiveTimedMessages(count))
      case .beside:
        let reading = Task.detached { try await read(session, 1, meter) }
        let times = await session.receiveTimedMessages(count)
        let rate = meter.rate
        try await reading.value
        return "\(rate) " + Self.line(times)
      }
    }
    ChildProcess.answer("received \(line)")
    try await session.send([1])
    for await event in session.events(from: .unread) { if case .left = event { break } }
  }

  private func read(_ session: Session, _ streamCount: Int, _ meter: Meter) async throws {
    try await withThrowingTaskGroup { group in
      var left = streamCount
      for await stream in session.streams {
        group.addTask { for try await chunk in stream.chunks { meter.add(chunk.count) } }
        left -= 1
        if left == 0 { break }
      }
      try await group.waitForAll()
    }
  }

  private static func line(_ times: [Double]) -> String {
    times.map { "\($0)" }.joined(separator: " ")
  }

  private static func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }
}

/// How much arrives a second, from the first piece to the last.
final class Meter: Sendable {
  private let state = Mutex((bytes: 0, first: Int64(0), last: Int64(0)))

  func add(_ bytes: Int) {
    let now = Machine.nanoseconds
    state.withLock { state in
      if state.bytes == 0 { state.first = now }
      state.bytes += bytes
      state.last = now
    }
  }

  /// In MiB a second.
  var rate: Double {
    state.withLock { state in
      let seconds = Double(max(1, state.last - state.first)) / 1e9
      return Double(state.bytes) / 1_048_576 / seconds
    }
  }
}
