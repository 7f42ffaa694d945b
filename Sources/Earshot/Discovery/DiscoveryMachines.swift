import EarshotCore
import EarshotNetwork

/// The machines of one peer's discovery, with their deadlines and the port that they send through.
struct DiscoveryMachines {
  private enum Deadline: Hashable, Sendable {
    case advertiser(Int)
    case browser(Int)
    case reopening
  }
  typealias Listener = @Sendable (BrowserEvent) -> Void

  private var advertisers = MachineTable<AdvertiserMachine>()
  private var browsers = MachineTable<BrowserMachine>()
  /// Called with what a browser reports, by its number.
  private var listeners: [Int: Listener] = [:]
  private var deadlines = TimerTable<Deadline>()
  private var random: RandomStream?
  private var watch: IdentityWatch
  private let host: any NetworkHost

  /// What the machines send through.
  private(set) var port: MulticastPort

  /// Where other hosts announce the same identity, until that is taken.
  var impostors: [IPAddress] = []
  /// Told of each peer that announces another version of the protocol.
  var otherVersionAnnounced: @Sendable (OtherVersion) -> Void = { _ in }

  /// No machines yet, and a closed port.
  init(for peer: PeerID, on host: any NetworkHost) {
    (self.host, watch) = (host, IdentityWatch(for: peer))
    port = MulticastPort(of: host)
  }

  /// Whether there is nothing to do.
  var isEmpty: Bool { advertisers.isEmpty && browsers.isEmpty }
  /// How many browsers there are.
  var browserCount: Int { browsers.numbers.count }
  /// The earliest deadline, or `nil` when there is none.
  var next: Instant? { deadlines.next }

  /// What an advertiser announces, or `nil` when it has ended.
  func announcement(of number: Int) -> Announcement? { advertisers[number]?.announcement }

  /// The peers that announce another version of the protocol.
  var otherVersions: [OtherVersion] { browsers.machines.flatMap(\.otherVersions) }

  // MARK: Beginning and ending

  /// Announces at once.
  mutating func advertise(
    _ announcement: Announcement, as number: Int
  ) {
    var actions: [AdvertiserMachine.Action] = []
    advertisers[number] = AdvertiserMachine(
      announcement, on: port.interfaces.withAddressesOfLinks, random: makeRandom(), at: host.now,
      into: &actions)
    tellBrowsers()
    perform(actions, of: number)
  }

  /// Withdraws what an advertiser announces, and ends it.
  mutating func withdraw(_ number: Int) {
    advertiser(number, handles: .withdrawRequested)
    deadlines.cancel(.advertiser(number))
    advertisers[number] = nil
    tellBrowsers()
  }

  /// Begins to browse.
  mutating func browse(
    _ service: ServiceType, for own: PeerID, asksForUnicast: Bool, as number: Int,
    report: @escaping Listener
  ) {
    var actions: [BrowserMachine.Action] = []
    listeners[number] = report
    browsers[number] = BrowserMachine(
      for: service, as: own, on: port.interfaces, asksForUnicast: asksForUnicast,
      random: makeRandom(), at: host.now, into: &actions)
    perform(actions, of: number)
    tellBrowsers()
  }

  /// Ends a browser.
  mutating func stopBrowsing(_ number: Int) {
    (browsers[number], listeners[number]) = (nil, nil)
    deadlines.cancel(.browser(number))
  }

  /// Ends all of them, without a word.
  mutating func removeAll() {
    (advertisers, browsers, listeners) = (MachineTable(), MachineTable(), [:])
  }

  /// Has all announced anew, as if for the first time, and what is known doubted and asked for.
  mutating func restartAll() {
    for number in advertisers.numbers {
      guard let announcement = announcement(of: number) else { continue }
      advertise(announcement, as: number)
    }
    for number in browsers.numbers {
      browser(number, handles: .interfacesChanged(port.interfaces))
      browser(number, handles: .restartRequested)
    }
  }

  private mutating func makeRandom() -> RandomStream {
    var source = random ?? host.random("discovery")
    defer { random = source }
    return RandomStream(seed: source.next())
  }

  // MARK: The port

  /// Looks at the host's interfaces, and opens the port on them.
  mutating func open(handler: any DatagramHandler) {
    _ = port.updateInterfaces()
    watch.note(port.interfaces)
    openPort(handler)
  }

  private mutating func openPort(_ handler: any DatagramHandler) {
    guard let wait = port.open(handler: handler) else { return }
    deadlines.set(.reopening, at: host.now + wait)
  }

  /// Opens the port again; then everything is announced again, and what was known is doubted and asked for.
  mutating func reopen(handler: any DatagramHandler) {
    updateInterfaces(handler: handler)
    if !port.isOpen { openPort(handler) }
    guard port.isOpen else { return }
    advertisersHandle(.restartRequested)
    browsersHandle(.restartRequested)
  }

  /// Closes the port, and forgets all deadlines until the machines set new ones.
  mutating func close() {
    port.close()
    deadlines = TimerTable()
  }

  /// The system took the port away: it is to be opened again at once.
  mutating func losePort() {
    host.reached(.multicastLost)
    port.lose()
    deadlines.set(.reopening, at: host.now)
  }

  /// Looks at the host's interfaces again, and goes on with those that are there.
  mutating func updateInterfaces(handler: any DatagramHandler) {
    let before = port.interfaces
    guard port.updateInterfaces() else { return }
    let interfaces = port.interfaces
    watch.note(interfaces)
    let isRenewed = interfaces.contains { interface in
      before.contains { $0.index == interface.index && $0.addresses != interface.addresses }
    }
    if !port.join() { openPort(handler) }
    advertisersHandle(.interfacesChanged(interfaces.withAddressesOfLinks))
    for number in browsers.numbers {
      browser(number, handles: .interfacesChanged(interfaces))
      if isRenewed { browser(number, handles: .lookAgainRequested) }
    }
  }

  /// Tells a gauge how many records the browser remembers that remembers the most.
  ///
  /// Called for every packet, and mutating so that no machine is copied for it.
  mutating func noteRecords(in gauge: QueueGauge) {
    gauge.note(browsers.greatest { $0.recordCount })
  }

  /// Counts a packet that is too large.
  mutating func noteOversized() { port.drop(.malformed) }

  /// Takes in what the port received.
  ///
  /// - Returns: Whether that led to anything.
  mutating func receive(_ packet: Span<UInt8>, _ header: DatagramHeader) -> Bool {
    guard let arrival = port.receive(packet, header) else { return false }
    port.relay(arrival)
    if let address = watch.review(arrival) { impostors.append(address) }
    let haveActed = advertisersHandle(.received(arrival))
    return browsersHandle(.received(arrival)) || haveActed
  }

  // MARK: Events in

  /// Does what is due.
  mutating func advance(handler: any DatagramHandler) {
    while let deadline = deadlines.popDue(at: host.now) {
      switch deadline {
      case .reopening:
        if let wait = port.seekIPv6() {
          deadlines.set(.reopening, at: host.now + wait)
        } else {
          reopen(handler: handler)
        }
      case .advertiser(let number):
        let isRepeated = host.buggify?.occurs(.repeatedAnnouncement) == true
        advertiser(number, handles: isRepeated ? .restartRequested : .deadlineReached)
      case .browser(let number): browser(number, handles: .deadlineReached)
      }
    }
  }

  /// Has every advertiser handle an event.
  ///
  /// - Returns: Whether that led to anything.
  @discardableResult
  mutating func advertisersHandle(_ event: AdvertiserMachine.Event) -> Bool {
    advertisers.numbers.reduce(false) { advertiser($1, handles: event) || $0 }
  }

  /// Has every browser handle an event.
  ///
  /// - Returns: Whether that led to anything.
  @discardableResult
  mutating func browsersHandle(_ event: BrowserMachine.Event) -> Bool {
    browsers.numbers.reduce(false) { browser($1, handles: event) || $0 }
  }

  /// Has one advertiser handle an event.
  ///
  /// - Returns: Whether that led to anything.
  @discardableResult
  mutating func advertiser(_ number: Int, handles event: AdvertiserMachine.Event) -> Bool {
    let actions = advertisers.handle(event, by: number, at: host.now)
    perform(actions, of: number, isFarewell: event == .withdrawRequested)
    return !actions.isEmpty
  }

  @discardableResult
  private mutating func browser(_ number: Int, handles event: BrowserMachine.Event) -> Bool {
    let actions = browsers.handle(event, by: number, at: host.now)
    perform(actions, of: number)
    return !actions.isEmpty
  }

  /// Says to the browsers what this host advertises, which their questions list as known.
  private mutating func tellBrowsers() {
    let names = advertisers.machines.map(\.announcement.instanceName)
    browsersHandle(.advertisedChanged(names))
  }

  // MARK: Actions out

  private mutating func perform(
    _ actions: [AdvertiserMachine.Action], of number: Int, isFarewell: Bool = false
  ) {
    for action in actions {
      switch action {
      case .send(let packet, let destination, let interface):
        port.send(packet, to: destination, on: interface, isFarewell: isFarewell)
      case .wake(let deadline): deadlines.set(.advertiser(number), at: deadline)
      case .reportRenamed:
        host.reached(.renamed)
        tellBrowsers()
      }
    }
  }

  private mutating func perform(_ actions: [BrowserMachine.Action], of number: Int) {
    for action in actions {
      switch action {
      case .send(let packet, let destination, let interface):
        port.send(packet, to: destination, on: interface)
      case .wake(let deadline): deadlines.set(.browser(number), at: deadline)
      case .report(let report): listeners[number]?(report)
      case .reportOtherVersion(let other): otherVersionAnnounced(other)
      }
    }
  }
}
