import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers

/// One process of the measurement with Earshot: the sender or the receiver.
struct Worker {
  private let isSender: Bool
  private let service: String
  private let count: Int

  static func receiver(_ service: String) -> [String] { ["receive", service, "0"] }

  static func sender(_ service: String, _ count: Int) -> [String] {
    ["send", service, "\(count)"]
  }

  /// What a command line of ours asks for, or `nil` if it is that of a user.
  init?(_ arguments: [String]) {
    guard arguments.count == 4, ["send", "receive"].contains(arguments[1]),
      let count = Int(arguments[3])
    else { return nil }
    (isSender, service, self.count) = (arguments[1] == "send", arguments[2], count)
  }

  /// Does its part.
  func run() async throws {
    let peer = try await LoopbackPeer(isSender ? "sender" : "receiver")
    if isSender { try await send(from: peer) } else { try await receive(at: peer) }
    await peer.stop()
  }

  private func receive(at peer: LoopbackPeer) async throws {
    ChildProcess.answer("ready")
    let session = try await peer.host(service)
    try await peer.run(.loop) {
      var (received, first, last) = (0, Int64(0), Int64(0))
      for await message in session.messages {
        guard !message.isReliable else { break }
        guard message.bytes.count == Self.messageBytes else { continue }
        last = Machine.nanoseconds
        if received == 0 { first = last }
        received += 1
      }
      ChildProcess.answer("received \(first) \(last) \(received)")
      try await session.send([1])
    }
    for await event in session.events(from: .unread) { if case .left = event { break } }
  }

  private func send(from peer: LoopbackPeer) async throws {
    let session = try await peer.gather(1, service)
    guard let receiver = await session.members.first?.id else { fail("nobody joined") }
    try await peer.run(.loop) {
      // Until datagrams get through.
      while await session.statistics(of: receiver)?.unreliable.usesDatagrams != true {
        try session.sendUnreliably([0])
        try await peer.host.sleep(for: .milliseconds(1))
      }
      let message = [UInt8](repeating: 0xA5, count: Self.messageBytes)
      for number in 1...count {
        try session.sendUnreliably(message.span)
        if number % Self.batch == 0 { try await peer.host.sleep(until: peer.host.now) }
      }
      try await peer.host.sleep(for: .milliseconds(100))
      try await session.send([1])
    }
    for await message in session.messages where message.isReliable { break }
    ChildProcess.answer("sent")
  }

  /// What makes a datagram of 1,200 bytes.
  private static let messageBytes = 1_166
  /// How many messages are sent before the loop has its turn: less than the outbox holds.
  private static let batch = 128
}
