import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

extension UnreliableTests {
  @Test("What a link that is behind cannot take is dropped and counted, and nothing else is")
  func linkBusy() {
    let pair = Pair(links: LinkConditions(latency: .milliseconds(20), bandwidth: 12_500))
    _ = pair.dropDatagrams()
    pair.run(for: .seconds(300)) { ann, bob, anns, bobs in
      let counts = Mutex((reliable: 0, unreliable: 0))
      let reader = ann.start {
        for await message in anns.messages {
          counts.withLock {
            if message.isReliable { $0.reliable += 1 } else { $0.unreliable += 1 }
          }
        }
      }
      let receipt = try await bobs.send([UInt8](repeating: 7, count: 400_000))
      for _ in 0..<100 {
        try bobs.sendUnreliably([UInt8](repeating: 8, count: 500))
        try await bob.wait(milliseconds: 10)
      }
      try await receipt.waitForDelivery()
      try await bob.wait(milliseconds: 5_000)
      let sent = try #require(await bobs.statistics(of: ann.id)).unreliable
      let late = sent.dropped[.linkBusy] ?? 0
      #expect(sent.messagesSent == 100 && sent.dropped == [.linkBusy: late] && late > 0)
      #expect(sent.messagesSentOverLink == 100 - late)
      #expect(counts.withLock { $0.reliable } == 1)
      #expect(counts.withLock { $0.unreliable } == 100 - late)
      reader.cancel()
    }
  }

  @Test("A message of which a part did not come counts after a second, though nothing else comes")
  func incomplete() {
    let pair = Pair()
    let isLossy = Mutex(false)
    pair.add(
      Rule { packet, _ in
        packet.kind == .udp && packet.payloadBytes == 1_200 && isLossy.withLock { $0 } ? .drop : nil
      })
    pair.run(for: .seconds(120)) { ann, bob, anns, bobs in
      let reader = ann.start { for await _ in anns.messages {} }
      while await bobs.statistics(of: ann.id)?.unreliable.usesDatagrams != true {
        try bobs.sendUnreliably([0])
        try await bob.wait(milliseconds: 10)
      }
      isLossy.withLock { $0 = true }
      for _ in 0..<3 { try bobs.sendUnreliably([UInt8](repeating: 1, count: 3_000)) }
      try await bob.wait(milliseconds: 500)
      isLossy.withLock { $0 = false }
      let early = try #require(await anns.statistics(of: bob.id)).unreliable
      #expect(early.dropped[.incomplete] == nil)
      try await bob.wait(milliseconds: 1_000)
      let late = try #require(await anns.statistics(of: bob.id)).unreliable
      #expect(late.dropped[.incomplete] == 3)
      try bobs.sendUnreliably([UInt8](repeating: 1, count: 3_000))
      try await bob.wait(milliseconds: 500)
      let whole = try #require(await anns.statistics(of: bob.id)).unreliable
      #expect(whole.dropped[.incomplete] == 3)
      #expect(whole.messagesReceived == late.messagesReceived + 1)
      reader.cancel()
    }
  }
}
