import Earshot
import EarshotPOSIX
import EarshotTesting
import GatheringExample
import Testing

@Suite("The gathering", .timeLimit(.minutes(30)))
struct GatheringTests {
  @Test("Over sockets, all are connected with all, also after one was suspended")
  func sockets() async throws {
    let hosts = try (0..<3).map { _ in try POSIXHost(.init(interfaces: ["lo"])) }
    var guests: [Guest] = []
    for (number, host) in hosts.enumerated() {
      guests.append(
        try await Guest("Guest \(number)", on: host, patience: .seconds(300)))
    }
    for guest in guests { await guest.hasMet(2) }
    for guest in guests { try await guest.publish(10, every: .milliseconds(1)) }
    await guests[0].gathering.suspend()
    for guest in guests.dropFirst() { try await guest.publish(10, every: .milliseconds(1)) }
    try await guests[0].gathering.resume()
    for guest in guests { try await guest.publish(10, every: .milliseconds(1)) }
    for guest in guests {
      for other in guests where other !== guest {
        #expect(await guest.hears(other.published.count, from: other) == other.published)
      }
    }
    for guest in guests { await guest.gathering.stop() }
    for host in hosts { await host.shutDown() }
  }

  @Test("Whatever befalls them, all hear all, each post once and in order", .simulated(seeds: 80))
  func faults() throws {
    let world = World.current
    let places = try (0..<4).map { try start("guest \($0)", in: world) }
    let areTogether = world.run(
      until: { places.allSatisfy { $0.guest.present.count == 3 } }, within: .seconds(20))
    #expect(areTogether)
    let isOver = trouble(4, longest: .seconds(8), in: world, places)
    publish(40, in: places)
    world.run(until: isOver + .seconds(15))
    for one in places {
      for other in places where one.guest !== other.guest {
        #expect(one.guest.heard(from: other.guest) == other.guest.published)
      }
    }
  }

  @Test(
    "Those who lost each other for good find together again by themselves", .simulated(seeds: 20))
  func longFaults() throws {
    let world = World.current
    let places = try (0..<4).map { try start("guest \($0)", in: world, patience: .seconds(3)) }
    let isOver = trouble(6, longest: .seconds(20), in: world, places)
    publish(100, in: places)
    world.run(until: isOver)
    let areTogether = world.run(
      until: { places.allSatisfy { $0.guest.present.count == 3 } }, within: .seconds(30))
    #expect(areTogether)
    world.run(for: .seconds(60))
    for one in places {
      for other in places where one.guest !== other.guest {
        let heard = one.guest.heard(from: other.guest)
        #expect(heard == other.guest.published.filter(Set(heard).contains))
        #expect(heard.suffix(10) == other.guest.published.suffix(10))
      }
    }
  }

  @Test("No more stay than fit, and those who are left over find together", .simulated(seeds: 20))
  func crowded() throws {
    let world = World.current
    let places = try (0..<5).map { try start("guest \($0)", in: world, upTo: 2) }
    world.run(for: .seconds(60))
    let groups = places.map { Set($0.guest.present + [$0.guest.id]) }
    for group in groups {
      #expect(group.count <= 3)
      for other in places where group.contains(other.guest.id) {
        #expect(group == Set(other.guest.present + [other.guest.id]))
      }
    }
    #expect(groups.count { $0.count == 3 } >= 3)
  }

  @Test("Those who see each other but cannot connect do so once they can", .simulated(seeds: 20))
  func unreachable() throws {
    let world = World.current
    let fault = world.add(Rule { packet, _ in packet.kind == .tcp ? .drop : nil })
    let places = try (0..<3).map { try start("guest \($0)", in: world) }
    world.run(for: .seconds(60))
    #expect(places.allSatisfy { $0.guest.present.isEmpty })
    fault.end()
    let areTogether = world.run(
      until: { places.allSatisfy { $0.guest.present.count == 2 } }, within: .seconds(15))
    #expect(areTogether)
  }

  // MARK: Some guests

  private struct Place {
    let host: SimulatedHost
    let guest: Guest
  }

  private func start(
    _ name: String, in world: World, upTo maximumMemberCount: Int = 7,
    patience: Duration = .seconds(30)
  ) throws -> Place {
    let host = world.makeHost(name)
    let start = host.addTask("start") { () async throws -> Guest in
      try await Guest(name, on: host, upTo: maximumMemberCount, patience: patience)
    }
    world.run(for: .zero)
    return Place(host: host, guest: try start.value)
  }

  private func publish(_ count: Int, in places: [Place]) {
    for place in places {
      place.host.addTask("publishes") {
        try? await place.guest.publish(count, every: .milliseconds(500))
      }
    }
  }

  private func trouble(
    _ count: Int, longest: Duration, in world: World, _ places: [Place]
  ) -> Instant {
    var trouble = Trouble(
      in: world,
      places.map { place in
        App(place.host, suspend: { await place.guest.gathering.suspend() }) {
          try await place.guest.gathering.resume()
        }
      })
    return trouble.strike(count, for: .seconds(15), longest: longest)
  }
}
