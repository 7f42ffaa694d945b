import EarshotNetwork

/// The search for an invited peer at its addresses.
///
/// The shell of a ``DialMachine``: owns the links that are tried, until one of them is open.
actor Dialling {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  private let invitation: InvitationID
  private let invited: PeerID
  private let endpoints: [Endpoint]
  private let owner: Invitations
  private let driver: MachineDriver<DialMachine>
  private var timer: (any NetworkTimer)?
  private var links: [Int: Link] = [:]
  private var greetings: [Int: Hello] = [:]

  init(
    for invitation: InvitationID, to invited: PeerID, at endpoints: [Endpoint],
    of owner: Invitations
  ) {
    var actions: [DialMachine.Action] = []
    let machine = DialMachine(
      addresses: endpoints.count, at: owner.now, into: &actions)
    driver = MachineDriver(machine, beginningWith: actions)
    unownedExecutor = owner.unownedExecutor
    (self.invitation, self.invited) = (invitation, invited)
    (self.endpoints, self.owner) = (endpoints, owner)
  }

  /// The links that are being tried.
  var tokens: [LinkToken] { links.values.map(\.token).sorted() }

  /// The search itself, and its links.
  var inside: [any Actor] { [self] + Array(links.values) }

  func start() {
    timer = owner.peer.host.makeTimer { [weak self] in
      self?.assumeIsolated { $0.handle(.deadlineReached) }
    }
    driver.start(at: owner.now) { perform($0) }
  }

  /// Gives up; nothing is reported any more.
  func cancel(_ code: CloseCode) {
    timer = nil
    let cancelled = links.values.sorted { $0.token < $1.token }
    links = [:]
    for link in cancelled { link.assumeIsolated { $0.close(code) } }
  }

  private func handle(_ event: DialMachine.Event) {
    driver.handle(event, at: owner.now) { perform($0) }
  }

  private func perform(_ action: DialMachine.Action) {
    switch action {
    case .attempt(let index): attempt(index)
    case .abandon(let index):
      links.removeValue(forKey: index)?.assumeIsolated { $0.close(.duplicate) }
    case .wake(let instant): timer?.arm(at: instant)
    case .reportOpened(let index): opened(index)
    case .reportFailed:
      timer = nil
      report(.dialFailed(invitation))
    case .reportRefused(let code):
      timer = nil
      report(.dialRefused(invitation, code))
    }
  }

  private func attempt(_ index: Int) {
    let link = owner.peer.assumeIsolated {
      $0.makeLink(to: invited, at: [endpoints[index]], owner: self)
    }
    links[index] = link
    link.assumeIsolated { $0.start() }
  }

  private func opened(_ index: Int) {
    timer = nil
    guard let link = links.removeValue(forKey: index),
      let greeting = greetings.removeValue(forKey: index)
    else { return }
    let (id, endpoint) = (invitation, endpoints[index])
    owner.assumeIsolated { $0.reached(id, over: link, greeting, at: endpoint) }
  }

  private func report(_ event: InvitationTable.Event) {
    let id = invitation
    owner.assumeIsolated { $0.missed(id, event) }
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
      switch end {
      case .closed(let code): dialling.handle(.refused(index, code))
      case .violation(.untrusted): dialling.handle(.refused(index, .untrusted))
      case .unreachable, .broken, .silence, .violation: dialling.handle(.failed(index))
      }
    }
  }
}
