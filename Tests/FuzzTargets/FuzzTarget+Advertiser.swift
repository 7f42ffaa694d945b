import EarshotCore

extension FuzzTarget {
  /// What an advertiser hears, at whatever times, while its interfaces come and go and what it says changes.
  ///
  /// It says what is its own and nothing else, no record twice within a second, or within a quarter of one when it
  /// stands up for a name; it comes to rest, and says nothing after its goodbye.
  static let advertiser = FuzzTarget(
    "advertiser", bytesMax: 1_024,
    reaching: [
      "said", "said to one", "said on the host", "said in old terms", "probed", "renamed", "left",
    ]
  ) { bytes in
    var scene = AdvertiserScene()
    try scene.play(bytes)
    return scene.reached
  }
}

/// An advertiser with a clock, and what it has said.
private struct AdvertiserScene {
  private struct Spoken: Hashable {
    let record: DNSRecord
    let interface: UInt32
  }

  private var machine: AdvertiserMachine
  private var now = Instant(nanoseconds: 0)
  private var wake: Instant?
  private var interfaces = LinkSpeech.interfaces
  /// The addresses that each interface had.
  private var formerAddresses: [UInt32: Set<IPAddress>] = [:]
  private var announcement: Announcement
  private var names: [DNSName]
  /// The greatest ordinal that was probed for; each next attempt counts on by one at most.
  private var claimed = 1
  private var spoken: [Spoken: Instant] = [:]
  private var label: String
  private var isWithdrawn = false
  private(set) var reached: Set<String> = []
  private var actions: [AdvertiserMachine.Action] = []

  init() {
    announcement = LinkSpeech.announcements[0][0]
    label = announcement.instanceLabel
    names = [announcement.instanceName, announcement.hostName]
    machine = AdvertiserMachine(
      announcement, on: interfaces, random: RandomStream(seed: 1), at: now, into: &actions)
  }

  mutating func play(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    try perform(at: now)
    while !input.isAtEnd {
      let time = input.byte()
      try pass(.milliseconds(1 << (Int(time) % 18)))
      try step(&input)
    }
    try pass(.seconds(300))
    try law(
      wake == nil || wake == .distantFuture, "an advertiser that hears nothing has more to say")
    try handle(.withdrawRequested, at: now)
    isWithdrawn = true
    try pass(.seconds(300))
    try handle(.restartRequested, at: now)
  }

  private mutating func step(_ input: inout InputReader) throws {
    switch input.number(below: 16) {
    case 0:
      for interface in interfaces {
        formerAddresses[interface.index, default: []].formUnion(
          interface.addresses.map(\.withoutScope))
      }
      interfaces = LinkSpeech.interfaces(from: &input)
      // What an interface has heard before is no matter when it comes back.
      for place in spoken.keys where !interfaces.contains(where: { $0.index == place.interface }) {
        spoken[place] = nil
      }
      try handle(.interfacesChanged(interfaces), at: now)
    case 1:
      let other = LinkSpeech.announcements[0][input.number(below: LinkSpeech.versions)]
      try handle(.updateRequested(other.info, port: other.port), at: now)
    case 2:
      guard let name = try? DisplayName("Name \(input.number(below: 4))") else { return }
      try handle(.renameRequested(name), at: now)
    case 3: try handle(.restartRequested, at: now)
    default:
      guard let arrival = LinkSpeech.arrival(from: &input) else { return }
      try handle(.received(arrival), at: now)
    }
  }

  /// Lets time pass.
  private mutating func pass(_ time: Duration) throws {
    now = now + time
    while let due = wake, due <= now {
      try handle(.deadlineReached, at: due)
      try law(wake.map { $0 > due } ?? true, "an advertiser is awake for ever")
    }
  }

  private mutating func handle(_ event: AdvertiserMachine.Event, at time: Instant) throws {
    if case .deadlineReached = event { wake = nil }
    machine.handle(event, at: time, into: &actions)
    noteNames()
    try perform(at: time)
  }

  /// What the names were before an event may be said by it, and they are taken back by the goodbye.
  private mutating func noteNames() {
    guard announcement != machine.announcement else { return }
    announcement = machine.announcement
    let current = [announcement.instanceName, announcement.hostName]
    names = names.filter { !current.contains($0) }.suffix(Self.namesMax) + current
  }

  private static let namesMax = 20

  /// Whether a probe is for the names that the advertiser has, or for the next that it may have.
  private mutating func isClaim(_ message: DNSMessage) -> Bool {
    let claims = message.authorities.map(\.name)
    for ordinal in 1...claimed + 1 {
      var other = announcement
      other.ordinal = ordinal
      let names = [other.instanceName, other.hostName]
      guard claims.allSatisfy({ names.contains($0) }) else { continue }
      claimed = max(claimed, ordinal)
      return true
    }
    return false
  }

  private mutating func perform(at time: Instant) throws {
    try law(!isWithdrawn || actions.isEmpty, "an advertiser that has left does \(actions)")
    for action in actions {
      switch action {
      case .send(let packet, let destination, let interface):
        try check(packet, to: destination, on: interface, at: time)
      case .wake(let instant): wake = instant
      case .reportRenamed(let new):
        try law(new != label, "an advertiser is renamed to what it was")
        label = new
        reached.insert("renamed")
      }
    }
    actions.removeAll(keepingCapacity: true)
  }

  private mutating func check(
    _ packet: [UInt8], to destination: DNSDestination, on interface: UInt32, at time: Instant
  ) throws {
    try law(packet.count <= DNSMessage.packetBytesMax, "\(packet.count) bytes")
    let message = try DNSMessage(decoding: packet)
    try law(message.isOrdinary, "a message is of another kind")
    guard let place = interfaces.first(where: { $0.index == interface }) else {
      throw BrokenLaw(description: "an interface is used that is gone")
    }
    for record in message.said {
      try law(isOwn(record, on: place), "another's record is said")
    }
    guard message.isResponse else {
      try law(!message.authorities.isEmpty && destination == .multicast, "an advertiser asks")
      try law(isClaim(message), "another's name is claimed")
      reached.insert("probed")
      return
    }
    switch destination {
    case .multicast:
      try law(message.questions.isEmpty, "an answer asks")
      try checkRate(of: message.said, on: interface, at: time)
    case .neighbours: reached.insert("said on the host")
    case .unicast(let endpoint) where endpoint.port != DNSArrival.port:
      let isTerse = message.said.allSatisfy { $0.lifetimeSeconds <= 10 && !$0.flushesCache }
      try law(isTerse, "what knows only unicast DNS is told more than that")
      reached.insert("said in old terms")
    case .unicast: reached.insert("said to one")
    }
  }

  /// What no other peer says, with this interface's addresses.
  private func isOwn(_ record: DNSRecord, on interface: NetworkInterface) -> Bool {
    switch record.data {
    case .address(let address):
      names.contains(record.name)
        && (interface.addresses.contains { $0.withoutScope == address }
          || isTakenBack(record, address, on: interface))
    case .pointer(let target): names.contains(target) || target == LinkSpeech.service?.domain
    case .service(_, _, let port, let host):
      names.contains(record.name) && names.contains(host) && port >= 7_100
    case .text, .types: names.contains(record.name)
    case .other: false
    }
  }

  /// Whether an address is taken back that the interface had, and whose family it has lost.
  private func isTakenBack(
    _ record: DNSRecord, _ address: IPAddress, on interface: NetworkInterface
  ) -> Bool {
    record.lifetimeSeconds == 0
      && !interface.addresses.contains { $0.family == address.family }
      && formerAddresses[interface.index]?.contains(address) == true
  }

  private mutating func checkRate(
    of records: [DNSRecord], on interface: UInt32, at time: Instant
  ) throws {
    reached.insert(records.allSatisfy { $0.lifetimeSeconds == 0 } ? "left" : "said")
    for record in records where record.lifetimeSeconds > 0 {
      let isDefended = record.flushesCache && record.type != .nsec
      let gap: Duration = isDefended ? .milliseconds(250) : .seconds(1)
      let last = spoken.updateValue(time, forKey: Spoken(record: record, interface: interface))
      try law(last.map { time - $0 >= gap } ?? true, "\(record.name) is said again too soon")
    }
  }
}

private typealias BrokenLaw = FuzzTarget.BrokenLaw
