package import EarshotCore
package import EarshotNetwork

/// Discovery on one host's network: runs the machines of one peer over its sockets.
///
/// Opens its sockets when there is something to advertise or to browse, and closes them when there is nothing
/// any more, so that an idle peer costs nothing. When the system takes the sockets away, they are opened
/// again, everything is announced again, and what was known is doubted and asked for again.
package actor MulticastDNS {
  /// Names an advertisement of this host.
  package struct AdvertisementID: Hashable, Sendable { fileprivate let number: Int }
  /// Names a browsing of this host.
  package struct BrowsingID: Hashable, Sendable { fileprivate let number: Int }

  private struct Advertising {
    let number: Int
    var machine: AdvertiserMachine
    let renamed: @Sendable (String) -> Void
  }
  private struct Browsing {
    let number: Int
    var machine: BrowserMachine
    let report: @Sendable (BrowserMachine.Report) -> Void
  }
  private enum TimerKey: Hashable, Sendable {
    case advertising(Int)
    case browsing(Int)
    case reopening
  }
  private enum Life { case awake, suspended, stopped }

  /// The most browsings of one host; further ones report nothing.
  package static let browsingsMax = 64

  package nonisolated let unownedExecutor: UnownedSerialExecutor
  private let host: any NetworkHost
  private let own: PeerID
  private let prefersUnicast: Bool
  private var life = Life.awake
  private var transport: MulticastTransport?
  private var interfaces: [NetworkInterface] = []
  private var observation: (any NetworkObservation)?
  private var timer: (any NetworkTimer)?
  private var timers = TimerTable<TimerKey>()
  private var failures = 0
  private var lastNumber = 0
  private var random: RandomStream?
  private var advertisings: [Advertising] = []
  private var browsings: [Browsing] = []
  private var gate = PacketGate()

  /// How many packets were sent.
  package struct Statistics: Hashable, Sendable {
    /// To the group, over each family of addresses.
    package var multicasts = 0
    /// To one host alone.
    package var unicasts = 0

    /// Nothing sent yet.
    package init() {}
  }
  /// How many packets were sent.
  package private(set) var statistics = Statistics()

  /// Why the sockets could not be opened, while they are not.
  package private(set) var failure: NetworkError?

  /// Discovery for a peer; opens nothing yet.
  ///
  /// - Parameters:
  ///   - peer: Who we are; never reported to ourselves.
  ///   - host: Where we are.
  ///   - prefersUnicast: Whether first questions ask for answers to us alone, where these are sure to reach us.
  package init(for peer: PeerID, on host: any NetworkHost, prefersUnicast: Bool = true) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    self.host = host
    self.prefersUnicast = prefersUnicast
    own = peer
  }
}

// MARK: What is wished for

extension MulticastDNS {
  /// Announces a peer at once, until it is withdrawn.
  ///
  /// - Parameters:
  ///   - announcement: What to say.
  ///   - renamed: Told when another label had to be taken, because the identity is in use twice.
  /// - Returns: The name to change or withdraw it by.
  package func advertise(
    _ announcement: Announcement, renamed: @escaping @Sendable (String) -> Void = { _ in }
  ) -> AdvertisementID {
    openIfNeeded()
    lastNumber += 1
    var actions: [AdvertiserMachine.Action] = []
    let machine = AdvertiserMachine(
      announcement, on: interfaces, random: makeRandom(), at: host.now, into: &actions)
    advertisings.append(Advertising(number: lastNumber, machine: machine, renamed: renamed))
    tellBrowsers()
    perform(actions, of: lastNumber)
    return AdvertisementID(number: lastNumber)
  }

  /// Says something else from now on.
  ///
  /// - Parameters:
  ///   - id: Which advertisement; one that was withdrawn is left alone.
  ///   - info: What it tells now.
  ///   - port: Where the peer listens now, or `nil` for where it did.
  package func update(_ id: AdvertisementID, info: DiscoveryInfo, port: UInt16? = nil) {
    guard let place = advertisings.firstIndex(where: { $0.number == id.number }) else { return }
    let port = port ?? advertisings[place].machine.announcement.port
    advertiser(at: place, handles: .updateRequested(info, port: port))
  }

  /// Says goodbye.
  package func withdraw(_ id: AdvertisementID) {
    guard let place = advertisings.firstIndex(where: { $0.number == id.number }) else { return }
    advertiser(at: place, handles: .withdrawRequested)
    timers.cancel(.advertising(id.number))
    advertisings.remove(at: place)
    tellBrowsers()
    closeIfIdle()
  }

  /// Looks for a service, until that is stopped.
  ///
  /// - Parameters:
  ///   - service: What to look for.
  ///   - report: Told of every peer that is found, updated or lost, on the host's executor; it must not
  ///     call back into this actor.
  /// - Returns: The name to stop it by.
  package func browse(
    _ service: ServiceType, report: @escaping @Sendable (BrowserMachine.Report) -> Void
  ) -> BrowsingID {
    lastNumber += 1
    guard browsings.count < Self.browsingsMax else { return BrowsingID(number: lastNumber) }
    openIfNeeded()
    var actions: [BrowserMachine.Action] = []
    let machine = BrowserMachine(
      for: service, as: own, on: interfaces.map(\.index),
      asksForUnicast: prefersUnicast && transport?.sharesPort != true,
      random: makeRandom(), at: host.now, into: &actions)
    browsings.append(Browsing(number: lastNumber, machine: machine, report: report))
    perform(actions, of: lastNumber, report: report)
    tellBrowsers()
    return BrowsingID(number: lastNumber)
  }

  /// Looks no longer; nothing is reported any more.
  package func stopBrowsing(_ id: BrowsingID) {
    browsings.removeAll { $0.number == id.number }
    timers.cancel(.browsing(id.number))
    closeIfIdle()
  }

  /// Doubts what is known of a peer that could not be reached; without an answer it is lost in ten seconds.
  package func reconfirm(_ peer: PeerID) {
    for place in browsings.indices { browser(at: place, handles: .reconfirmRequested(peer)) }
  }

  /// Says goodbye and goes silent; what is advertised and browsed for is remembered.
  package func suspend() {
    guard life == .awake else { return }
    for place in advertisings.indices { advertiser(at: place, handles: .withdrawRequested) }
    life = .suspended
    close()
  }

  /// Comes back: announces everything again, and doubts and asks for what was known.
  package func resume() {
    guard life == .suspended else { return }
    life = .awake
    guard !advertisings.isEmpty || !browsings.isEmpty else { return }
    openIfNeeded()
    for place in advertisings.indices {
      var actions: [AdvertiserMachine.Action] = []
      advertisings[place].machine = AdvertiserMachine(
        advertisings[place].machine.announcement, on: interfaces, random: makeRandom(),
        at: host.now, into: &actions)
      perform(actions, of: advertisings[place].number)
    }
    let indices = interfaces.map(\.index)
    for place in browsings.indices {
      browser(at: place, handles: .interfacesChanged(indices))
      browser(at: place, handles: .restartRequested)
    }
  }

  /// Says goodbye and ends for good.
  package func stop() {
    guard life != .stopped else { return }
    if life == .awake {
      for place in advertisings.indices { advertiser(at: place, handles: .withdrawRequested) }
    }
    life = .stopped
    (advertisings, browsings) = ([], [])
    close()
  }
}

// MARK: The sockets

extension MulticastDNS {
  private func openIfNeeded() {
    guard life == .awake, transport == nil, timers[.reopening] == nil else { return }
    if timer == nil {
      timer = host.makeTimer { [weak self] in self?.assumeIsolated { $0.timerFired() } }
    }
    observation = host.observeInterfaces { [weak self] in
      self?.assumeIsolated { $0.interfacesChanged() }
    }
    interfaces = usableInterfaces
    open()
  }

  private func open() {
    do {
      transport = try MulticastTransport(on: host, interfaces: interfaces, handler: self)
      (failures, failure) = (0, nil)
    } catch {
      failure = error
      failures += 1
      let wait = Duration.seconds(min(8, 1 << min(failures - 1, 3)))
      timers.set(.reopening, at: host.now + wait)
      rearm()
    }
  }

  private func reopen() {
    guard life == .awake, !advertisings.isEmpty || !browsings.isEmpty else { return }
    interfacesChanged()
    if transport == nil { open() }
    guard transport != nil else { return }
    for place in advertisings.indices { advertiser(at: place, handles: .restartRequested) }
    for place in browsings.indices { browser(at: place, handles: .restartRequested) }
  }

  private func closeIfIdle() {
    if advertisings.isEmpty && browsings.isEmpty { close() } else { rearm() }
  }

  private func close() {
    transport?.close()
    transport = nil
    observation?.cancel()
    observation = nil
    timers = TimerTable()
    timer?.disarm()
    (failures, failure) = (0, nil)
  }

  private func interfacesChanged() {
    let usable = usableInterfaces
    guard usable != interfaces, life == .awake else { return }
    let isRenewed = usable.contains { interface in
      interfaces.contains { $0.index == interface.index && $0.addresses != interface.addresses }
    }
    interfaces = usable
    if let transport, !transport.join(interfaces) {
      transport.close()
      self.transport = nil
      open()
    }
    for place in advertisings.indices {
      advertiser(at: place, handles: .interfacesChanged(interfaces))
    }
    let indices = interfaces.map(\.index)
    for place in browsings.indices {
      browser(at: place, handles: .interfacesChanged(indices))
      if isRenewed { browser(at: place, handles: .lookAgainRequested) }
    }
  }

  private var usableInterfaces: [NetworkInterface] {
    host.interfaces.filter { $0.supportsMulticast && !$0.addresses.isEmpty }
  }

  private func makeRandom() -> RandomStream {
    var source = random ?? host.random("discovery")
    defer { random = source }
    return RandomStream(seed: source.next())
  }
}

// MARK: Events in, actions out

extension MulticastDNS {
  private func advertiser(at place: Int, handles event: AdvertiserMachine.Event) {
    var actions: [AdvertiserMachine.Action] = []
    advertisings[place].machine.handle(event, at: host.now, into: &actions)
    perform(actions, of: advertisings[place].number)
  }

  /// Says to the browsers what this host advertises, which their questions list as known.
  private func tellBrowsers() {
    let names = advertisings.map(\.machine.announcement.instanceName)
    for place in browsings.indices { browser(at: place, handles: .advertisedChanged(names)) }
  }

  private func browser(at place: Int, handles event: BrowserMachine.Event) {
    var actions: [BrowserMachine.Action] = []
    browsings[place].machine.handle(event, at: host.now, into: &actions)
    perform(actions, of: browsings[place].number, report: browsings[place].report)
  }

  private func perform(_ actions: [AdvertiserMachine.Action], of number: Int) {
    for action in actions {
      switch action {
      case .send(let packet, let destination, let interface):
        send(packet, to: destination, on: interface)
      case .wake(let deadline): timers.set(.advertising(number), at: deadline)
      case .reportRenamed(let label):
        advertisings.first { $0.number == number }?.renamed(label)
        tellBrowsers()
      }
    }
    if !actions.isEmpty { rearm() }
  }

  private func perform(
    _ actions: [BrowserMachine.Action], of number: Int,
    report: @Sendable (BrowserMachine.Report) -> Void
  ) {
    for action in actions {
      switch action {
      case .send(let packet, let destination, let interface):
        send(packet, to: destination, on: interface)
      case .wake(let deadline): timers.set(.browsing(number), at: deadline)
      case .report(let news): report(news)
      }
    }
    if !actions.isEmpty { rearm() }
  }

  private func rearm() {
    guard life == .awake, let next = timers.next, next < .distantFuture else {
      return timer?.disarm() ?? ()
    }
    timer?.arm(at: next)
  }

  private func timerFired() {
    while let key = timers.popDue(at: host.now) {
      switch key {
      case .reopening: reopen()
      case .advertising(let number):
        guard let place = advertisings.firstIndex(where: { $0.number == number }) else { continue }
        advertiser(at: place, handles: .deadlineReached)
      case .browsing(let number):
        guard let place = browsings.firstIndex(where: { $0.number == number }) else { continue }
        browser(at: place, handles: .deadlineReached)
      }
    }
    rearm()
  }

  private func send(_ packet: [UInt8], to destination: DNSDestination, on index: UInt32) {
    guard let transport, let interface = interfaces.first(where: { $0.index == index }) else {
      return
    }
    switch destination {
    case .unicast(let endpoint):
      guard isOnLink(endpoint.address), gate.letsOutToOne(at: host.now) else { return }
      transport.send(packet, to: endpoint, on: nil)
      statistics.unicasts += 1
    case .neighbours:
      guard let group = MulticastTransport.groups(of: interface).first,
        gate.letsOut(on: index, at: host.now)
      else { return }
      gate.noteSent(packet, to: group, on: index, at: host.now)
      transport.tellNeighbours(packet, of: group, on: index, of: host)
    case .multicast:
      guard gate.letsOut(on: index, at: host.now) else { return }
      for group in MulticastTransport.groups(of: interface) {
        gate.noteSent(packet, to: group, on: index, at: host.now)
        transport.send(packet, to: group, on: index)
        statistics.multicasts += 1
      }
    }
  }

  /// Whether an address is reached without a router: nobody else is ever sent to (RFC 6762 §11).
  private func isOnLink(_ address: IPAddress) -> Bool {
    interfaces.contains { interface in
      interface.networks.contains { $0.contains(address) }
    }
  }

  private func receive(_ packet: [UInt8], _ header: DatagramHeader) {
    guard gate.letsIn(packet, header, interfaces: interfaces, at: host.now),
      let message = try? DNSMessage(decoding: packet)
    else { return }
    let arrival = DNSArrival(
      message, from: header.source, on: header.interface,
      wasMulticast: header.destination.isMulticast)
    for place in advertisings.indices { advertiser(at: place, handles: .received(arrival)) }
    for place in browsings.indices { browser(at: place, handles: .received(arrival)) }
  }
}

// MARK: What the sockets say

extension MulticastDNS: DatagramHandler {
  package nonisolated func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    guard bytes.count <= DNSMessage.packetBytesMax else { return }
    let packet = [UInt8](copying: bytes)
    assumeIsolated { $0.receive(packet, header) }
  }

  package nonisolated func datagramSocketFinishedBatch(_ socket: any DatagramSocket) {}

  package nonisolated func datagramSocket(
    _ socket: any DatagramSocket, failed error: NetworkError
  ) {
    assumeIsolated { $0.socketFailed(error) }
  }

  private func socketFailed(_ error: NetworkError) {
    failure = error
    transport?.close()
    transport = nil
    guard life == .awake else { return }
    timers.set(.reopening, at: host.now)
    rearm()
  }
}
