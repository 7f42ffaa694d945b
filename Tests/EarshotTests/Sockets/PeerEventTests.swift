import Earshot
import EarshotCore
import EarshotNetwork
import EarshotPOSIX
import EarshotSimulator
import Testing

/// What a peer tells of itself.
@Suite("Events of a peer", .timeLimit(.minutes(30)))
struct PeerEventTests {
  @Test("A loop begins with the present state and gets every change", arguments: Ground.allCases)
  func life(ground: Ground) async throws {
    try await ground.meet { ann, _ in
      var events = ann.events.makeAsyncIterator()
      #expect(await events.next() == .running)
      await ann.suspend()
      #expect(await events.next() == .suspended)
      var second = ann.events.makeAsyncIterator()
      #expect(await second.next() == .suspended)
      await ann.suspend()
      try await ann.resume()
      #expect(await [events.next(), second.next()] == [.resumed, .resumed])
      #expect(await ann.events.first { _ in true } == .running)
      await ann.stop()
      #expect(await [events.next(), second.next()] == [.stopped, .stopped])
      #expect(await [events.next(), second.next()] == [nil, nil])
      let late = await ann.events.reduce(into: []) { $0.append($1) }
      #expect(late == [.stopped])
    }
  }

  @Test("A waiting loop ends with its task, and takes nothing from another one")
  func cancelled() async throws {
    try await Ground.simulated.meet { ann, _ in
      var other = ann.events.makeAsyncIterator()
      let waiting = ann.start { await ann.events.reduce(into: []) { $0.append($1) } }
      try await ann.wait(milliseconds: 1)
      waiting.cancel()
      #expect(try await waiting.value == [.running])
      await ann.suspend()
      #expect(await [other.next(), other.next()] == [.running, .suspended])
    }
  }

  @Test("A loop that is slow gets the last of the life and the last of discovery")
  func slow() async throws {
    try await Ground.simulated.meet { ann, _ in
      var events = ann.events.makeAsyncIterator()
      for _ in 0..<100 {
        await ann.suspend()
        try await ann.resume()
      }
      await ann.stop()
      var seen: [PeerEvent] = []
      while let event = await events.next() { seen.append(event) }
      #expect(seen.first == .running && seen.last == .stopped)
      #expect(seen.count < 200 && !seen.contains(.available))
    }
  }

  @Test("A peer whose host goes down has stopped")
  func hostDown() async throws {
    let host = try POSIXHost(.loopback)
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    var events = ann.events.makeAsyncIterator()
    #expect(await events.next() == .running)
    let waiting = Task { await ann.events.reduce(into: []) { $0.append($1) } }
    await host.shutDown()
    #expect(await events.next() == .stopped)
    #expect(await events.next() == nil)
    let last = await waiting.value.last
    #expect(last == .stopped)
    #expect(await failure { try await ann.resume() }?.code == .stopped)
  }

  @Test("A peer that waits for a network has stopped, too, when its host goes down")
  func hostDownWhileResuming() async throws {
    let base = try POSIXHost(.loopback)
    let host = FaultyHost(base)
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    await ann.suspend()
    host.loseNetwork()
    let calls = (0..<2).map { _ in Task { await failure { try await ann.resume() } } }
    while host.refusedListeners < calls.count { try await host.sleep(for: .milliseconds(1)) }
    await base.shutDown()
    for call in calls { #expect(await call.value?.code == .stopped) }
    #expect(await failure { try await ann.resume() }?.code == .stopped)
  }

  @Test("Trouble with the network is told, also to a loop that begins in it")
  func trouble() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let base = world.makeHost("ann")
    let host = ChangingHost(base)
    let interfaces = host.interfaces
    let heard = base.addTask("listener") { () async throws -> [[PeerEvent]] in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
      let advertiser = try await ann.advertise("chat")
      defer { withExtendedLifetime(advertiser) {} }
      var events = ann.events.makeAsyncIterator()
      var (heard, late): ([PeerEvent?], [PeerEvent?]) = ([await events.next()], [])
      host.interfaces = []
      heard.append(await events.next())
      var second = ann.events.makeAsyncIterator()
      for _ in 0..<2 { late.append(await second.next()) }
      await ann.suspend()
      try await ann.resume()
      for _ in 0..<2 { late.append(await second.next()) }
      host.interfaces = interfaces
      for _ in 0..<3 { heard.append(await events.next()) }
      late.append(await second.next())
      await ann.stop()
      late.append(await second.next())
      return [heard.compactMap(\.self), late.compactMap(\.self)]
    }
    #expect(world.run(until: { heard.result != nil }, within: .seconds(60)))
    let problem = PeerEvent.unavailable(.noInterface)
    #expect(try heard.value[0] == [.running, problem, .suspended, .resumed, .available])
    #expect(try heard.value[1] == [.running, problem, .suspended, .resumed, .available, .stopped])
  }
}
