import EarshotCore

/// The advertisers and browsers of one peer, as long as the program holds them, and what is known by them.
struct Finding {
  /// One advertiser, and what it announces.
  struct Advertising {
    weak var advertiser: Advertiser?
    let advertisement: MulticastDNS.AdvertisementID
  }
  /// One browser, and what it looks for.
  struct Browsing {
    weak var browser: Browser?
    let browsing: MulticastDNS.BrowsingID
  }
  /// A peer that a browser found, and for which service.
  struct Remembered: Sendable {
    let peer: DiscoveredPeer
    let serviceType: String
  }

  var advertisers: [Advertising] = []
  var browsers: [Browsing] = []
  var remembered: [Remembered] = []
  /// What the program was told last of why no peers can be found.
  var problem: DiscoveryProblem?
  /// Whether a call begins to advertise or to browse.
  ///
  /// If it fails, its error reports the problem, and nothing else does.
  var isBeginning = false
}

extension PeerCore {
  // MARK: Advertising

  func advertise(
    _ serviceType: String, info: [String: String]?, for peer: Peer
  ) throws(EarshotError) -> Advertiser {
    let (service, text) = (try Checked.service(serviceType), try Checked.info(info))
    try checkRunning()
    attend()
    if self.advertiser(of: serviceType) != nil {
      throw EarshotError(
        .alreadyAdvertised, "\(name) advertises “\(serviceType)” already; update its advertiser.")
    }
    beginFinding()
    defer { endBeginning() }
    let announcement = Announcement(
      of: id, named: displayName, offering: service, on: port, info: text)
    let advertisement = discovery.assumeIsolated { $0.advertise(announcement) }
    log.add(.advertising, LogRecord.Content("advertises “\(serviceType)”", for: serviceType))
    let advertiser = Advertiser(
      serviceType: serviceType, info: text, advertisement: advertisement, peer: peer)
    finding.advertisers.append(
      Finding.Advertising(advertiser: advertiser, advertisement: advertisement))
    if let problem = discoveryProblem, problem.cause != nil {
      advertiser.assumeIsolated { $0.stop() }
      throw problem
    }
    return advertiser
  }

  /// The advertiser of a service, if there is one.
  func advertiser(of serviceType: String) -> Advertiser? {
    finding.advertisers.lazy.compactMap(\.advertiser).first { $0.serviceType == serviceType }
  }

  func withdraw(_ advertisement: MulticastDNS.AdvertisementID, of serviceType: String) {
    log.add(
      .advertisingStopped,
      LogRecord.Content("advertises “\(serviceType)” no longer", for: serviceType))
    finding.advertisers.removeAll { $0.advertisement == advertisement }
    discovery.assumeIsolated { $0.withdraw(advertisement) }
  }

  /// Has browsers look for this peer where it listens now.
  func announcePort() {
    let port = port
    for advertising in finding.advertisers {
      guard let advertiser = advertising.advertiser else { continue }
      let text = advertiser.assumeIsolated { $0.text }
      discovery.assumeIsolated { $0.update(advertising.advertisement, info: text, port: port) }
    }
  }

  // MARK: Browsing

  func browse(_ serviceType: String, for peer: Peer) throws(EarshotError) -> Browser {
    let service = try Checked.service(serviceType)
    try checkRunning()
    attend()
    guard finding.browsers.count < Self.browsersMax else {
      throw EarshotError(
        .tooManyBrowsers, "\(name) has \(finding.browsers.count) browsers; stop one of them first.")
    }
    beginFinding()
    defer { endBeginning() }
    let browser = Browser(serviceType: serviceType, peer: peer)
    log.add(.browsing, LogRecord.Content("browses for “\(serviceType)”", for: serviceType))
    let browsing = discovery.assumeIsolated { discovery in
      discovery.browse(service) { [weak self, weak browser] event in
        self?.assumeIsolated { $0.note(event, of: serviceType) }
        browser?.assumeIsolated { $0.report(event) }
      }
    }
    finding.browsers.append(Finding.Browsing(browser: browser, browsing: browsing))
    browser.assumeIsolated { $0.started(browsing) }
    if let problem = discoveryProblem, problem.cause != nil {
      browser.assumeIsolated { $0.stop() }
      throw problem
    }
    return browser
  }

  func stopBrowsing(
    _ browsing: MulticastDNS.BrowsingID, of serviceType: String, knowing peers: [Finding.Remembered]
  ) {
    log.add(
      .browsingStopped,
      LogRecord.Content("browses for “\(serviceType)” no longer", for: serviceType))
    finding.browsers.removeAll { $0.browsing == browsing }
    finding.remembered += peers
    finding.remembered.removeFirst(max(0, finding.remembered.count - Self.rememberedMax))
    discovery.assumeIsolated { $0.stopBrowsing(browsing) }
  }

  /// What browsers know of a peer, and for which service they found it.
  ///
  /// What browsers knew that were stopped is remembered: a peer that was found can be invited after that.
  func discovered(_ id: PeerID) -> Finding.Remembered? {
    for browser in finding.browsers.reversed().compactMap(\.browser) {
      let found = browser.assumeIsolated { $0.peer(id) }
      if let found { return Finding.Remembered(peer: found, serviceType: browser.serviceType) }
    }
    return finding.remembered.last { $0.peer.id == id }
  }

  /// Whether a browser sees a peer now.
  func isSeen(_ id: PeerID) -> Bool {
    finding.browsers.contains { $0.browser?.assumeIsolated { $0.peer(id) } != nil }
      || missing.found[id] != nil
  }

  /// Doubts that a peer is still there; without a sign of it, browsers lose it in ten seconds.
  func doubt(_ id: PeerID) { discovery.assumeIsolated { $0.reconfirm(id) } }

  /// Where a peer may be dialled: where it is seen now, then what else is known.
  func endpoints(of peer: PeerID, besides known: [Endpoint]) -> [Endpoint] {
    var endpoints = dialable(missing.found[peer]?.endpoints ?? [])
    let known = dialable(discovered(peer)?.peer.endpoints ?? []) + known
    for endpoint in known where !endpoints.contains(endpoint) { endpoints.append(endpoint) }
    return Array(endpoints.prefix(FrameBounds.endpointsMax))
  }

  /// Those of some endpoints, announced or of a ticket, that may be dialled: on loopback when this peer uses it itself.
  func dialable(_ announced: [Endpoint]) -> [Endpoint] {
    let interfaces = host.interfaces
    let source = interfaces.lazy.flatMap(\.addresses).first(where: \.isLoopback)
    return announced.filter { $0.mayBeDialled(onTheWordOf: source, with: interfaces) }
  }

  /// The interface on which an endpoint of a peer was received, if its address is one of another
  /// host of the link.
  func interface(of endpoint: Endpoint, of peer: PeerID) -> UInt32? {
    let index =
      missing.found[peer]?.interface(of: endpoint)
      ?? discovered(peer)?.peer.interface(of: endpoint)
    guard let index else { return nil }
    let interfaces = host.interfaces
    let isOwn = interfaces.contains { $0.addresses.contains(endpoint.address) }
    let interface = interfaces.first { $0.index == index }
    return !isOwn && interface?.canBeHost(endpoint.address) == true ? index : nil
  }

  // MARK: Both

  var discoveryProblem: EarshotError? {
    discovery.assumeIsolated { discovery in
      discovery.problem.map {
        EarshotError(.discoveryUnavailable, $0.description, cause: discovery.failure)
      }
    }
  }

  private func beginFinding() { finding.isBeginning = true }

  private func endBeginning() {
    finding.isBeginning = false
    tellOfDiscovery()
  }

  /// Tells the program, and its browsers, whether peers can be found.
  func tellOfDiscovery() {
    guard phase == .running, !finding.isBeginning else { return }
    let problem = discovery.assumeIsolated { $0.problem }
    if problem != finding.problem {
      finding.problem = problem
      report(problem.map { .unavailable($0) } ?? .available)
    }
    for browser in finding.browsers.compactMap(\.browser) {
      browser.assumeIsolated { $0.note(problem) }
    }
  }

  /// Ends all advertisers and browsers.
  func stopFinding() {
    for advertiser in finding.advertisers.compactMap(\.advertiser) {
      advertiser.assumeIsolated { $0.stop() }
    }
    for browser in finding.browsers.compactMap(\.browser) { browser.assumeIsolated { $0.stop() } }
    (finding.advertisers, finding.browsers, missing) = ([], [], MissingMembers())
    discovery.assumeIsolated { $0.stop() }
  }

  private static let browsersMax = MulticastDNS.browsingsMax - MissingMembers.searchesMax
  private static let rememberedMax = 1_024
}
