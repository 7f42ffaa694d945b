import EarshotCore
import EarshotScenario
import EarshotSimulator
import Testing

@Suite("An invariant about files")
struct FileInvariantTests {
  private static let placement = "files are whole and in their place, or absent"
  private static let progress = "a transfer of a file never goes back, and has one end"
  private static let agreement = "both ends of a transfer are told the same"
  private static let standstill = "no file stands still while its membership lasts"
  private static let leftover = "nothing is left of a transfer that has ended"
  private static let whole = FileBytes(content: 7).bytes(100)

  /// Ann offers Bob a file of a hundred bytes at 2 s, which he accepts, and writes some at 3 s.
  private static func recording(
    written: Int64 = 40, _ peers: String = "'ann', 'bob'"
  ) throws -> Recording {
    let recording = try Recording(peers)
    recording.join(1, "ann", "bob")
    recording.recorder.files { log in
      let number = log.offer(
        "film", Direction("ann", "bob"), in: "main", bytes: 100, content: 7, at: .seconds(2))
      #expect(number == 0)
      #expect(log.arrive("film", from: "ann", to: "bob", bytes: 100).mistake == nil)
      log.accept(0, at: .seconds(2))
      #expect(log.progress(0, .receiver, .init(written, of: 100), at: .seconds(3)) == nil)
    }
    return recording
  }

  /// The complaint about what a log is told of its transfer 0.
  private static func complaint(_ work: (inout FileLog) -> String?) throws -> String? {
    let recording = try recording()
    return recording.recorder.files { log in work(&log) }
  }

  // MARK: Standstill

  @Test("Is violated by a file that does not go on, and not by one of which some was written")
  func stuck() throws {
    #expect(try Self.recording().violated == [Self.standstill])
    let recording = try Self.recording()
    recording.recorder.files { log in
      #expect(log.progress(0, .receiver, .init(60, of: 100), at: .seconds(50)) == nil)
    }
    #expect(recording.violated.isEmpty)
  }

  @Test("Asks no progress where a cause is told, a disk or a program is in the way, or one left")
  func excused() throws {
    for side in Verdict.File.Side.allCases {
      let told = try Self.recording()
      told.recorder.files { log in
        let report = FileLog.Report(40, of: 100, cause: .diskFull)
        #expect(log.progress(0, side, report, at: .seconds(4)) == nil)
      }
      #expect(told.violated.isEmpty)
    }
    let slow = try Self.recording()
    slow.fault(.hosts(["bob"], .slowDisk(factor: 9)), from: 50, to: 51)
    #expect(slow.violated.isEmpty)
    let paused = try Self.recording(
      "'ann', { name: 'bob', receiveFiles: { pause: ['4s', '59s'] } }")
    #expect(paused.violated.isEmpty)
    let apart = try Self.recording()
    apart.fault(.partition([["ann"], ["bob"]]), from: 4)
    #expect(!apart.violated.contains(Self.standstill))
    let alone = try Self.recording()
    alone.note(5, "ann", .left, "bob", "removed")
    #expect(!alone.violated.contains(Self.standstill))
  }

  // MARK: Agreement

  private static let pairs:
    [(sent: Verdict.File.Ending, received: Verdict.File.Ending, isRight: Bool)] = [
      (.complete, .complete, true), (.complete, .crashed, true), (.complete, .notConnected, false),
      (.complete, .storageFailed, false), (.notConnected, .complete, true),
      (.sessionEnded, .complete, true), (.crashed, .complete, true), (.cancelled, .complete, true),
      (.cancelled, .resourceCancelled, true), (.resourceCancelled, .cancelled, true),
      (.resourceCancelled, .complete, false), (.storageFailed, .storageFailed, true),
      (.storageFailed, .complete, false), (.storageFailed, .permissionDenied, false),
      (.resourceUnreadable, .storageFailed, true), (.resourceUnreadable, .complete, false),
      (.resourceUnreadable, .cancelled, true), (.resourceDeclined, .complete, false),
      (.resourceDeclined, .cancelled, false), (.notConnected, .offerEnded, true),
      (.complete, .offerEnded, false),
    ]

  @Test("Is violated by two ends that do not go together", arguments: pairs)
  func split(sent: Verdict.File.Ending, received: Verdict.File.Ending, isRight: Bool) throws {
    let recording = try Self.recording()
    recording.recorder.files { log in
      for side in Verdict.File.Side.allCases { log.cancel(0, side) }
      log.decline(0)
      #expect(log.end(0, .sender, sent, at: .seconds(4)) == nil)
      #expect(log.end(0, .receiver, received, at: .seconds(5)) == nil)
    }
    #expect(recording.violated == (isRight ? [] : [Self.agreement]))
  }

  // MARK: Ends and progress

  @Test("Is told at once of progress that goes back, is too much, or comes after the end")
  func backwards() throws {
    let slips: [(FileLog.Report, String)] = [
      (.init(30, of: 100), "bob is told 30 bytes of the transfer of film with ann after 40"),
      (.init(101, of: 100), "bob is told 101 of 100 bytes of the transfer of film with ann"),
      (.init(50, of: 99), "bob is told 50 of 99 bytes"), (.init(50, of: nil), "of unknown bytes"),
      (.init(50, of: 100, cause: .paused), "that no program has asked for"),
      (.init(50, of: 100, cause: .pausedByRemote), "that no program has asked for"),
    ]
    for (report, words) in slips {
      let complaint = try Self.complaint { $0.progress(0, .receiver, report, at: .seconds(4)) }
      #expect(complaint?.contains(words) == true, "\(String(describing: complaint))")
    }
    let late = try Self.complaint { log in
      _ = log.progress(0, .receiver, .init(40, of: 100, isEnded: true), at: .seconds(4))
      return log.progress(0, .receiver, .init(50, of: 100), at: .seconds(5))
    }
    #expect(late?.hasSuffix("after its end") == true)
    let paused = try Self.complaint { log in
      log.pause(0, .sender)
      return log.progress(0, .receiver, .init(50, of: 100, cause: .pausedByRemote), at: .seconds(4))
    }
    #expect(paused == nil)
  }

  @Test("Is told at once of an end that comes twice, or for no reason")
  func ends() throws {
    for side in Verdict.File.Side.allCases {
      let twice = try Self.complaint { log in
        _ = log.end(0, side, .notConnected, at: .seconds(4))
        return log.end(0, side, .notConnected, at: .seconds(5))
      }
      #expect(twice?.contains("ended twice for ") == true)
      for ending in [Verdict.File.Ending.cancelled, .resourceCancelled, .resourceDeclined] {
        let complaint = try Self.complaint { $0.end(0, side, ending, at: .seconds(4)) }
        #expect(complaint?.hasSuffix("and nobody did") == true)
      }
    }
    let digests = try Self.complaint { log in
      _ = log.end(0, .receiver, .complete, digest: [1], at: .seconds(4))
      return log.end(0, .sender, .complete, digest: [2], at: .seconds(4))
    }
    #expect(digests == "ann and bob have different digests of film")
  }

  // MARK: Offers

  @Test("Is told at once of an offer that was never made, comes twice, or says another size")
  func offers() throws {
    #expect(
      try Self.complaint { $0.arrive("film", from: "ann", to: "bob", bytes: 100).mistake }
        == "bob received the offer of film from ann twice")
    for (name, from, to, modified) in [
      ("fil", "ann", "bob", 0), ("film", "bob", "ann", 0), ("film", "ann", "bob", 9_000),
    ] as [(String, String, String, Int64)] {
      let mistake = try Self.complaint {
        $0.arrive(name, from: from, to: to, bytes: 100, modified: modified).mistake
      }
      #expect(mistake?.hasSuffix("that was never made") == true)
    }
    var log = FileLog()
    let number = log.offer(
      "film", Direction("ann", "bob"), in: "main", bytes: 100, content: 7, at: .zero)
    let answer = log.arrive("film", from: "ann", to: "bob", bytes: nil)
    #expect(answer.number == number && answer.mistake?.contains("an unknown number of") == true)
    #expect(log.files.count == 1)
    log.refuse(number)
    #expect(log.files.isEmpty)
  }

  // MARK: Places

  @Test("Is told at once of a file with other bytes, another name or in another folder")
  func places() throws {
    #expect(try Self.complaint { $0.place(0, in: "/inbox", as: "film", Self.whole) } == nil)
    var harmed = Self.whole
    harmed[70] ^= 1
    for bytes in [harmed, Array(Self.whole.dropLast()), Self.whole + [0]] {
      #expect(
        try Self.complaint { $0.place(0, in: "/inbox", as: "film", bytes) }
          == "bob has other bytes in film than ann sent")
    }
    #expect(
      try Self.complaint { $0.place(0, in: "/inbox", as: "film", nil) }
        == "bob has no file film, which is complete")
    for (folder, name) in [("/inbox", "film (2)"), ("/inbox", "film2"), ("/", "film")] {
      #expect(try Self.complaint { $0.place(0, in: folder, as: name, Self.whole) } != nil)
    }
  }

  @Test("Numbers files whose names are alike, and gives no name twice")
  func numbered() throws {
    let complaint = try Self.complaint { log in
      let next = log.offer(
        "film", Direction("cy", "bob"), in: "main", bytes: 100, content: 7, at: .seconds(3))
      #expect(log.place(0, in: "/inbox", as: "film", Self.whole) == nil)
      #expect(log.place(next, in: "/inbox", as: "film (2)", Self.whole) == nil)
      return log.place(next, in: "/inbox", as: "film", Self.whole)
    }
    #expect(complaint == "bob is told that film from cy is /inbox/film")
  }

  @Test("Is violated by a part that has a name, or a stranger, and not by temporary files")
  func folder() throws {
    let recording = try Self.recording()
    recording.recorder.files { log in
      let part = FileLog.Entry("film", byteCount: 40)
      let harmed = FileLog.Entry(
        "film", byteCount: 100, bytes: [UInt8](repeating: 0, count: 100))
      for entry in [part, harmed, .init("other", byteCount: 100)] {
        #expect(log.complaint(about: [entry], of: "bob") != nil)
      }
      let right = FileLog.Entry("film", byteCount: 100, bytes: Self.whole)
      let temporary = FileLog.Entry(".earshot-1.part", byteCount: 40)
      #expect(log.complaint(about: [right, temporary], of: "bob") == nil)
      #expect(log.complaint(about: [right], of: "ann") != nil)
    }
  }

  @Test("Is violated by what is missing or left when all programs have ended")
  func remains() throws {
    let temporary = FileLog.Entry(".earshot-1.part", byteCount: 40)
    let right = FileLog.Entry("film", byteCount: 100, bytes: Self.whole)
    func violated(_ entries: [FileLog.Entry], _ work: (inout FileLog) -> Void = { _ in }) throws
      -> [String]
    {
      let recording = try Self.recording(written: 100)
      recording.recorder.files { log in
        for side in [Verdict.File.Side.receiver, .sender] {
          #expect(log.end(0, side, .complete, at: .seconds(4)) == nil)
        }
        work(&log)
        log.close(entries, of: "bob")
      }
      return recording.violated
    }
    #expect(try violated([right]).isEmpty)
    #expect(try violated([]) == [Self.placement])
    #expect(try violated([right, temporary]) == [Self.leftover])
    #expect(try violated([.init("film", byteCount: 9)]) == [Self.placement])
    #expect(try violated([], { $0.erase("bob") }).isEmpty)
    #expect(try violated([right, temporary], { $0.crash("bob", at: .seconds(9)) }).isEmpty)
  }

  @Test("Has laws for what is said at once")
  func laws() throws {
    let recording = try Self.recording(written: 100)
    recording.recorder.files { log in
      for side in [Verdict.File.Side.receiver, .sender] {
        #expect(log.end(0, side, .complete, at: .seconds(4)) == nil)
      }
    }
    recording.recorder.breach(.files, "a")
    recording.recorder.breach(.transfers, "b")
    #expect(recording.violated == [Self.placement, Self.progress])
  }

  // MARK: Crashes and bytes

  @Test("Knows what a crash ends")
  func crash() throws {
    let recording = try Self.recording()
    recording.recorder.files { log in
      log.crash("bob", at: .seconds(5))
      #expect(log.transfers[0].receiver.end?.ending == .crashed)
      #expect(log.transfers[0].sender.end == nil)
      log.crash("ann", at: .seconds(6))
      #expect(log.transfers[0].sender.end?.ending == .crashed)
    }
    #expect(recording.violated.isEmpty)
  }

  @Test("Knows each byte of a file, of which no two blocks are alike")
  func bytes() {
    let bytes = FileBytes(content: 3).bytes(300_001)
    #expect(bytes == FileBytes(content: 3).bytes(300_001))
    #expect(FileBytes(content: 3).isWhole(bytes, count: 300_001))
    #expect(!FileBytes(content: 4).isWhole(bytes, count: 300_001))
    let blocks = Set(stride(from: 0, to: 299_008, by: 4_096).map { bytes[$0..<$0 + 4_096] })
    #expect(blocks.count == 73)
    for index in [0, 65_535, 65_536, 300_000] {
      var harmed = bytes
      harmed[index] ^= 128
      #expect(!FileBytes(content: 3).isWhole(harmed, count: 300_001))
    }
  }

  @Test("Counts the bytes of links in a window")
  func linkTraffic() {
    var traffic = LinkTraffic()
    for second in 1...9 {
      traffic.add(100, Direction("ann", "bob"), at: .seconds(second))
      traffic.add(1, Direction("ann", "bob"), at: .seconds(second))
      traffic.add(7, Direction("bob", "ann"), at: .seconds(second))
    }
    let isAnns = { (direction: Direction) in direction.from == "ann" }
    #expect(traffic.bytes(isAnns, in: .seconds(2) ... .seconds(4)) == 303)
    #expect(traffic.bytes({ _ in true }, in: .zero ... .seconds(99)) == 972)
    #expect(traffic.bytes(isAnns, in: .milliseconds(1_500) ... .milliseconds(1_900)) == 0)
  }
}
