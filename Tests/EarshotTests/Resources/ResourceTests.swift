import Earshot
import EarshotNetwork
import EarshotSimulator
import Foundation
import TestKit
import Testing

/// What the transfer of a resource promises when nothing goes wrong.
@Suite("Resources", .timeLimit(.minutes(10)))
struct ResourceTests {
  @Test(
    "A file arrives whole, with its time and its executable bit, and both sides have its digest",
    arguments: [0, 1, 262_144, (1 << 20) - 1, 1 << 20, (3 << 20) + 5])
  func whole(count: Int) throws {
    try Delivery.play { delivery in
      let bytes = Delivery.bytes(count)
      _ = try await delivery.make { file in
        _ = try file.write(bytes.span, at: 0)
        try file.set(modified: 1_234_567_890_123, isExecutable: true)
      }
      let bobs = try await delivery.send()
      let offer = try await delivery.offer()
      #expect(offer.label == "file.bin" && offer.fileName == "file.bin" && offer.kind == .file)
      #expect(offer.byteCount == Int64(count) && offer.byteCountLimit == Int64(count))
      #expect(offer.sender == delivery.pair.bob.id && offer.transfer == nil)
      let anns = try await offer.accept(into: Delivery.inbox)
      #expect(offer.transfer === anns)
      let (sent, received) = (try await bobs.completed(), try await anns.completed())
      #expect(sent.digest == received.digest && sent.byteCount == Int64(count))
      #expect(sent.file == nil && received.file?.path() == "/inbox/file.bin")
      #expect(delivery.ann.disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true)
      let source = try #require(delivery.bob.disk.attributes(of: "/home/file.bin"))
      let copy = try #require(delivery.ann.disk.attributes(of: "/inbox/file.bin"))
      #expect(copy.modified == 1_234_567_890_123 && copy.isExecutable)
      #expect(
        source.modified == copy.modified
          && offer.modified == Date(timeIntervalSince1970: 1_234.567890123))
      #expect(delivery.received == ["file.bin"])
      #expect(anns.currentProgress.fraction == 1 && bobs.currentProgress.fraction == 1)
    }
  }

  @Test("Bytes in memory, and bytes of a sequence whose number is unknown, arrive as a file")
  func data() throws {
    try Delivery.play { delivery in
      let bytes = Delivery.bytes(3_000_001)
      let bobs = try delivery.pair.guest.sendResource(
        bytes, named: "of memory", to: delivery.pair.ann.id)
      var offer = try await delivery.offer()
      #expect(offer.kind == .data && offer.byteCount == 3_000_001 && offer.modified == nil)
      try await offer.accept(into: Delivery.inbox).completed()
      try await bobs.completed()
      #expect(delivery.ann.disk.bytes(of: "/inbox/of memory")?.isSame(as: bytes) == true)
      let (parts, input) = AsyncStream.makeStream(of: [UInt8].self)
      for start in stride(from: 0, to: bytes.count, by: 700_000) {
        input.yield(Array(bytes[start..<min(bytes.count, start + 700_000)]))
        input.yield([])
      }
      input.finish()
      let streamed = try delivery.pair.guest.sendResource(
        reading: parts, upTo: 5_000_000, named: "of a sequence", to: delivery.pair.ann.id)
      offer = try await delivery.offer()
      #expect(offer.byteCount == nil && offer.byteCountLimit == 5_000_000)
      let anns = try await offer.accept(into: Delivery.inbox)
      #expect(anns.currentProgress.totalBytes == nil && anns.currentProgress.fraction == nil)
      #expect(try await streamed.completed().byteCount == 3_000_001)
      #expect(try await anns.completed().byteCount == 3_000_001)
      #expect(anns.currentProgress.totalBytes == 3_000_001)
      #expect(delivery.ann.disk.bytes(of: "/inbox/of a sequence")?.isSame(as: bytes) == true)
    }
  }

  @Test("A sequence that fails, or has more bytes than it may, ends the transfer on both sides")
  func badSequence() throws {
    struct Broken: Error {}
    try Delivery.play { delivery in
      for (limit, code) in [
        (10 as Int64, EarshotError.Code.resourceTooLarge), (.max, .resourceUnreadable),
      ] {
        let parts = AsyncThrowingStream<[UInt8], any Error> { input in
          input.yield([UInt8](repeating: 1, count: 11))
          input.finish(throwing: Broken())
        }
        let bobs = try delivery.pair.guest.sendResource(
          reading: Box(sequence: parts), upTo: limit, named: "a", to: delivery.pair.ann.id)
        let anns = try await delivery.offer().accept(into: Delivery.inbox)
        #expect(await failure { try await bobs.completed() }?.code == code)
        #expect(await failure { try await anns.completed() }?.code == code)
        #expect(delivery.received == [])
      }
    }
  }

  /// A sequence that one task iterates.
  struct Box: AsyncSequence, @unchecked Sendable {
    let sequence: AsyncThrowingStream<[UInt8], any Error>
    func makeAsyncIterator() -> AsyncThrowingStream<[UInt8], any Error>.Iterator {
      sequence.makeAsyncIterator()
    }
  }

  @Test("Holes stay holes, also at the end, and cost no bytes on the link")
  func sparse() throws {
    try Delivery.play { delivery in
      let size: Int64 = 5 << 30
      let island = Delivery.bytes(70_000)
      _ = try await delivery.make { file in
        _ = try file.write([1, 2, 3].span, at: 0)
        _ = try file.write(island.span, at: 3 << 30)
        try file.resize(to: size)
      }
      let (bobs, anns) = try await delivery.begin()
      let (sent, received) = (try await bobs.completed(), try await anns.completed())
      #expect(sent.digest == received.digest && sent.byteCount == size)
      let copy = try #require(delivery.ann.disk.attributes(of: "/inbox/file.bin"))
      #expect(copy.byteCount == size && copy.storedByteCount < 1 << 20)
      let storage = delivery.ann.storage
      let parts = try await delivery.ann.offload {
        let file = try storage.openFile(at: "/inbox/file.bin")
        return try [(0, 4), (3 << 30, 70_001)].map { try file.read($1, at: $0) }
      }
      #expect(parts == [[1, 2, 3, 0], island + [0]])
      let traffic = await delivery.pair.guest.statistics(of: delivery.pair.ann.id)?.link?.bytesSent
      #expect(traffic.map { $0 < 1_000_000 } == true)
    }
  }

  // MARK: Names

  @Test("A name that is taken gets a number, unless the new file is to replace the old one")
  func names() throws {
    try Delivery.play { delivery in
      delivery.write(10)
      for _ in 0..<3 {
        let (bobs, anns) = try await delivery.begin(named: "../a.txt")
        try await bobs.completed()
        #expect(anns.label == "../a.txt" && bobs.label == "../a.txt")
      }
      #expect(delivery.received == ["_._a (2).txt", "_._a (3).txt", "_._a.txt"])
      let bytes = delivery.write(20)
      let bobs = try await delivery.send(named: "x")
      let offer = try await delivery.offer()
      for name in ["", "a/b", "..", ".hidden", "a\u{308}\u{0}", String(repeating: "a", count: 256)]
      {
        let error = await failure { try await offer.accept(into: Delivery.inbox, as: name) }
        #expect(error?.code == .invalidFileName, "\(name)")
      }
      try await offer.accept(into: Delivery.inbox, as: "_._a.txt", replacing: true)
      try await bobs.completed()
      #expect(delivery.received == ["_._a (2).txt", "_._a (3).txt", "_._a.txt"])
      #expect(delivery.ann.disk.bytes(of: "/inbox/_._a.txt") == bytes)
    }
  }

  @Test("Two files of one name at once are two files, and a folder of that name stays")
  func sameName() throws {
    try Delivery.play { delivery in
      delivery.ann.disk.makeFolder(at: "/inbox/a")
      delivery.write(3 << 20, to: "/home/1")
      delivery.write(3 << 20, from: 5, to: "/home/2")
      var transfers: [ResourceTransfer] = []
      for number in [1, 2] {
        transfers.append(
          try await delivery.send(named: "a", at: URL(filePath: "/home/\(number)")))
        try await delivery.offer().accept(into: Delivery.inbox)
      }
      for transfer in transfers { try await transfer.completed() }
      #expect(delivery.received == ["a", "a (2)", "a (3)"])
      let bobs = try await delivery.send(named: "a", at: URL(filePath: "/home/1"))
      try await delivery.offer().accept(into: Delivery.inbox, replacing: true)
      #expect(await failure { try await bobs.completed() }?.code == .nameTaken)
      #expect(delivery.received == ["a", "a (2)", "a (3)"])
    }
  }

  @Test("A label is any UTF-8 of 1 through 1,023 bytes; another one, or another URL, is refused")
  func labels() throws {
    try Delivery.play { delivery in
      delivery.write(1)
      for label in ["", String(repeating: "a", count: 1_024)] {
        let file = await failure { try await delivery.send(named: label) }
        #expect(file?.code == .invalidResourceLabel)
        let data = await failure { try delivery.sendData([1], named: label) }
        #expect(data?.code == .invalidResourceLabel)
      }
      for label in ["\u{0}\n/../🙂", String(repeating: "a", count: 1_023)] {
        let bobs = try await delivery.send(named: label)
        let offer = try await delivery.offer()
        #expect(offer.label == label)
        try await offer.accept(into: Delivery.inbox)
        try await bobs.completed()
      }
      let web = try #require(URL(string: "https://example.org/a"))
      let unsupported = await failure { try await delivery.send(at: web) }
      #expect(unsupported?.code == .unsupportedResource)
      for path in ["/nothing", "/home"] {
        let unreadable = await failure { try await delivery.send(at: URL(filePath: path)) }
        #expect(unreadable?.code == .resourceUnreadable)
        #expect(unreadable?.storageCause?.code == (path == "/home" ? .notFile : .notFound))
      }
      let stranger = await failure { try await delivery.sendToStranger() }
      #expect(stranger?.code == .notConnected)
    }
  }

  // MARK: Answers

  @Test("A refusal reaches the sender with its reason, and the first answer counts")
  func declined() throws {
    try Delivery.play { delivery in
      delivery.write(1)
      let bobs = try await delivery.send()
      #expect(bobs.currentProgress.standstill == .unanswered)
      let offer = try await delivery.offer()
      let reason = String(repeating: "ü", count: 200)
      offer.decline(reason)
      offer.decline("once more")
      #expect(await failure { try await offer.accept(into: Delivery.inbox) }?.code == .offerEnded)
      let error = await failure { try await bobs.completed() }
      #expect(error?.code == .resourceDeclined)
      #expect(error?.declineReason == String(repeating: "ü", count: 127))
      #expect(bobs.currentProgress.isEnded && bobs.currentProgress.standstill == nil)
      let other = try await delivery.send()
      try await delivery.offer().decline()
      #expect(await failure { try await other.completed() }?.declineReason == "")
      let unanswered = try await delivery.send()
      _ = try await delivery.offer()
      #expect(await failure { try await unanswered.completed() }?.code == .resourceDeclined)
      #expect(delivery.received == [])
    }
  }

  @Test("An offer ends once, with the first answer or when it is withdrawn, for all who wait")
  func endings() throws {
    try Delivery.play { delivery in
      delivery.write(1)
      let sent = try await delivery.send()
      let offer = try await delivery.offer()
      #expect(offer.ending == nil)
      let waiting = delivery.start { await offer.waitForEnd() }
      let cancelled = delivery.start { await offer.waitForEnd() }
      cancelled.cancel()
      #expect(await cancelled.value == nil && offer.ending == nil)
      try await offer.accept(into: Delivery.inbox)
      #expect(await waiting.value == .accepted)
      try await sent.completed()
      offer.decline()
      #expect(await offer.waitForEnd() == .accepted && offer.ending == .accepted)
      let second = try await delivery.send()
      let declined = try await delivery.offer()
      let answer = delivery.start { await declined.waitForEnd() }
      declined.decline()
      #expect(await answer.value == .declined)
      #expect(await failure { try await second.completed() }?.code == .resourceDeclined)
      let third = try await delivery.send()
      let withdrawn = try await delivery.offer()
      let end = delivery.start { await withdrawn.waitForEnd() }
      third.cancel()
      #expect(await end.value == .withdrawn)
      withdrawn.decline()
      #expect(withdrawn.ending == .withdrawn)
    }
  }

  @Test("Of two calls that accept at once, one succeeds; one that fails leaves the offer open")
  func twoAnswers() throws {
    try Delivery.play { delivery in
      delivery.write(1 << 20)
      let bobs = try await delivery.send()
      let offer = try await delivery.offer()
      delivery.ann.disk.write([], to: "/file")
      for (folder, code) in [
        ("/nowhere", EarshotError.Code.folderUnavailable), ("/file", .folderUnavailable),
      ] {
        let error = await failure { try await offer.accept(into: URL(filePath: folder)) }
        #expect(error?.code == code)
      }
      let web = try #require(URL(string: "https://example.org/"))
      #expect(await failure { try await offer.accept(into: web) }?.code == .unsupportedResource)
      let calls = (0..<4).map { _ in
        delivery.pair.ann.addTask { () async -> Bool in
          await failure { try await offer.accept(into: Delivery.inbox) } == nil
        }
      }
      var successes = 0
      for call in calls where try await call.value { successes += 1 }
      #expect(successes == 1)
      try await bobs.completed()
      #expect(delivery.received == ["file.bin"])
    }
  }

  @Test("A call that is cancelled before it has accepted leaves the offer open")
  func cancelledAccept() throws {
    try Delivery.play { delivery in
      delivery.write(10)
      let bobs = try await delivery.send()
      let offer = try await delivery.offer()
      let call = delivery.pair.ann.addTask { () async -> EarshotError? in
        await failure { try await offer.accept(into: Delivery.inbox) }
      }
      call.cancel()
      #expect(try await call.value?.code == .cancelled)
      #expect(delivery.received == [])
      try await offer.accept(into: Delivery.inbox)
      try await bobs.completed()
    }
  }

  @Test("A policy accepts what fits a rule, and asks about all else")
  func policy() throws {
    let policy = ResourcePolicy.accept(into: URL(filePath: "/small"), upTo: 1_000)
      .or(into: Delivery.inbox, upTo: 10_000).or(into: URL(filePath: "/nowhere"), upTo: 20_000)
      .or(into: Delivery.inbox, from: [])
    try Delivery.play(configuration: Session.Configuration(resourcePolicy: policy)) { delivery in
      delivery.ann.disk.makeFolder(at: "/small")
      for (count, folder) in [(1_000, "/small"), (1_001, "/inbox"), (15_000, nil), (30_000, nil)] {
        delivery.write(count)
        let bobs = try await delivery.send()
        let offer = try await delivery.offer()
        #expect((offer.transfer != nil) == (folder != nil), "\(count) bytes")
        if folder == nil { try await offer.accept(into: Delivery.inbox) }
        try await bobs.completed()
        let file = try await offer.transfer?.completed().file
        #expect(
          file?.deletingLastPathComponent().path(percentEncoded: false).hasPrefix(
            folder ?? "/inbox") == true)
      }
    }
  }

  @Test(
    "The 65th unfinished resource of a member is refused, and there is room again when one ends")
  func tooMany() throws {
    try Delivery.play { delivery in
      let member = delivery.pair.ann.id
      let transfers = try (0..<64).map { number in
        try delivery.pair.guest.sendResource([1], named: "\(number)", to: member)
      }
      var offers: [ResourceOffer] = []
      for await offer in delivery.pair.host.resources {
        offers.append(offer)
        if offers.count == 64 { break }
      }
      let extra = try delivery.pair.guest.sendResource([1], named: "65", to: member)
      #expect(await failure { try await extra.completed() }?.code == .tooManyResources)
      offers[7].decline()
      #expect(await failure { try await transfers[7].completed() }?.code == .resourceDeclined)
      let next = try delivery.pair.guest.sendResource([1], named: "66", to: member)
      try await delivery.offer().accept(into: Delivery.inbox)
      try await next.completed()
    }
  }

  // MARK: One file twice

  @Test("A file that is offered twice at once is one transfer, and each call has its own result")
  func shared() throws {
    try Delivery.play { delivery in
      delivery.write(2 << 20)
      let (first, second) = (try await delivery.send(), try await delivery.send())
      let third = try await delivery.send(named: "another label")
      let offers = [try await delivery.offer(), try await delivery.offer()]
      #expect(Set(offers.map(\.label)) == ["file.bin", "another label"])
      first.cancel()
      #expect(await failure { try await first.completed() }?.code == .cancelled)
      for offer in offers { try await offer.accept(into: Delivery.inbox) }
      try await second.completed()
      try await third.completed()
      #expect(delivery.received == ["another label", "file.bin"])
      let again = try await delivery.send()
      try await delivery.offer().accept(into: Delivery.inbox)
      try await again.completed()
      #expect(delivery.received.count == 3, "one that has ended is not shared")
    }
  }

  // MARK: Results

  @Test("A result is for any number of tasks, and stays; a task that is cancelled changes nothing")
  func results() throws {
    try Delivery.play { delivery in
      delivery.write(1 << 20)
      let bobs = try await delivery.send()
      let waiters = (0..<3).map { number in
        delivery.pair.bob.addTask { () async -> EarshotError? in
          await failure { try await bobs.completed() }
        }
      }
      try await delivery.pair.bob.wait(milliseconds: 10)
      waiters[0].cancel()
      #expect(try await waiters[0].value?.code == .cancelled)
      let anns = try await delivery.offer().accept(into: Delivery.inbox)
      for waiter in waiters.dropFirst() { #expect(try await waiter.value?.code == nil) }
      let outcome = try await bobs.completed()
      bobs.cancel()
      #expect(try await bobs.completed() == outcome, "cancelling is too late")
      #expect(try await anns.completed().digest == outcome.digest)
    }
  }

  @Test("A transfer that both programs let go of goes on to its end")
  func released() throws {
    try Delivery.play { delivery in
      let bytes = delivery.write(3 << 20)
      _ = try await delivery.send()
      try await delivery.offer().accept(into: Delivery.inbox)
      try await delivery.pair.ann.wait(milliseconds: 30_000)
      #expect(delivery.ann.disk.bytes(of: "/inbox/file.bin")?.isSame(as: bytes) == true)
    }
  }

  @Test("A loop over the offers ends when the session is left")
  func offersEnd() throws {
    try Delivery.play { delivery in
      let counting = delivery.pair.ann.addTask { () async -> Int in
        await delivery.pair.host.resources.reduce(0) { count, _ in count + 1 }
      }
      delivery.write(1)
      let bobs = try await delivery.send()
      try await delivery.pair.ann.wait(milliseconds: 100)
      await delivery.pair.host.stop()
      #expect(try await counting.value == 1)
      #expect(await failure { try await bobs.completed() } != nil)
    }
  }
}
