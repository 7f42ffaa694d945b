import EarshotCore
import Foundation
import TestKit
import Testing

@Suite("The catalogue of frames")
struct FrameTypeTests {
  /// The types whose payloads are lent and never become a `Frame`.
  static let readInPlace: Set<FrameType> = [.message, .data]

  @Test(
    "Each type is read as itself from bytes written by hand, and written as these bytes",
    arguments: FrameType.allCases.filter { !readInPlace.contains($0) })
  func handWritten(type: FrameType) throws {
    let samples = Golden.all.filter { $0.number == type }
    #expect(!samples.isEmpty, "no \(type) in Golden.all")
    for sample in samples {
      let frames = try Frame.all(in: [sample.bytes])
      #expect(frames == [sample.frame])
      #expect(frames.map(\.type) == [type])
      #expect(sample.frame.encoded == sample.bytes)
    }
  }

  @Test("Each type has one row in the protocol's table, with its number and its name")
  func protocolTable() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = package.appending(path: "Sources/Earshot/Earshot.docc/Protocol.md")
    let rows = try String(contentsOf: article, encoding: .utf8)
      .matches(of: /(?m)^\| 0x([0-9A-F]{2,}) \| ([A-Z]+) \|/)
      .map { "0x\($0.1) \($0.2)" }
    let types = FrameType.allCases.map { type in
      let number = String(type.rawValue, radix: 16, uppercase: true)
      return "0x\(number.count < 2 ? "0" : "")\(number) \(type)"
    }
    #expect(rows.sorted() == types.sorted())
  }

  @Test("The bits of a type say what they say in the protocol", arguments: FrameType.allCases)
  func bits(type: FrameType) {
    let reliable: Set<FrameType> = [
      .message, .data, .open, .reset, .stop, .introduce, .retract, .leave,
    ]
    let skippable: Set<FrameType> = [.datagrams, .unreliable, .verify, .commit, .nonce, .verdict]
    #expect(type.isReliable == reliable.contains(type))
    #expect(type.isSkippable == skippable.contains(type))
  }

  @Test("A number stands for its type and for no other", arguments: FrameType.allCases)
  func numbers(type: FrameType) {
    let number = FrameNumber(type)
    #expect(number.type == type)
    #expect(number.description == type.description)
    #expect(FrameType.allCases.filter { number == $0 } == [type])
  }

  @Test("A number without a type is skipped if bit 0 is set, and ends the stream otherwise")
  func unknown() throws {
    let ping = Golden(.ping(Ping(token: 5)), [0x24, 0x01, 0x05])
    let longNumbers: [UInt64] = [1 << 14, 1 << 30, 1 << 61].flatMap { base in
      (0..<4).map { base + $0 }
    }
    var tried = 0
    for number in Array(0..<0x140) + longNumbers where FrameType(rawValue: number) == nil {
      tried += 1
      let number = FrameNumber(rawValue: number)
      var wire = ping.bytes
      FrameEncoder.append(number, payload: [7, 7].span, to: &wire)
      wire += ping.bytes
      for end in wire.indices {
        let chunks = [Array(wire[..<end]), Array(wire[end...])]
        guard number.rawValue & 1 == 0 else {
          #expect(try Frame.all(in: chunks) == [ping.frame, ping.frame])
          continue
        }
        #expect(throws: FrameError(.unknown, number: number, payloadBytes: 2)) {
          try Frame.all(in: chunks)
        }
      }
    }
    #expect(tried == 0x140 + longNumbers.count - FrameType.allCases.count)
  }

  @Test("A number without a type is called by its digits")
  func unknownName() {
    #expect(FrameNumber(rawValue: 0x7F).description == "frame 0x7f")
    let error = FrameError(.unknown, number: FrameNumber(rawValue: 0x4042), payloadBytes: 1)
    #expect(error.description == "frame 0x4042 is not known here and must not be skipped.")
  }
}
