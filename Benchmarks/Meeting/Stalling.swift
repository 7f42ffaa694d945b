import BenchmarkKit
import Earshot
import Foundation
import LoopbackPeers

/// What a fast sender costs while its reader stands still, and that nothing is lost.
enum Stalling {
  private static let messageBytes = 1_024
  private static let readBeforePause = 1_000

  static func measure(in benchmark: inout Benchmark) {
    let pause = benchmark.isQuick ? 3 : 60
    for (name, isStopped) in [("idle reader", false), ("stopped reader", true)] {
      let growth = measureOnce(pause: pause, isStopped: isStopped)
      benchmark.note("\(name), sender suspended", "\(growth.suspended) s of \(pause) s")
      benchmark.add(Sample("\(name), growth of sender", unit: "MiB", values: [growth.sender]))
      benchmark.add(Sample("\(name), growth of reader", unit: "MiB", values: [growth.reader]))
    }
  }

  /// - Returns: Resident growth in MiB, from before the first message to the most during the pause, and how
  ///   long the sender was suspended at once.
  private static func measureOnce(
    pause: Int, isStopped: Bool
  ) -> (sender: Double, reader: Double, suspended: String) {
    let service = Role.service("stall")
    let count = 200_000
    let reader = Role.start(.read, service, count)
    reader.expect("ready")
    let sender = Role.start(.send, service, count)
    for process in [sender, reader] { process.expect("joined") }
    let before = [sender, reader].map { Footprint(of: $0.id).residentMiB }
    sender.tell("go")
    reader.expect("paused")
    if isStopped { reader.standStill() }
    var most = before
    for _ in 0..<10 * pause {
      usleep(100_000)
      most = zip(most, [sender, reader]).map { max($0, Footprint(of: $1.id).residentMiB) }
    }
    if isStopped { reader.proceed() }
    reader.tell("go")
    let received = reader.expect("received")[0]
    require(received == "\(count)", "\(received) of \(count) messages were received")
    let suspended = sender.expect("suspended")[0]
    reader.finish()
    sender.finish()
    return (most[0] - before[0], most[1] - before[1], suspended)
  }

  /// Sends numbered messages as fast as it may.
  static func send(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("sender")
    let session = try await host.gather(1, service)
    ChildProcess.answer("joined")
    _ = readLine()
    try await host.run(.pool) {
      var longest: Int64 = 0
      var message = [UInt8](repeating: 0xA5, count: messageBytes)
      for number in 0..<count {
        for index in 0..<4 { message[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        let start = Machine.nanoseconds
        try await session.send(message)
        longest = max(longest, Machine.nanoseconds - start)
      }
      for await _ in session.messages { break }
      ChildProcess.answer("suspended \(longest / 1_000_000_000)")
    }
    await host.stop()
  }

  /// Reads a little, stands still until it is told to go on, then checks that everything comes in order.
  static func read(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("reader")
    ChildProcess.answer("ready")
    let session = try await host.host(service)
    ChildProcess.answer("joined")
    try await host.run(.pool) {
      var received = 0
      for await message in session.messages {
        let number = (0..<4).reduce(0) { $0 | Int(message.bytes[$1]) << (8 * $1) }
        require(number == received, "message \(number) came after \(received) messages")
        received += 1
        if received == readBeforePause {
          ChildProcess.answer("paused")
          _ = readLine()
        }
        guard received == count else { continue }
        ChildProcess.answer("received \(received)")
        try await session.send([1])
        break
      }
    }
    await host.stop()
  }
}
