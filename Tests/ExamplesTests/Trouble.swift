import Earshot
import EarshotSimulator

/// A program that runs on a simulated host.
struct App: Sendable {
  let host: SimulatedHost
  /// What the system has the program do before it suspends it, and afterwards.
  let suspend: @Sendable () async -> Void
  let resume: @Sendable () async throws -> Void

  init(_ host: SimulatedHost, _ peer: Peer) {
    self.init(host, suspend: { await peer.suspend() }, resume: { try await peer.resume() })
  }

  init(
    _ host: SimulatedHost, suspend: @escaping @Sendable () async -> Void,
    resume: @escaping @Sendable () async throws -> Void
  ) { (self.host, self.suspend, self.resume) = (host, suspend, resume) }
}

/// What befalls programs and their network, as the world's random numbers have it.
struct Trouble {
  private enum Kind {
    case cut, silence, partition, badLink, suspension, announcedSuspension
  }

  private let kinds: [Kind] = [
    .cut, .silence, .partition, .badLink, .suspension, .announcedSuspension,
  ]
  private let world: World
  private let apps: [App]
  private var random: RandomStream

  init(in world: World, _ apps: [App]) {
    (self.world, self.apps, random) = (world, apps, world.random("trouble"))
  }

  /// Plans some faults of random kinds at random times.
  ///
  /// - Parameters:
  ///   - count: The number of faults.
  ///   - duration: The time in which they begin.
  ///   - longest: The most that each lasts.
  /// - Returns: When all are over.
  mutating func strike(_ count: Int, for duration: Duration, longest: Duration) -> Instant {
    for _ in 0..<count {
      let start = world.now + any(below: duration)
      plan(from: start, until: start + .milliseconds(100) + any(below: longest))
    }
    return world.now + duration + longest + .milliseconds(100)
  }

  private mutating func plan(from start: Instant, until end: Instant) {
    let pair = apps.shuffled(using: &random)
    let (one, other) = (pair[0], pair[1].host)
    let half = pair.prefix(Int.random(in: 1..<pair.count, using: &random)).map(\.host)
    switch kinds[Int.random(in: kinds.indices, using: &random)] {
    case .cut: fault(from: start, until: end) { $0.cut(one.host, to: other) }
    case .silence: fault(from: start, until: end) { $0.partition([[one.host]]) }
    case .partition: fault(from: start, until: end) { $0.partition([half]) }
    case .badLink:
      let link = LinkConditions(
        latency: .milliseconds(Int.random(in: 1..<200, using: &random)),
        jitter: .milliseconds(100), loss: .percent(Int.random(in: 0..<40, using: &random)),
        duplication: .percent(10), reordering: .percent(10))
      world.at(start) { [world] in world.setLink(between: one.host, and: other, link) }
      world.at(end) { [world] in world.setLink(between: one.host, and: other, .lan) }
    case .suspension:
      world.at(start) { [world] in world.suspend(one.host) }
      world.at(end) { [world] in world.resume(one.host) }
    case .announcedSuspension:
      world.at(start) { [world] in
        one.host.addTask("is told") { await one.suspend() }
        world.suspend(one.host, grace: .milliseconds(50))
      }
      world.at(end) { [world] in
        world.resume(one.host)
        _ = one.host.addTask("is told") { try await one.resume() }
      }
    }
  }

  private func fault(
    from start: Instant, until end: Instant, _ begin: @escaping (World) -> ActiveFault
  ) {
    world.at(start) { [world] in
      let fault = begin(world)
      world.at(end) { fault.end() }
    }
  }

  private mutating func any(below duration: Duration) -> Duration {
    .milliseconds(Int.random(in: 0..<Int(duration / .milliseconds(1)), using: &random))
  }
}
