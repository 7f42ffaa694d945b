public import Earshot
import BenchmarkKit

extension Session {
  /// Sends a message of 64 bytes each millisecond, with the time at which it is sent.
  public nonisolated func sendTimedMessages(_ count: Int) async throws {
    let start = Machine.nanoseconds
    for number in 0..<Int64(count) {
      let due = start + number * 1_000_000
      let now = Machine.nanoseconds
      if now < due { try await Task.sleep(for: .nanoseconds(due - now)) }
      let stamp = Machine.nanoseconds
      var message = [UInt8](repeating: 0, count: 64)
      for byte in 0..<8 { message[byte] = UInt8(truncatingIfNeeded: stamp >> (8 * Int64(byte))) }
      try await send(message)
    }
  }

  /// Receives timed messages.
  ///
  /// - Parameter count: The number of messages.
  /// - Returns: The milliseconds that each of them took.
  public nonisolated func receiveTimedMessages(_ count: Int) async -> [Double] {
    var (times, messages) = ([Double](), messages.makeAsyncIterator())
    while times.count < count, let message = await messages.next() {
      let stamp = (0..<8).reduce(Int64(0)) { $0 | Int64(message.bytes[$1]) << (8 * Int64($1)) }
      times.append(Double(Machine.nanoseconds - stamp) / 1e6)
    }
    return times
  }
}

/// The times that messages took, one each millisecond.
public struct MessageTimes {
  /// The number of messages in a stretch: a quarter of a second.
  public static let stretchCount = 250
  /// The median in milliseconds.
  public let median: Double
  /// The 99th percentile in milliseconds.
  public let p99: Double
  /// The 99th percentile of the median stretch.
  ///
  /// It leaves out what comes more seldom than twice a second, such as the moments at which a
  /// virtual machine stands nearly still.
  public let stretchP99: Double

  /// The times of some messages, in the order in which they arrived.
  public init(_ times: some Collection<Double>) {
    let (times, all) = (Array(times), Percentiles(times))
    let stretches = stride(from: 0, to: times.count, by: Self.stretchCount).map {
      Percentiles(times[$0..<min($0 + Self.stretchCount, times.count)])[99]
    }
    (median, p99, stretchP99) = (all[50], all[99], Percentiles(stretches)[50])
  }
}
