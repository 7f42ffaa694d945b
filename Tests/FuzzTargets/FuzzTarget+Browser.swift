import EarshotCore

extension FuzzTarget {
  /// What a browser hears, at whatever times, while its interfaces come and go.
  ///
  /// A peer is found once and lost once, listens where it can be reached, and is not known any more when nothing of it
  /// is; what is asked can be read, and the browser comes to rest.
  static let browser = FuzzTarget(
    "browser", bytesMax: 1_024, reaching: ["asked", "found", "updated", "lost", "sought"]
  ) { bytes in
    guard var scene = BrowserScene() else { return [] }
    try scene.play(bytes)
    return scene.reached
  }
}

/// A browser with a clock, and what it has said.
private struct BrowserScene {
  private var machine: BrowserMachine
  private var now = Instant(nanoseconds: 0)
  private var wake: Instant?
  private var interfaces = LinkSpeech.interfaces
  private var found: [PeerID: DiscoveredPeer] = [:]
  private var otherVersions = 0
  private(set) var reached: Set<String> = []
  private var actions: [BrowserMachine.Action] = []

  init?() {
    guard let service = LinkSpeech.service else { return nil }
    machine = BrowserMachine(
      for: service, as: LinkSpeech.ids[0], on: interfaces, random: RandomStream(seed: 1),
      at: now, into: &actions)
  }

  mutating func play(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    let isLong = input.byte() % 16 == 3
    try perform()
    while !input.isAtEnd {
      let time = input.byte()
      try pass(.milliseconds(1 << (Int(time) % 22)), wakesMax: 64)
      try step(&input)
    }
    if isLong {
      try pass(.seconds(10_000), wakesMax: 100_000)
      try law(wake.map { $0 > now } ?? true, "a browser does not come to rest")
      try law(machine.recordCount == 0, "a record outlives its time")
    }
    interfaces = []
    try handle(.interfacesChanged([]), at: now)
    try law(found.isEmpty && machine.recordCount == 0, "a peer is known without an interface")
  }

  private mutating func step(_ input: inout InputReader) throws {
    switch input.number(below: 16) {
    case 0:
      interfaces = LinkSpeech.interfaces(from: &input)
      try handle(.interfacesChanged(interfaces), at: now)
    case 1:
      let peer = LinkSpeech.ids[input.number(below: LinkSpeech.peers)]
      try handle(.reconfirmRequested(peer), at: now)
    case 2: try handle(.lookAgainRequested, at: now)
    case 3: try handle(.restartRequested, at: now)
    case 4:
      let own = LinkSpeech.announcements[0][0].instanceName
      try handle(.advertisedChanged(input.byte() % 2 == 0 ? [own] : []), at: now)
    default:
      guard let arrival = LinkSpeech.arrival(from: &input) else { return }
      try handle(.received(arrival), at: now)
    }
  }

  /// Lets time pass, with at most so many wakes.
  private mutating func pass(_ time: Duration, wakesMax: Int) throws {
    now = now + time
    var wakes = 0
    while let due = wake, due <= now, wakes < wakesMax {
      wakes += 1
      try handle(.deadlineReached, at: due)
      try law(wake.map { $0 > due } ?? true, "a browser is awake for ever")
    }
  }

  private mutating func handle(_ event: BrowserMachine.Event, at time: Instant) throws {
    if case .deadlineReached = event { wake = nil }
    machine.handle(event, at: time, into: &actions)
    try perform()
  }

  private mutating func perform() throws {
    for action in actions {
      switch action {
      case .send(let packet, let destination, let interface):
        try check(packet, to: destination, on: interface)
      case .wake(let instant): wake = instant
      case .report(let event): try check(event)
      case .reportOtherVersion(let other):
        otherVersions += 1
        try law(otherVersions <= 64, "peers of other versions are reported without a bound")
        try law(other.version.count <= 16, "\(other) is reported")
      }
    }
    actions.removeAll(keepingCapacity: true)
    try law(machine.recordCount <= BrowserMachine.recordCountMax, "too many records are kept")
  }

  private mutating func check(
    _ packet: [UInt8], to destination: DNSDestination, on interface: UInt32
  ) throws {
    try law(packet.count <= DNSMessage.packetBytesMax, "\(packet.count) bytes")
    let message = try DNSMessage(decoding: packet)
    try law(!message.isResponse && message.isOrdinary, "a browser does not ask")
    try law(interfaces.contains { $0.index == interface }, "an interface is used that is gone")
    reached.insert(destination == .multicast ? "asked" : "sought")
  }

  private mutating func check(_ event: BrowserEvent) throws {
    switch event {
    case .found(let peer):
      try law(found.updateValue(peer, forKey: peer.id) == nil, "a peer is found twice")
      try law(peer.id != LinkSpeech.ids[0], "a browser finds itself")
      try check(peer)
      reached.insert("found")
    case .updated(let peer):
      let before = found.updateValue(peer, forKey: peer.id)
      try law(before != nil, "an unknown peer changes")
      try law(before != peer, "a peer changes to what it was")
      try check(peer)
      reached.insert("updated")
    case .lost(let peer):
      try law(found.removeValue(forKey: peer.id) != nil, "an unknown peer is lost")
      reached.insert("lost")
    case .unavailable, .available: try law(false, "a machine knows about sockets")
    }
  }

  private func check(_ peer: DiscoveredPeer) throws {
    try law(!peer.endpoints.isEmpty, "a peer is nowhere")
    for endpoint in peer.endpoints {
      let isReachable = interfaces.contains { $0.canBeHost(endpoint.address) }
      try law(isReachable && endpoint.port != 0, "a peer is at \(endpoint)")
    }
  }
}
