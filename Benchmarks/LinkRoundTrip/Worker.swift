import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers

/// One process of the measurement with Earshot: it asks, or it echoes.
struct Worker {
  private let isAsker: Bool
  private let service: String
  private let place: LoopbackPeer.Place
  private let count: Int

  /// What a command line of ours asks for, or `nil` if it is that of a user.
  init?(_ arguments: [String]) {
    guard arguments.count == 5, ["ask", "echo"].contains(arguments[1]),
      let place = LoopbackPeer.Place(rawValue: arguments[3]), let count = Int(arguments[4])
    else { return nil }
    (isAsker, service, self.place, self.count) = (arguments[1] == "ask", arguments[2], place, count)
  }

  /// Does its part.
  func run() async throws {
    let peer = try await LoopbackPeer(isAsker ? "asker" : "echo")
    if isAsker { try await ask(from: peer) } else { try await echo(at: peer) }
    await peer.stop()
  }

  private func echo(at peer: LoopbackPeer) async throws {
    ChildProcess.answer("ready")
    let session = try await peer.host(service)
    try await peer.run(place) {
      for await activity in session.activity {
        switch activity {
        case .message(let message): try await session.send(message.bytes, to: [message.sender])
        case .event(.left): return
        case .event: break
        }
      }
    }
  }

  private func ask(from peer: LoopbackPeer) async throws {
    let session = try await peer.gather(1, service)
    let times = try await peer.run(place) {
      var times: [Int64] = []
      times.reserveCapacity(count)
      var messages = session.messages.makeAsyncIterator()
      let message = [UInt8](repeating: 0xA5, count: 64)
      for _ in 0..<count {
        let start = Machine.nanoseconds
        try await session.send(message)
        _ = await messages.next()
        times.append(Machine.nanoseconds - start)
      }
      return times
    }
    ChildProcess.answer(times.map(String.init).joined(separator: "\n"))
    ChildProcess.answer("done")
  }
}
