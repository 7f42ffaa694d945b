import Earshot
import EarshotSimulator
import Synchronization

/// Peers in one hall that all advertise and look for all others.
final class Hall: Sendable {
  /// What is known of one peer.
  struct Guest: Sendable {
    let number: Int
    let host: SimulatedHost
    let id: PeerID
    let discovery: MulticastDNS
  }
  private struct Record {
    /// When the guest entered, if it has.
    var entry: Instant?
    /// Which of the guests were found, by number.
    var found: [Bool] = []
    /// The longest from the later entry of two to their finding.
    var longestWait = Duration.zero
    var sent = MulticastDNS.Statistics()
  }
  private let world: World
  private let guests: [Guest]
  private let spread: Duration
  private let numbers: [PeerID: Int]
  /// By number.
  private let records: Mutex<[Record]>

  /// A hall that so many peers enter within a time, each at an instant of its own.
  init(_ count: Int, within spread: Duration, losing loss: Ratio, seed: UInt64) {
    let world = World(
      seed: seed, configuration: WorldConfiguration(defaultLink: LinkConditions(loss: loss)))
    (self.world, self.spread) = (world, spread)
    let guests = (0..<count).map { number in
      let host = world.makeHost("guest \(number)")
      var random = world.random("identity of \(number)")
      let id = PeerID(random: &random)
      return Guest(
        number: number, host: host, id: id, discovery: MulticastDNS(for: id, on: host))
    }
    self.guests = guests
    numbers = Dictionary(uniqueKeysWithValues: guests.map { ($0.id, $0.number) })
    records = Mutex(Array(repeating: Record(), count: count))
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
        let record = records[guest.number]
        guard record.entry != nil else { return }
        outcome.multicasts.append(record.sent.multicasts)
        outcome.unicasts.append(record.sent.unicasts)
        outcome.longestWait = max(outcome.longestWait, record.longestWait)
        outcome.missing += guests.count - 1 - record.found.count { $0 }
      }
    }
  }

  private func enter(_ guest: Guest, _ service: ServiceType) {
    let found = Array(repeating: false, count: guests.count)
    records.withLock { $0[guest.number] = Record(entry: guest.host.now, found: found) }
    guard let name = try? DisplayName(guest.host.name) else { return }
    let announcement = Announcement(of: guest.id, named: name, offering: service, on: 7_100)
    guest.host.addTask("enter") { [self] in
      _ = await guest.discovery.advertise(announcement)
      _ = await guest.discovery.browse(service) { [weak self] in self?.take($0, by: guest) }
    }
  }

  private func take(_ report: BrowserEvent, by guest: Guest) {
    guard case .found(let service) = report else { return }
    records.withLock { records in
      guard let number = numbers[service.id], let entry = records[guest.number].entry,
        let other = records[number].entry
      else { return }
      let wait = guest.host.now - max(entry, other)
      records[guest.number].longestWait = max(wait, records[guest.number].longestWait)
      records[guest.number].found[number] = true
    }
  }

  private func count(_ guest: Guest) {
    guest.host.addTask("count") { [self] in
      let statistics = await guest.discovery.statistics
      records.withLock { $0[guest.number].sent = statistics }
    }
  }
}
