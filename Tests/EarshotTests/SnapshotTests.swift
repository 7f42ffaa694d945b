import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Snapshots: a state, and every later one")
struct SnapshotTests {
  @Test(
    "A consumer begins with the present state, gets the latest one, and the last one at the end")
  func latest() async {
    let hub = SnapshotHub([0])
    var first = SnapshotStream(hub).makeAsyncIterator()
    #expect(await first.next() == [0])
    for number in 1...3 { hub.update { $0.append(number) } }
    var second = SnapshotStream(hub).makeAsyncIterator()
    #expect(await first.next() == [0, 1, 2, 3])
    #expect(await second.next() == [0, 1, 2, 3])
    hub.update { $0.removeAll() }
    hub.finish()
    hub.update { $0.append(9) }
    #expect(await first.next() == [])
    #expect(await first.next() == nil)
    #expect(await second.next() == [])
    #expect(await second.next() == nil)
    var late = SnapshotStream(hub).makeAsyncIterator()
    #expect(await late.next() == [])
    #expect(await late.next() == nil)
  }

  @Test("A consumer that waits is woken by a change, by the end, and by its cancellation alone")
  func waiting() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let host = world.makeHost("a")
    let hub = SnapshotHub(0)
    let lines = Mutex<[String]>([])
    var tasks: [SimulatedTask<Void>] = []
    for name in ["first", "second"] {
      tasks.append(
        host.addTask(name) {
          for await value in SnapshotStream(hub) {
            lines.withLock { $0.append("\(name) \(value)") }
          }
          lines.withLock { $0.append("\(name) ends") }
        })
    }
    world.run(for: .seconds(1))
    hub.update { $0 = 1 }
    world.run(for: .seconds(1))
    tasks[0].cancel()
    world.run(for: .seconds(1))
    hub.update { $0 = 2 }
    hub.finish()
    world.run(for: .seconds(1))
    let all = lines.withLock { $0 }
    #expect(all.filter { $0.hasPrefix("first") } == ["first 0", "first 1", "first ends"])
    #expect(
      all.filter { $0.hasPrefix("second") } == ["second 0", "second 1", "second 2", "second ends"])
    let end = try #require(all.firstIndex(of: "first ends"))
    let next = try #require(all.firstIndex(of: "second 2"))
    #expect(end < next)
  }

  @Test("A cancelled task gets no state, however many there are")
  func cancelled() async {
    let hub = SnapshotHub(0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = SnapshotStream(hub).makeAsyncIterator()
      return await iterator.next()
    }
    #expect(await task.value == nil)
  }

  @Test(
    "Under changes and cancellations from many threads every consumer that stays sees the last state",
    .timeLimit(.minutes(30)))
  func manyThreads() async {
    let hub = SnapshotHub(0)
    await withTaskGroup(of: Int?.self) { group in
      for number in 0..<16 {
        group.addTask {
          var last: Int?
          for await value in SnapshotStream(hub) {
            if let last { #expect(value > last) }
            last = value
            if number % 4 == 0, value > 100 { withUnsafeCurrentTask { $0?.cancel() } }
          }
          return number % 4 == 0 ? nil : last
        }
      }
      group.addTask {
        for _ in 0..<2_000 {
          hub.update { $0 += 1 }
          await Task.yield()
        }
        hub.finish()
        return nil
      }
      var finals: [Int] = []
      for await last in group { if let last { finals.append(last) } }
      #expect(finals == Array(repeating: 2_000, count: 12))
    }
  }

  /// Some who come and go, and one who browses; answers what the browser's lists were.
  private func lists(
    seed: Seed, loss: Ratio = .zero, watching pause: Duration = .zero,
    _ extra: @escaping @Sendable (SimulatedHost, Peer, Browser) async throws -> Void = { _, _, _ in
    }
  ) -> (lists: [[String]], last: [String]) {
    let world = World(seed: seed.value)
    defer { world.finish() }
    for index in 0..<4 {
      let host = world.makeHost("p\(index)")
      host.addTask("p") {
        guard let peer = try? await Peer("p\(index)", trusting: .anyPeer, on: host) else { return }
        for round in 1...3 {
          try? await host.sleep(until: .zero + .seconds(round * 10 + index))
          guard let advertiser = try? await peer.advertise("chat") else { return }
          try? await host.sleep(until: .zero + .seconds(round * 10 + 5 + index))
          if round < 3 || index < 2 {
            await advertiser.stop()
          } else {
            try? await host.sleep(until: .distantFuture)
          }
        }
      }
    }
    let host = world.makeHost("eye")
    let lists = Mutex<[[String]]>([])
    let last = Mutex<[String]>([])
    host.addTask("eye") {
      guard let peer = try? await Peer("Eye", trusting: .anyPeer, on: host),
        let browser = try? await peer.browse("chat")
      else { return }
      host.addTask("lists") {
        for await list in browser.snapshots {
          #expect(list.map(\.id) == list.map(\.id).sorted())
          lists.withLock { $0.append(list.map(\.name).sorted()) }
          if pause > .zero { try? await host.sleep(for: pause) }
        }
        lists.withLock { $0.append(["end"]) }
      }
      try? await extra(host, peer, browser)
      try? await host.sleep(until: .zero + .seconds(100))
      let peers = await browser.peers.map(\.name).sorted()
      last.withLock { $0 = peers }
      await browser.stop()
    }
    world.run(for: .seconds(150))
    return (lists.withLock { $0 }, last.withLock { $0 })
  }

  @Test(
    "A browser's lists begin with the present one, and each differs from the one before by a peer")
  func browser() {
    let (lists, last) = lists(seed: Seed(1))
    #expect(lists.first == [] && lists.last == ["end"])
    #expect(lists.dropLast().last == ["p2", "p3"] && last == ["p2", "p3"])
    let changes = lists.dropLast()
    #expect(changes.count == 1 + 12 + 10)
    for (list, next) in zip(changes, changes.dropFirst()) {
      #expect(Set(list).symmetricDifference(next).count == 1)
    }
  }

  @Test("A slow consumer gets fewer lists, and in the end the right one", arguments: Seed.some(10))
  func slow(seed: Seed) {
    let (lists, last) = lists(seed: seed, watching: .seconds(7))
    #expect(lists.count < 16)
    #expect(lists.dropLast().last == last && last == ["p2", "p3"])
  }

  @Test("A suspension holds the lists as they are, and what changed meanwhile comes after it")
  func suspension() {
    let (lists, last) = lists(seed: Seed(2)) { host, peer, browser in
      try await host.sleep(until: .zero + .milliseconds(14_500))
      let before = await browser.peers
      await peer.suspend()
      try await host.sleep(until: .zero + .seconds(60))
      #expect(await browser.peers == before && before.count == 4)
      try await peer.resume()
    }
    #expect(lists.prefix(5).map(\.count) == [0, 1, 2, 3, 4])
    #expect(lists.dropLast().last == ["p2", "p3"] && last == ["p2", "p3"])
    #expect(lists.dropFirst(5).dropLast().allSatisfy { $0.count < 4 })
  }

  @Test("A browser that is only iterated lives on, and one that is released stops its lists")
  func lifetime() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let (far, host) = (world.makeHost("far"), world.makeHost("eye"))
    let counts = Mutex<[Int]>([])
    far.addTask("far") {
      try? await far.sleep(for: .seconds(30))
      guard let peer = try? await Peer("Far", trusting: .anyPeer, on: far) else { return }
      let advertiser = try? await peer.advertise("chat")
      try? await far.sleep(for: .seconds(30))
      await advertiser?.stop()
    }
    host.addTask("eye") {
      guard
        let snapshots = try? await Peer("Eye", trusting: .anyPeer, on: host).browse("chat")
          .snapshots
      else {
        return
      }
      for await list in snapshots {
        counts.withLock { $0.append(list.count) }
        if list.count == 1 { break }
      }
    }
    world.run(for: .seconds(100))
    #expect(counts.withLock { $0 } == [0, 1])
  }
}
