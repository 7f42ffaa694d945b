import EarshotNetwork

/// What has a peer searched for, and is told once how that ended, unless it gives up.
protocol DiallingOwner: AnyObject, Sendable {
  /// The peer was reached at one of its addresses; the link is the owner's from now on.
  func dialling(_ dialling: Dialling, reached link: Link, _ greeting: Hello, at endpoint: Endpoint)
  /// The peer was not reached, or has refused as a code says.
  func dialling(_ dialling: Dialling, missed code: CloseCode?)
}

/// The search for one peer at its addresses.
///
/// The shell of a ``DialMachine``: owns the links that are tried, until one of them is open.
actor Dialling {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  private let wanted: PeerID
  private let endpoints: [Endpoint]
  private let peer: PeerCore
  private weak var owner: (any DiallingOwner)?
  private let driver: MachineDriver<DialMachine>
  private var timer: (any NetworkTimer)?
  private var links: [Int: Link] = [:]
  private var greetings: [Int: Hello] = [:]

  /// A search that begins when it is started, for a peer at some addresses.
  init(
    for wanted: PeerID, at endpoints: [Endpoint], by peer: PeerCore, owner: any DiallingOwner
  ) {
    var actions: [DialMachine.Action] = []
    let machine = DialMachine(
      addresses: endpoints.count, at: peer.host.now, into: &actions)
    driver = MachineDriver(machine, beginningWith: actions)
    unownedExecutor = peer.unownedExecutor
    (self.wanted, self.endpoints) = (wanted, endpoints)
    (self.peer, self.owner) = (peer, owner)
  }

  /// The links that are being tried.
  var tokens: [LinkToken] { links.values.map(\.token).sorted() }

  /// The search itself, and its links.
  var inside: [any Actor] { [self] + Array(links.values) }

  func start() {
    timer = peer.host.makeTimer { [weak self] in
      self?.assumeIsolated { $0.handle(.deadlineReached) }
    }
    driver.start(at: peer.host.now) { perform($0) }
  }

  /// Gives up; nothing is reported any more.
  func cancel(_ code: CloseCode) {
    (timer, owner) = (nil, nil)
    let cancelled = links.values.sorted { $0.token < $1.token }
    links = [:]
    for link in cancelled { link.assumeIsolated { $0.close(code) } }
  }

  private func handle(_ event: DialMachine.Event) {
    driver.handle(event, at: peer.host.now) { perform($0) }
  }

  private func perform(_ action: DialMachine.Action) {
    switch action {
    case .attempt(let index): attempt(index)
    case .abandon(let index):
      links.removeValue(forKey: index)?.assumeIsolated { $0.close(.duplicate) }
    case .wake(let instant): timer?.arm(at: instant)
    case .reportOpened(let index): opened(index)
    case .reportFailed: missed(nil)
    case .reportRefused(let code): missed(code)
    }
  }

  private func attempt(_ index: Int) {
    let link = peer.assumeIsolated {
      $0.makeLink(to: wanted, at: endpoints[index], owner: self)
    }
    links[index] = link
    link.assumeIsolated { $0.start() }
  }

  private func opened(_ index: Int) {
    timer = nil
    guard let link = links.removeValue(forKey: index),
      let greeting = greetings.removeValue(forKey: index)
    else { return }
    note(.reached(endpoints[index]), named: greeting.displayName, over: link)
    owner.take()?.dialling(self, reached: link, greeting, at: endpoints[index])
  }

  private func missed(_ code: CloseCode?) {
    timer = nil
    owner.take()?.dialling(self, missed: code)
  }

  private func note(_ fact: PeerHistory.Fact, named name: String? = nil, over link: Link) {
    peer.assumeIsolated { $0.note(fact, of: wanted, named: name, over: link.token) }
  }

  private func index(of link: Link) -> Int? { links.first { $0.value === link }?.key }
}

extension Dialling: LinkOwner {
  nonisolated func link(_ link: Link, opened greeting: Hello) {
    assumeIsolated { dialling in
      guard let index = dialling.index(of: link) else { return }
      dialling.greetings[index] = greeting
      dialling.handle(.opened(index))
    }
  }

  nonisolated func link(_ link: Link, ended end: LinkEnd) {
    assumeIsolated { dialling in
      guard let index = dialling.index(of: link) else { return }
      dialling.links[index] = nil
      dialling.note(.missed(dialling.endpoints[index], end), over: link)
      switch end {
      case .closed(let code): dialling.handle(.refused(index, code))
      case .violation(.untrusted): dialling.handle(.refused(index, .untrusted))
      case .unreachable, .broken, .silence, .otherPeer, .violation: dialling.handle(.failed(index))
      }
    }
  }
}
