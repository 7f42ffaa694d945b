import Earshot
import EarshotSimulator
import Testing

/// A peer's tasks in a simulated world, and their errors.
@Suite("Tasks of a simulated peer")
struct PeerTaskErrorTests {
  private struct Refusal: Error {}

  /// What becomes of a task that fails when its peer's session has ended, or that failed before.
  enum Way: CaseIterable {
    case dropped, asksForValue, asksForResult, twoAsk, cancels, peerStops, peerCrashes

    var isReported: Bool { self == .dropped }
  }

  @Test(
    "An error that nobody asks a peer's task for is told, unless the task was cancelled or the peer stopped",
    arguments: Way.allCases)
  func errors(way: Way) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let host = world.makeHost("ann")
    let playing = host.addTask("play") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let session = try await ann.makeSession()
      let task = ann.addTask("send") {
        for await _ in session.events {}
        throw Refusal()
      }
      if way != .peerStops, way != .peerCrashes, way != .cancels { await session.stop() }
      switch way {
      case .asksForValue: await #expect(throws: Refusal.self) { try await task.value }
      case .asksForResult:
        let result = await task.result
        #expect(throws: Refusal.self) { try result.get() }
      case .twoAsk:
        async let other = task.result
        await #expect(throws: Refusal.self) { try await task.value }
        let result = await other
        #expect(throws: Refusal.self) { try result.get() }
      case .cancels:
        task.cancel()
        #expect(task.isCancelled)
      case .peerStops: await ann.stop()
      case .dropped, .peerCrashes: break
      }
      if way != .peerCrashes { try await host.sleep(for: .seconds(1)) }
      await ann.stop()
    }
    if way == .peerCrashes {
      world.run(for: .milliseconds(100))
      world.crash(host)
    }
    world.run(for: .seconds(10))
    if way != .peerCrashes { try playing.value }
    let errors = world.unawaitedErrors
    #expect(errors.map(\.task) == (way.isReported ? ["send"] : []))
    #expect(errors.allSatisfy { $0.host == "ann" && $0.error is Refusal })
  }

  @Test("Who waits for a task's value may be cancelled: the task goes on, and others get the value")
  func waiter() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let host = world.makeHost("ann")
    let playing = host.addTask("play") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let task = ann.addTask("sleep") {
        try await host.sleep(for: .seconds(2))
        return 7
      }
      let waiters = (0..<2).map { number in
        host.addTask("wait \(number)") { try await task.value }
      }
      try await host.sleep(for: .seconds(1))
      waiters[0].cancel()
      try await host.sleep(for: .milliseconds(500))
      #expect(!task.isCancelled && waiters.allSatisfy { $0.result == nil })
      for waiter in waiters { #expect(try await waiter.wait() == 7) }
      await ann.stop()
    }
    world.run(for: .seconds(10))
    try playing.value
  }

  @Test("A peer's task that has not ended is named by the world, by the peer's name if it has none")
  func named() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let host = world.makeHost("phone")
    let playing = host.addTask("play") {
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      ann.addTask("read") { for await _ in ann.events {} }
      ann.addTask { for await _ in ann.events {} }
      return ann
    }
    world.run(for: .seconds(1))
    #expect(world.waitingTasks.map(\.name) == ["read", "Ann"])
    #expect(world.leaks.filter { $0.kind == .task }.map(\.name) == ["'read'", "'Ann'"])
    let ann = try playing.value
    host.addTask("stop") { await ann.stop() }
    world.run(for: .seconds(1))
    #expect(world.waitingTasks.isEmpty)
  }
}
