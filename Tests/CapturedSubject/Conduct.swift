import Earshot
import EarshotProcess
import Foundation

/// What can be simulated.
enum Conduct {
  struct Failure: Error {}

  private actor Ledger {
    private var lines: [String] = []
    private let begin = ContinuousClock.now

    func note(_ text: String) { lines.append("\((ContinuousClock.now - begin)) \(text)") }

    var text: String { lines.joined(separator: "\n") }
  }

  /// Tasks, actors, clocks and random numbers of many kinds.
  @MainActor
  static func everything() async throws {
    let ledger = Ledger()
    await ledger.note("dates \(Date()) \(time(nil)) \(ProcessInfo.processInfo.systemUptime)")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<5 {
        group.addTask {
          try? await Task.sleep(for: .milliseconds(100 * (5 - number)))
          await ledger.note("child \(number)")
        }
      }
    }
    let sleeper = Task.detached { try await Task.sleep(for: .seconds(50)) }
    Task {
      try? await SuspendingClock().sleep(for: .seconds(5))
      sleeper.cancel()
    }
    await ledger.note("cancelled \((try? await sleeper.value) == nil)")
    async let one = Self.onPool(ledger)
    async let other = Self.onPool(ledger)
    await ledger.note("pool \(await one + other)")
    try await Task.sleep(until: .now + .seconds(1), clock: .suspending)
    var stream = SystemRandomNumberGenerator()
    await ledger.note("random \(stream.next()) \(UUID()) \(UUID()) \(Double.random(in: 0...1))")
    await ledger.note("order \(Array(Set(0..<20)))")
    var addresses: Set<ObjectIdentifier> = []
    let ledgers = (0..<20).map { _ in Ledger() }
    for ledger in ledgers { addresses.insert(ObjectIdentifier(ledger)) }
    let places = addresses.map { address in ledgers.firstIndex { ObjectIdentifier($0) == address } }
    await ledger.note("addresses \(places)")
    print(await ledger.text)
  }

  @concurrent
  private static func onPool(_ ledger: Ledger) async -> Int {
    await Task.yield()
    await MainActor.run { MainActor.assertIsolated() }
    await ledger.note("on the pool")
    return 1
  }

  /// A million seconds and a million jobs.
  static func speed() async throws {
    for _ in 0..<100_000 { try await Task.sleep(for: .seconds(10)) }
  }

  /// Code on hosts that leaves them for the process, and comes back.
  static func onHosts(of world: World) async throws {
    let ann = world.makeHost("ann")
    let task = ann.addTask("wanderer") {
      try await Task.sleep(for: .seconds(10))
      let here = await Task.detached { await MainActor.run { 7 } }.value
      try await ann.sleep(for: .seconds(5))
      return here
    }
    world.at(.zero + .seconds(2)) { world.freeze(ann) }
    world.at(.zero + .seconds(60)) { world.resume(ann) }
    print(try await task.wait(), world.now)
  }
}
