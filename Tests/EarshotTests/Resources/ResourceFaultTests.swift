import Earshot
import EarshotNetwork
import EarshotSimulator
import Foundation
import TestKit
import Testing

/// What the transfer of a resource promises when links break, peers sleep, disks fail and members
/// leave.
@Suite("Resources under faults", .timeLimit(.minutes(30)))
struct ResourceFaultTests {
  private static let slow = LinkConditions(latency: .milliseconds(10), bandwidth: 2_000_000)

  @Test(
    "A link that breaks, or a peer that sleeps, at any stage costs time and nothing else",
    arguments: Seed.some(30))
  func interruptions(seed: Seed) throws {
    try Delivery.play(seed: seed.value, over: Self.slow) { delivery in
      var random = seed.generator
      let world = delivery.world
      for _ in 0..<3 {
        let begin = world.now + .milliseconds(Int(random.below(12_000)))
        let end = begin + .milliseconds(200 + Int(random.below(9_000)))
        let host = random.below(2) == 0 ? delivery.ann : delivery.bob
        if random.below(2) == 0 {
          world.at(begin) { world.partition([[delivery.ann], [delivery.bob]]) }
          world.at(end) { world.heal() }
        } else {
          world.at(begin) { world.suspend(host) }
          world.at(end) { world.resume(host) }
        }
      }
      try await delivery.pair.ann.wait(milliseconds: Int(random.below(6_000)))
      let bytes = delivery.write(6 << 20)
      let (bobs, anns) = try await delivery.begin()
      try await anns.completed()
      try await bobs.completed()
      #expect(delivery.ann.disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true)
      #expect(delivery.received == ["file.bin"])
    }
  }

  /// When a side cancels.
  enum Stage: CaseIterable { case offered, begun, interrupted, diskFull }

  @Test(
    "Either side cancels at once, at any stage, and nothing is left", arguments: Stage.allCases,
    [false, true])
  func cancelled(stage: Stage, bySender: Bool) throws {
    guard stage != .offered || bySender else { return }
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(20 << 20)
      let bobs = try await delivery.send()
      let offer = try await delivery.offer()
      if stage == .diskFull { delivery.ann.disk.conditions.capacityBytes = 1 << 20 }
      var anns: ResourceTransfer?
      if stage != .offered {
        anns = try await offer.accept(into: Delivery.inbox, evenIfFull: true)
        try await delivery.wait(for: bobs) {
          stage == .diskFull ? $0.standstill == .diskFull : $0.completedBytes > 0
        }
      }
      if stage == .interrupted {
        delivery.world.partition([[delivery.ann], [delivery.bob]])
        try await delivery.wait(for: bobs) { $0.standstill == .linkInterrupted }
      }
      let own = bySender ? bobs : try #require(anns)
      let time = delivery.world.now
      own.cancel()
      own.cancel()
      #expect(await failure { try await own.completed() }?.code == .cancelled)
      #expect(delivery.world.now - time < .milliseconds(50))
      if stage == .interrupted { delivery.world.heal() }
      if let other = bySender ? anns : bobs {
        #expect(await failure { try await other.completed() }?.code == .resourceCancelled)
      } else {
        try await delivery.pair.ann.wait(milliseconds: 1_000)
        let error = await failure { try await offer.accept(into: Delivery.inbox) }
        #expect(error?.code == .offerEnded)
      }
      #expect(delivery.received == [])
    }
  }

  @Test(
    "Whenever the receiver cancels, it has the file exactly if the transfer has succeeded",
    arguments: Seed.some(60))
  func cancelledAnyTime(seed: Seed) throws {
    try Delivery.play(seed: seed.value) { delivery in
      delivery.write(3_000)
      delivery.ann.disk.conditions.latency = .milliseconds(1)
      var random = seed.generator
      let (_, anns) = try await delivery.begin()
      try await delivery.ann.sleep(for: .microseconds(Int(random.below(16_000))))
      anns.cancel()
      let error = await failure { try await anns.completed() }
      try await delivery.pair.ann.wait(milliseconds: 100)
      #expect(delivery.received == (error == nil ? ["file.bin"] : []))
      #expect(error == nil || error?.code == .cancelled)
    }
  }

  /// The ways in which a membership ends.
  enum Departure: CaseIterable { case lost, stopped, removed }

  @Test(
    "When a membership ends, transfers end with it, and nothing is left",
    arguments: Departure.allCases)
  func departed(departure: Departure) throws {
    let configuration = Session.Configuration(patience: .seconds(5))
    try Delivery.play(over: Self.slow, configuration: configuration) { delivery in
      delivery.write(20 << 20)
      let (bobs, anns) = try await delivery.begin()
      try await delivery.wait(for: bobs) { $0.completedBytes > 0 }
      let waiting = try await delivery.send(named: "waiting")
      let offer = try await delivery.offer()
      switch departure {
      case .lost: delivery.world.partition([[delivery.ann], [delivery.bob]])
      case .stopped: await delivery.pair.host.stop()
      case .removed: await delivery.pair.host.remove(delivery.pair.bob.id)
      }
      let own = departure == .stopped ? EarshotError.Code.sessionEnded : .notConnected
      #expect(await failure { try await anns.completed() }?.code == own)
      #expect(await failure { try await bobs.completed() }?.code == .notConnected)
      #expect(await failure { try await waiting.completed() }?.code == .notConnected)
      #expect(await failure { try await offer.accept(into: Delivery.inbox) }?.code == .offerEnded)
      #expect(await offer.waitForEnd() == .withdrawn)
      #expect(delivery.received == [])
    }
  }

  @Test(
    "A full disk is a pause on both sides, and the transfer goes on within two seconds of room",
    arguments: Seed.some(8))
  func diskFull(seed: Seed) throws {
    try Delivery.play(seed: seed.value, over: Self.slow) { delivery in
      let bytes = delivery.write(8 << 20)
      let bobs = try await delivery.send()
      let offer = try await delivery.offer()
      var random = seed.generator
      let disk = delivery.ann.disk
      disk.conditions.capacityBytes = Int(random.below(8 << 20))
      let refusal = await failure { try await offer.accept(into: Delivery.inbox) }
      #expect(refusal?.code == .insufficientStorage)
      let anns = try await offer.accept(into: Delivery.inbox, evenIfFull: true)
      for transfer in [bobs, anns] {
        try await delivery.wait(for: transfer) { $0.standstill == .diskFull }
      }
      anns.pause()  // Has no effect now.
      try await delivery.pair.ann.wait(milliseconds: 20_000)
      #expect(bobs.currentProgress.standstill == .diskFull)
      disk.conditions.capacityBytes = 1 << 30
      let time = delivery.world.now
      try await delivery.wait(for: bobs) { $0.standstill == nil }
      #expect(delivery.world.now - time < .seconds(2))
      try await bobs.completed()
      #expect(disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true)
    }
  }

  /// What happens to a file while it is read.
  enum Change: CaseIterable { case written, cut, extended }

  @Test(
    "A file that changes while it is read ends the transfer on both sides",
    arguments: Change.allCases)
  func changed(change: Change) throws {
    try Delivery.play(over: Self.slow) { delivery in
      let bytes = Delivery.bytes(20 << 20)
      let file = try await delivery.make { _ = try $0.write(bytes.span, at: 0) }
      let (bobs, anns) = try await delivery.begin()
      try await delivery.wait(for: bobs) { $0.completedBytes > 0 }
      try await delivery.bob.offload {
        switch change {
        case .written: _ = try file.write([1].span, at: 5)
        case .cut: try file.resize(to: 1 << 20)
        case .extended: try file.resize(to: 30 << 20)
        }
      }
      #expect(await failure { try await bobs.completed() }?.code == .resourceChanged)
      #expect(await failure { try await anns.completed() }?.code == .resourceChanged)
      #expect(delivery.received == [])
    }
  }

  @Test("A folder that is moved, removed or replaced meanwhile ends the transfer")
  func folderGone() throws {
    try Delivery.play(over: Self.slow) { delivery in
      delivery.write(4 << 20)
      let (bobs, anns) = try await delivery.begin()
      try await delivery.wait(for: bobs) { $0.completedBytes > 0 }
      delivery.ann.disk.remove("/inbox")
      delivery.ann.disk.makeFolder(at: "/inbox")
      #expect(await failure { try await anns.completed() }?.code == .folderUnavailable)
      #expect(await failure { try await bobs.completed() }?.code == .folderUnavailable)
      #expect(delivery.received == [])
    }
  }
}
