package import EarshotCore
package import EarshotNetwork

/// Discovery on one host's network: runs the machines of one peer over UDP port 5353.
///
/// Opens the port when there is something to advertise or to browse, and closes it when there is nothing any
/// more, so that an idle peer costs nothing. When the system takes the sockets away, they are opened again,
/// everything is announced again, and what was known is doubted and asked for again.
package actor MulticastDNS {
  /// Names an advertisement of this host.
  package struct AdvertisementID: Hashable, Sendable { fileprivate let number: Int }
  /// Names a browsing of this host.
  package struct BrowsingID: Hashable, Sendable { fileprivate let number: Int }

  private enum Life { case awake, suspended, stopped }

  /// The most browsings of one host; further ones report nothing.
  package static let browsingsMax = 72

  package nonisolated let unownedExecutor: UnownedSerialExecutor
  private let host: any NetworkHost
  private let own: PeerID
  private let prefersUnicast: Bool
  private var life = Life.awake
  private var machines: DiscoveryMachines
  private var observations: [any NetworkObservation] = []
  private var timer: (any NetworkTimer)?
  private var lastNumber = 0
  private let gauge: QueueGauge?
  private var problemChanged: @Sendable (DiscoveryProblem?) -> Void = { _ in }
  private var identityAnnounced: @Sendable (IPAddress) -> Void = { _ in }

  /// Discovery for a peer; opens nothing yet.
  ///
  /// - Parameters:
  ///   - peer: The peer, which is never reported to itself.
  ///   - host: Where it is.
  ///   - prefersUnicast: Whether first questions ask for answers to this host alone, where these are sure to
  ///     reach it.
  package init(for peer: PeerID, on host: any NetworkHost, prefersUnicast: Bool = true) {
    unownedExecutor = host.executor.serial.asUnownedSerialExecutor()
    self.host = host
    self.prefersUnicast = prefersUnicast
    own = peer
    gauge = host.gauge(
      "records that a browser remembers", atMost: BrowserMachine.recordCountMax)
    machines = DiscoveryMachines(for: peer, on: host)
  }

  /// How many packets were sent, and how many were dropped.
  package var statistics: Statistics { machines.port.statistics }

  /// Why the sockets could not be opened, while they are not.
  package var failure: NetworkError? { machines.port.refusal }

  /// Why peers, or some of them, can neither be found nor find this one; `nil` when all is well, and while this is
  /// suspended.
  package private(set) var problem: DiscoveryProblem?

  /// The peers that announce another version of the protocol, and so are not reported.
  package var otherVersions: [OtherVersion] { machines.otherVersions }

  /// Has a closure told of every change of ``problem``, on the host's executor; it must not call back into this
  /// actor.
  package func observeProblem(_ changed: @escaping @Sendable (DiscoveryProblem?) -> Void) {
    problemChanged = changed
  }

  /// Has a closure told of each other host that announces the identity of the peer, on the host's
  /// executor; it must not call back into this actor.
  package func observeIdentity(_ announced: @escaping @Sendable (IPAddress) -> Void) {
    identityAnnounced = announced
  }

  /// Has a closure told of each peer that announces another version of the protocol, on the host's
  /// executor; it must not call back into this actor.
  package func observeOtherVersions(_ announced: @escaping @Sendable (OtherVersion) -> Void) {
    machines.otherVersionAnnounced = announced
  }

  // MARK: What is wished for

  /// Announces a peer at once, until it is withdrawn.
  ///
  /// - Parameter announcement: What to say.
  /// - Returns: The name to change or withdraw it by.
  package func advertise(_ announcement: Announcement) -> AdvertisementID {
    openIfNeeded()
    lastNumber += 1
    machines.advertise(announcement, as: lastNumber)
    settle()
    return AdvertisementID(number: lastNumber)
  }

  /// Says something else from now on.
  ///
  /// - Parameters:
  ///   - id: Which advertisement; one that was withdrawn is left alone.
  ///   - info: What it tells now.
  ///   - port: Where the peer listens now, or `nil` for where it did.
  package func update(_ id: AdvertisementID, info: DiscoveryInfo?, port: UInt16? = nil) {
    guard let announcement = machines.announcement(of: id.number) else { return }
    machines.advertiser(
      id.number, handles: .updateRequested(info, port: port ?? announcement.port))
    settle()
  }

  /// Says another name from now on.
  ///
  /// - Parameters:
  ///   - id: Which advertisement; one that was withdrawn is left alone.
  ///   - name: How people call the peer now.
  package func rename(_ id: AdvertisementID, to name: DisplayName) {
    guard machines.announcement(of: id.number) != nil else { return }
    machines.advertiser(id.number, handles: .renameRequested(name))
    settle()
  }

  /// Says goodbye.
  package func withdraw(_ id: AdvertisementID) {
    guard machines.announcement(of: id.number) != nil else { return }
    machines.withdraw(id.number)
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
    _ service: ServiceType, report: @escaping @Sendable (BrowserEvent) -> Void
  ) -> BrowsingID {
    lastNumber += 1
    guard machines.browserCount < Self.browsingsMax else { return BrowsingID(number: lastNumber) }
    openIfNeeded()
    machines.browse(
      service, for: own,
      asksForUnicast: prefersUnicast && !machines.port.isShared
        && host.buggify?.occurs(.multicastQuestion) != true,
      as: lastNumber, report: report)
    settle()
    return BrowsingID(number: lastNumber)
  }

  /// Looks no longer; nothing is reported any more.
  package func stopBrowsing(_ id: BrowsingID) {
    machines.stopBrowsing(id.number)
    closeIfIdle()
  }

  /// Doubts what is known of a peer that could not be reached; without an answer it is lost in ten seconds.
  package func reconfirm(_ peer: PeerID) {
    if machines.browsersHandle(.reconfirmRequested(peer)) { settle() }
  }

  /// Says goodbye and goes silent; what is advertised and browsed for is remembered.
  package func suspend() {
    guard life == .awake else { return }
    machines.advertisersHandle(.withdrawRequested)
    life = .suspended
    close()
  }

  /// Comes back: announces everything again, and doubts and asks for what was known.
  package func resume() {
    guard life == .suspended else { return }
    life = .awake
    guard !machines.isEmpty else { return }
    openIfNeeded()
    machines.restartAll()
    settle()
  }

  /// Says goodbye and ends for good.
  package func stop() {
    guard life != .stopped else { return }
    if life == .awake { machines.advertisersHandle(.withdrawRequested) }
    life = .stopped
    machines.removeAll()
    close()
  }
}

// MARK: The port and the clock

extension MulticastDNS {
  private func openIfNeeded() {
    guard life == .awake, machines.port.isClosed else { return }
    if timer == nil {
      timer = host.makeTimer { [weak self] in self?.inTurn { $0.timerFired() } }
    }
    observations = [
      host.observeInterfaces { [weak self] in
        self?.assumeIsolated { $0.interfacesChanged() }
      },
      host.observeWaking { [weak self] in
        self?.assumeIsolated { $0.woken() }
      },
    ]
    machines.open(handler: self)
  }

  private func closeIfIdle() {
    if machines.isEmpty { close() } else { settle() }
  }

  private func close() {
    machines.close()
    for observation in observations { observation.cancel() }
    observations = []
    settle()
  }

  private func interfacesChanged() {
    guard life == .awake else { return }
    machines.updateInterfaces(handler: self)
    settle()
  }

  /// The computer slept: others have forgotten who is here, and may be gone themselves.
  private func woken() {
    guard life == .awake, !machines.isEmpty else { return }
    machines.reopen(handler: self)
    settle()
  }

  private func timerFired() {
    machines.advance(handler: self)
    settle()
  }

  /// Follows what the machines have done.
  private func settle() {
    rearm()
    noteProblem()
  }

  private func noteProblem() {
    let current = life == .awake ? machines.port.problem : nil
    guard current != problem else { return }
    problem = current
    problemChanged(current)
  }

  private func rearm() {
    guard life == .awake, let next = machines.next, next < .distantFuture else {
      timer?.disarm()
      return
    }
    timer?.arm(at: next)
  }
}

// MARK: What the sockets say

extension MulticastDNS: DatagramHandler {
  package nonisolated func datagramSocket(
    _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
  ) {
    guard bytes.count <= DNSMessage.packetBytesMax else {
      return inTurn { $0.machines.noteOversized() }
    }
    inTurn(with: bytes, header) { $0.receive($1, $2) }
  }

  package nonisolated func datagramSocket(
    _ socket: any DatagramSocket, failed error: NetworkError
  ) {
    assumeIsolated { $0.socketFailed() }
  }

  private func receive(_ packet: Span<UInt8>, _ header: DatagramHeader) {
    if machines.receive(packet, header) { settle() }
    if !machines.impostors.isEmpty { reportImpostors() }
    if let gauge { machines.noteRecords(in: gauge) }
  }

  private func reportImpostors() {
    let addresses = machines.impostors
    machines.impostors = []
    for address in addresses { identityAnnounced(address) }
  }

  private func socketFailed() {
    guard life == .awake, !machines.isEmpty else { return }
    machines.losePort()
    settle()
  }
}
