import EarshotCore
import TestKit
import Testing

/// One frame and its bytes, written by hand from the protocol.
struct Golden: CustomTestStringConvertible, Sendable {
  let frame: Frame
  let bytes: [UInt8]
  var testDescription: String { "\(frame)" }

  init(_ frame: Frame, _ bytes: [UInt8]...) {
    (self.frame, self.bytes) = (frame, bytes.flatMap { $0 })
  }
  init(_ frame: LinkFrame, _ bytes: [UInt8]...) {
    (self.frame, self.bytes) = (.link(frame), bytes.flatMap { $0 })
  }
  init(_ frame: InvitationFrame, _ bytes: [UInt8]...) {
    (self.frame, self.bytes) = (.invitation(frame), bytes.flatMap { $0 })
  }
  init(_ frame: AttachmentFrame, _ bytes: [UInt8]...) {
    (self.frame, self.bytes) = (.attachment(frame), bytes.flatMap { $0 })
  }
  init(_ frame: GroupFrame, _ bytes: [UInt8]...) {
    (self.frame, self.bytes) = (.group(frame), bytes.flatMap { $0 })
  }

  init(_ frame: DatagramFrame, _ bytes: [UInt8]...) {
    (self.frame, self.bytes) = (.datagram(frame), bytes.flatMap { $0 })
  }

  static let invitation = InvitationID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
  static let invitationBytes = [UInt8](0...15)
  static let session = SessionID(rawValue: 0xA0A1_A2A3_A4A5_A6A7)
  static let sessionBytes = [UInt8](0xA0...0xA7)
  static let other = SessionID(rawValue: 1)
  static let otherBytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  static let peerBytes = [UInt8](0x40..<0x60)
  static let peer: PeerID = {
    guard let peer = PeerID(peerBytes) else { preconditionFailure("32 bytes are an identifier") }
    return peer
  }()

  static let terms = SessionTerms(seniority: 3, capacity: 8, messageBytesMax: 4 << 20)
  static let termsBytes: [UInt8] = [0x03, 0x08, 0x80, 0x40, 0x00, 0x00]

  static let all: [Golden] = [
    Golden(
      .hello(Hello(port: 7_100, displayName: "Ann")),
      [0x00, 0x07, 0x01, 0x5B, 0xBC, 0x03], Array("Ann".utf8)),
    Golden(
      .offer(DatagramOffer(connection: 0x0102_0304_0506_0708, port: 7_100)),
      [0x31, 0x0A, 1, 2, 3, 4, 5, 6, 7, 8, 0x5B, 0xBC]),
    Golden(.verification(.request(VerificationRequest(attempt: 300))), [0x11, 0x02, 0x41, 0x2C]),
    Golden(
      .verification(.commitment(VerificationCommitment(attempt: 1, hash: Array(0..<32)))),
      [0x15, 0x21, 0x01], Array(0..<32)),
    Golden(
      .verification(.nonce(VerificationNonce(attempt: 1, nonce: Array(0..<32)))),
      [0x19, 0x21, 0x01], Array(0..<32)),
    Golden(
      .verification(.verdict(VerificationVerdict(attempt: 1, verdict: .tooMany))),
      [0x1D, 0x02, 0x01, 0x05]),
    Golden(
      .invite(
        Invite(
          invitation: invitation, session: session,
          ended: [EndedMembership(session: other, membership: MembershipID(rawValue: 3))],
          nextSeniority: 2, timeoutMilliseconds: 30_000, isOfSeveral: true, serviceType: "chat",
          context: [0xCA, 0xFE])),
      [0x04, 0x30], invitationBytes, sessionBytes, [0x01], otherBytes,
      [0x03, 0x02, 0x80, 0x00, 0x75, 0x30, 0x01],
      [0x04], Array("chat".utf8), [0x02, 0xCA, 0xFE]),
    Golden(
      .accept(
        Accept(
          invitation: invitation, session: session, membership: MembershipID(rawValue: 65),
          nextSeniority: 9, grant: ChannelGrant(messageLimit: 1 << 20, streams: 16),
          terms: terms)),
      [0x08, 0x26], invitationBytes, sessionBytes,
      [0x40, 0x41, 0x09, 0x80, 0x10, 0x00, 0x00, 0x10], termsBytes),
    Golden(
      .decline(Decline(invitation: invitation, reason: .notAdvertising)),
      [0x0C, 0x11], invitationBytes, [0x03]),
    Golden(
      .cancel(Cancel(invitation: invitation, reason: .timedOut)),
      [0x10, 0x11], invitationBytes, [0x01]),
    Golden(
      .attach(
        Attach(
          source: session, destination: other, membership: MembershipID(rawValue: 5),
          isProposal: true, ended: MembershipID(rawValue: 4), epoch: 2, received: 64,
          grant: ChannelGrant(messageLimit: 16_384, streams: 1_024), terms: terms)),
      [0x14, 0x22], sessionBytes, otherBytes,
      [0x05, 0x01, 0x04, 0x02, 0x40, 0x40, 0x80, 0x00, 0x40, 0x00, 0x44, 0x00], termsBytes),
    Golden(
      .attached(
        Attached(
          membership: MembershipID(rawValue: 5), epoch: 1, received: 0,
          grant: ChannelGrant(messageLimit: 63, streams: 1), terms: terms)),
      [0x18, 0x0B, 0x05, 0x01, 0x00, 0x3F, 0x01], termsBytes),
    Golden(.ping(Ping(token: 5)), [0x24, 0x01, 0x05]),
    Golden(.pong(Ping(token: 5)), [0x28, 0x01, 0x05]),
    Golden(
      .acknowledgement(Acknowledgement(received: 1 << 30)),
      [0x2C, 0x08], [0xC0, 0, 0, 0, 0x40, 0, 0, 0]),
    Golden(
      .credit(
        Credit(
          streams: 300,
          limits: [
            Credit.Limit(.messages, 1 << 20), Credit.Limit(StreamNumber(rawValue: 5), 16_384),
          ])),
      [0x34, 0x0C, 0x41, 0x2C], [0x00, 0x80, 0x10, 0x00, 0x00], [0x05, 0x80, 0x00, 0x40, 0x00]),
    Golden(
      .stream(
        .open(StreamOpening(place: 65, priority: .low, isTwoWay: false, name: "Hé"))),
      [0x16, 0x07, 0x40, 0x41, 0x07, 0x03], [0x48, 0xC3, 0xA9]),
    Golden(
      .stream(
        .open(StreamOpening(place: 1, priority: .urgent, isTwoWay: true, name: ""))),
      [0x16, 0x03, 0x01, 0x00, 0x00]),
    Golden(
      .stream(
        .open(StreamOpening(place: 2, priority: .resource, isTwoWay: true, name: ""))),
      [0x16, 0x03, 0x02, 0x08, 0x00]),
    Golden(
      .stream(
        .reset(StreamReset(StreamNumber(rawValue: 2), StreamAbort(.program, code: 300)))),
      [0x1A, 0x04, 0x02, 0x00, 0x41, 0x2C]),
    Golden(
      .stream(.stop(StreamStop(StreamNumber(rawValue: 131), StreamAbort(.violation)))),
      [0x1E, 0x04, 0x40, 0x83, 0x03, 0x00]),
    Golden(
      .close(Close(code: .flowControl, text: "Hé")),
      [0x30, 0x05, 0x13, 0x03], [0x48, 0xC3, 0xA9]),
    Golden(
      .introduce(
        Introduce(
          peer: peer, session: session, seniority: 7, capacity: 8, displayName: "Bob",
          endpoints: [
            Endpoint(.v4(0x0A00_0001), port: 7_100),
            Endpoint(.v6(0xFE80_0000_0000_0000, 1, scope: 0), port: 1),
          ])),
      [0x06, 0x40, 0x49], peerBytes, sessionBytes, [0x07, 0x08, 0x03], Array("Bob".utf8), [0x02],
      [0x04, 10, 0, 0, 1, 0x1B, 0xBC],
      [0x10, 0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x00, 0x01]),
    Golden(
      .retract(Retract(peer: peer, session: session)), [0x0E, 0x28], peerBytes, sessionBytes),
    Golden(.leave(Leave(code: .done)), [0x0A, 0x01, 0x00]),
    Golden(.message(UnreliableMessage([1, 2, 3])), [0x35, 0x03, 1, 2, 3]),
  ]

  /// Those whose payload has one length: all but UNRELIABLE, any bytes of which are a message, and CREDIT, which may have
  /// any number of limits.
  static let ofOneLength = all.filter { ![.unreliable, .credit].contains($0.frame.type) }
}

@Suite("Frames, byte by byte")
struct FrameGoldenTests {
  @Test("A frame is written as the protocol says", arguments: Golden.all)
  func encoding(golden: Golden) {
    #expect(golden.frame.encoded == golden.bytes)
  }

  @Test("A frame is read as the protocol says", arguments: Golden.all)
  func decoding(golden: Golden) throws {
    #expect(try Frame.all(in: [golden.bytes]) == [golden.frame])
  }

  @Test("A payload that ends too early is refused", arguments: Golden.ofOneLength)
  func truncation(golden: Golden) throws {
    let payload = golden.payload
    for count in payload.indices {
      #expect(throws: FrameError.self, "\(count) bytes") {
        try Frame.read(golden.number, Array(payload[..<count]))
      }
    }
  }

  @Test("A payload that goes on is refused, but for HELLO", arguments: Golden.ofOneLength)
  func growth(golden: Golden) throws {
    let payload = golden.payload + [0]
    if golden.number == .hello {
      #expect(try Frame.read(golden.number, payload) == golden.frame)
    } else {
      #expect(
        throws: FrameError(
          .malformed(.malformed), number: golden.number, payloadBytes: payload.count)
      ) {
        try Frame.read(golden.number, payload)
      }
    }
  }

  @Test("An UNRELIABLE is a message of any size up to 64 KiB, and may be skipped")
  func unreliable() throws {
    for count in [0, 1, 65_536] {
      let message = [UInt8](repeating: 7, count: count)
      let frame = Frame.datagram(.message(UnreliableMessage(message)))
      #expect(try Frame.all(in: [frame.encoded]) == [frame])
    }
    #expect(FrameType.unreliable.isSkippable && FrameType.datagrams.isSkippable)
    #expect(!FrameType.unreliable.isReliable && !FrameType.datagrams.isReliable)
  }

  @Test("What belongs to no attempt, has a wrong size, or says nothing known, is no verification")
  func verification() {
    let wrong: [(FrameType, [UInt8])] = [
      (.verify, []), (.verify, [0]), (.verify, [0x80, 0x01, 0x00, 0x00]), (.verify, [1, 1]),
      (.commit, [1] + [UInt8](repeating: 0, count: 31)),
      (.nonce, [1] + [UInt8](repeating: 0, count: 33)), (.verdict, [1]), (.verdict, [1, 6]),
    ]
    for (type, payload) in wrong {
      #expect(throws: FrameError.self) { try Frame.read(FrameNumber(type), payload) }
    }
    for type in [FrameType.verify, .commit, .nonce, .verdict] {
      #expect(type.isSkippable && !type.isReliable)
    }
  }

  @Test("A MESSAGE carries its flags and its bytes")
  func message() {
    var wire: [UInt8] = []
    let message: [UInt8] = [1, 2, 3]
    MessagePart.append(message: message.span, to: &wire)
    #expect(wire == [0x02, 0x04, 0x01, 1, 2, 3])
  }

  @Test("A DATA carries its stream, its flags and its bytes")
  func data() throws {
    let stream = StreamNumber(rawValue: 131)
    for (isFinal, flags) in [(false, 0 as UInt8), (true, 1)] {
      var wire: [UInt8] = []
      StreamData.appendHeader(stream, bytes: 3, isFinal: isFinal, to: &wire)
      wire += [1, 2, 3]
      #expect(wire == [0x12, 0x06, 0x40, 0x83, flags, 1, 2, 3])
      #expect(wire.count == StreamData.frameBytes(stream, bytes: 3))
      let data = try StreamData(payload: wire.span.extracting(2...))
      #expect(data.stream == stream && data.isFinal == isFinal && data.start == 3)
    }
    var end: [UInt8] = []
    StreamData.appendHeader(stream, bytes: 0, isFinal: true, to: &end)
    #expect(try StreamData(payload: end.span.extracting(2...)).start == 3)
  }

  @Test(
    "A DATA of no stream, with unknown flags, or without bytes or an end is refused",
    arguments: [
      [], [0x02], [0x40], [0x00, 0x00, 1], [0x01, 0x00, 1], [0x02, 0x02, 1], [0x02, 0x00],
    ] as [[UInt8]])
  func badData(payload: [UInt8]) {
    let error = FrameError(.malformed(.malformed), type: .data, payloadBytes: payload.count)
    #expect(throws: error) { try StreamData(payload: payload.span) }
  }
}

extension Golden {
  /// The number that the bytes begin with.
  var number: FrameNumber { FrameNumber(rawValue: Varint.value(of: bytes.prefix(numberBytes))) }
  /// The bytes after the header.
  var payload: [UInt8] {
    let length = bytes.dropFirst(numberBytes)
    return Array(length.dropFirst(Varint.length(first: length.first ?? 0)))
  }
  private var numberBytes: Int { Varint.length(first: bytes[0]) }
}

extension Frame {
  /// The bytes of the whole frame.
  var encoded: [UInt8] {
    var wire: [UInt8] = []
    switch self {
    case .link(.hello(let payload)): payload.encode(into: &wire)
    case .invitation(.invite(let payload)): payload.encode(into: &wire)
    case .invitation(.accept(let payload)): payload.encode(into: &wire)
    case .invitation(.decline(let payload)): payload.encode(into: &wire)
    case .invitation(.cancel(let payload)): payload.encode(into: &wire)
    case .attachment(.attach(let payload)): payload.encode(into: &wire)
    case .attachment(.attached(let payload)): payload.encode(into: &wire)
    case .link(.ping(let payload)): payload.encode(into: &wire)
    case .link(.pong(let payload)): payload.encodePong(into: &wire)
    case .acknowledgement(let payload): payload.encode(into: &wire)
    case .credit(let payload): payload.encode(into: &wire)
    case .stream(.open(let payload)): payload.encode(into: &wire)
    case .stream(.reset(let payload)): payload.encode(into: &wire)
    case .stream(.stop(let payload)): payload.encode(into: &wire)
    case .link(.close(let payload)): payload.encode(into: &wire)
    case .group(.introduce(let payload)): payload.encode(into: &wire)
    case .group(.retract(let payload)): payload.encode(into: &wire)
    case .group(.leave(let payload)): payload.encode(into: &wire)
    case .datagram(.offer(let payload)): payload.encode(into: &wire)
    case .datagram(.message(let payload)): payload.encode(into: &wire)
    case .verification(.request(let payload)): payload.encode(into: &wire)
    case .verification(.commitment(let payload)): payload.encode(into: &wire)
    case .verification(.nonce(let payload)): payload.encode(into: &wire)
    case .verification(.verdict(let payload)): payload.encode(into: &wire)
    }
    return wire
  }

  /// The frame of a number and a payload, or `nil` for one that is skipped.
  static func read(_ number: FrameNumber, _ payload: [UInt8]) throws(FrameError) -> Frame? {
    try Frame(number, payload: payload.span)
  }

  /// The frames of a stream that arrives in chunks.
  static func all(in chunks: [[UInt8]]) throws -> [Frame] {
    var decoder = FrameDecoder()
    var frames: [Frame] = []
    for chunk in chunks {
      try decoder.decode(chunk.span) { number, payload, _ throws(FrameError) in
        if let frame = try Frame(number, payload: payload) { frames.append(frame) }
        return true
      }
    }
    return frames
  }
}
