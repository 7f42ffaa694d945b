import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An invariant about streams")
struct StreamInvariantTests {
  private static let order = "bytes of streams arrive in order, once and unharmed"
  private static let standstill = "no stream stands still while its membership lasts"
  private static let torn = "what a stream has acknowledged is read to the end"

  /// Ann opens a stream to Bob at 2 s, and writes a hundred bytes, of which some are read at 3 s.
  private static func recording(
    read: Int, _ peers: String = "'ann', 'bob'", lasting time: Duration = .seconds(60)
  ) throws -> Recording {
    let recording = try Recording(peers, lasting: time)
    recording.join(1, "ann", "bob")
    recording.recorder.streams { log in
      let number = log.open(
        "film", Direction("ann", "bob"), in: "main", planned: 100, at: .seconds(2))
      #expect(number == 0)
      #expect(log.arrive(0, from: "ann", to: "bob", isTwoWay: false) == nil)
      log.offer(100, on: 0)
      log.write(100, on: 0)
      #expect(log.read(Self.bytes(0..<read), on: 0, at: .seconds(3)) == nil)
    }
    return recording
  }

  /// The bytes of flow 0.
  private static func bytes(_ range: Range<Int>) -> [UInt8] {
    range.map { UInt8(truncatingIfNeeded: 7 * $0 + $0 >> 8) }
  }

  /// The complaint about what a log is told of its flow 0.
  private static func complaint(_ work: (inout StreamLog) -> String?) throws -> String? {
    let recording = try recording(read: 40)
    return recording.recorder.streams { log in work(&log) }
  }

  @Test("Is violated by bytes that wait for long, and not by some that were read meanwhile")
  func standstill() throws {
    #expect(try Self.recording(read: 40).violated == [Self.standstill])
    #expect(try Self.recording(read: 100).violated.isEmpty)
    let recording = try Self.recording(read: 40)
    recording.recorder.streams { log in
      #expect(log.read(Self.bytes(40..<60), on: 0, at: .seconds(50)) == nil)
    }
    #expect(recording.violated.isEmpty)
  }

  @Test("Is violated by an end that its reader is not told")
  func endUntold() throws {
    let recording = try Self.recording(read: 100)
    recording.recorder.streams { $0.finish(0) }
    #expect(recording.violated == [Self.standstill])
    recording.recorder.streams { log in
      #expect(log.end(0, .reader, .complete, at: .seconds(59)) == nil)
    }
    #expect(recording.violated.isEmpty)
  }

  @Test(
    "Asks no progress of readers that take their time, or of members that are apart or have left",
    arguments: [
      "readStreams: { pause: ['4s', '59s'] }", "readStreams: { every: '2s' }",
      "readStreams: { piece: 100, exact: true }",
    ])
  func slowReader(reading: String) throws {
    let recording = try Self.recording(read: 40, "'ann', { name: 'bob', \(reading) }")
    #expect(recording.violated.isEmpty)
    let apart = try Self.recording(read: 40)
    apart.fault(.partition([["ann"], ["bob"]]), from: 4)
    #expect(!apart.violated.contains(Self.standstill))
    let alone = try Self.recording(read: 40)
    alone.note(5, "ann", .left, "bob", "removed")
    #expect(!alone.violated.contains(Self.standstill))
    #expect(try Self.recording(read: 40, lasting: .seconds(30)).violated.isEmpty)
  }

  @Test("Is violated by a stream that was acknowledged whole and ends otherwise for its reader")
  func torn() throws {
    for (ending, isAborted, isRight) in [
      (Verdict.Stream.Ending.left, false, false), (.sessionEnded, false, false),
      (.left, true, true), (.stopped, false, true), (.crashed, false, true),
    ] {
      let recording = try Self.recording(read: 40)
      recording.recorder.streams { log in
        log.finish(0)
        if isAborted { log.abort(0, isReset: true) }
        #expect(log.end(0, .writer, .complete, at: .seconds(4)) == nil)
        #expect(log.end(0, .reader, ending, at: .seconds(5)) == nil)
      }
      #expect(recording.violated == (isRight ? [] : [Self.torn]), "\(ending)")
    }
  }

  @Test("Lets a reader's program leave, or remove the writer, with bytes unread")
  func leftByReader() throws {
    for (time, observer, kind, subject, isRight) in [
      (3.5, "bob", Timeline.Kind.disconnected, nil, true), (3.5, "bob", .removed, "ann", true),
      (1.5, "bob", .stopped, nil, true), (0.5, "bob", .disconnected, nil, false),
      (3.5, "ann", .disconnected, nil, false), (3.5, "bob", .removed, "cy", false),
    ] as [(Double, String, Timeline.Kind, String?, Bool)] {
      let recording = try Self.recording(read: 40, "'ann', 'bob', 'cy'")
      recording.note(time, observer, kind, subject)
      recording.recorder.streams { log in
        log.finish(0)
        #expect(log.end(0, .reader, .left, at: .seconds(4)) == nil)
        #expect(log.end(0, .writer, .complete, at: .seconds(5)) == nil)
      }
      #expect(recording.violated.contains(Self.torn) != isRight, "\(observer) \(kind) \(time)")
    }
  }

  @Test("Is told at once of bytes that are harmed, repeated, or were never written")
  func harmed() throws {
    let right = Self.bytes(40..<60)
    #expect(try Self.complaint { $0.read(right, on: 0, at: .seconds(4)) } == nil)
    var harmed = right
    harmed[7] ^= 1
    #expect(
      try Self.complaint { $0.read(harmed, on: 0, at: .seconds(4)) }
        == "bob read another byte 47 of stream 0 than ann wrote")
    #expect(try Self.complaint { $0.read(Self.bytes(20..<40), on: 0, at: .seconds(4)) } != nil)
    #expect(try Self.complaint { $0.read(Self.bytes(41..<60), on: 0, at: .seconds(4)) } != nil)
    #expect(
      try Self.complaint { $0.read(Self.bytes(40..<101), on: 0, at: .seconds(4)) }
        == "bob read byte 100 of stream 0 from ann, which has written 100")
  }

  @Test("Is told at once of an end that comes too early, too often, or for no reason")
  func ends() throws {
    #expect(
      try Self.complaint { $0.end(0, .reader, .complete, at: .seconds(4)) }
        == "bob read stream 0 from ann to its end after 40 bytes of 100, which goes on")
    #expect(
      try Self.complaint { log in
        log.finish(0)
        return log.end(0, .reader, .complete, at: .seconds(4))
      } == "bob read stream 0 from ann to its end after 40 bytes of 100")
    for side in [StreamLog.Side.reader, .writer] {
      let reset = try Self.complaint { $0.end(0, side, .reset, at: .seconds(4)) }
      #expect(reset?.hasSuffix("was reset, and nobody did") == true)
      let twice = try Self.complaint { log in
        _ = log.end(0, side, .left, at: .seconds(4))
        return log.end(0, side, .left, at: .seconds(4))
      }
      #expect(twice?.hasPrefix("stream 0 ended twice for ") == true)
    }
  }

  @Test("Is told at once of a stream that comes to another peer, twice, or was never opened")
  func strangers() throws {
    #expect(
      try Self.complaint { $0.arrive(0, from: "ann", to: "bob", isTwoWay: false) }
        == "bob received stream 0 from ann twice")
    for (number, from, to) in [(1, "ann", "bob"), (-1, "ann", "bob"), (0, "bob", "ann")] {
      #expect(
        try Self.complaint { $0.arrive(number, from: from, to: to, isTwoWay: false) }?
          .hasSuffix("that was never opened") == true)
    }
    var log = StreamLog()
    let number = log.open(
      "talk", Direction("ann", "bob"), in: "main", planned: 1, answer: 5, at: .zero)
    #expect(
      log.flows.map(\.planned) == [1, 5] && log.flows[1].direction == Direction("bob", "ann"))
    #expect(log.arrive(number, from: "ann", to: "bob", isTwoWay: false) != nil)
    #expect(log.streams.map(\.from) == ["ann", "bob"])
    log.refuse(number)
    #expect(log.streams.isEmpty)
  }
}
