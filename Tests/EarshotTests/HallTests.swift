import Earshot
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// Peers in one hall that all advertise and browse.
private final class Hall: Sendable {
  /// When everybody entered, who found whom and when, and what each had sent by then.
  struct Log {
    var entries: [PeerID: Instant] = [:]
    var found: [PeerID: [PeerID: Instant]] = [:]
    var lostCount = 0
    var statistics: [PeerID: [MulticastDNS.Statistics]] = [:]
  }
  struct Guest: Sendable {
    let host: SimulatedHost
    let id: PeerID
    let discovery: MulticastDNS
  }
  let world: World
  let guests: [Guest]
  private let state = Mutex(Log())

  init(_ count: Int, seed: Seed, loss: Ratio = .zero) {
    let world = World(
      seed: seed.value,
      configuration: WorldConfiguration(defaultLink: LinkConditions(loss: loss)))
    self.world = world
    guests = (0..<count).map { number in
      let host = world.makeHost("guest \(number)")
      var random = world.random("identity of \(number)")
      let id = PeerID(random: &random)
      return Guest(host: host, id: id, discovery: MulticastDNS(for: id, on: host))
    }
  }

  deinit { world.finish() }

  var log: Log { state.withLock { $0 } }

  func enter(_ guest: Guest) throws {
    let service = try ServiceType("chat")
    let announcement = Announcement(
      of: guest.id, named: try DisplayName(guest.host.name), offering: service, on: 7_100)
    state.withLock { $0.entries[guest.id] = guest.host.now }
    guest.host.addTask("enter") { [self] in
      _ = await guest.discovery.advertise(announcement)
      _ = await guest.discovery.browse(service) { self.take($0, by: guest) }
    }
  }

  private func take(_ report: BrowserEvent, by guest: Guest) {
    state.withLock { log in
      switch report {
      case .found(let service): log.found[guest.id, default: [:]][service.id] = guest.host.now
      case .updated: break
      case .lost: log.lostCount += 1
      case .unavailable, .available: break
      }
    }
  }

  /// Writes down what everybody has sent so far.
  func count() {
    for guest in guests { count(guest) }
    world.run(for: .milliseconds(1))
  }

  func count(_ guest: Guest) {
    guest.host.addTask("count") { [self] in
      let statistics = await guest.discovery.statistics
      state.withLock { $0.statistics[guest.id, default: []].append(statistics) }
    }
  }
}

@Suite("A hall of peers")
struct HallTests {
  @Test(
    "A hundred find each other in 10 s, with 12 packets each in the first minute, however they come",
    arguments: [Duration.zero, .seconds(10), .seconds(60)])
  func hundred(spread: Duration) throws { try check(100, spread: spread) }

  @Test(
    "Three hundred that wake at once find each other in 10 s, with 12 packets each",
    .enabled(if: isOptimized, "takes minutes in a debug build"))
  func threeHundred() throws { try check(300, spread: .zero) }

  /// Whether what is tested was optimized; these tests never are.
  private static var isOptimized: Bool {
    #if EARSHOT_OPTIMIZED
      true
    #else
      false
    #endif
  }

  private func check(_ count: Int, spread: Duration) throws {
    let hall = Hall(count, seed: Seed(1))
    var random = hall.world.random("entries")
    for guest in hall.guests {
      let wait = random.duration(in: .zero...spread)
      hall.world.at(.zero + wait) { try? hall.enter(guest) }
      hall.world.at(.zero + wait + .seconds(60)) { hall.count(guest) }
    }
    hall.world.run(for: spread + .seconds(61))
    let log = hall.log
    for guest in hall.guests {
      let found = try #require(log.found[guest.id])
      #expect(found.count == count - 1)
      let waits = try found.map { other, time in
        time - max(try #require(log.entries[guest.id]), try #require(log.entries[other]))
      }
      #expect(waits.allSatisfy { $0 <= .seconds(10) })
      let sent = try #require(log.statistics[guest.id]?.first)
      #expect(sent.multicasts <= 12, "over both families of addresses")
      #expect(sent.unicasts <= count + 20)
    }
    #expect(log.lostCount == 0)
  }

  @Test(
    "With a tenth of all packets lost, thirty find each other in 10 s", arguments: Seed.some(3))
  func lossy(seed: Seed) throws {
    let hall = Hall(30, seed: seed, loss: .percent(10))
    for guest in hall.guests { try hall.enter(guest) }
    hall.world.run(for: .seconds(10))
    for guest in hall.guests { #expect(hall.log.found[guest.id]?.count == 29) }
  }

  @Test("Thirty who stay send a packet in ten seconds each at most, and doubt nobody who is there")
  func staying() throws {
    let hall = Hall(30, seed: Seed(1))
    for guest in hall.guests { try hall.enter(guest) }
    hall.world.run(for: .seconds(1_200))
    hall.count()
    let counts = try hall.guests.map { try #require(hall.log.statistics[$0.id]?.first).multicasts }
    #expect(counts.allSatisfy { $0 <= 120 }, "over both families of addresses")
    #expect(hall.log.lostCount == 0)
  }

  @Test("When one of thirty vanishes, a few ask after it for all, and all have lost it")
  func vanished() throws {
    let hall = Hall(30, seed: Seed(1))
    for guest in hall.guests { try hall.enter(guest) }
    hall.world.run(for: .seconds(30))
    hall.count()
    hall.world.crash(hall.guests[0].host)
    hall.world.run(for: .seconds(130))
    #expect(hall.log.lostCount == 29)
    hall.count()
    let sent = hall.guests.dropFirst().compactMap { hall.log.statistics[$0.id] }
      .map { $0[1].multicasts - $0[0].multicasts }
    #expect(sent.reduce(0, +) / sent.count <= 10)
  }

  @Test("Half of a hall that was out of range for an hour is found in 10 s")
  func back() throws {
    let hall = Hall(24, seed: Seed(2))
    for guest in hall.guests { try hall.enter(guest) }
    hall.world.run(for: .seconds(30))
    let (near, far) = (hall.guests.prefix(12), hall.guests.suffix(12))
    hall.world.partition([near.map(\.host), far.map(\.host)])
    hall.world.run(for: .seconds(3_600))
    #expect(hall.log.lostCount == 2 * 12 * 12)
    let healing = hall.world.now
    hall.world.heal()
    hall.world.run(for: .seconds(10))
    for (guest, others) in near.map({ ($0, far) }) + far.map({ ($0, near) }) {
      let found = try #require(hall.log.found[guest.id])
      #expect(others.allSatisfy { (found[$0.id] ?? .zero) >= healing })
    }
  }

  @Test("What an hour costs in a room of two is what the protocol article says")
  func priceOfTwo() throws {
    let hall = Hall(2, seed: Seed(1))
    for guest in hall.guests { try hall.enter(guest) }
    hall.world.run(for: .seconds(600))
    hall.count()
    hall.world.run(for: .seconds(3_600))
    hall.count()
    for guest in hall.guests {
      let counts = try #require(hall.log.statistics[guest.id])
      #expect((150...180).contains(counts[1].multicasts - counts[0].multicasts))
      #expect(counts[1].unicasts == counts[0].unicasts)
    }
  }
}
