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

/// Who is told what happens on a link, always on the host's executor.
protocol LinkOwner: AnyObject, Sendable {
  /// The greetings are exchanged. Called once.
  func linkOpened(_ link: Link, greeting: Hello)
  /// A frame other than HELLO, PING, PONG, ACK, MESSAGE and CLOSE came.
  func link(_ link: Link, received frame: Frame)
  /// Messages came, in order.
  func link(_ link: Link, received messages: [SessionEvent])
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
  enum Deadline { case handshake, liveness, acknowledgement, room, linger }
  enum Phase { case connecting, greeting, open, closing, ended }

  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let token: LinkToken
  /// Whether we dialled.
  nonisolated let isDialled: Bool

  let context: LinkContext
  weak var owner: (any LinkOwner)?
  var phase: Phase
  var candidates: ArraySlice<Endpoint>
  var connection: (any Connection)?
  var channel: SecureChannel
  var decoder = FrameDecoder()
  var handshake: HandshakeMachine?
  var liveness: LivenessMachine?
  var handshakeActions: [HandshakeMachine.Action] = []
  var livenessActions: [LivenessMachine.Action] = []
  var timers = TimerTable<Deadline>()
  var timer: (any NetworkTimer)?
  var protocolBytes: [UInt8] = []  // Of the channel itself.
  var frames: [UInt8] = []  // Of the link itself.
  var wire: [UInt8] = []  // What is being written.
  var written = 0
  var budget = FlightBudget()
  /// Where in all that is written the last PING ends; beyond any place until it is being written.
  var questionEnd = 0
  var lastWritten: Instant
  var lingering = Lingering()
  var stream: ReliableStream?
  var arrived: [SessionEvent] = []  // Messages of the chunk at hand.
  var isReading = false
  var hasRemoteEnded = false

  /// Who the other side is, once the channel has found out.
  var remote: PeerID?
  /// The address of the other side.
  var remoteAddress: IPAddress?
  var bytesSent = 0
  var bytesReceived = 0

  static let writeBytesMax = 131_072  // With 64 KiB, the end of a message of 64 KiB would go alone.

  /// A link that will be dialled, to the first endpoint that answers.
  init(
    _ token: LinkToken, dialling endpoints: [Endpoint], expecting peer: PeerID?,
    context: LinkContext, owner: any LinkOwner
  ) {
    unownedExecutor = context.host.executor.serial.asUnownedSerialExecutor()
    (self.token, self.context, self.owner) = (token, context, owner)
    (isDialled, phase, candidates) = (true, .connecting, endpoints[...])
    lastWritten = context.host.now
    channel = SecureChannel(context.identity, expecting: peer)
  }

  /// A link over a connection that was accepted.
  init(
    _ token: LinkToken, accepted connection: any Connection, context: LinkContext,
    owner: any LinkOwner
  ) {
    unownedExecutor = context.host.executor.serial.asUnownedSerialExecutor()
    (self.token, self.context, self.owner) = (token, context, owner)
    (isDialled, phase, candidates) = (false, .greeting, [])
    lastWritten = context.host.now
    channel = SecureChannel(context.identity, expecting: nil)
    self.connection = connection
  }

  var now: Instant { context.host.now }

  // MARK: What the owner asks for

  /// Begins: dials, or greets on the connection that was accepted.
  func start() {
    timer = context.host.makeTimer { [weak self] in
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
  func carry(_ stream: ReliableStream?) {
    self.stream = stream
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

  // MARK: Time

  func setDeadline(_ key: Deadline, at deadline: Instant?) {
    if let deadline { timers.set(key, at: deadline) } else { timers.cancel(key) }
    if let next = timers.next { timer?.arm(at: next) } else { timer?.disarm() }
  }

  func timerFired() {
    let now = now
    while let key = timers.popDue(at: now) {
      switch key {
      case .handshake: handle(.deadlineReached)
      case .liveness:
        let signs = signs
        drive { $0.handle(.deadlineReached(signs), at: $1, into: &$2) }
      case .acknowledgement, .room: break  // Flushing sends it.
      case .linger: lingerOn(at: now)
      }
    }
    flush()
    if let next = timers.next { timer?.arm(at: next) }
  }

  // MARK: Ending

  /// Sends what is left, waits for the remote's end for a moment, then closes.
  func beginClosing() {
    guard phase == .greeting || phase == .open else { return }
    phase = .closing
    stream = nil
    liveness = nil
    timers = TimerTable()
    lingering = Lingering(connection?.progress, until: now + Lingering.longest)
    setDeadline(.linger, at: now + Lingering.time)
    if connection == nil { end(nil) } else { flushUnlessReading() }
  }

  /// Waits on as long as the transport gets on with what was written, or with what comes before the end.
  func lingerOn(at now: Instant) {
    guard let progress = connection?.progress, lingering.goesOn(with: progress, at: now) else {
      return end(nil)
    }
    setDeadline(.linger, at: min(now + Lingering.time, lingering.limit))
  }

  func end(_ reason: LinkEnd?) {
    guard phase != .ended else { return }
    phase = .ended
    connection?.close()
    connection = nil
    stream = nil
    liveness = nil
    timer?.disarm()
    timer = nil
    guard let reason else { return }
    let owner = owner
    self.owner = nil
    owner?.link(self, ended: reason)
  }
}

/// How long a link that is closing waits for the other side's end.
struct Lingering {
  /// How long it waits when the transport does not get on.
  static let time = Duration.seconds(1)
  /// How long it waits in any case.
  static let longest = Duration.seconds(10)

  private(set) var limit = Instant.zero
  private var progress: TransportProgress?

  init() {}

  init(_ progress: TransportProgress?, until limit: Instant) {
    (self.progress, self.limit) = (progress, limit)
  }

  /// Whether the transport got on since the last time.
  mutating func goesOn(with progress: TransportProgress, at now: Instant) -> Bool {
    defer { self.progress = progress }
    return now < limit && progress != self.progress
  }
}

/// What all links of one peer share.
struct LinkContext: Sendable {
  let host: any NetworkHost
  let identity: Identity
  let liveness: LivenessMachine.Configuration
  let connectTimeout: Duration
  let greeting: Hello
}
