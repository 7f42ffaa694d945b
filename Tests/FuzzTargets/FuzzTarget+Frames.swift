import EarshotCore

extension FuzzTarget {
  /// A stream of frames: however it is cut, the frames are the same, and so is the error.
  static let frames = FuzzTarget("frames", bytesMax: 8_192) { bytes in
    var input = InputReader(bytes)
    let step = input.number(below: 64) + 1
    let stream = input.bytes(bytes.count)
    let whole = try decode([stream])
    let cut = try decode(
      stride(from: 0, to: stream.count, by: step).map {
        Array(stream[$0..<min($0 + step, stream.count)])
      })
    try law(whole == cut, "cut into \(step) bytes a stream says something else")
  }

  private struct Decoded: Equatable {
    var frames: [Frame] = []
    var skipped = 0
    var messages: [[UInt8]] = []
    var streams: [StreamData] = []
    var error: FrameError?
  }

  private static func decode(_ chunks: [[UInt8]]) throws -> Decoded {
    var decoded = Decoded()
    var decoder = FrameDecoder()
    var assembler = MessageAssembler(messageBytesMax: 4_096)
    do throws(FrameError) {
      for chunk in chunks {
        try decoder.decode(chunk.span) { number, payload, _ throws(FrameError) in
          if number == .data {
            let data = try StreamData(payload: payload)
            decoded.streams.append(data)
            decoded.messages.append([UInt8](copying: payload.extracting(data.start...)))
          } else if number == .message {
            if let message = try assembler.take(payload) { decoded.messages.append(message) }
          } else if let frame = try Frame(number, payload: payload) {
            decoded.frames.append(frame)
          } else {
            decoded.skipped += 1
          }
          return true
        }
      }
    } catch { decoded.error = error }
    try law(decoder.bufferedBytes <= FrameEncoder.payloadBytesMax + 16, "a decoder keeps too much")
    try law(assembler.bufferedBytes <= 4_096, "an assembler keeps too much")
    return decoded
  }

  /// The payloads of MESSAGE, each behind its length.
  static let messages = FuzzTarget("messages") { bytes in
    var input = InputReader(bytes)
    var assembler = MessageAssembler(messageBytesMax: 512)
    while !input.isAtEnd {
      let payload = input.bytes(Int(input.byte()))
      let message: [UInt8]?
      do { message = try assembler.take(payload.span) } catch { return }
      try law(assembler.bufferedBytes <= 512, "an assembler keeps too much")
      guard let message else { continue }
      try law(message.count <= 512, "a message of \(message.count) bytes")
      var wire: [UInt8] = []
      MessagePart.append(message: message.span, to: &wire)
      try law(try decode([wire]).messages == [message], "a message is not read as written")
    }
  }

  /// One for the payload of each type.
  static let bodies = FrameType.allCases.compactMap(body(of:))

  /// The target of a type, or `nil` if another one covers it.
  private static func body(of type: FrameType) -> FuzzTarget? {
    switch type {
    case .hello: body(Hello.self)
    case .invite: body(Invite.self)
    case .accept: body(Accept.self)
    case .decline: body(Decline.self)
    case .cancel: body(Cancel.self)
    case .attach: body(Attach.self)
    case .attached: body(Attached.self)
    case .ping: body(Ping.self)
    case .pong: nil  // PING has the same payload.
    case .acknowledgement: body(Acknowledgement.self)
    case .close: body(Close.self)
    case .datagrams: body(DatagramOffer.self)
    case .unreliable: unreliable
    case .verify: body(VerificationRequest.self)
    case .commit: body(VerificationCommitment.self)
    case .nonce: body(VerificationNonce.self)
    case .verdict: body(VerificationVerdict.self)
    case .message: nil  // ``messages``.
    case .credit: body(Credit.self)
    case .data: data
    case .open: body(StreamOpening.self)
    case .reset: body(StreamReset.self)
    case .stop: body(StreamStop.self)
    case .introduce: body(Introduce.self)
    case .retract: body(Retract.self)
    case .leave: body(Leave.self)
    }
  }

  /// A payload: what is read is written so that the same is read again.
  private static func body<Payload: FramePayload>(_ payload: Payload.Type) -> FuzzTarget {
    FuzzTarget("body-\(Payload.type.description.lowercased())", bytesMax: 1_024) { bytes in
      guard let value = try? Payload(payload: bytes.span) else { return }
      var writer = ByteWriter()
      value.write(to: &writer)
      try law(
        try Payload(payload: writer.bytes.span) == value, "\(value) is not read as written")
      try law(
        writer.bytes.count <= FrameEncoder.payloadBytesMax, "\(value) does not fit into a frame")
    }
  }

  private static let data = FuzzTarget("body-data", bytesMax: 1_024) { bytes in
    guard let data = try? StreamData(payload: bytes.span) else { return }
    let count = bytes.count - data.start
    try law(count > 0 || data.isFinal, "DATA without bytes or an end")
    var wire: [UInt8] = []
    StreamData.appendHeader(data.stream, bytes: count, isFinal: data.isFinal, to: &wire)
    wire += bytes[data.start...]
    try law(
      try decode([wire]).streams.map(\.stream) == [data.stream], "DATA is not read as written")
    try law(
      wire.count == StreamData.frameBytes(data.stream, bytes: count), "DATA has another length")
  }

  private static let unreliable = FuzzTarget("body-unreliable", bytesMax: 1_024) { bytes in
    let frame = try Frame(FrameNumber(.unreliable), payload: bytes.span)
    try law(frame?.type == .unreliable, "an unreliable message is something else")
  }
}
