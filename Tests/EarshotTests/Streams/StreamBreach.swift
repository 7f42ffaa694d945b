import EarshotCore
import Testing

/// Frames of streams that break the protocol.
struct StreamBreach: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: CloseCode
  let frames: [UInt8]

  init(_ description: String, _ code: CloseCode = .protocolViolation, _ frames: [UInt8]...) {
    (testDescription, self.code) = (description, code)
    self.frames = frames.flatMap { $0 }
  }

  static func open(_ place: UInt64) -> [UInt8] {
    encoded(StreamOpening(place: place, priority: .normal, isTwoWay: true, name: "hostile"))
  }

  static func data(_ number: UInt64, _ count: Int, isFinal: Bool = false) -> [UInt8] {
    var wire: [UInt8] = []
    StreamData.appendHeader(
      StreamNumber(rawValue: number), bytes: count, isFinal: isFinal, to: &wire)
    return wire + [UInt8](repeating: 7, count: count)
  }

  static func reset(_ number: UInt64) -> [UInt8] {
    encoded(StreamReset(StreamNumber(rawValue: number), StreamAbort(.program)))
  }

  static func stop(_ number: UInt64) -> [UInt8] {
    encoded(StreamStop(StreamNumber(rawValue: number), StreamAbort(.program)))
  }

  static func credit(_ streams: UInt64, _ limits: Credit.Limit...) -> [UInt8] {
    encoded(Credit(streams: streams, limits: limits))
  }

  static func encoded(_ payload: some FramePayload) -> [UInt8] {
    var wire: [UInt8] = []
    payload.encode(into: &wire)
    return wire
  }

  private static let greatest: UInt64 = 1 << 62 - 1

  static let all = [
    StreamBreach("bytes of no stream", .protocolViolation, data(2, 1)),
    StreamBreach("bytes of the victim's stream", .protocolViolation, data(3, 1)),
    StreamBreach("bytes of the greatest number", .protocolViolation, data(greatest, 1)),
    StreamBreach("a stream out of order", .protocolViolation, open(2)),
    StreamBreach("a number used twice", .protocolViolation, open(1), open(1)),
    StreamBreach("more streams than granted", .flowControl, (1...17).flatMap { open($0) }),
    StreamBreach(
      "bytes after the end", .protocolViolation, open(1), data(2, 1, isFinal: true), data(2, 1)),
    StreamBreach("bytes after a reset", .protocolViolation, open(1), reset(2), data(2, 1)),
    StreamBreach("a reset of no stream", .protocolViolation, reset(2)),
    StreamBreach(
      "a thousand resets", .protocolViolation, open(1), (0..<1_000).flatMap { _ in reset(2) }),
    StreamBreach("a stop of no stream", .protocolViolation, stop(2)),
    StreamBreach(
      "a thousand stops", .protocolViolation, open(1), (0..<1_000).flatMap { _ in stop(2) }),
    StreamBreach(
      "credit of no stream", .protocolViolation,
      credit(16, Credit.Limit(StreamNumber(rawValue: 2), 1 << 20))),
    StreamBreach("fewer streams than before", .protocolViolation, credit(0)),
    StreamBreach(
      "less credit than before", .protocolViolation, credit(16, Credit.Limit(.messages, 1))),
    StreamBreach(
      "credit of a stream that is taken back", .protocolViolation, open(1),
      credit(16, Credit.Limit(StreamNumber(rawValue: 2), 16_383))),
    StreamBreach(
      "an acknowledgement of what was never sent", .protocolViolation,
      encoded(Acknowledgement(received: greatest))),
    StreamBreach(
      "a message in the place of a stream", .protocolViolation, [0x12, 0x03, 0x00, 0x00, 0x01]),
  ]
}
