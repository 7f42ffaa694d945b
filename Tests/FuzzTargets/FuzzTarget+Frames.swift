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
    var error: FrameError?
  }

  private static func decode(_ chunks: [[UInt8]]) throws -> Decoded {
    var decoded = Decoded()
    var decoder = FrameDecoder()
    var assembler = MessageAssembler(messageBytesMax: 4_096)
    do throws(FrameError) {
      for chunk in chunks {
        try decoder.decode(chunk.span) { type, payload, _ throws(FrameError) in
          if type == .message {
            if let message = try assembler.take(payload) { decoded.messages.append(message) }
          } else if let frame = try Frame(type, payload: payload) {
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
  static let bodies: [FuzzTarget] = [
    body(Hello.self), body(Ping.self), body(Close.self), body(Invite.self), body(Accept.self),
    body(Decline.self), body(Cancel.self), body(Attach.self), body(Attached.self),
    body(Acknowledgement.self), body(Introduce.self), body(Retract.self), body(Leave.self),
    body(DatagramOffer.self), unreliable, body(VerificationRequest.self),
    body(VerificationCommitment.self), body(VerificationNonce.self),
    body(VerificationVerdict.self),
  ]

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

  private static let unreliable = FuzzTarget("body-unreliable", bytesMax: 1_024) { bytes in
    let frame = try Frame(.unreliable, payload: bytes.span)
    try law(frame?.type == .unreliable, "an unreliable message is something else")
  }
}
