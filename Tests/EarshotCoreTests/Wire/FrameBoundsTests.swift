import EarshotCore
import TestKit
import Testing

@Suite("The bounds of frames")
struct FrameBoundsTests {
  /// A payload that breaks one bound, and how.
  struct Breach: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: FrameType
    let payload: [UInt8]
    let error: WireError

    init(_ description: String, _ type: FrameType, _ payload: [UInt8], _ error: WireError) {
      (testDescription, self.type, self.payload, self.error) = (description, type, payload, error)
    }
  }

  static let invite = Golden.invitationBytes + Golden.sessionBytes + [0x00, 0x00, 0x01, 0x00]
  static let introduce = Golden.peerBytes + Golden.sessionBytes + [0x00, 0x08, 0x01, 0x41]
  static let attach = Golden.sessionBytes + Golden.otherBytes
  static let breaches = [
    Breach("no display name", .hello, [1, 0, 0], .malformed),
    Breach(
      "a long display name", .hello, [1, 0, 0x40, 64] + Array(repeating: 65, count: 64), .tooLong),
    Breach("a display name that is no text", .hello, [1, 0, 1, 0xFF], .malformed),
    Breach("a port of three bytes", .hello, [1, 0x80, 1, 0, 0, 1, 65], .malformed),
    Breach("no service type", .invite, invite + [0, 0], .malformed),
    Breach(
      "a long service type", .invite, invite + [16] + Array(repeating: 97, count: 16), .tooLong),
    Breach(
      "an INVITE of neither one nor several", .invite, invite.dropLast() + [2, 1, 97, 0], .malformed
    ),
    Breach("nine memberships", .invite, invite.prefix(24) + [9], .tooLong),
    Breach("a long context", .invite, invite + [1, 97, 0x80, 0, 0x40, 1], .tooLong),
    Breach("a stream without a place", .open, [0, 2, 0], .malformed),
    Breach(
      "a place after the last one", .open, [0xD0, 0, 0, 0, 0, 0, 0, 1, 2, 0], .malformed),
    Breach("a stream of no kind", .open, [1, 9, 0], .malformed),
    Breach("a stream of a kind that is too great", .open, [1, 16, 0], .malformed),
    Breach(
      "a long name of a stream", .open, [1, 2, 0x41, 0] + Array(repeating: 65, count: 256), .tooLong
    ),
    Breach("a name of a stream that is no text", .open, [1, 2, 1, 0xFF], .malformed),
    Breach("a reset of the messages", .reset, [0, 0, 0], .malformed),
    Breach("a reset of no stream", .reset, [1, 0, 0], .malformed),
    Breach("a reset for no reason", .reset, [2, 4, 0], .malformed),
    Breach("a code that no program gave", .reset, [2, 1, 7], .malformed),
    Breach("a stop of the messages", .stop, [0, 0, 0], .malformed),
    Breach("a stop for no reason", .stop, [2, 4, 0], .malformed),
    Breach("credit of no stream", .credit, [0, 1, 5], .malformed),
    Breach("credit without a limit", .credit, [0, 2], .truncated),
    Breach("1,025 limits", .credit, [0] + Array(repeating: 2, count: 2_050), .tooLong),
    Breach("a long text", .close, [0, 0x41, 1] + Array(repeating: 65, count: 257), .tooLong),
    Breach(
      "a session for one", .attach, attach + [1, 0, 0, 1, 0, 0, 0, 0, 1, 0], .malformed),
    Breach("an ATTACH of no kind", .attach, attach + [1, 2, 0, 1, 0, 0, 0, 0, 8, 0], .malformed),
    Breach(
      "a membership behind which there is none", .attach,
      attach + [0xD0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 8, 0], .malformed),
    Breach(
      "a seniority behind which there is none", .attach,
      attach + [1, 0, 0, 1, 0, 0, 0, 0xD0, 0, 0, 0, 0, 0, 0, 1, 8, 0], .malformed),
    Breach("nine endpoints", .introduce, introduce + [9], .tooLong),
    Breach(
      "an address of five bytes", .introduce, introduce + [1, 5, 1, 2, 3, 4, 5, 0, 1], .malformed),
  ]

  @Test("What is out of bounds is refused", arguments: breaches)
  func refused(breach: Breach) {
    let error = FrameError(
      .malformed(breach.error), type: breach.type, payloadBytes: breach.payload.count)
    #expect(error.closeCode == .protocolViolation)
    #expect(throws: error) { try Frame.read(FrameNumber(breach.type), breach.payload) }
  }

  @Test("An unknown frame is skipped if its type allows it, and ends the link otherwise")
  func unknown() throws {
    for number in [0x41, 0x43].map({ FrameNumber(rawValue: $0) }) {
      #expect(try Frame.read(number, [1]) == nil)
    }
    for number in [0x40, 0x42].map({ FrameNumber(rawValue: $0) }) {
      let error = FrameError(.unknown, number: number, payloadBytes: 1)
      #expect(error.closeCode == .unknownFrame)
      #expect(throws: error) { try Frame.read(number, [1]) }
    }
  }

  @Test("A code that nobody knows survives as its number")
  func openCodes() throws {
    let close = Frame.link(.close(Close(code: CloseCode(rawValue: 99))))
    #expect(try Frame.all(in: [close.encoded]) == [close])
    #expect(CloseCode(rawValue: 99).description == "code 99")
    #expect(DeclineReason(rawValue: 99).description == "reason 99")
    #expect(CancelReason(rawValue: 1).description == "timedOut")
  }

  @Test("A text for CLOSE that is too long is cut between two characters")
  func longText() throws {
    let close = Close(code: .done, text: String(repeating: "é", count: 200))
    #expect(close.text.utf8.count == 256)
    #expect(try Frame.all(in: [Frame.link(.close(close)).encoded]) == [.link(.close(close))])
  }

  @Test("Every decoder of a payload survives any bytes", arguments: Golden.all)
  func fuzzed(golden: Golden) {
    var accepted = 0
    Fuzz.inputs(like: [golden.payload], count: Fuzz.inputCount / 10) { bytes in
      if let frame = try? Frame.read(golden.number, bytes) {
        accepted += 1
        if frame.encoded.count > bytes.count + 16 { Issue.record("\(frame) grew out of \(bytes)") }
      }
    }
    #expect(accepted > 0)
  }
}
