import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

extension UnreliableTests {
  /// Where a firewall is, between Ann, who listens, and Bob, who sends.
  enum Firewall: String, CaseIterable, Sendable {
    case everywhere, beforeAnn, beforeBob
  }

  @Test(
    "Datagrams get through again, however long they did not and whichever way",
    arguments: Firewall.allCases)
  func blockedForLong(firewall: Firewall) {
    let pair = Pair()
    let fault = Mutex<ActiveFault?>(nil)
    pair.run(for: .seconds(5_000)) { ann, bob, anns, bobs in
      func send(for seconds: Int) async throws {
        for _ in 0..<seconds {
          try bobs.sendUnreliably([1, 2, 3])
          try await bob.wait(milliseconds: 1_000)
        }
      }
      let reader = ann.start { for await _ in anns.messages {} }
      try await send(for: 30)
      #expect(await bobs.statistics(of: ann.id)?.unreliable.usesDatagrams == true)
      let blocked = firewall == .everywhere ? nil : firewall == .beforeAnn ? ann : bob
      let address = blocked?.host.interfaces.first?.addresses.first
      fault.withLock { $0 = pair.dropDatagrams(to: address) }
      try await send(for: 2_700)
      #expect(await bobs.statistics(of: ann.id)?.unreliable.usesDatagrams == false)
      fault.withLock { $0.take() }?.end()
      try await send(for: 60)
      #expect(await bobs.statistics(of: ann.id)?.unreliable.usesDatagrams == true)
      let before = try #require(await anns.statistics(of: bob.id)).unreliable
      try await send(for: 30)
      let after = try #require(await anns.statistics(of: bob.id)).unreliable
      #expect(after.messagesReceived - before.messagesReceived == 30)
      #expect(after.dropped == before.dropped)
      reader.cancel()
    }
  }

  @Test("Keys are ten minutes old at most, also those of a side that only receives")
  func keysOfReceiver() {
    let pair = Pair()
    let capture = pair.capture()
    pair.run(for: .seconds(2_000)) { ann, bob, anns, bobs in
      let reader = ann.start { for await _ in anns.messages {} }
      for round in 0..<3 as Range<UInt8> {
        for _ in 0..<590 {
          try bobs.sendUnreliably([1, 2, 3])
          try await bob.wait(milliseconds: 1_000)
        }
        for peer in [ann, bob] {
          let address = peer.host.interfaces.first?.addresses.first
          #expect(capture.lastKinds(from: address, 3) == Array(repeating: 4 | round, count: 3))
        }
        for _ in 0..<14 {
          try bobs.sendUnreliably([1, 2, 3])
          try await bob.wait(milliseconds: 1_000)
        }
      }
      let dropped = await anns.statistics(of: bob.id)?.unreliable.dropped
      #expect(dropped?[.forged] == nil && dropped?[.replayed] == nil)
      reader.cancel()
    }
  }
}
