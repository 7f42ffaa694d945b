import EarshotCore
import EarshotTLS

extension FuzzTarget {
  private static let peers: (ann: PeerID, bob: PeerID) = {
    var random = RandomStream(seed: 1)
    return (PeerID(random: &random), PeerID(random: &random))
  }()

  /// What a plain channel takes before anything else.
  static let preamble = FuzzTarget("preamble", bytesMax: 256) { bytes in
    var input = InputReader(bytes)
    let step = input.number(below: 48) + 1
    let channel = PlainChannel(peers.ann, expecting: nil)
    var (given, lent) = (0, 0)
    while !input.isAtEnd {
      let chunk = input.bytes(step)
      given += chunk.count
      do { try channel.receive(chunk.span) { lent += $0.count } } catch { return }
      try law(channel.bufferedBytes < PlainChannel.preambleBytes, "a channel keeps too much")
    }
    let expected = channel.remote == nil ? 0 : given - PlainChannel.preambleBytes
    try law(lent == expected, "\(lent) bytes are lent of \(expected)")
  }

  private static let contexts = (client: TLSContext(KeyPair()), server: TLSContext(KeyPair()))

  /// The bytes of a handshake: any, or those of a real one with some of them changed.
  ///
  /// Whoever is let in is who has signed.
  static let tls = FuzzTarget("tls", bytesMax: 2_048) { bytes in
    var input = InputReader(bytes)
    let mode = input.number(below: 3)
    var client = TLSChannel(contexts.client, as: .client, expecting: nil)
    var server = TLSChannel(contexts.server, as: .server, expecting: nil)
    var (forth, back, ignored) = ([UInt8](), [UInt8](), 0)
    client.start(into: &forth)
    if mode < 2 {
      let side = mode == 0 ? server : client
      try? side.receive(input.bytes(bytes.count).span, into: &back) { ignored += $0.count }
      return try law(side.remote == nil && ignored == 0, "noise is let in")
    }
    for _ in 0..<4 {
      let sent = change(forth, by: &input)
      forth = []
      do { try server.receive(sent.span, into: &back) { ignored += $0.count } } catch { break }
      let answered = change(back, by: &input)
      back = []
      do { try client.receive(answered.span, into: &forth) { ignored += $0.count } } catch { break }
    }
    try law(server.remote == nil || server.remote == contexts.client.id, "a server takes another")
    try law(client.remote == nil || client.remote == contexts.server.id, "a client takes another")
  }

  private static func change(_ wire: [UInt8], by input: inout InputReader) -> [UInt8] {
    var wire = wire
    for _ in 0..<input.number(below: 4) where !wire.isEmpty {
      let place = (Int(input.byte()) << 8 | Int(input.byte())) % wire.count
      switch input.number(below: 4) {
      case 0: wire[place] ^= input.byte()
      case 1: wire.insert(input.byte(), at: place)
      case 2: wire.remove(at: place)
      default: wire.removeSubrange(place...)
      }
    }
    return wire
  }

  /// The events of a handshake in any order: it ends once, and says nothing after that.
  static let handshake = FuzzTarget("handshake", bytesMax: 256) { bytes in
    var input = InputReader(bytes)
    var (now, actions) = (Instant(nanoseconds: 0), [HandshakeMachine.Action]())
    let role: HandshakeMachine.Role = input.byte() % 2 == 0 ? .dialler : .listener
    var machine = HandshakeMachine(role, at: now, into: &actions)
    let hello = Hello(port: 1, displayName: "Ann")
    var ends = 0
    while !input.isAtEnd {
      now = now + .milliseconds(Int(input.byte()) * 16)
      let event: HandshakeMachine.Event =
        switch input.number(below: 9) {
        case 0: .bytesReceived(Int(input.byte()) * 64)
        case 1: .channelReady
        case 2: .helloReceived(hello)
        case 3: .helloReceived(Hello(version: 0, port: 0, displayName: "B"))
        case 4: .requestReceived
        case 5: .otherReceived
        case 6: .closeReceived(.protocolViolation)
        case 7: .transportEnded
        default: .deadlineReached
        }
      actions.removeAll(keepingCapacity: true)
      machine.handle(event, at: now, into: &actions)
      try law(ends == 0 || actions.isEmpty, "a handshake that is over does \(actions)")
      for action in actions {
        switch action {
        case .reportGreeted, .reportRequested, .reportFailed: ends += 1
        case .wake, .cancelWake, .sendHello, .sendClose, .closeTransport: break
        }
      }
    }
    try law(ends <= 1, "a handshake ends \(ends) times")
  }

  /// Datagrams that the remote peer has sealed or has not, changed or not, at whatever times.
  static let datagram = FuzzTarget("datagram", bytesMax: 1_500) { bytes in
    var input = InputReader(bytes)
    var now = Instant(nanoseconds: 0)
    let secret = [UInt8](0..<UInt8(DatagramProtection.secretBytes))
    let (ann, bob) = ((peers.ann, UInt64(1)), (peers.bob, UInt64(2)))
    var sender = DatagramProtection(
      secret, between: .init(local: ann, remote: bob, isDialler: true), at: now)
    var receiver = DatagramProtection(
      secret, between: .init(local: bob, remote: ann, isDialler: false), at: now)
    var (sealed, plaintext) = ([UInt8](), [UInt8]())
    while !input.isAtEnd {
      now = now + .milliseconds(1 << input.number(below: 21))
      let contents = input.bytes(input.number(below: 64))
      sealed.removeAll(keepingCapacity: true)
      sender.seal(contents.span, at: now, into: &sealed)
      let changed = change(sealed, by: &input)
      do {
        _ = try receiver.open(changed.span, at: now, into: &plaintext)
        try law(changed == sealed && plaintext == contents, "a forged datagram is opened")
      } catch is DatagramProtection.Refusal {
        try law(plaintext.isEmpty, "a refused datagram leaves bytes")
      }
    }
    _ = try? receiver.open(bytes.span, at: now, into: &plaintext)
    try law(plaintext.isEmpty, "noise is opened")
  }

  /// What is in datagrams, each behind its length: fragments are put together within their bound.
  static let fragments = FuzzTarget("fragments", bytesMax: 4_096) { bytes in
    var input = InputReader(bytes)
    var (assembler, now) = (FragmentAssembler(), Instant(nanoseconds: 0))
    while !input.isAtEnd {
      now = now + .milliseconds(Int(input.byte()))
      var contents = input.bytes(Int(input.byte()))
      // Full fragments are longer than a number of one byte.
      if input.byte() % 2 == 0, contents.count > 11 {
        contents += [UInt8](repeating: 7, count: DatagramContents.bytesMax - contents.count)
      }
      guard case .fragment(let fragment)? = DatagramContents.parse(contents.span) else { continue }
      let message = assembler.take(fragment, contents.span.extracting(11...), at: now)
      try law(assembler.bufferedBytes <= FragmentAssembler.bytesMax, "fragments exceed their bound")
      if let message {
        try law(message.count <= UnreliableMessage.messageBytesMax, "\(message.count) bytes")
      }
    }
  }

  /// A stored identity: what is read is written so that the same is read again.
  static let identity = FuzzTarget("identity", bytesMax: 2_048) { bytes in
    guard let identity = try? Identity(pem: String(decoding: bytes, as: UTF8.self)) else { return }
    let again = try Identity(pem: identity.pem ?? "")
    try law(again.id == identity.id, "an identity is not read as written")
  }

  /// The file of a trust store: what is read is written so that the same is read again, within its bound.
  static let trust = FuzzTarget("trust", bytesMax: 2_048) { bytes in
    guard let records = try? FileTrustStore.records(of: bytes) else { return }
    try law(records.count <= FileTrustStore.maximumCount, "\(records.count) peers")
    let again = try FileTrustStore.records(of: FileTrustStore.bytes(of: records))
    try law(again == records, "trusted peers are not read as written")
  }
}
