import EarshotCore
import TestKit

/// Hosts that hear each other's packets, some of them late, twice or never.
struct DiscoveryRoom {
  struct Advertiser {
    let host: Int
    var machine: AdvertiserMachine
    var wake = Instant.distantFuture
  }
  struct Browser {
    let host: Int
    var machine: BrowserMachine
    var wake = Instant.distantFuture
    var reports: [BrowserEvent] = []
    /// Who is there, as the reports say; a report that makes no sense is counted.
    var present: [PeerID: DiscoveredPeer] = [:]
    var nonsense = 0
  }
  private struct Flight {
    let due: Instant
    let order: Int
    let packet: [UInt8]
    let source: Int
    let destination: Int
    let isMulticast: Bool
  }

  var loss = Ratio.zero
  var duplication = Ratio.zero
  /// Hosts that hear nothing of the others.
  var away: Set<Int> = []
  /// Packets that were sent to the group, and to one host alone.
  private(set) var multicasts = 0
  private(set) var unicasts = 0
  var latency = Duration.ms(1)...Duration.ms(1)
  private(set) var now = Instant.zero + .seconds(10)
  private(set) var hosts: [IPAddress] = []
  private(set) var advertisers: [Advertiser] = []
  private(set) var browsers: [Browser] = []
  private(set) var packets = 0
  private var flights: [Flight] = []
  private var order = 0
  private var random: RandomStream

  init(seed: Seed) { random = RandomStream(seed: seed.value, name: "room") }

  mutating func addHost(_ address: IPAddress) { hosts.append(address) }

  mutating func advertise(_ announcement: Announcement, on host: Int) {
    var actions: [AdvertiserMachine.Action] = []
    let interface = NetworkInterface(index: 1, name: "en0", addresses: [hosts[host]])
    let machine = AdvertiserMachine(
      announcement, on: [interface], random: RandomStream(seed: random.next()), at: now,
      into: &actions)
    advertisers.append(Advertiser(host: host, machine: machine))
    perform(actions, ofAdvertiser: advertisers.count - 1)
  }

  mutating func browse(_ service: ServiceType, as own: PeerID, on host: Int) {
    var actions: [BrowserMachine.Action] = []
    let machine = BrowserMachine(
      for: service, as: own, on: [Ann.interface], random: RandomStream(seed: random.next()),
      at: now, into: &actions)
    browsers.append(Browser(host: host, machine: machine))
    perform(actions, ofBrowser: browsers.count - 1)
  }

  mutating func tell(advertiser index: Int, _ event: AdvertiserMachine.Event) {
    var actions: [AdvertiserMachine.Action] = []
    advertisers[index].machine.handle(event, at: now, into: &actions)
    perform(actions, ofAdvertiser: index)
  }

  mutating func tell(browser index: Int, _ event: BrowserMachine.Event) {
    var actions: [BrowserMachine.Action] = []
    browsers[index].machine.handle(event, at: now, into: &actions)
    perform(actions, ofBrowser: index)
  }

  /// Lets an advertiser vanish without a word.
  mutating func crash(advertiser index: Int) {
    advertisers[index].wake = .distantFuture
    deaf.insert(index)
  }
  private var deaf: Set<Int> = []

  mutating func run(for duration: Duration) {
    let end = now + duration
    while let next = nextDeadline, next <= end {
      now = max(now, next)
      deliver()
      for index in advertisers.indices where advertisers[index].wake <= now {
        advertisers[index].wake = .distantFuture
        tell(advertiser: index, .deadlineReached)
      }
      for index in browsers.indices where browsers[index].wake <= now {
        browsers[index].wake = .distantFuture
        tell(browser: index, .deadlineReached)
      }
    }
    now = end
  }

  private var nextDeadline: Instant? {
    (flights.map(\.due) + advertisers.map(\.wake) + browsers.map(\.wake)).min()
      .flatMap { $0 == .distantFuture ? nil : $0 }
  }

  private mutating func deliver() {
    let due = flights.filter { $0.due <= now }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
    flights.removeAll { $0.due <= now }
    for flight in due {
      guard let message = try? DNSMessage(decoding: flight.packet) else { continue }
      let arrival = DNSArrival(
        message, from: Endpoint(hosts[flight.source], port: DNSArrival.port), on: 1,
        wasMulticast: flight.isMulticast)
      for index in advertisers.indices
      where advertisers[index].host == flight.destination && !deaf.contains(index) {
        tell(advertiser: index, .received(arrival))
      }
      for index in browsers.indices where browsers[index].host == flight.destination {
        tell(browser: index, .received(arrival))
      }
    }
  }

  private mutating func send(_ packet: [UInt8], to destination: DNSDestination, from host: Int) {
    packets += 1
    switch destination {
    case .multicast:
      multicasts += 1
      for other in hosts.indices { launch(packet, from: host, to: other, isMulticast: true) }
    case .neighbours: launch(packet, from: host, to: host, isMulticast: true)
    case .unicast(let endpoint):
      unicasts += 1
      guard let other = hosts.firstIndex(of: endpoint.address) else { return }
      launch(packet, from: host, to: other, isMulticast: false)
    }
  }

  private mutating func launch(_ packet: [UInt8], from: Int, to: Int, isMulticast: Bool) {
    guard away.contains(from) == away.contains(to) else { return }
    let copies = random.chance(duplication) ? 2 : 1
    for _ in 0..<copies where !random.chance(loss) {
      order += 1
      flights.append(
        Flight(
          due: now + random.duration(in: latency), order: order, packet: packet, source: from,
          destination: to, isMulticast: isMulticast))
    }
  }

  private mutating func perform(_ actions: [AdvertiserMachine.Action], ofAdvertiser index: Int) {
    for action in actions {
      switch action {
      case .send(let packet, let destination, _):
        send(packet, to: destination, from: advertisers[index].host)
      case .wake(let deadline): advertisers[index].wake = deadline
      case .reportRenamed: break
      }
    }
  }

  private mutating func perform(_ actions: [BrowserMachine.Action], ofBrowser index: Int) {
    for action in actions {
      switch action {
      case .send(let packet, let destination, _):
        send(packet, to: destination, from: browsers[index].host)
      case .wake(let deadline): browsers[index].wake = deadline
      case .report(let report): browsers[index].take(report)
      case .reportOtherVersion: break
      }
    }
  }
}

extension DiscoveryRoom.Browser {
  mutating func take(_ report: BrowserEvent) {
    reports.append(report)
    switch report {
    case .found(let service):
      nonsense += present.updateValue(service, forKey: service.id) == nil ? 0 : 1
    case .updated(let service):
      let before = present.updateValue(service, forKey: service.id)
      nonsense += before == nil || before == service ? 1 : 0
    case .lost(let peer):
      nonsense += present.removeValue(forKey: peer.id) == peer ? 0 : 1
    case .unavailable, .available: nonsense += 1
    }
  }
}
