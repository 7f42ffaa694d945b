import Earshot
import EarshotSimulator
import Synchronization

/// Peers in one hall that all advertise and look for all others.
final class Hall: Sendable {
  /// What is known of one peer.
  struct Guest: Sendable {
    let number: UInt16
    let host: SimulatedHost
    let id: PeerID
    let discovery: MulticastDNS
  }
  private struct Record {
    let number: UInt16
    var entry = Instant.zero
    /// The numbers of the guests that were found.
    var found: Set<UInt16> = []
    /// The longest from the later entry of two to their finding.
    var longestWait = Duration.zero
    var sent = MulticastDNS.Statistics()
  }
  private let world: World
  private let guests: [Guest]
  private let spread: Duration
  private let records = Mutex<[PeerID: Record]>([:])

  /// A hall that so many peers enter within a time, each at an instant of its own.
  init(_ count: Int, within spread: Duration, losing loss: Ratio, seed: UInt64) {
    let world = World(
      seed: seed, configuration: WorldConfiguration(defaultLink: LinkConditions(loss: loss)))
    (self.world, self.spread) = (world, spread)
    guests = (0..<count).map { number in
      let host = world.makeHost("guest \(number)")
      var random = world.random("identity of \(number)")
      let id = PeerID(random: &random)
      return Guest(
        number: UInt16(number), host: host, id: id, discovery: MulticastDNS(for: id, on: host))
    }
  }

  deinit { world.finish() }

  /// What a hall has cost.
  struct Outcome {
    /// Of each peer, in its own first minute.
    var multicasts: [Int] = []
    var unicasts: [Int] = []
    var longestWait = Duration.zero
    /// Of all pairs in one direction.
    var missing = 0
  }

  /// Has everybody enter and stay for a minute.
  func run() throws -> Outcome {
    var random = world.random("entries")
    let service = try ServiceType("chat")
    for guest in guests {
      let entry = Instant.zero + (spread > .zero ? random.duration(below: spread) : .zero)
      world.at(entry) { self.enter(guest, service) }
      world.at(entry + .seconds(60)) { self.count(guest) }
    }
    world.run(for: spread + .seconds(60) + .milliseconds(1))
    return records.withLock { records in
      guests.reduce(into: Outcome()) { outcome, guest in
        guard let record = records[guest.id] else { return }
        outcome.multicasts.append(record.sent.multicasts)
        outcome.unicasts.append(record.sent.unicasts)
        outcome.longestWait = max(outcome.longestWait, record.longestWait)
        outcome.missing += guests.count - 1 - record.found.count
      }
    }
  }

  private func enter(_ guest: Guest, _ service: ServiceType) {
    records.withLock { $0[guest.id] = Record(number: guest.number, entry: guest.host.now) }
    guard let name = try? DisplayName(guest.host.name) else { return }
    let announcement = Announcement(of: guest.id, named: name, offering: service, on: 7_100)
    guest.host.spawn("enter") { [self] in
      _ = await guest.discovery.advertise(announcement)
      _ = await guest.discovery.browse(service) { [weak self] in self?.take($0, by: guest) }
    }
  }

  private func take(_ report: BrowserEvent, by guest: Guest) {
    guard case .found(let service) = report else { return }
    records.withLock { records in
      guard let entry = records[guest.id]?.entry, let other = records[service.id] else {
        return
      }
      let wait = guest.host.now - max(entry, other.entry)
      let longest = records[guest.id]?.longestWait ?? .zero
      records[guest.id]?.longestWait = max(wait, longest)
      records[guest.id]?.found.insert(other.number)
    }
  }

  private func count(_ guest: Guest) {
    guest.host.spawn("count") { [self] in
      let statistics = await guest.discovery.statistics
      records.withLock { $0[guest.id]?.sent = statistics }
    }
  }
}
