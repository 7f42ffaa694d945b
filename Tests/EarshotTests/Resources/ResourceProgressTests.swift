import Earshot
import EarshotSimulator
import Foundation
import Synchronization
import TestKit
import Testing

/// What both sides see of a transfer while it goes on.
@Suite("The progress of resources", .timeLimit(.minutes(10)))
struct ResourceProgressTests {
  /// Ten megabytes a second.
  private static let slow = LinkConditions(latency: .milliseconds(5), bandwidth: 10_000_000)

  @Test("Progress never goes back, ends exactly at the total, and has a rate and a time left")
  func monotonic() throws {
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(20 << 20)
      let (bobs, anns) = try await delivery.begin()
      let watchers = [bobs, anns].map { transfer in
        delivery.pair.ann.addTask { () async -> [ResourceProgress] in
          var all: [ResourceProgress] = []
          for await progress in transfer.progress { all.append(progress) }
          return all
        }
      }
      try await bobs.completed()
      for watcher in watchers {
        let all = try await watcher.value
        #expect(all.count > 15)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.completedBytes <= $1.completedBytes })
        let last = try #require(all.last)
        #expect(last.completedBytes == 20 << 20 && last.isEnded && last.fraction == 1)
        #expect(last.bytesPerSecond == 0 && last.timeLeft == nil)
        let middle = try #require(all.first { $0.completedBytes > 8 << 20 })
        #expect(5_000_000...20_000_000 ~= middle.bytesPerSecond)
        #expect(middle.timeLeft.map { $0 > .milliseconds(500) && $0 < .seconds(3) } == true)
      }
    }
  }

  @Test("Both sides show that the link is interrupted, and go on when it is back")
  func interrupted() throws {
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(20 << 20)
      let (bobs, anns) = try await delivery.begin()
      for transfer in [bobs, anns] {
        try await delivery.wait(for: transfer) { $0.completedBytes > 0 }
      }
      delivery.world.partition([[delivery.ann], [delivery.bob]])
      for transfer in [bobs, anns] {
        let state = try await delivery.wait(for: transfer) { $0.standstill == .linkInterrupted }
        #expect(state.bytesPerSecond == 0 && state.timeLeft == nil && !state.isEnded)
      }
      delivery.world.heal()
      for transfer in [bobs, anns] {
        try await delivery.wait(for: transfer) { $0.standstill == nil }
      }
      try await bobs.completed()
    }
  }

  @Test("Either side pauses and goes on, and the other one shows it", arguments: [false, true])
  func paused(bySender: Bool) throws {
    try Delivery.play(over: Self.slow) { delivery in
      let bytes = delivery.write(30 << 20)
      let (bobs, anns) = try await delivery.begin()
      let (own, other) = bySender ? (bobs, anns) : (anns, bobs)
      try await delivery.wait(for: bobs) { $0.completedBytes > 0 }
      own.pause()
      own.pause()
      #expect(own.currentProgress.standstill == .paused)
      try await delivery.wait(for: other) { $0.standstill == .pausedByRemote }
      let count = bobs.currentProgress.completedBytes
      try await delivery.pair.ann.wait(milliseconds: 60_000)
      #expect(bobs.currentProgress.completedBytes <= count + 3 << 20)
      own.resume()
      try await delivery.wait(for: other) { $0.standstill == nil }
      try await bobs.completed()
      #expect(delivery.ann.disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true)
      own.pause()
      own.resume()
    }
  }

  @Test(
    "A paused transfer is cancelled by either side at once", arguments: [false, true],
    [false, true])
  func cancelledWhilePaused(bySender: Bool, pausedBySender: Bool) throws {
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(30 << 20)
      let (bobs, anns) = try await delivery.begin()
      try await delivery.wait(for: bobs) { $0.completedBytes > 0 }
      (pausedBySender ? bobs : anns).pause()
      try await delivery.pair.ann.wait(milliseconds: 5_000)
      let (own, other) = bySender ? (bobs, anns) : (anns, bobs)
      let time = delivery.world.now
      own.cancel()
      #expect(await failure { try await own.completed() }?.code == .cancelled)
      #expect(await failure { try await other.completed() }?.code == .resourceCancelled)
      #expect(delivery.world.now - time < .milliseconds(100))
      #expect(delivery.received == [])
    }
  }

  @Test(
    "Foundation's object follows the transfer, is a child of another one, and is the same each time"
  )
  func foundation() throws {
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(20 << 20)
      let (bobs, anns) = try await delivery.begin()
      let parent = Progress(totalUnitCount: 100)
      for transfer in [bobs, anns] {
        parent.addChild(transfer.foundationProgress, withPendingUnitCount: 50)
        #expect(transfer.foundationProgress === transfer.foundationProgress)
        #expect(transfer.foundationProgress.totalUnitCount == 20 << 20)
      }
      try await delivery.pair.ann.wait(milliseconds: 1_000)
      #expect(0.1...0.9 ~= parent.fractionCompleted)
      try await bobs.completed()
      try await anns.completed()
      #expect(parent.fractionCompleted == 1)
      #expect(bobs.foundationProgress.completedUnitCount == 20 << 20)
    }
  }

  @Test(
    "Pausing, resuming and cancelling Foundation's object do so with the transfer",
    arguments: [false, true])
  func foundationCancels(bySender: Bool) throws {
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(50 << 20)
      let (bobs, anns) = try await delivery.begin()
      let (own, other) = bySender ? (bobs, anns) : (anns, bobs)
      own.foundationProgress.pause()
      try await delivery.wait(for: own) { $0.standstill == .paused }
      own.foundationProgress.resume()
      try await delivery.wait(for: own) { $0.standstill == nil }
      own.foundationProgress.cancel()
      #expect(await failure { try await own.completed() }?.code == .cancelled)
      #expect(await failure { try await other.completed() }?.code == .resourceCancelled)
    }
  }

  @Test("What arrives is written soon, however little it is and however much came before")
  func trickle() throws {
    try Delivery.play { delivery in
      let (parts, input) = AsyncStream.makeStream(of: [UInt8].self)
      input.yield(Delivery.bytes(3 << 20))
      let bobs = try delivery.pair.guest.sendResource(
        reading: parts, named: "log", to: delivery.pair.ann.id)
      let anns = try await delivery.offer().accept(into: Delivery.inbox)
      try await delivery.wait(for: anns) { $0.completedBytes == 3 << 20 }
      for count in 1...5 {
        let time = delivery.world.now
        input.yield([7])
        try await delivery.wait(for: anns) { $0.completedBytes == Int64(3 << 20) + Int64(count) }
        #expect(delivery.world.now - time < .milliseconds(50))
      }
      input.finish()
      #expect(try await bobs.completed().byteCount == Int64(3 << 20) + 5)
      #expect(try await anns.completed().byteCount == Int64(3 << 20) + 5)
    }
  }
}
