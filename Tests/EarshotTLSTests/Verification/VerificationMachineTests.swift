import EarshotCore
import EarshotTLS
import TestKit
import Testing

@Suite("The verification machine")
struct VerificationMachineTests {
  private typealias Machine = VerificationMachine

  /// One side, and what it was told.
  private struct Side {
    var machine: Machine
    var out: [VerificationFrame] = []  // On the way.
    var codes: [VerificationCode] = []
    var ends: [VerificationEnd] = []
    var closed: CloseCode?
    var deadline: Instant?
    var confirmed: Set<Int> = []  // Which of the codes.
  }

  /// A dialler and a listener, and the frames between them, each way in order.
  private struct Pair {
    var sides: [Side]
    var now = Instant.zero
    var random: RandomStream

    init(seed: UInt64 = 1, secrets: [[UInt8]] = [[7], [7]]) {
      random = RandomStream(seed: seed)
      let peers = [PeerID(random: &random), PeerID(random: &random)]
      sides = (0..<2).map { index in
        Side(
          machine: Machine(
            VerificationSecret(secrets[index], dialler: peers[0], listener: peers[1]),
            isDialler: index == 0))
      }
    }

    mutating func handle(_ event: Machine.Event, at index: Int) {
      var actions: [Machine.Action] = []
      sides[index].machine.handle(event, at: now, into: &actions)
      for action in actions {
        switch action {
        case .send(let frame): sides[index].out.append(frame)
        case .wake(let deadline): sides[index].deadline = deadline
        case .cancelWake: sides[index].deadline = nil
        case .reportCode(let code): sides[index].codes.append(code)
        case .reportEnded(let end): sides[index].ends.append(end)
        case .reportViolation(let code): sides[index].closed = code
        }
      }
    }

    mutating func ask(_ index: Int) { handle(.asked(nonce: random.bytes(32)), at: index) }

    mutating func confirm(_ index: Int) {
      sides[index].confirmed.insert(sides[index].codes.count)
      handle(.confirmed, at: index)
    }

    /// Has the other side get the next frame of one side; answers whether there was one.
    mutating func deliver(from index: Int) -> Bool {
      guard !sides[index].out.isEmpty else { return false }
      let frame = sides[index].out.removeFirst()
      handle(.received(frame, nonce: random.bytes(32)), at: 1 - index)
      return true
    }

    mutating func deliverAll() { while deliver(from: 0) || deliver(from: 1) {} }
  }

  @Test("Whoever asks, or both at once, both see one code", arguments: [[0], [1], [0, 1]])
  func codes(askers: [Int]) {
    var pair = Pair()
    for index in askers { pair.ask(index) }
    pair.deliverAll()
    #expect(pair.sides[0].codes.count == 1 && pair.sides[0].codes == pair.sides[1].codes)
    pair.confirm(0)
    pair.deliverAll()
    #expect(pair.sides.map(\.ends) == [[], []])
    pair.confirm(1)
    pair.deliverAll()
    #expect(pair.sides.map(\.ends) == [[.verified], [.verified]])
    #expect(pair.sides.allSatisfy { $0.deadline == nil && !$0.machine.isActive })
    // The next attempt has another code.
    pair.ask(1)
    pair.deliverAll()
    #expect(pair.sides[0].codes == pair.sides[1].codes && Set(pair.sides[0].codes).count == 2)
  }

  @Test("Any other word of either side ends it for both", arguments: 0...1)
  func otherWords(index: Int) {
    let words: [(Machine.Event, VerificationEnd, VerificationEnd)] = [
      (.rejected, .rejected, .rejectedByRemote), (.withdrawn, .withdrawn, .withdrawnByRemote),
      (.deadlineReached, .timedOut, .timedOut),
    ]
    for (event, own, other) in words {
      var pair = Pair()
      pair.ask(0)
      pair.deliverAll()
      pair.confirm(1 - index)
      pair.handle(event, at: index)
      pair.deliverAll()
      #expect(pair.sides[index].ends == [own] && pair.sides[1 - index].ends == [other])
    }
  }

  @Test("A wish that is refused is answered by that alone", arguments: [0, 1])
  func refused(index: Int) {
    for (verdict, end) in [(.refused, .refused), (.tooMany, .tooMany)]
      as [(VerificationVerdict.Verdict, VerificationEnd)]
    {
      var pair = Pair()
      pair.ask(1 - index)
      let wish = pair.sides[1 - index].out.removeFirst()
      guard case .request(let request) = wish else {
        Issue.record("\(wish) is no wish")
        continue
      }
      pair.handle(.refused(request, verdict), at: index)
      #expect(
        pair.sides[index].out == [.verdict(VerificationVerdict(attempt: 1, verdict: verdict))])
      pair.deliverAll()
      #expect(pair.sides[index].ends == [] && pair.sides[1 - index].ends == [end])
      #expect(pair.sides.allSatisfy { !$0.machine.isActive && $0.deadline == nil })
    }
  }

  @Test("Refusing what is no wish changes nothing; refusing the next one ends the attempt at hand")
  func refusedMeanwhile() {
    var pair = Pair()
    pair.ask(0)
    pair.deliverAll()
    for attempt in [0, 1] as [UInt64] {
      pair.handle(.refused(VerificationRequest(attempt: attempt), .refused), at: 1)
    }
    #expect(pair.sides[1].machine.isActive && pair.sides[1].ends == [] && pair.sides[1].out == [])
    pair.handle(.refused(VerificationRequest(attempt: 2), .tooMany), at: 1)
    #expect(!pair.sides[1].machine.isActive && pair.sides[1].ends == [.withdrawnByRemote])
    let answer = VerificationVerdict(attempt: 2, verdict: .tooMany)
    #expect(pair.sides[1].out == [.verdict(answer)])
  }

  @Test("The code has ten seconds, and people have five minutes")
  func deadlines() {
    var pair = Pair()
    pair.ask(0)
    #expect(pair.sides[0].deadline == .zero + .seconds(10))
    pair.now = .zero + .seconds(1)
    _ = pair.deliver(from: 0)
    #expect(pair.sides[1].deadline == .zero + .seconds(11))
    pair.deliverAll()
    #expect(pair.sides.allSatisfy { $0.deadline == .zero + .seconds(301) })
  }

  @Test("A nonce that was not promised ends the link, and shows no code")
  func forgery() {
    var pair = Pair()
    pair.ask(0)
    while pair.sides[1].codes.isEmpty, pair.deliver(from: 0) || pair.deliver(from: 1) {}
    guard case .nonce(let nonce)? = pair.sides[1].out.last else {
      Issue.record("no nonce")
      return
    }
    var other = nonce.nonce
    other[31] ^= 1
    pair.handle(
      .received(.nonce(VerificationNonce(attempt: nonce.attempt, nonce: other)), nonce: []), at: 0)
    #expect(pair.sides[0].closed == .verificationFailed && pair.sides[0].ends == [.forged])
    #expect(pair.sides[0].codes.isEmpty)
  }

  @Test("A promise or a nonce of another attempt is ignored, one that must not come now is not")
  func order() {
    let nonce = [UInt8](repeating: 1, count: 32)
    let frames: [VerificationFrame] = [
      .commitment(VerificationCommitment(attempt: 1, hash: nonce)),
      .nonce(VerificationNonce(attempt: 1, nonce: nonce)),
      .verdict(VerificationVerdict(attempt: 1, verdict: .confirmed)),
    ]
    for frame in frames {
      for index in 0...1 {
        var pair = Pair()
        pair.handle(.received(frame, nonce: nonce), at: index)
        #expect(pair.sides[index].closed == nil && pair.sides[index].out.isEmpty)
        pair.ask(index)
        pair.handle(.received(frame, nonce: nonce), at: index)
        #expect(pair.sides[index].closed == .protocolViolation)
        #expect(pair.sides[index].ends == [.withdrawn])
        pair = Pair()
        pair.ask(index)
        pair.handle(.withdrawn, at: index)
        pair.ask(index)  // The second attempt: what is of the first one comes late.
        pair.handle(.received(frame, nonce: nonce), at: index)
        #expect(pair.sides[index].closed == nil && pair.sides[index].machine.isActive)
      }
    }
  }

  @Test(
    "In whatever order things happen, codes are equal, and nobody is verified whom both have not confirmed",
    arguments: 0..<300)
  func property(seed: UInt64) {
    var pair = Pair(seed: seed)
    for _ in 0..<120 {
      let index = Int(pair.random.below(2))
      switch pair.random.below(12) {
      case 0: pair.ask(index)
      case 1, 2: if pair.sides[index].machine.isActive { pair.confirm(index) }
      case 3: pair.handle([.rejected, .withdrawn][Int(pair.random.below(2))], at: index)
      case 4 where pair.random.below(4) == 0:
        if pair.sides[index].deadline != nil { pair.handle(.deadlineReached, at: index) }
      default: _ = pair.deliver(from: index)
      }
    }
    pair.deliverAll()
    for index in 0...1 where pair.sides[index].machine.isActive {
      pair.handle(.withdrawn, at: index)
      pair.deliverAll()
    }
    #expect(
      pair.sides.allSatisfy { $0.closed == nil && !$0.machine.isActive && $0.deadline == nil })
    // Codes of one side that the other did not get to see are of attempts that one of them gave up.
    let common = Set(pair.sides[0].codes).intersection(pair.sides[1].codes)
    for index in 0...1 {
      let verified = pair.sides[index].ends.count { $0 == .verified }
      #expect(verified <= common.count)
      #expect(verified <= pair.sides[index].confirmed.count)
      #expect(verified <= pair.sides[1 - index].confirmed.count)
    }
  }

  @Test("Who sits in between and tries what can be tried gets equal codes by chance only")
  func between() throws {
    var random = RandomStream(seed: 5)
    let (ann, bob, eve) = (
      PeerID(random: &random), PeerID(random: &random), PeerID(random: &random)
    )
    // Ann dials Eve, who is the listener there, and Eve dials Bob: two links, two secrets.
    let first = VerificationSecret(random.bytes(32), dialler: ann, listener: eve)
    let second = VerificationSecret(random.bytes(32), dialler: eve, listener: bob)
    var (matches, matchesWithoutPromise) = (0, 0)
    let runs = 1_000
    for _ in 0..<runs {
      // What Ann sees is decided when her nonce comes: Eve's own was promised before.
      let anns = first.code(diallers: random.bytes(32), listeners: random.bytes(32))
      // Bob has promised his nonce and not shown it. Eve tries nonces against a guess of it.
      let (bobs, guess) = (random.bytes(32), random.bytes(32))
      func chosen(against nonce: [UInt8]) -> [UInt8] {
        var best = random.bytes(32)
        for _ in 0..<200 {
          let code = second.code(diallers: best, listeners: nonce)
          if code.symbols[0] == anns.symbols[0] { break }
          best = random.bytes(32)
        }
        return best
      }
      let blind = second.code(diallers: chosen(against: guess), listeners: bobs)
      let seeing = second.code(diallers: chosen(against: bobs), listeners: bobs)
      if blind.symbols[0] == anns.symbols[0] { matches += 1 }
      if seeing.symbols[0] == anns.symbols[0] { matchesWithoutPromise += 1 }
      #expect(blind.symbols != anns.symbols && blind.digits != anns.digits)
    }
    // One symbol of the seven: 1 of 64 by chance is 15.6, with a standard deviation of 4.
    #expect(matches < 40)
    #expect(matchesWithoutPromise > 900)  // So that this would show if Bob showed his nonce first.
  }
}
