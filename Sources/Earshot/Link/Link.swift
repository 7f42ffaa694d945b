import EarshotNetwork
import EarshotTLS

/// One TCP connection to one peer: channel, greeting, frames and liveness.
///
/// Belongs to what asked for it; tells its owner what comes, and is told what to send.
actor Link: ConnectionHandler {
  /// What it waits for until a deadline.
  enum Deadline { case handshake, liveness, acknowledgement, room, linger }
  /// Where it is in its life, with what each phase needs.
  ///
  /// One reference in every phase, since every frame looks at it.
  enum Life {
    /// A connection that was accepted, and has not been started.
    indirect case accepted(any Connection)
    /// Where the remote peer is looked for, and the connection that is being made.
    indirect case dialling(Endpoint, (any Connection)?)
    /// The channel does not know yet who the remote peer is.
    indirect case securing(LinkTransport, MachineDriver<HandshakeMachine>)
    indirect case greeting(LinkTransport, PeerID, MachineDriver<HandshakeMachine>)
    case open(OpenLink)
    /// What is left is written, then the remote peer's end is waited for.
    indirect case closing(LinkTransport, Lingering)
    case ended
  }

  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let token: LinkToken
  /// Whether this side dialled.
  nonisolated let isDialled: Bool

  let context: LinkContext
  let expected: PeerID?
  /// The interface to dial by first, where routes lead elsewhere.
  let firstInterface: UInt32?
  weak var owner: (any LinkOwner)?
  // Without the dynamic checks of exclusivity, which every frame would pay for: all accesses are instantaneous.
  @exclusivity(unchecked) var life: Life
  /// How much the reliable channel has taken in this turn that it has not passed on.
  @exclusivity(unchecked) var arrivedCount = 0
  /// Whether the remote peer may have to wait for an acknowledgement before this turn ends.
  @exclusivity(unchecked) var isAcknowledgementUrgent = false
  @exclusivity(unchecked) var isReading = false
  @exclusivity(unchecked) var hasReceived = false  // Something in this turn.
  /// What it counts as.
  var standing = Standing.pending
  /// How long the last question took to be answered, or `nil` before the first answer.
  var roundTrip: Duration?
  @exclusivity(unchecked) private var timer: DeadlineTimer<Deadline>?
  /// Whether the timer fires, and follows the deadlines once that is done.
  @exclusivity(unchecked) private var isFiring = false

  /// A link that will be dialled.
  init(
    _ token: LinkToken, dialling endpoint: Endpoint, first interface: UInt32?,
    expecting peer: PeerID?, context: LinkContext, owner: any LinkOwner
  ) {
    unownedExecutor = context.host.executor.serial.asUnownedSerialExecutor()
    (self.token, self.context, self.owner) = (token, context, owner)
    (isDialled, expected, life) = (true, peer, .dialling(endpoint, nil))
    firstInterface = interface
  }

  /// A link over a connection that was accepted.
  init(
    _ token: LinkToken, accepted connection: any Connection, context: LinkContext,
    owner: any LinkOwner
  ) {
    unownedExecutor = context.host.executor.serial.asUnownedSerialExecutor()
    (self.token, self.context, self.owner) = (token, context, owner)
    (isDialled, expected, life) = (false, nil, .accepted(connection))
    firstInterface = nil
  }

  var now: Instant { context.host.now }

  /// The remote peer, while the link lives and the channel has found out.
  var remote: PeerID? {
    switch life {
    case .greeting(_, let remote, _): remote
    case .open(let open): open.remote
    case .accepted, .dialling, .securing, .closing, .ended: nil
    }
  }

  /// The remote peer also after the end, as far as it was ever known, or expected.
  var knownRemote: PeerID? { remote ?? transport?.remote ?? expected }

  /// The connection with its channel, from the opening to the end.
  var transport: LinkTransport? {
    switch life {
    case .securing(let transport, _), .greeting(let transport, _, _), .closing(let transport, _):
      transport
    case .open(let open): open.transport
    case .accepted, .dialling, .ended: nil
    }
  }

  /// The parts of the membership that it carries, if it carries one.
  var parts: MembershipParts? {
    if case .open(let open) = life { open.parts } else { nil }
  }

  /// The bytes that were written and read so far, frames and headers included.
  var traffic: (sent: Int, received: Int) {
    transport.map { ($0.bytesSent, $0.bytesReceived) } ?? (0, 0)
  }

  /// The address of the remote peer, while there is a connection.
  var remoteAddress: IPAddress? { transport?.connection.remoteEndpoint.address }

  // MARK: What the owner asks for

  /// Begins: dials, or greets on the connection that was accepted.
  func start() {
    // It is stopped with the link's end. A weak reference would make each retain and release of the link slower.
    timer = DeadlineTimer(on: context.host) { [self] in inTurn { $0.timerFired() } }
    switch life {
    case .accepted(let connection): transportOpened(connection)
    case .dialling(let endpoint, _):
      context.log.noteDialled(endpoint, for: expected, over: token)
      dial(endpoint)
    case .securing, .greeting, .open, .closing, .ended: break
    }
  }

  /// Tells another owner from now on.
  func handOver(to owner: any LinkOwner) { self.owner = owner }

  /// Sends a frame of the link itself, in this turn.
  func send(_ payload: some FramePayload & Sendable) {
    switch life {
    case .securing, .greeting, .open:
      transport?.append(payload)
      flushUnlessReading()
    case .accepted, .dialling, .closing, .ended: break
    }
  }

  /// A secret that both ends of the link have, as long as it is open.
  func exportSecret(label: String, context: [UInt8], count: Int) -> [UInt8]? {
    guard case .open(let open) = life else { return nil }
    return open.transport.exporter?.secret(label: label, context: context, count: count)
  }

  /// Sends messages that may be lost, as many as the transport takes now.
  ///
  /// - Returns: How many those are.
  func sendUnreliably(_ messages: UnreliableOutbox.Batch) -> Int {
    guard case .open(let open) = life, !open.transport.hasFailed else { return 0 }
    let sent = open.transport.append(messages, at: now)
    flushUnlessReading()
    return sent
  }

  /// Whether at least half of what may be under way is.
  var isBusy: Bool {
    if case .open(let open) = life { open.transport.isBusy(at: now) } else { false }
  }

  /// Carries a membership from now on, and hands its parts the frames that are theirs.
  func carry(_ parts: MembershipParts) {
    guard case .open(let open) = life else { return }
    open.parts = parts
    flushUnlessReading()
  }

  /// Whether the remote peer has sent an invitation, and is not known to be trusted yet.
  var holdsInvitation: Bool {
    if case .open(let open) = life { open.held?.invitations.isEmpty == false } else { false }
  }

  /// Ends the link, telling the remote peer why; the owner hears no more of it.
  ///
  /// A remote peer whose invitation is held hears at the end of this peer that there will be no answer.
  func close(_ code: CloseCode, text: String = "") {
    owner = nil
    noteEnding(.local(code))
    switch life {
    case .accepted, .dialling: end(nil)
    case .securing: beginClosing()
    case .greeting, .open:
      if code == .done { declineHeld() }
      transport?.append(Close(code: code, text: text))
      beginClosing()
    case .closing, .ended: break
    }
  }

  /// Ends the link at once, without a word; the owner hears no more of it.
  func drop() {
    owner = nil
    noteEnding(.crowded)
    connection?.reset()
    end(nil)
  }

  // MARK: Time

  func setDeadline(_ key: Deadline, at deadline: Instant?) {
    guard let timer else { return }
    timer.set(key, at: deadline)
    if !isFiring { timer.rearm() }
  }

  func isWaiting(for key: Deadline) -> Bool { timer?[key] != nil }

  private func timerFired() {
    guard let timer else { return }
    let now = now
    var isFlushed = false
    isFiring = true
    while let key = timer.popDue(at: now) {
      isFlushed = false
      switch key {
      case .handshake: handle(.deadlineReached)
      case .liveness: isFlushed = judgeSilence()
      case .acknowledgement, .room: break  // Flushing sends it.
      case .linger: lingerOn(at: now)
      }
    }
    if !isFlushed { flush() }
    isFiring = false
    timer.rearm()
  }

  /// - Returns: Whether the link was flushed then.
  private func judgeSilence() -> Bool {
    guard case .open(let open) = life else { return false }
    return handle(LivenessMachine.Event.deadlineReached(open.transport.signs))
  }

  // MARK: Ending

  /// Sends what is left, waits for the remote peer's end for a moment, then closes.
  func beginClosing() {
    switch life {
    case .securing, .greeting, .open:
      guard let transport, !transport.hasFailed else { return end(nil) }
      letGoOfHeld()
      let lingering = Lingering(transport.connection.progress, until: now + Lingering.longest)
      life = .closing(transport, lingering)
      timer?.cancelAll()
      setDeadline(.linger, at: now + Lingering.time)
      flushUnlessReading()
    case .accepted, .dialling, .closing, .ended: break
    }
  }

  /// Waits on as long as the transport gets on with what was written, or with what comes before the end.
  private func lingerOn(at now: Instant) {
    guard case .closing(let transport, var lingering) = life else { return }
    guard lingering.goesOn(with: transport.connection.progress, at: now) else {
      context.host.reached(.lingeringEnded)
      return end(nil)
    }
    life = .closing(transport, lingering)
    setDeadline(.linger, at: min(now + Lingering.time, lingering.limit))
  }

  /// Lets go of everything; tells the owner why, unless it need not know.
  func end(_ reason: LinkEnd?) {
    let connection = connection
    if case .ended = life { return }
    if let reason { noteEnding(.end(reason)) }
    letGoOfHeld()
    context.meter.assumeIsolated { $0.closed(self) }
    life = .ended
    connection?.close()
    timer?.stop()
    timer = nil
    if let reason { report(reason) }
  }

  /// Where the remote side is, in every phase but the last.
  var remoteEndpoint: Endpoint? {
    switch life {
    case .accepted(let connection): connection.remoteEndpoint
    case .dialling(let endpoint, _): endpoint
    case .securing, .greeting, .open, .closing: transport?.connection.remoteEndpoint
    case .ended: nil
    }
  }

  private var connection: (any Connection)? {
    switch life {
    case .accepted(let connection): connection
    case .dialling(_, let connection): connection
    case .securing, .greeting, .open, .closing:
      transport.flatMap { $0.hasFailed ? nil : $0.connection }
    case .ended: nil
    }
  }

  /// The last report to the owner.
  func report(_ end: LinkEnd) {
    noteEnding(.end(end))
    let owner = owner
    self.owner = nil
    owner?.link(self, ended: end)
  }
}
