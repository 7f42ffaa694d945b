import Earshot
import EarshotNetwork
import EarshotSimulator
import Foundation
import Synchronization
import TestKit
import Testing

/// What is left of a transfer whichever call of the storage fails, or is the last of its host.
@Suite("Resources and failing disks", .timeLimit(.minutes(30)))
struct StorageFaultTests {
  private static let size = (2 << 20) + 700

  /// How many calls a transfer makes of a disk.
  private static func calls(ofReceiver: Bool) throws -> Int {
    let count = Mutex(0)
    try Delivery.play { delivery in
      delivery.write(size)
      let disk = (ofReceiver ? delivery.ann : delivery.bob).disk
      let (bobs, anns) = try await delivery.begin()
      try await bobs.completed()
      try await anns.completed()
      let calls: [StorageCall] =
        ofReceiver
        ? [
          .openFolder, .freeBytes, .names, .createFile, .write, .attributes, .set, .rename,
          .isFound,
        ]
        : [.openFile, .attributes, .read]
      for call in calls { #expect(disk.callCount(of: call) > 0, "\(call)") }
      count.withLock { $0 = disk.callCount }
    }
    return count.withLock { $0 }
  }

  @Test(
    "Whichever call of the receiver's disk fails, the file is whole or absent, and both sides hear of it",
    arguments: [.other, .permissionDenied, .full] as [StorageError.Code])
  func receiver(code: StorageError.Code) throws {
    for number in 1...(try Self.calls(ofReceiver: true)) {
      try Delivery.play { delivery in
        let bytes = delivery.write(Self.size)
        delivery.ann.disk.fail(number: number, with: code)
        let bobs = try await delivery.send()
        let offer = try await delivery.offer()
        if let refusal = await failure({ try await offer.accept(into: Delivery.inbox) }) {
          #expect(refusal.storageCause?.code == code)
          try await offer.accept(into: Delivery.inbox)  // Nothing has changed.
        }
        let anns = try #require(offer.transfer)
        let (sent, received) = (
          await failure { try await bobs.completed() }, await failure { try await anns.completed() }
        )
        #expect(sent?.code == received?.code, "call \(number)")
        // A folder that is not found again is gone, whatever the code was to be.
        let isPause = code == .full && sent?.code != .folderUnavailable
        #expect(sent == nil || !isPause, "call \(number): a full disk is a pause")
        if sent == nil {
          #expect(delivery.received == ["file.bin"])
          #expect(delivery.ann.disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true)
        } else {
          let codes: [EarshotError.Code] = [
            code == .other ? .storageFailed : .permissionDenied, .folderUnavailable,
          ]
          #expect(sent.map { codes.contains($0.code) } == true, "call \(number)")
          #expect(delivery.received == [], "call \(number)")
        }
      }
    }
  }

  @Test("Whichever call of the sender's disk fails, both sides hear of it, and nothing is left")
  func sender() throws {
    for number in 1...(try Self.calls(ofReceiver: false)) {
      try Delivery.play { delivery in
        delivery.write(Self.size)
        delivery.bob.disk.fail(number: number, with: .other)
        let transfer = Mutex<ResourceTransfer?>(nil)
        let refusal = await failure {
          let bobs = try await delivery.send()
          transfer.withLock { $0 = bobs }
        }
        guard let bobs = transfer.withLock({ $0 }) else {
          #expect(refusal?.code == .resourceUnreadable)
          return
        }
        let anns = try await delivery.offer().accept(into: Delivery.inbox)
        let (sent, received) = (
          await failure { try await bobs.completed() }, await failure { try await anns.completed() }
        )
        #expect(sent?.code == .resourceUnreadable && received?.code == .resourceUnreadable)
        #expect(sent?.storageCause?.code == .other && received?.storageCause == nil)
        #expect(delivery.received == [])
      }
    }
  }

  @Test(
    "Whenever the receiver's power fails, its file is whole or absent, and the next start cleans up"
  )
  func crash() throws {
    for number in 1...(try Self.calls(ofReceiver: true)) {
      let world = World(seed: 9)
      defer { world.finish() }
      let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
      ann.disk.makeFolder(at: "/inbox")
      let bytes = Delivery.bytes(Self.size)
      bob.disk.write(bytes, to: "/home/file.bin")
      ann.disk.crashHost(number: number)
      let configuration = Session.Configuration(resourcePolicy: .accept(into: Delivery.inbox))
      func deliver(to host: SimulatedHost) -> SimulatedTask<EarshotError?> {
        bob.addTask("script") {
          let pair = try await StreamPair(
            Peer("Ann", trusting: .anyPeer, on: host), Peer("Bob", trusting: .anyPeer, on: bob),
            test: "crash", configuration)
          let bobs = try await pair.guest.sendResource(at: Delivery.source, to: pair.ann.id)
          return await failure { try await bobs.completed() }
        }
      }
      let first = deliver(to: ann)
      #expect(world.run(until: { first.result != nil }, within: .seconds(600)))
      #expect(try first.value?.code == .notConnected)
      let files = ann.disk.names(in: "/inbox").filter { !$0.hasPrefix(".") }
      #expect(files == [] || files == ["file.bin"])
      if files != [] { #expect(ann.disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true) }
      let second = deliver(to: world.restart(ann))
      #expect(world.run(until: { second.result != nil }, within: .seconds(600)))
      #expect(try second.value?.code == nil)
      #expect(ann.disk.names(in: "/inbox").count == files.count + 1, "call \(number)")
    }
  }
}
