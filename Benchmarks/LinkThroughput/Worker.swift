import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers

/// One process of the measurement with Earshot: the sender or a receiver.
struct Worker {
  private let isSender: Bool
  private let service: String
  private let place: LoopbackPeer.Place
  private let receivers: Int
  private let count: Int
  private let bytes: Int

  static func receiver(
    _ service: String, _ place: String, _ receivers: Int, _ count: Int
  ) -> [String] {
    ["receive", service, place, "\(receivers)", "\(count)", "0"]
  }

  static func sender(
    _ service: String, _ place: String, _ receivers: Int, _ count: Int, _ bytes: Int
  ) -> [String] {
    ["send", service, place, "\(receivers)", "\(count)", "\(bytes)"]
  }

  /// What a command line of ours asks for, or `nil` if it is that of a user.
  init?(_ arguments: [String]) {
    guard arguments.count == 7, ["send", "receive"].contains(arguments[1]),
      let place = LoopbackPeer.Place(rawValue: arguments[3]), let receivers = Int(arguments[4]),
      let count = Int(arguments[5]), let bytes = Int(arguments[6])
    else { return nil }
    (isSender, service, self.place) = (arguments[1] == "send", arguments[2], place)
    (self.receivers, self.count, self.bytes) = (receivers, count, bytes)
  }

  /// Does its part.
  func run() async throws {
    let peer = try await LoopbackPeer(isSender ? "sender" : "receiver \(getpid())")
    if isSender { try await send(from: peer) } else { try await receive(at: peer) }
    await peer.stop()
  }

  private func receive(at peer: LoopbackPeer) async throws {
    ChildProcess.answer("ready")
    let session = try await peer.host(service)
    try await peer.run(place) {
      var events = session.events(from: .unread).makeAsyncIterator()
      await Self.joined(receivers, &events)
      ChildProcess.answer("joined")
      var (received, first) = (0, Int64(0))
      var messages = session.messages.makeAsyncIterator()
      while received < count, let message = await messages.next() {
        if received == 0 { first = Machine.nanoseconds }
        received += 1
        guard received == count else { continue }
        ChildProcess.answer("received \(first) \(Machine.nanoseconds) \(received)")
        try await session.send([1], to: [message.sender])
      }
      while let event = await events.next() { if case .left = event { break } }
    }
  }

  private func send(from peer: LoopbackPeer) async throws {
    let session = try await peer.gather(receivers, service)
    var events = session.events(from: .unread).makeAsyncIterator()
    await Self.joined(receivers, &events)
    ChildProcess.answer("joined")
    require(readLine() == "go", "the benchmark did not say go")
    try await peer.run(place) {
      let message = [UInt8](repeating: 0xA5, count: bytes)
      for _ in 0..<count { try await session.send(message) }
    }
    var (missing, messages) = (receivers, session.messages.makeAsyncIterator())
    while missing > 0, await messages.next() != nil { missing -= 1 }
    ChildProcess.answer("sent")
  }

  /// Waits until so many others are in the session.
  private static func joined(
    _ count: Int, _ events: inout EventStream<SessionEvent>.Iterator
  ) async {
    var missing = count
    while missing > 0, let event = await events.next() {
      if case .joined = event { missing -= 1 }
    }
  }
}
