import EarshotTLS

/// What became of a link.
enum LinkEnd: Hashable, Sendable {
  /// No connection could be made, or it broke before the handshake was done.
  case unreachable(NetworkError)
  /// The transport broke.
  case broken
  /// Nothing was heard for too long.
  case silence
  /// The remote ended it.
  case closed(CloseCode)
  /// We ended it, because the remote broke the protocol.
  case violation(CloseCode)
}

/// Who is told what happens on a link, always on the network's executor.
protocol LinkOwner: AnyObject, Sendable {
  /// The greetings are exchanged. Called once.
  func linkOpened(_ link: Link, greeting: Hello)
  /// A frame other than HELLO, PING, PONG, ACK, MESSAGE and CLOSE came.
  func link(_ link: Link, received frame: Frame)
  /// Messages came, in order.
  func link(_ link: Link, received messages: [[UInt8]])
  /// A question was answered.
  func link(_ link: Link, measured roundTrip: Duration)
  /// It is over; the last call. Not called when the owner closed it.
  func link(_ link: Link, ended end: LinkEnd)
}

/// One TCP connection to one peer: channel, greeting, frames and liveness.
///
/// Owned by whoever asked for it; tells its owner what comes, and is told what to send. What it writes is
/// gathered once a turn: its own frames first, then as much of its membership's stream as is granted.
actor Link: ConnectionHandler {
  /// Where it listens for ends of waiting.
  private enum Deadline { case handshake, liveness, acknowledgement, linger }
  private enum Phase { case connecting, greeting, open, closing, ended }

  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let token: LinkToken
  /// Whether we dialled.
  nonisolated let isDialled: Bool

  private let context: LinkContext
  private weak var owner: (any LinkOwner)?
  private var phase: Phase
  private var candidates: ArraySlice<Endpoint>
  private var connection: (any Connection)?
  private var channel: SecureChannel
  private var decoder = FrameDecoder()
  private var handshake: HandshakeMachine?
  private var liveness: LinkMachine?
  private var handshakeActions: [HandshakeMachine.Action] = []
  private var livenessActions: [LinkMachine.Action] = []
  private var timers = TimerTable<Deadline>()
  private var timer: (any NetworkTimer)?
  private var protocolBytes: [UInt8] = []  // Of the channel itself.
  private var frames: [UInt8] = []  // Of the link itself.
  private var wire: [UInt8] = []  // What is being written.
  private var written = 0
  private var delivery: Delivery?
  private var arrived: [[UInt8]] = []  // Messages of the chunk at hand.
  private var isReading = false

  /// Who the other side is, once the channel has found out.
  private(set) var remote: PeerID?
  /// The address of the other side.
  private(set) var remoteAddress: IPAddress?
  private(set) var bytesSent = 0
  private(set) var bytesReceived = 0

  private static let writeBytesMax = 65_536
  private static let lingerTime = Duration.seconds(1)

  /// A link that will be dialled, to the first endpoint that answers.
  init(
    _ token: LinkToken, dialling endpoints: [Endpoint], expecting peer: PeerID?,
    context: LinkContext, owner: any LinkOwner
  ) {
    unownedExecutor = context.network.executor.serial.asUnownedSerialExecutor()
    (self.token, self.context, self.owner) = (token, context, owner)
    (isDialled, phase, candidates) = (true, .connecting, endpoints[...])
    channel = SecureChannel(context.identity, expecting: peer)
  }

  /// A link over a connection that was accepted.
  init(
    _ token: LinkToken, accepted connection: any Connection, context: LinkContext,
    owner: any LinkOwner
  ) {
    unownedExecutor = context.network.executor.serial.asUnownedSerialExecutor()
    (self.token, self.context, self.owner) = (token, context, owner)
    (isDialled, phase, candidates) = (false, .greeting, [])
    channel = SecureChannel(context.identity, expecting: nil)
    self.connection = connection
  }

  private var now: Instant { context.network.now }

  // MARK: What the owner asks for

  /// Begins: dials, or greets on the connection that was accepted.
  func start() {
    timer = context.network.makeTimer { [weak self] in
      self?.assumeIsolated { $0.timerFired() }
    }
    if isDialled { dialNext(after: nil) } else { transportOpened() }
  }

  /// Who is to be told from now on.
  func handOver(to owner: any LinkOwner) { self.owner = owner }

  /// Sends a frame of the link itself, in this turn.
  func send(_ payload: some FramePayload & Sendable) {
    guard phase == .greeting || phase == .open else { return }
    payload.encode(into: &frames)
    flushUnlessReading()
  }

  /// Carries a membership's stream from now on.
  func carry(_ delivery: Delivery?) {
    self.delivery = delivery
    flushUnlessReading()
  }

  /// Ends the link, telling the remote why; the owner hears no more of it.
  func close(_ code: CloseCode, text: String = "") {
    owner = nil
    switch phase {
    case .connecting: end(nil)
    case .greeting, .open:
      if remote != nil { Close(code: code, text: text).encode(into: &frames) }
      beginClosing()
    case .closing, .ended: break
    }
  }

  // MARK: Transport

  nonisolated func connectionOpened(_ connection: any Connection) {
    assumeIsolated { $0.transportOpened() }
  }

  nonisolated func connection(_ connection: any Connection, received bytes: Span<UInt8>) {
    assumeIsolated { $0.receive(bytes) }
  }

  nonisolated func connectionReceivedEnd(_ connection: any Connection) {
    assumeIsolated { $0.transportEnded() }
  }

  nonisolated func connectionBecameWritable(_ connection: any Connection) {
    assumeIsolated { $0.flush() }
  }

  nonisolated func connection(_ connection: any Connection, failed error: NetworkError) {
    assumeIsolated { $0.transportFailed(error) }
  }

  private func dialNext(after error: NetworkError?) {
    guard let endpoint = candidates.popFirst() else {
      let none = NetworkError(.hostUnreachable, call: "dial a peer without addresses")
      return end(.unreachable(error ?? none))
    }
    let timeout = candidates.isEmpty ? context.connectTimeout : context.connectTimeout / 2
    do throws(NetworkError) {
      connection = try context.network.connect(
        to: endpoint, options: ConnectionOptions(connectTimeout: timeout), handler: self)
    } catch {
      dialNext(after: error)
    }
  }

  private func transportOpened() {
    phase = .greeting
    remoteAddress = connection?.remoteEndpoint.address
    channel.start(into: &protocolBytes)
    handshake = HandshakeMachine(
      isDialled ? .dialler : .listener, at: now, into: &handshakeActions)
    performHandshakeActions()
    flush()
  }

  private func transportFailed(_ error: NetworkError) {
    connection = nil
    switch phase {
    case .connecting: dialNext(after: error)
    case .greeting: end(.unreachable(error))
    case .open: drive { $0.handle(.transportEnded, at: $1, into: &$2) }
    case .closing: end(nil)
    case .ended: break
    }
  }

  private func transportEnded() {
    switch phase {
    case .greeting: handle(.transportEnded)
    case .open: drive { $0.handle(.transportEnded, at: $1, into: &$2) }
    case .closing: end(nil)
    case .connecting, .ended: break
    }
  }

  private func receive(_ bytes: Span<UInt8>) {
    guard phase == .greeting || phase == .open else { return }
    bytesReceived += bytes.count
    let now = now
    if phase == .open { drive { $0.touched(at: now, into: &$2) } }
    isReading = true
    do throws(SecureChannelError) {
      if remote == nil { try greet(bytes, at: now) } else { try read(bytes, at: now) }
    } catch {
      isReading = false
      distrust(error)
    }
    isReading = false
    handOverMessages()
    flush()
  }

  /// Takes in bytes until the channel knows who the other side is; what follows them waits until then.
  private func greet(_ bytes: Span<UInt8>, at now: Instant) throws(SecureChannelError) {
    var plaintext: [UInt8] = []
    try channel.receive(bytes, into: &protocolBytes) { plaintext.append(copying: $0) }
    guard channel.isReady else { return }
    remote = channel.remote
    handle(.channelReady)
    decode(plaintext.span, at: now)
  }

  /// Takes in bytes of a channel that is ready, in place.
  private func read(_ bytes: Span<UInt8>, at now: Instant) throws(SecureChannelError) {
    try channel.receive(bytes, into: &protocolBytes) { decode($0, at: now) }
  }

  private func distrust(_ error: SecureChannelError) {
    let code: CloseCode = error == .selfConnection ? .selfConnection : .protocolViolation
    let owner = owner
    close(code, text: error.description)
    owner?.link(self, ended: .violation(code))
  }

  private func violate(_ code: CloseCode, _ text: String) {
    let owner = owner
    close(code, text: text)
    owner?.link(self, ended: .violation(code))
  }

  // MARK: Frames

  private func decode(_ plaintext: Span<UInt8>, at now: Instant) {
    guard phase == .greeting || phase == .open else { return }
    do throws(FrameError) {
      try decoder.decode(plaintext) { type, payload, frameBytes throws(FrameError) in
        try handle(type, payload, frameBytes: frameBytes, at: now)
        return phase == .greeting || phase == .open
      }
    } catch {
      handOverMessages()
      violate(error.closeCode, error.description)
    }
  }

  private func handle(
    _ type: FrameType, _ payload: Span<UInt8>, frameBytes: Int, at now: Instant
  ) throws(FrameError) {
    if type == .message, let delivery {
      let message = try delivery.receiveMessage(payload, frameBytes: frameBytes, at: now)
      if let message { arrived.append(message) }
      return
    }
    guard type != .message else { throw unexpected(type, payload) }
    if type.isEnduring {
      guard let delivery else { throw unexpected(type, payload) }
      try delivery.receive(type, frameBytes: frameBytes, at: now)
    }
    guard let frame = try Frame(type, payload: payload) else { return }
    if phase == .greeting {
      handshake?.handle(frame, into: &handshakeActions)
      performHandshakeActions()
      if handshake?.isDone != true || type == .hello { return }
    }
    switch frame {
    case .ping(let ping): drive { $0.handle(.pingReceived(token: ping.token), at: $1, into: &$2) }
    case .pong(let pong): drive { $0.handle(.pongReceived(token: pong.token), at: $1, into: &$2) }
    case .close(let close): drive { $0.handle(.closeReceived(close.code), at: $1, into: &$2) }
    case .acknowledgement(let acknowledgement):
      guard let delivery else { throw unexpected(type, payload) }
      try delivery.acknowledge(acknowledgement)
    case .hello: throw unexpected(type, payload)
    case .invite, .accept, .decline, .cancel, .attach, .attached, .introduce, .leave:
      handOverMessages()
      owner?.link(self, received: frame)
    }
  }

  private func unexpected(_ type: FrameType, _ payload: Span<UInt8>) -> FrameError {
    FrameError(.unexpected, type: type, payloadBytes: payload.count)
  }

  private func handOverMessages() {
    guard !arrived.isEmpty else { return }
    let messages = arrived
    arrived = []
    owner?.link(self, received: messages)
  }

  // MARK: Machines

  private func handle(_ event: HandshakeMachine.Event) {
    handshake?.handle(event, into: &handshakeActions)
    performHandshakeActions()
  }

  private func performHandshakeActions() {
    let actions = handshakeActions
    handshakeActions.removeAll(keepingCapacity: true)
    for action in actions { perform(action) }
  }

  private func perform(_ action: HandshakeMachine.Action) {
    switch action {
    case .wake(let deadline): setDeadline(.handshake, at: deadline)
    case .cancelWake: setDeadline(.handshake, at: nil)
    case .sendHello: context.greeting.encode(into: &frames)
    case .sendClose(let code): if remote != nil { Close(code: code).encode(into: &frames) }
    case .closeTransport: beginClosing()
    case .reportGreeted(let hello), .reportRequested(let hello): opened(by: hello)
    case .reportFailed(let reason): failed(reason)
    }
  }

  private func opened(by hello: Hello) {
    phase = .open
    liveness = LinkMachine(context.liveness, at: now, into: &livenessActions)
    performLivenessActions()
    owner?.linkOpened(self, greeting: hello)
  }

  private func failed(_ reason: HandshakeMachine.Reason) {
    let owner = owner
    self.owner = nil
    let call = "greet \(connection?.remoteEndpoint.description ?? "a peer")"
    switch reason {
    case .timedOut: owner?.link(self, ended: .unreachable(NetworkError(.timedOut, call: call)))
    case .broken:
      owner?.link(self, ended: .unreachable(NetworkError(.connectionReset, call: call)))
    case .closed(let code): owner?.link(self, ended: .closed(code))
    case .closing(let code): owner?.link(self, ended: .violation(code))
    }
  }

  private func drive(
    _ event: (inout LinkMachine, Instant, inout [LinkMachine.Action]) -> Void
  ) {
    guard var machine = liveness.take() else { return }
    event(&machine, now, &livenessActions)
    liveness = machine
    performLivenessActions()
  }

  private func performLivenessActions() {
    guard !livenessActions.isEmpty else { return }
    let actions = livenessActions
    livenessActions.removeAll(keepingCapacity: true)
    for action in actions { perform(action) }
    flushUnlessReading()
  }

  private func perform(_ action: LinkMachine.Action) {
    switch action {
    case .sendPing(let token): Ping(token: token).encode(into: &frames)
    case .sendPong(let token): Ping(token: token).encodePong(into: &frames)
    case .sendClose(let code): Close(code: code).encode(into: &frames)
    case .closeTransport: beginClosing()
    case .wake(let deadline): setDeadline(.liveness, at: deadline)
    case .reportSuspected, .reportTrusted: break
    case .reportRoundTrip(let time): owner?.link(self, measured: time)
    case .reportDown(let reason): down(reason)
    }
  }

  private func down(_ reason: LinkMachine.Reason) {
    handOverMessages()
    let owner = owner
    self.owner = nil
    switch reason {
    case .silence: owner?.link(self, ended: .silence)
    case .closed(let code): owner?.link(self, ended: .closed(code))
    case .closing: break
    case .broken: owner?.link(self, ended: .broken)
    }
  }

  // MARK: Time

  private func setDeadline(_ key: Deadline, at deadline: Instant?) {
    if let deadline { timers.set(key, at: deadline) } else { timers.cancel(key) }
    if let next = timers.next { timer?.arm(at: next) } else { timer?.disarm() }
  }

  private func timerFired() {
    let now = now
    while let key = timers.popDue(at: now) {
      switch key {
      case .handshake: handle(.deadlineReached)
      case .liveness: drive { $0.handle(.deadlineReached, at: $1, into: &$2) }
      case .acknowledgement: break  // Flushing sends it.
      case .linger: end(nil)
      }
    }
    flush()
    if let next = timers.next { timer?.arm(at: next) }
  }

  // MARK: Writing

  /// Something of the membership's stream wants to go out.
  nonisolated func flushRequested() { assumeIsolated { $0.flush() } }

  private func flushUnlessReading() { if !isReading { flush() } }

  /// Writes what there is, as far as the transport takes it.
  private func flush() {
    guard let connection, phase != .connecting, phase != .ended else { return }
    while true {
      if written == wire.count { refill() }
      guard !wire.isEmpty else { break }
      do throws(NetworkError) {
        let count = try connection.write(wire.span.extracting(written...))
        written += count
        bytesSent += count
        if count == 0 { return }
      } catch {
        return  // The handler hears of the failure.
      }
    }
    if phase == .closing { connection.finishWriting() }
    if let deadline = delivery?.acknowledgementDeadline, timers[.acknowledgement] == nil {
      setDeadline(.acknowledgement, at: deadline)
    }
  }

  private func refill() {
    wire.removeAll(keepingCapacity: true)
    written = 0
    if !protocolBytes.isEmpty {
      wire += protocolBytes
      protocolBytes = []
    }
    guard remote != nil else { return }
    delivery?.fill(&frames, max: Self.writeBytesMax, at: now)
    guard !frames.isEmpty else { return }
    channel.seal(frames.span, into: &wire)
    frames.removeAll(keepingCapacity: true)
  }

  // MARK: Ending

  /// Sends what is left, waits for the remote's end for a moment, then closes.
  private func beginClosing() {
    guard phase == .greeting || phase == .open else { return }
    phase = .closing
    delivery = nil
    liveness = nil
    timers = TimerTable()
    setDeadline(.linger, at: now + Self.lingerTime)
    if connection == nil { end(nil) } else { flushUnlessReading() }
  }

  private func end(_ reason: LinkEnd?) {
    guard phase != .ended else { return }
    phase = .ended
    connection?.close()
    connection = nil
    delivery = nil
    liveness = nil
    timer?.disarm()
    timer = nil
    guard let reason else { return }
    let owner = owner
    self.owner = nil
    owner?.link(self, ended: reason)
  }
}

/// What all links of one peer share.
struct LinkContext: Sendable {
  let network: any Network
  let identity: Identity
  let liveness: LinkMachine.Configuration
  let connectTimeout: Duration
  let greeting: Hello
}
