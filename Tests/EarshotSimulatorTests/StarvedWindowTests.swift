import EarshotSimulator
import Testing

@Suite("A congestion window that its program does not fill", .timeLimit(.minutes(30)))
struct StarvedWindowTests {
  @Test(
    "After some time-outs little is sent at once; what is sent in between need not be nothing",
    arguments: [0, 100])
  func starving(bytes: Int) throws {
    let watched = try WatchedConnection(WatchedConnection.fast)
    let connection = try watched.open()
    var burst = 0
    for _ in 0..<20 { burst = try send(1 << 20, over: connection, of: watched) }
    #expect(burst > 100, "segments that the window allows when it was filled")
    for _ in 0..<30 {
      if bytes > 0 { _ = try connection.write([UInt8](repeating: 1, count: bytes).span) }
      watched.world.run(for: .milliseconds(100))
    }
    #expect(try send(1 << 20, over: connection, of: watched) < 20)
    watched.world.finish()
  }

  /// Writes as much as is taken of so many bytes, and counts the segments of the first 15 ms.
  private func send(
    _ count: Int, over connection: any Connection, of watched: WatchedConnection
  ) throws -> Int {
    let sent = watched.sent.count
    _ = try connection.write([UInt8](repeating: 2, count: count).span)
    watched.world.run(for: .milliseconds(15))
    let burst = watched.sent.count - sent
    watched.world.run(for: .milliseconds(60))
    return burst
  }
}
