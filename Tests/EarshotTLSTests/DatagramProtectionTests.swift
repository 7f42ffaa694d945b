import EarshotCore
import EarshotTLS
import TestKit
import Testing

@Suite("Datagram protection")
struct DatagramProtectionTests {
  private static let start = Instant(nanoseconds: 0)
  private static let secrets = (1...2 as ClosedRange<UInt8>).map {
    [UInt8](repeating: $0, count: 32)
  }

  /// Two ends that have the same secrets.
  private struct Ends {
    var ann, bob: DatagramProtection

    init(epochDatagramsMax: UInt64 = DatagramProtection.epochDatagramsMax) {
      ann = DatagramProtection(
        secrets: (secrets[0], secrets[1]), localConnection: 7, remoteConnection: 9, at: start,
        epochDatagramsMax: epochDatagramsMax)
      bob = DatagramProtection(
        secrets: (secrets[1], secrets[0]), localConnection: 9, remoteConnection: 7, at: start,
        epochDatagramsMax: epochDatagramsMax)
    }

    mutating func seal(_ bytes: [UInt8], at now: Instant = start) -> [UInt8] {
      var datagram: [UInt8] = []
      ann.seal(bytes.span, at: now, into: &datagram)
      return datagram
    }

    /// What Bob reads, or why he does not.
    mutating func open(
      _ datagram: [UInt8], at now: Instant = start
    ) -> Result<[UInt8], DatagramProtection.Refusal> {
      var plaintext: [UInt8] = [0xFF]
      do throws(DatagramProtection.Refusal) {
        _ = try bob.open(datagram.span, at: now, into: &plaintext)
        return .success(plaintext)
      } catch {
        #expect(plaintext.isEmpty)
        return .failure(error)
      }
    }
  }

  @Test(
    "What one end seals the other opens, in whatever order it comes, once",
    arguments: Seed.some(20))
  func order(seed: Seed) {
    var random = seed.generator
    var ends = Ends()
    let contents = (0..<200).map { _ in random.bytes(Int(random.below(1_183))) }
    var datagrams = contents.map { (contents: $0, datagram: ends.seal($0)) }
    datagrams.shuffle(using: &random)
    for (contents, datagram) in datagrams {
      #expect(datagram.count == contents.count + DatagramProtection.overheadBytes)
      #expect(ends.open(datagram) == .success(contents))
      #expect(ends.open(datagram) == .failure(.replayed))
    }
  }

  @Test("The bytes on the wire are those that are written down")
  func vector() {
    var ends = Ends()
    _ = ends.seal([])
    let datagram = ends.seal(Array("earshot".utf8))
    let hex = datagram.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let written =
      "0400000000000000090000000000000001d048359d7c4cba4a"
      + "5242190623241b61dbd767c0a04e16"
    #expect(hex == written)
  }

  @Test("One changed bit, anywhere, and nothing is opened; the genuine one still is")
  func tampered() {
    var ends = Ends()
    let datagram = ends.seal([1, 2, 3])
    for bit in 0..<datagram.count * 8 {
      var forged = datagram
      forged[bit / 8] ^= 1 << (bit % 8)
      guard case .failure(let refusal) = ends.open(forged) else {
        Issue.record("bit \(bit) does not count")
        continue
      }
      // Version and connection are looked at before any key is.
      #expect(refusal == ((2..<72).contains(bit) ? .malformed : .forged), "bit \(bit)")
    }
    #expect(ends.open(datagram) == .success([1, 2, 3]))
  }

  @Test("Neither a datagram of one's own nor one of another connection is opened")
  func reflected() {
    var ends = Ends()
    let datagram = ends.seal([1])
    var plaintext: [UInt8] = []
    #expect(throws: DatagramProtection.Refusal.malformed) {
      _ = try ends.ann.open(datagram.span, at: Self.start, into: &plaintext)
    }
    // Also where both ends have chosen the same number: the directions have keys of their own.
    var mirror = DatagramProtection(
      secrets: (Self.secrets[0], Self.secrets[1]), localConnection: 9, remoteConnection: 9,
      at: Self.start)
    #expect(throws: DatagramProtection.Refusal.forged) {
      _ = try mirror.open(datagram.span, at: Self.start, into: &plaintext)
    }
  }

  @Test("Keys change every ten minutes, and what was overtaken is opened for five seconds more")
  func epochs() {
    var ends = Ends()
    var now = Self.start
    var old = ends.seal([0])
    for round in 1..<10 as Range<UInt8> {
      now = now + DatagramProtection.epochLifetime
      ends.ann.noteOpenedByRemote(at: now)
      let datagram = ends.seal([round], at: now)
      #expect(datagram[0] == 4 | round % 4)
      let late = ends.seal([round, 1], at: now)
      #expect(ends.open(datagram, at: now) == .success([round]))
      #expect(ends.open(old, at: now + .seconds(4)) == .success(round == 1 ? [0] : [round - 1, 1]))
      old = late
    }
    now = now + DatagramProtection.epochLifetime
    ends.ann.noteOpenedByRemote(at: now)
    #expect(ends.open(ends.seal([1], at: now), at: now) == .success([1]))
    #expect(ends.open(old, at: now + .seconds(5)) == .failure(.forged))
  }

  @Test("Keys change after so many datagrams, at both ends, and nothing is lost by it")
  func counts() {
    #expect(DatagramProtection.epochDatagramsMax == 1 << 22)
    var ends = Ends(epochDatagramsMax: 3)
    for number in 0..<40 as Range<UInt8> {
      let datagram = ends.seal([number])
      #expect(datagram[0] == 4 | (number / 3) % 4)
      #expect(ends.open(datagram) == .success([number]))
      // The other direction counts for itself.
      guard number % 2 == 0 else { continue }
      var (answer, plaintext): ([UInt8], [UInt8]) = ([], [])
      ends.bob.seal([number].span, at: Self.start, into: &answer)
      #expect(answer[0] == 4 | (number / 6) % 4)
      _ = try? ends.ann.open(answer.span, at: Self.start, into: &plaintext)
      #expect(plaintext == [number])
    }
  }

  @Test("What was overtaken by a change of keys after so many datagrams is opened for five seconds")
  func overtaken() {
    var ends = Ends(epochDatagramsMax: 2)
    let datagrams = (0..<4 as Range<UInt8>).map { ends.seal([$0]) }
    #expect(ends.open(datagrams[2]) == .success([2]))
    #expect(ends.open(datagrams[0], at: Self.start + .milliseconds(4_999)) == .success([0]))
    #expect(ends.open(datagrams[1], at: Self.start + .seconds(5)) == .failure(.forged))
    #expect(ends.open(datagrams[3], at: Self.start + .seconds(5)) == .success([3]))
  }

  @Test("The time counts from the last change, whatever that came from")
  func countAndTime() {
    var ends = Ends(epochDatagramsMax: 2)
    let almost = DatagramProtection.epochLifetime - .nanoseconds(1)
    let times = [.zero, .zero, almost, almost + almost, almost + almost + .nanoseconds(1)]
    let epochs = times.map { time in
      ends.ann.noteOpenedByRemote(at: Self.start + time)
      return ends.seal([1], at: Self.start + time)[0] & 3
    }
    #expect(epochs == [0, 0, 1, 1, 2])
  }

  @Test("No epoch passes of which the other end has opened nothing, however long that takes")
  func silence() {
    var ends = Ends()
    var later = Self.start
    for _ in 0..<20 {
      later = later + DatagramProtection.epochLifetime
      _ = ends.seal([1], at: later)  // Is lost.
    }
    #expect(ends.ann.isEpochOld(at: later))
    #expect(ends.open(ends.seal([2], at: later), at: later) == .success([2]))
    ends.ann.noteOpenedByRemote(at: later)
    #expect(!ends.ann.isEpochOld(at: later))
    #expect(ends.open(ends.seal([3], at: later), at: later) == .success([3]))
  }

  @Test("The newest datagram is known as such")
  func newest() throws {
    var ends = Ends()
    let datagrams = (0..<3).map { ends.seal([$0]) }
    var plaintext: [UInt8] = []
    for (index, isNewest) in [(1, true), (0, false), (2, true)] {
      let datagram = datagrams[index]
      let opened = try ends.bob.open(datagram.span, at: Self.start, into: &plaintext)
      #expect(opened.isNewest == isNewest)
    }
  }

  @Test("Any bytes are survived, and never opened")
  func fuzzed() {
    var ends = Ends()
    let sample = ends.seal([1, 2, 3, 4])
    var refused: Set<DatagramProtection.Refusal> = []
    Fuzz.inputs(like: [sample]) { bytes in
      guard bytes != sample else { return }
      switch ends.open(bytes) {
      case .failure(let refusal): refused.insert(refusal)
      case .success: Issue.record("opened \(bytes)")
      }
    }
    #expect(refused.contains(.malformed) && refused.contains(.forged))
    #expect(ends.open(sample) == .success([1, 2, 3, 4]))
  }
}
