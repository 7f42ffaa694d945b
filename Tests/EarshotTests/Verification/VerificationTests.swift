import Earshot
import EarshotTLS
import Synchronization
import Testing

@Suite("Verification")
struct VerificationTests {
  private static let grounds: [Ground] = [.simulated, .secured, .real]

  /// Two who are in a session, with stores of whom they trust.
  private struct Couple: Sendable {
    let ann, bob: Peer
    let anns, bobs: Session
    let stores: [MemoryTrustStore]

    /// The next verification that Bob's program is given.
    func asked() async -> Verification? {
      for await verification in bobs.verifications { return verification }
      return nil
    }
  }

  private static func meet(
    _ ground: Ground, test: String = #function,
    _ body: @escaping @Sendable (Couple) async throws -> Void
  ) async throws {
    let stores = [MemoryTrustStore(), MemoryTrustStore()]
    try await ground.meetOnHosts(2, within: .seconds(12_000)) { hosts in
      let ann = try await Peer("Ann", trusting: .onFirstUse(keptIn: stores[0]), on: hosts[0])
      let bob = try await Peer("Bob", trusting: .onFirstUse(keptIn: stores[1]), on: hosts[1])
      let meeting = try await Meeting(of: bob, test: "sas" + test)
      let anns = try await meeting.join(ann)
      let couple = Couple(ann: ann, bob: bob, anns: anns, bobs: meeting.session, stores: stores)
      _ = couple.bobs.verifications  // Bob's program compares codes.
      try await body(couple)
      await ann.stop()
      await bob.stop()
    }
  }

  @Test(
    "Both sides see one code; when both have confirmed it, both know, and keep that",
    arguments: grounds)
  func verified(ground: Ground) async throws {
    try await Self.meet(ground) { couple in
      let security = await couple.anns.security(of: couple.bob.id)
      #expect(security?.isVerified == false)
      #expect(security?.cipherSuite?.hasPrefix("TLS_") == (ground == .simulated ? nil : true))
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      #expect(anns.peer == couple.bob.id && bobs.peer == couple.ann.id)
      #expect(anns.code == bobs.code && anns.code.symbols.count == 7)
      let confirmation = couple.ann.start { await anns.confirm() }
      try await couple.ann.wait(milliseconds: 50)
      #expect(anns.ending == nil && bobs.ending == nil)  // One of two is not enough.
      #expect(await bobs.confirm() == .verified)
      #expect(try await confirmation.value == .verified)
      #expect(await anns.confirm() == .verified)  // Again: nothing changes.
      await anns.reject()
      #expect(anns.ending == .verified)
      for (session, peer) in [(couple.anns, couple.bob), (couple.bobs, couple.ann)] {
        #expect(await session.security(of: peer.id)?.isVerified == true)
      }
      #expect(couple.stores.flatMap { $0.records() }.map(\.isVerified) == [true, true])
      #expect(couple.stores.flatMap { $0.records() }.map(\.name) == ["Bob", "Ann"])
      // Another one has another code.
      let again = try await couple.anns.verify(couple.bob.id)
      #expect(again.code != anns.code)
    }
  }

  @Test("A member that was forgotten meanwhile is kept again when it is verified, by its name")
  func forgotten() async throws {
    try await Self.meet(.secured) { couple in
      for store in couple.stores { store.change { $0.removeAll() } }
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      let confirmation = couple.ann.start { await anns.confirm() }
      #expect(await bobs.confirm() == .verified)
      #expect(try await confirmation.value == .verified)
      let records = couple.stores.flatMap { $0.records() }
      #expect(records.map(\.name) == ["Bob", "Ann"])
      #expect(records.map(\.isVerified) == [true, true])
    }
  }

  @Test(
    "One who rejects ends it for both, whatever the other said, and both forget each other",
    arguments: grounds, [true, false])
  func rejected(ground: Ground, isAsker: Bool) async throws {
    try await Self.meet(ground, test: isAsker ? "reject" : "rejected") { couple in
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      let (rejecting, other) = isAsker ? (anns, bobs) : (bobs, anns)
      let confirmation = couple.ann.start { await other.confirm() }
      await rejecting.reject()
      #expect(await rejecting.waitForEnd() == .rejected)
      #expect(try await confirmation.value == .rejectedByRemote)
      #expect(couple.stores.allSatisfy { $0.records().isEmpty })
      #expect(await couple.anns.security(of: couple.bob.id)?.isVerified == false)
      try await couple.anns.send([1])  // The program decides what becomes of the session.
      #expect(await couple.bobs.take(1) == [1])
    }
  }

  @Test(
    "Both sides report the same ending, whenever one of them leaves or removes the other",
    arguments: [true, false], 0..<12)
  func left(isRemoval: Bool, step: Int) async throws {
    for confirmation in 0..<12 {
      try await Self.meet(.simulated) { couple in
        let anns = try await couple.anns.verify(couple.bob.id)
        let bobs = try #require(await couple.asked())
        let confirmations = [
          couple.bob.start {
            try await couple.bob.wait(milliseconds: 2 * step)
            return await bobs.confirm()
          },
          couple.ann.start {
            try await couple.ann.wait(milliseconds: 2 * confirmation)
            return await anns.confirm()
          },
        ]
        try await couple.ann.wait(milliseconds: 10)
        if isRemoval {
          await couple.anns.remove(couple.bob.id)
        } else {
          await couple.anns.stop()
        }
        let ends = [try await confirmations[0].value, try await confirmations[1].value]
        #expect(ends == [.verified, .verified] || ends == [.linkLost, .linkLost], "\(ends)")
        let kept = couple.stores.flatMap { $0.records() }.map(\.isVerified)
        #expect(kept == ends.map { $0 == .verified })
      }
    }
  }

  /// The sides that confirm the code before Ann removes Bob, or after that.
  enum Confirming: String, CaseIterable, Sendable { case neither, ann, bob, both, annAfterwards }

  @Test(
    "A removal while people compare ends the verification alike on both sides",
    arguments: grounds, Confirming.allCases)
  func removed(ground: Ground, confirming: Confirming) async throws {
    try await Self.meet(ground, test: "remove" + confirming.rawValue) { couple in
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      let waits = [
        couple.ann.start {
          let confirms = confirming == .ann || confirming == .both
          return if confirms { await anns.confirm() } else { await anns.waitForEnd() }
        },
        couple.bob.start {
          let confirms = confirming != .neither && confirming != .ann
          return if confirms { await bobs.confirm() } else { await bobs.waitForEnd() }
        },
      ]
      if confirming == .annAfterwards {
        _ = couple.bob.start { try await couple.bobs.send([1]) }  // After his confirmation.
        #expect(await couple.anns.take(1) == [1])
      }
      try await couple.ann.start {
        await couple.anns.remove(couple.bob.id)
        if confirming == .annAfterwards { await anns.confirm() }
      }.value
      #expect(await couple.bobs.departure() == .left(couple.ann.id, .removed, undelivered: 0))
      let ends = [try await waits[0].value, try await waits[1].value]
      let isVerified = ends == [.verified, .verified]
      #expect(isVerified && confirming == .both || ends == [.linkLost, .linkLost], "\(ends)")
      #expect(
        couple.stores.flatMap { $0.records() }.map(\.isVerified) == [isVerified, isVerified])
      #expect(await couple.bobs.members.isEmpty)
    }
  }

  @Test("Calls at once, of one side or of both, get one code", arguments: grounds)
  func atOnce(ground: Ground) async throws {
    try await Self.meet(ground) { couple in
      let sides = [
        (couple.anns, couple.bob.id), (couple.anns, couple.bob.id), (couple.bobs, couple.ann.id),
      ]
      let calls = sides.map { session, member in
        couple.ann.start { try await session.verify(member) }
      }
      var verifications: [Verification] = []
      for call in calls { verifications.append(try await call.value) }
      #expect(verifications[0] === verifications[1])
      #expect(Set(verifications.map(\.code)).count == 1)
      let same = try await couple.anns.verify(couple.bob.id)
      #expect(same === verifications[0])
      let anns = verifications[0]
      let confirmation = couple.ann.start { await anns.confirm() }
      #expect(await verifications[2].confirm() == .verified)
      #expect(try await confirmation.value == .verified)
    }
  }

  @Test("Who is no member, and whose session is left, is not verified")
  func nobody() async throws {
    try await Self.meet(.secured) { couple in
      let stranger = await failure { try await couple.anns.verify(Identity().id) }
      #expect(stranger?.code == .notConnected)
      #expect(await couple.anns.security(of: Identity().id) == nil)
      let cancelled = couple.ann.start {
        withUnsafeCurrentTask { $0?.cancel() }
        return await failure { try await couple.bobs.verify(couple.ann.id) }
      }
      let error = try await cancelled.value
      #expect(error?.code == .cancelled)
      await couple.anns.stop()
      let left = await failure { try await couple.anns.verify(couple.bob.id) }
      #expect(left?.code == .sessionEnded)
    }
  }

  @Test("A program that compares no codes has that said")
  func unattended() async throws {
    try await Self.meet(.secured) { couple in
      // Ann's program never asked for what members begin. However often that is said, it is no failure.
      for _ in 0..<5 {
        let error = await failure { try await couple.bobs.verify(couple.ann.id) }
        #expect(error?.code == .verificationFailed && error?.peers == [couple.ann.id])
        #expect(error?.message == "The program of the member compares no verification codes.")
      }
    }
  }

  @Test("Who lets go of a verification has the other side told; so has a call that is cancelled")
  func released() async throws {
    try await Self.meet(.secured) { couple in
      var anns: Verification? = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      #expect(anns?.ending == nil)
      anns = nil
      #expect(await bobs.waitForEnd() == .withdrawn)
      let call = couple.ann.start { try await couple.anns.verify(couple.bob.id) }
      try await couple.ann.host.sleep(for: .microseconds(1))
      call.cancel()
      let result = await call.result
      #expect(throws: EarshotError.self) { try result.get() }
      try await couple.ann.wait(milliseconds: 100)
      // Nothing is left of it: the next one is whole.
      let again = try await couple.anns.verify(couple.bob.id)
      let late = couple.ann.start { () -> Verification? in
        for await verification in couple.bobs.verifications where verification.ending == nil {
          return verification
        }
        return nil
      }
      let shown = try await late.value
      #expect(shown?.code == again.code)
    }
  }

  @Test(
    "A waiting program hears of the end when its task is cancelled, and takes nothing back by that")
  func cancelledWait() async throws {
    try await Self.meet(.secured) { couple in
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      let confirmation = couple.ann.start { await anns.confirm() }
      try await couple.ann.wait(milliseconds: 10)
      confirmation.cancel()
      #expect(try await confirmation.value == nil)
      #expect(await bobs.confirm() == .verified)
      #expect(await anns.waitForEnd() == .verified)
    }
  }

  @Test("When the link breaks or the session is left, both sides know", arguments: [true, false])
  func lost(isLeft: Bool) async throws {
    try await Self.meet(.secured) { couple in
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      let confirmation = couple.ann.start { await anns.confirm() }
      try await couple.ann.wait(milliseconds: 10)
      if isLeft { await couple.bobs.stop() } else { await couple.bob.suspend() }
      #expect(try await confirmation.value == .linkLost)
      #expect(await bobs.confirm() == .linkLost)
      if !isLeft {
        let error = await failure { try await couple.anns.verify(couple.bob.id) }
        #expect(error?.code == .notConnected)
        try await couple.bob.resume()
        try await couple.ann.wait(milliseconds: 5_000)
        let again = try await couple.anns.verify(couple.bob.id)
        #expect(again.code != anns.code)
      }
    }
  }

  @Test("Three links that break while people compare are three failures, and before a code none is")
  func breaking() async throws {
    try await Self.meet(.secured) { couple in
      for _ in 0..<5 {
        let call = couple.ann.start { try await couple.anns.verify(couple.bob.id) }
        try await couple.ann.host.sleep(for: .microseconds(1))
        await couple.bob.suspend()
        let early = await call.result
        #expect(throws: EarshotError.self) { try early.get() }
        try await couple.bob.resume()
        try await couple.ann.wait(milliseconds: 5_000)
      }
      for _ in 0..<3 {
        let anns = try await couple.anns.verify(couple.bob.id)
        await couple.bob.suspend()
        #expect(await anns.waitForEnd() == .linkLost)
        try await couple.bob.resume()
        try await couple.ann.wait(milliseconds: 5_000)
      }
      let error = await failure { try await couple.anns.verify(couple.bob.id) }
      #expect(error?.code == .verificationFailed && error?.message.contains("Three") == true)
    }
  }

  @Test("People have five minutes")
  func late() async throws {
    try await Self.meet(.secured) { couple in
      let anns = try await couple.anns.verify(couple.bob.id)
      let bobs = try #require(await couple.asked())
      try await couple.ann.wait(milliseconds: 299_000)
      #expect(anns.ending == nil && bobs.ending == nil)
      try await couple.ann.wait(milliseconds: 2_000)
      #expect(anns.ending == .timedOut && bobs.ending == .timedOut)
    }
  }

  @Test("After three failures within ten minutes there are no more for that time, whoever asks")
  func failures() async throws {
    try await Self.meet(.secured) { couple in
      for _ in 0..<3 {
        let anns = try await couple.anns.verify(couple.bob.id)
        let bobs = try #require(await couple.asked())
        await bobs.reject()
        #expect(await anns.waitForEnd() == .rejectedByRemote)
      }
      let own = await failure { try await couple.anns.verify(couple.bob.id) }
      #expect(own?.code == .verificationFailed && own?.message.contains("Three") == true)
      _ = couple.anns.verifications
      let other = await failure { try await couple.bobs.verify(couple.ann.id) }
      #expect(other?.code == .verificationFailed)
      try await couple.ann.wait(milliseconds: 601_000)
      let again = try await couple.anns.verify(couple.bob.id)
      let confirmation = couple.ann.start { await again.confirm() }
      let bobs = try #require(await couple.asked())
      #expect(await bobs.confirm() == .verified)
      #expect(try await confirmation.value == .verified)
    }
  }

  @Test(
    "Of verifications that no program takes the last sixteen wait, and all others are withdrawn")
  func flood() async throws {
    try await Self.meet(.simulated) { couple in
      for _ in 0..<40 {
        let anns = try await couple.anns.verify(couple.bob.id)
        await anns.withdraw()
        #expect(anns.ending == .withdrawn)
        try await couple.ann.wait(milliseconds: 250_000)  // Withdrawing often is a failure, too.
      }
      await couple.bobs.stop()
      var count = 0
      for await verification in couple.bobs.verifications {
        #expect(verification.ending == .withdrawn)
        count += 1
      }
      #expect((1...32).contains(count))
    }
  }
}
