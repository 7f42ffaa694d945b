import EarshotCore

/// Names and addresses that the tests of discovery share.
enum Ann {
  static let id = peer(1)
  static let address = IPAddress.v4(0x0A00_0001)
  static let interface = interface(1)

  /// One of a host's interfaces, each with the same address, another network and IPv6.
  static func interface(
    _ index: UInt32, addresses: [IPAddress] = [address]
  ) -> NetworkInterface {
    NetworkInterface(
      index: index, name: "en\(index - 1)", addresses: addresses,
      networks: [
        AddressRange(address, bits: 8), AddressRange(.v4(0xC0A8_0001), bits: 16),
        AddressRange(.v6(0xFE80 << 48, 0, scope: index), bits: 64),
      ])
  }

  static let domain = DNSName("_chat", "_tcp", "local")
  static let types = DNSName("_services", "_dns-sd", "_udp", "local")

  static func announcement(
    info: [String: String] = ["room": "lobby"], port: UInt16 = 7_100, id: PeerID = Ann.id
  ) throws -> Announcement {
    Announcement(
      of: id, named: try DisplayName("Ann"), offering: try ServiceType("chat"), on: port,
      info: try DiscoveryInfo(info))
  }

  static func peer(_ number: UInt64) -> PeerID {
    var random = RandomStream(seed: number, name: "peer")
    return PeerID(random: &random)
  }
}

extension Duration {
  static func ms(_ count: Int) -> Duration { .milliseconds(count) }
}

/// A packet that a machine sent, as the receiver reads it.
struct SentPacket {
  let at: Instant
  let message: DNSMessage
  let destination: DNSDestination
  let interface: UInt32
  let bytes: [UInt8]

  init?(_ bytes: [UInt8], to destination: DNSDestination, on interface: UInt32, at: Instant) {
    guard let message = try? DNSMessage(decoding: bytes) else { return nil }
    (self.at, self.message, self.destination) = (at, message, destination)
    (self.interface, self.bytes) = (interface, bytes)
  }
}

/// One advertiser, alone with a clock and what the test lets it hear.
struct AdvertiserBench {
  static let other = Endpoint(.v4(0x0A00_0063), port: DNSArrival.port)
  private(set) var machine: AdvertiserMachine
  private(set) var now: Instant
  private(set) var sent: [SentPacket] = []
  private(set) var renamed: [String] = []
  private var wake = Instant.distantFuture

  init(
    _ announcement: Announcement, interfaces: [NetworkInterface] = [Ann.interface],
    seed: UInt64 = 1
  ) {
    var actions: [AdvertiserMachine.Action] = []
    now = .zero + .seconds(100)
    machine = AdvertiserMachine(
      announcement, on: interfaces, random: RandomStream(seed: seed), at: now, into: &actions)
    perform(actions)
  }

  /// An advertiser whose announcements are long over.
  static func settled(
    _ announcement: Announcement, interfaces: [NetworkInterface] = [Ann.interface],
    seed: UInt64 = 1
  ) -> AdvertiserBench {
    var bench = AdvertiserBench(announcement, interfaces: interfaces, seed: seed)
    bench.run(for: .seconds(60))
    bench.forget()
    return bench
  }

  mutating func forget() { sent = [] }

  mutating func run(for duration: Duration) {
    let end = now + duration
    while wake <= end {
      now = max(now, wake)
      wake = .distantFuture
      handle(.deadlineReached)
    }
    now = end
  }

  mutating func hear(
    _ message: DNSMessage, from source: Endpoint = AdvertiserBench.other, on interface: UInt32 = 1,
    wasMulticast: Bool = true
  ) {
    handle(
      .received(DNSArrival(message, from: source, on: interface, wasMulticast: wasMulticast)))
  }

  mutating func ask(_ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false) {
    hear(DNSMessage(asking: [DNSQuestion(name, type, wantsUnicast: wantsUnicast)]))
  }

  mutating func handle(_ event: AdvertiserMachine.Event) {
    var actions: [AdvertiserMachine.Action] = []
    machine.handle(event, at: now, into: &actions)
    perform(actions)
  }

  private mutating func perform(_ actions: [AdvertiserMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes, let destination, let interface):
        SentPacket(bytes, to: destination, on: interface, at: now).map { sent.append($0) }
      case .wake(let deadline): wake = deadline
      case .reportRenamed(let label): renamed.append(label)
      }
    }
  }

  var instance: DNSName { machine.announcement.instanceName }
  var host: DNSName { machine.announcement.hostName }
  /// The answers of all packets so far.
  var answers: [DNSRecord] { sent.flatMap(\.message.answers) }
}

/// One browser, alone with a clock and what the test lets it hear.
struct BrowserBench {
  static let other = Endpoint(.v4(0x0A00_0063), port: DNSArrival.port)
  private(set) var machine: BrowserMachine
  private(set) var now: Instant
  private(set) var sent: [SentPacket] = []
  private(set) var reports: [(at: Instant, report: BrowserEvent)] = []
  private var wake = Instant.distantFuture

  init(as own: PeerID = Ann.peer(2), interfaces: [UInt32] = [1], seed: UInt64 = 1) throws {
    var actions: [BrowserMachine.Action] = []
    now = .zero + .seconds(100)
    machine = BrowserMachine(
      for: try ServiceType("chat"), as: own, on: interfaces.map { Ann.interface($0) },
      random: RandomStream(seed: seed), at: now, into: &actions)
    perform(actions)
  }

  mutating func forget() { (sent, reports) = ([], []) }

  mutating func run(for duration: Duration) {
    let end = now + duration
    while wake <= end {
      now = max(now, wake)
      wake = .distantFuture
      handle(.deadlineReached)
    }
    now = end
  }

  mutating func hear(
    _ message: DNSMessage, from source: Endpoint = BrowserBench.other, on interface: UInt32 = 1,
    wasMulticast: Bool = true
  ) {
    handle(
      .received(DNSArrival(message, from: source, on: interface, wasMulticast: wasMulticast)))
  }

  mutating func hear(
    _ records: [DNSRecord], from source: Endpoint = BrowserBench.other, on interface: UInt32 = 1
  ) {
    hear(DNSMessage(answering: records), from: source, on: interface)
  }

  mutating func handle(_ event: BrowserMachine.Event) {
    var actions: [BrowserMachine.Action] = []
    machine.handle(event, at: now, into: &actions)
    perform(actions)
  }

  private mutating func perform(_ actions: [BrowserMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes, let destination, let interface):
        SentPacket(bytes, to: destination, on: interface, at: now).map { sent.append($0) }
      case .wake(let deadline): wake = deadline
      case .report(let report): reports.append((now, report))
      case .reportOtherVersion: break
      }
    }
  }

  /// The questions of all multicasts so far, with when they were asked.
  var asked: [(at: Instant, question: DNSQuestion)] {
    sent.filter { $0.destination == .multicast }
      .flatMap { packet in packet.message.questions.map { (packet.at, $0) } }
  }

  /// The questions to one host alone, with when it was asked.
  var askedDirectly: [(at: Instant, host: Endpoint)] {
    sent.compactMap { packet in
      if case .unicast(let host) = packet.destination { (packet.at, host) } else { nil }
    }
  }

  /// When a name and type were asked for.
  func times(of name: DNSName, _ type: DNSType) -> [Instant] {
    asked.filter { $0.question.name == name && $0.question.type == type }.map(\.at)
  }

  /// The reports in words: `found`, `updated`, `lost`.
  var news: [String] {
    reports.map {
      switch $0.report {
      case .found: "found"
      case .updated: "updated"
      case .lost: "lost"
      case .unavailable: "unavailable"
      case .available: "available"
      }
    }
  }
}

/// The records of an announcement as a test says them.
struct Said {
  var announcement: Announcement
  var address = Ann.address

  var pointer: DNSRecord {
    DNSRecord(Ann.domain, .pointer(announcement.instanceName), lifetimeSeconds: 4_500)
  }
  var service: DNSRecord {
    DNSRecord(
      announcement.instanceName,
      .service(priority: 0, weight: 0, port: announcement.port, host: announcement.hostName),
      lifetimeSeconds: 120, flushesCache: true)
  }
  var text: DNSRecord {
    DNSRecord(
      announcement.instanceName, .text(announcement.text.bytes), lifetimeSeconds: 4_500,
      flushesCache: true)
  }
  var host: DNSRecord {
    DNSRecord(
      announcement.hostName, .address(address), lifetimeSeconds: 120, flushesCache: true)
  }
  var all: [DNSRecord] { [pointer, service, text, host] }
}

extension DNSRecord {
  func living(_ seconds: UInt32) -> DNSRecord {
    var record = self
    record.lifetimeSeconds = seconds
    return record
  }
}
