import EarshotCore
import EarshotNetwork

extension PeerLog {
  // MARK: The peer

  /// Notes a change in the life of the peer, or of what its host allows.
  func note(_ event: PeerEvent, port: UInt16 = 0) {
    switch event {
    case .running: begin(.listening("runs", on: port))
    case .suspended: add(.suspended, .init("is suspended, and cannot be reached"))
    case .resumed: add(.resumed, .listening("is resumed", on: port))
    case .stopped: add(.stopped, .init("is stopped"))
    case .unavailable(let problem):
      add(.discoveryUnavailable, .init(problem.description, because: problem.word))
    case .available: add(.discoveryAvailable, .init("discovery works again"))
    case .keyChanged(let change):
      let text = "\(change.peer.named(change.name)) was refused: its name belongs to another key"
      add(.keyChanged, .init(text, of: change.peer))
    case .identityInUse(let address):
      let text = "the host at \(address) announces the identity of this peer"
      add(.identityInUse, .init(text, because: "sharedIdentity"))
    case .trustStoreFailed(let error):
      add(.trustStoreFailed, .init(error.description, because: error.code.name))
    }
  }

  // MARK: Other peers

  /// Notes what has happened between this peer and another one.
  ///
  /// - Parameters:
  ///   - fact: What has happened.
  ///   - peer: The other peer.
  ///   - name: What it calls itself, if that is known.
  ///   - link: The link over which it happened, if it was one.
  ///   - event: What the record calls it, if that is not what the fact alone says.
  ///   - numbers: Amounts by their names.
  func note(
    _ fact: PeerHistory.Fact, of peer: PeerID, named name: String?, over link: LinkToken?,
    as event: LogRecord.Event?, numbers: [String: Int]
  ) {
    guard let event = event ?? fact.event else { return }
    add(
      event, at: fact.level,
      .init(
        fact.sentence(about: peer.named(name), isUpdate: event == .updated), of: peer, over: link,
        at: fact.endpoint, for: fact.service, because: fact.reason, numbers: numbers))
  }

  /// Notes that several hosts announce a peer.
  func noteContested(_ peer: DiscoveredPeer, for service: String, by hosts: [IPAddress]) {
    let addresses = hosts.map(\.description).joined(separator: ", ")
    add(
      .contested,
      .init(
        "\(peer.id.named(peer.name)) is announced by several hosts, at \(addresses)", of: peer.id,
        for: service, because: "contested", numbers: ["hosts": hosts.count]))
  }

  /// Notes that a peer announces another version of the protocol.
  func note(_ other: OtherVersion) {
    add(
      .otherVersion,
      .init(
        "“\(other.name)” announces version \(other.version) of the protocol, and is not discovered",
        of: other.id, because: "otherVersion"))
  }

  /// Notes that a peer is about to become a member.
  func noteJoining(_ member: Member) {
    add(
      .memberJoining,
      .init("\(member.id.named(member.name)) is about to become a member", of: member.id))
  }

  // MARK: Trust

  /// Notes that the program is asked about a peer.
  func note(_ request: TrustRequest) {
    add(
      .trustAsked,
      .init(
        "the program is asked whether \(request.peer.named(request.name)) is trusted",
        of: request.peer, because: request.occasion.word))
  }

  /// Notes how a question about a peer has ended.
  func noteAnswer(about peer: PeerID, _ isTrusted: Bool) {
    add(
      .trustAnswered,
      .init(
        "\(peer.short) is \(isTrusted ? "" : "not ")trusted", of: peer,
        because: isTrusted ? "trusted" : "refused"))
  }

  /// Notes how the comparison of a code has ended.
  func noteVerification(with peer: PeerID, named name: String, _ ending: String, hasFailed: Bool) {
    add(
      .verificationEnded, at: hasFailed ? .warning : nil,
      .init("the verification with \(peer.named(name)) ended", of: peer, because: ending))
  }

  // MARK: Invitations

  /// Notes that a peer invites this one.
  func noteReceived(
    _ invite: Invite, from inviter: PeerID, named name: String, over link: LinkToken
  ) {
    add(
      .invitationReceived,
      .init(
        "\(inviter.named(name)) invites this peer for “\(invite.serviceType)”", of: inviter,
        over: link, for: invite.serviceType,
        numbers: [
          "contextBytes": invite.context.count,
          "timeoutMilliseconds": Int(clamping: invite.timeoutMilliseconds),
        ]))
  }

  /// Notes how an invitation of another peer has ended.
  func noteEnded(_ invitation: InboundInvitation, from inviter: PeerID, _ reason: String) {
    add(
      .invitationEnded,
      .init(
        "the invitation of \(inviter.named(invitation.senderName)) ended", of: inviter,
        for: invitation.invite.serviceType, because: reason))
  }

  // MARK: Links

  /// Notes that an address is dialled.
  func noteDialled(_ endpoint: Endpoint, for peer: PeerID?, over link: LinkToken) {
    add(
      .dialled,
      .init(
        "\(peer?.short ?? "a peer") is dialled at \(endpoint)", of: peer, over: link, at: endpoint))
  }

  /// Notes that a connection was accepted.
  func noteAccepted(_ endpoint: Endpoint, over link: LinkToken) {
    add(.accepted, .init("a connection from \(endpoint) is accepted", over: link, at: endpoint))
  }

  /// Notes that a connection of a stranger was dropped.
  func noteDropped(_ endpoint: Endpoint, over link: LinkToken) {
    let text = "the connection from \(endpoint) is dropped: \(LinkEnding.crowded.words)"
    add(.strangerDropped, .init(text, over: link, at: endpoint))
  }

  /// Notes that greetings are exchanged.
  func noteOpened(_ link: Link, with peer: PeerID, _ greeting: Hello, at endpoint: Endpoint) {
    add(
      .linkOpened,
      .init(
        "a link with \(peer.named(greeting.displayName)) is open at \(endpoint)", of: peer,
        over: link.token, at: endpoint, because: link.isDialled ? "dialled" : "accepted"))
  }

  /// Notes that a link ends.
  func noteEnded(_ link: Link, _ ending: LinkEnding) {
    add(.linkEnded, at: ending.isViolation ? .warning : nil, Self.content(of: link, ending))
  }

  private static func content(of link: Link, _ ending: LinkEnding) -> LogRecord.Content {
    let token = link.token
    return link.assumeIsolated { link in
      let (peer, traffic) = (link.knownRemote, link.traffic)
      return LogRecord.Content(
        "the link with \(peer?.short ?? "a stranger") ends: \(ending.words)", of: peer,
        over: token, at: link.remoteEndpoint, because: ending.word,
        numbers: ["bytesSent": traffic.sent, "bytesReceived": traffic.received])
    }
  }

  /// Notes that a peer was refused, since it is not trusted.
  func noteUntrusted(_ peer: PeerID, over link: LinkToken) {
    add(
      .untrusted,
      .init(
        "\(peer.short) was refused, since its key is not trusted", of: peer, over: link,
        because: "untrusted"))
  }

  // MARK: Streams and files

  /// Notes that a stream was opened.
  func noteOpened(_ stream: ByteStream, byRemote: Bool) {
    add(
      .streamOpened,
      .init(
        "a stream \(byRemote ? "from" : "to") \(stream.peer.short) is open", of: stream.peer,
        because: byRemote ? "openedByRemote" : "opened",
        numbers: ["stream": stream.number.logged]))
  }

  /// Notes that a stream was released.
  func noteReleased(
    _ number: StreamNumber, with peer: PeerID, _ statistics: @autoclosure () -> StreamStatistics
  ) {
    add(.streamReleased, Self.content(of: number, with: peer, statistics()))
  }

  private static func content(
    of number: StreamNumber, with peer: PeerID, _ statistics: StreamStatistics
  ) -> LogRecord.Content {
    LogRecord.Content(
      "a stream with \(peer.short) is released", of: peer,
      numbers: [
        "stream": number.logged, "bytesWritten": statistics.bytesWritten,
        "bytesRead": statistics.bytesRead,
      ])
  }

  /// Notes that the transfer of a file begins.
  func noteBegun(_ event: LogRecord.Event, with peer: PeerID, byteCount: Int64?) {
    add(
      event,
      .init(
        "\(event == .resourceSent ? "a file is sent to" : "a file is offered by") \(peer.short)",
        of: peer, numbers: byteCount.map { ["fileBytes": Int(clamping: $0)] } ?? [:]))
  }

  /// Notes that the transfer of a file has ended.
  func noteEnded(with peer: PeerID, _ outcome: Transfer.Outcome, completed: Int64) {
    let (level, reason): (LogRecord.Level?, String) =
      switch outcome {
      case .success: (nil, "completed")
      case .failure(let error): (error.code == .cancelled ? nil : .notice, error.code.name)
      }
    add(
      .resourceEnded, at: level,
      .init(
        "the transfer of a file with \(peer.short) has ended", of: peer, because: reason,
        numbers: ["completedBytes": Int(clamping: completed)]))
  }
}

extension LinkEnding {
  fileprivate var isViolation: Bool {
    if case .end(.violation(let code)) = self { code != .untrusted } else { false }
  }

  fileprivate var words: String {
    switch self {
    case .end(.closed): "the other side closed it"
    case .end(.violation): "this peer refused to go on"
    case .end(let end): end.words
    case .local: "this peer closed it"
    case .crowded: "it made room for others, or waited too long"
    case .hostDown: "the host went down"
    }
  }
}

extension LogRecord.Content {
  fileprivate static func listening(_ words: String, on port: UInt16) -> LogRecord.Content {
    LogRecord.Content("\(words), and listens", numbers: ["port": Int(port)])
  }
}

extension LinkEnd {
  /// The end of a link as a code word.
  var reason: String {
    switch self {
    case .unreachable(let error): error.code.name
    case .broken: "broken"
    case .silence: "silence"
    case .otherPeer: "otherPeer"
    case .closed(let code), .violation(let code): code.description
    }
  }
}

extension DiscoveryProblem {
  /// The problem as a code word.
  fileprivate var word: String {
    switch self {
    case .noInterface: "noInterface"
    case .portTaken: "portTaken"
    case .portUnavailable: "portUnavailable"
    case .onlyIPv4: "onlyIPv4"
    case .onlyThisComputer: "onlyThisComputer"
    }
  }
}

extension TrustRequest.Occasion {
  fileprivate var word: String {
    switch self {
    case .linked: "linked"
    case .invited: "invited"
    case .introduced: "introduced"
    }
  }
}

extension StreamNumber {
  fileprivate var logged: Int { Int(clamping: rawValue) }
}
