/// Finds the peers that advertise one kind of service.
///
/// Comes from ``Peer/browse(_:)``. It never finds its own peer. A browser that is released stops; a loop over its
/// ``events`` or ``snapshots`` holds it.
public actor Browser {
  /// Runs where its peer's host runs.
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  /// The kind of service, such as `chat`.
  public nonisolated let serviceType: String
  /// The changes of the peers that can be found, in order; ends when the browser is stopped.
  ///
  /// Events that are not taken are summed up: a peer that came and went is not mentioned.
  public nonisolated var events: EventStream<BrowserEvent> { EventStream(hub, of: self) }

  /// The peers that are there now, ordered by identifier.
  public var peers: [DiscoveredPeer] { found.current }
  /// The peers that are there, ordered by identifier: at once, and then after every change.
  ///
  /// A consumer that takes them slowly gets the latest list and misses those before it. Ends when the browser is
  /// stopped, after the last list.
  public nonisolated var snapshots: SnapshotStream<[DiscoveredPeer]> {
    SnapshotStream(found, of: self)
  }

  private nonisolated let hub: EventHub<BrowserEvent>
  private nonisolated let found = SnapshotHub<[DiscoveredPeer]>([])
  private let peer: Peer
  private var browsing: MulticastDNS.BrowsingID?
  private var problem: DiscoveryProblem?

  init(serviceType: String, peer: Peer) {
    unownedExecutor = peer.unownedExecutor
    self.serviceType = serviceType
    self.peer = peer
    hub = EventHub(countMax: Self.eventsMax, merge: Self.summary)
  }

  deinit {
    guard let browsing else { return }
    let known = Self.remembered(found.current, serviceType)
    peer.core.released(.browser(browsing, serviceType, knowing: known))
  }

  func started(_ browsing: MulticastDNS.BrowsingID) { self.browsing = browsing }

  /// Stops looking for peers.
  ///
  /// Peers that were found can still be invited. Stopping twice changes nothing.
  public func stop() {
    guard let browsing else { return }
    self.browsing = nil
    hub.finish()
    found.finish()
    let known = Self.remembered(found.current, serviceType)
    peer.core.assumeIsolated { $0.stopBrowsing(browsing, of: serviceType, knowing: known) }
  }

  /// What its peer keeps of those that were there at the end.
  private static func remembered(
    _ found: [DiscoveredPeer], _ serviceType: String
  ) -> [Finding.Remembered] {
    found.map { Finding.Remembered(peer: $0, serviceType: serviceType) }
  }

  func peer(_ id: PeerID) -> DiscoveredPeer? { found.current[id] }

  func report(_ event: BrowserEvent) {
    switch event {
    case .found(let peer), .updated(let peer): found.update { $0[peer.id] = peer }
    case .lost(let peer): found.update { $0[peer.id] = nil }
    case .unavailable, .available: break
    }
    hub.push(event)
  }

  /// Reports why no peers can be found, or that they can be again, unless that is known.
  func note(_ problem: DiscoveryProblem?) {
    guard problem != self.problem else { return }
    self.problem = problem
    report(problem.map { .unavailable($0) } ?? .available)
  }

  /// What a series of events amounts to, each peer in the order of its last event.
  ///
  /// A peer whose first event is not `found` was known before: it stays `updated` or `lost`. A problem whose first
  /// event is not its beginning was known in the same way.
  package static func summary(of events: [BrowserEvent]) -> [BrowserEvent] {
    var known: Set<PeerID?> = []
    var seen: Set<PeerID?> = []
    for event in events where seen.insert(event.peer?.id).inserted {
      switch event {
      case .found, .unavailable: break
      case .updated, .lost, .available: known.insert(event.peer?.id)
      }
    }
    seen.removeAll()
    let last = events.reversed().filter { seen.insert($0.peer?.id).inserted }.reversed()
    return last.compactMap { event in
      switch event {
      case .found(let peer), .updated(let peer):
        known.contains(peer.id) ? .updated(peer) : .found(peer)
      case .lost, .available: known.contains(event.peer?.id) ? event : nil
      case .unavailable: event
      }
    }
  }

  private static let eventsMax = 4_096
}
