import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// What some bytes have Mallory say, and when: on a connection that she dials, or one that was dialled to her.
struct MalloryScript {
  /// Who she is, but for what a script has her be.
  static let id = other(7)

  private var input: InputReader
  private let endpoint: Endpoint
  private let host: SimulatedHost
  private let listener: MalloryListener
  private var line: Mallory?
  private var dialled: [Mallory] = []
  private var pending: [UInt8] = []
  private var sessions: UInt64 = 0

  /// A script that begins on a connection of its own, unless it waits for one.
  init(
    _ bytes: [UInt8], to endpoint: Endpoint, on host: SimulatedHost, listener: MalloryListener
  ) {
    input = InputReader(bytes)
    (self.endpoint, self.host, self.listener) = (endpoint, host, listener)
  }

  /// One of those whom she introduces, and may be.
  static func other(_ number: Int) -> PeerID {
    var random = RandomStream(seed: UInt64(number))
    return PeerID(random: &random)
  }

  /// The numbers of all frames that she has heard.
  var heard: Set<FrameNumber> {
    (dialled + listener.accepted).reduce(into: []) { $0.formUnion($1.heard.numbers) }
  }

  mutating func run(dialling: Bool) async {
    if dialling { dial() }
    await wait(milliseconds: 10)
    if !dialling { line = listener.accepted.last }
    while !input.isAtEnd {
      if case .number(let code) = step() { await wait(milliseconds: 1 << code) }
    }
    line?.say(pending)
    await wait(milliseconds: 1_000)
    listener.close()
    for mallory in dialled + listener.accepted { mallory.hangUp(inOrder: true) }
  }

  private func wait(milliseconds: Int) async {
    try? await host.sleep(until: host.now + .milliseconds(milliseconds))
  }

  private mutating func dial() {
    line = try? Mallory(as: Self.id, to: endpoint, on: host)
    if let line { dialled.append(line) }
    pending = []
  }

  private enum Pause { case none, number(Int) }

  private mutating func step() -> Pause {
    switch input.number(below: 16) {
    case 0: return .number(input.number(below: 14))
    case 1:
      line?.say(pending)
      pending = []
      return .number(0)
    case 2:  // In two pieces.
      let count = min(pending.count, Int(input.byte()))
      line?.say(Array(pending.prefix(count)))
      pending.removeFirst(count)
      return .number(2)
    case 3:
      line?.hangUp(inOrder: input.byte() % 2 == 0)
      dial()
      return .number(4)
    case 4: pending += input.bytes(input.number(below: 64))
    case 5:
      FrameEncoder.append(
        FrameNumber(rawValue: UInt64(input.byte())), payload: input.bytes(Int(input.byte())).span,
        to: &pending)
    case 14:  // The last one that was dialled to her, or one before.
      let accepted = listener.accepted
      let place = accepted.count - 1 - input.number(below: 4)
      line = accepted.indices.contains(place) ? accepted[place] : accepted.last ?? line
      pending = []
    case 15: listener.become(Self.other(input.number(below: 8)))
    default: append()
    }
    return .none
  }

  /// Appends a frame that is whole.
  private mutating func append() {
    let terms = SessionTerms(
      seniority: UInt64(input.byte()), capacity: 2 + input.number(below: 16),
      messageBytesMax: Int(input.byte()) << 8)
    let number = Int(input.byte())
    switch number < Self.ordinaryEnd ? number % 21 : 21 + number % 5 {
    case 0:
      Hello(port: listener.endpoint?.port ?? 0, displayName: "Mallory").encode(into: &pending)
    case 1:
      sessions += UInt64(input.number(below: 2))
      Invite(
        invitation: invitation, session: session, nextSeniority: UInt64(input.byte()),
        timeoutMilliseconds: UInt64(input.byte()) << 7, isOfSeveral: sessions.isMultiple(of: 2),
        serviceType: "room", context: []
      ).encode(into: &pending)
    case 2: attach(terms)
    case 3:
      Attached(
        membership: membership, epoch: UInt64(input.byte()), received: UInt64(input.byte()),
        grant: grant(), terms: terms
      ).encode(into: &pending)
    case 4:
      Acknowledgement(received: UInt64(min(input.byte(), input.byte()))).encode(into: &pending)
    case 5: MessagePart.append(message: input.bytes(input.number(below: 64)).span, to: &pending)
    case 6: introduce(terms)
    case 7: Leave(code: CloseCode(rawValue: UInt64(input.byte()))).encode(into: &pending)
    case 8: Ping(token: UInt64(input.byte())).encode(into: &pending)
    case 9: Ping(token: UInt64(input.byte())).encode(as: .pong, into: &pending)
    case 10:
      DatagramOffer(connection: UInt64(input.byte()), port: UInt16(input.byte()) << 8)
        .encode(into: &pending)
    case 11: UnreliableMessage(input.bytes(Int(input.byte()))).encode(into: &pending)
    case let code: answer(code, terms)
    }
  }

  /// Appends a frame that answers what was heard, or does so too late, or for nothing.
  private mutating func answer(_ code: Int, _ terms: SessionTerms) {
    switch code {
    case 12:
      Accept(
        invitation: heardInvitation, session: session,
        membership: MembershipID(rawValue: UInt64(input.byte())),
        nextSeniority: UInt64(input.byte()), grant: grant(), terms: terms
      ).encode(into: &pending)
    case 13:
      Decline(invitation: heardInvitation, reason: DeclineReason(rawValue: UInt64(input.byte())))
        .encode(into: &pending)
    case 14:
      Cancel(invitation: invitation, reason: CancelReason(rawValue: UInt64(input.byte())))
        .encode(into: &pending)
    case 15:
      Retract(peer: named(), session: SessionID(rawValue: UInt64(input.byte())))
        .encode(into: &pending)
    case 16: Close(code: CloseCode(rawValue: UInt64(input.byte())), text: "").encode(into: &pending)
    case 17: VerificationRequest(attempt: attempt()).encode(into: &pending)
    case 18:
      VerificationCommitment(attempt: attempt(), hash: bytes32()).encode(into: &pending)
    case 19: VerificationNonce(attempt: attempt(), nonce: bytes32()).encode(into: &pending)
    case 21...25: stream(code)
    default:
      let verdicts = VerificationVerdict.Verdict.allCases
      VerificationVerdict(
        attempt: attempt(), verdict: verdicts[input.number(below: verdicts.count)]
      )
      .encode(into: &pending)
    }
  }

  /// From this byte on, one stands for a frame of a stream.
  private static let ordinaryEnd = 231

  /// Appends a frame of a stream: her own, one of the others, or one that never was.
  private mutating func stream(_ code: Int) {
    switch code {
    case 21:
      let priorities = StreamPriority.allCases
      StreamOpening(
        place: UInt64(input.number(below: 20)) + 1,
        priority: priorities[input.number(below: priorities.count)],
        isTwoWay: input.byte() % 2 == 0, name: "stream"
      ).encode(into: &pending)
    case 22:
      let bytes = input.bytes(input.number(below: 64))
      StreamData.appendHeader(
        streamNumber(), bytes: bytes.count, isFinal: input.byte() % 4 == 0, to: &pending)
      pending += bytes
    case 23:
      StreamReset(streamNumber(), StreamAbort(.program, code: UInt64(input.byte())))
        .encode(into: &pending)
    case 24: StreamStop(streamNumber(), StreamAbort(.dropped)).encode(into: &pending)
    default:
      let limits = (0..<input.number(below: 3)).map { _ in
        Credit.Limit(streamNumber(), UInt64(input.byte()) << 10)
      }
      Credit(streams: UInt64(input.byte()), limits: limits).encode(into: &pending)
    }
  }

  private mutating func streamNumber() -> StreamNumber {
    StreamNumber(rawValue: UInt64(input.number(below: 12)) + 2)
  }

  private mutating func grant() -> ChannelGrant {
    let number = UInt64(input.byte())
    return ChannelGrant(messageLimit: number << 8, streams: number % 32)
  }

  private var invitation: InvitationID { InvitationID(high: 1, low: sessions) }

  private var session: SessionID { SessionID(rawValue: 0xA000 + sessions) }

  private var heardInvitation: InvitationID { line?.heard.invite?.invitation ?? invitation }

  private var membership: MembershipID {
    line?.heard.attach?.membership ?? accept?.membership ?? MembershipID(rawValue: 1)
  }

  /// The last acceptance of her last session.
  private var accept: Accept? { dialled.lazy.reversed().compactMap(\.heard.accept).first }

  private mutating func attempt() -> UInt64 {
    (line?.heard.attempt ?? 0) + UInt64(input.number(below: 3))
  }

  private mutating func bytes32() -> [UInt8] { [UInt8](repeating: input.byte(), count: 32) }

  /// Herself, one of the others, or a member.
  private mutating func named() -> PeerID {
    let number = input.number(below: 9)
    return number < 8 ? Self.other(number) : SessionScene.bob
  }

  private mutating func attach(_ terms: SessionTerms) {
    Attach(
      source: session, destination: accept?.session ?? SessionID(rawValue: 1),
      membership: membership, isProposal: input.byte() % 2 == 0,
      ended: MembershipID(rawValue: UInt64(input.byte())), epoch: UInt64(input.byte()),
      received: UInt64(input.byte()), grant: grant(), terms: terms
    ).encode(into: &pending)
  }

  private mutating func introduce(_ terms: SessionTerms) {
    let peer = named()
    let (session, port) = (SessionID(rawValue: UInt64(input.byte())), UInt16(input.byte()))
    var endpoints = [Endpoint(endpoint.address, port: port)]
    if port % 2 == 0, let own = listener.endpoint { endpoints.insert(own, at: 0) }
    Introduce(
      peer: peer, session: session, seniority: terms.seniority, capacity: terms.capacity,
      displayName: "Nobody", endpoints: endpoints
    ).encode(into: &pending)
  }
}
