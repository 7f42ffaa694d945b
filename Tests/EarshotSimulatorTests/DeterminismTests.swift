import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("Determinism")
struct DeterminismTests {
  /// A room where everybody speaks to everybody over bad links, with faults on the way.
  private static func fill(_ world: World, extra: Bool = false, idleHosts: Int = 0) throws {
    world.setDefaultLink(
      LinkConditions(
        loss: .percent(10), duplication: .percent(5), reordering: .percent(10)))
    let hosts = (0..<5).map { world.makeHost("host \($0)") }
    for number in 0..<idleHosts { _ = world.makeHost("idle \(number)") }
    for host in hosts {
      _ = try host.listen(on: Endpoint(.anyV4, port: 7100), handler: ConnectionLog())
      host.addTask("talk") { await talk(host, to: hosts) }
    }
    for (host, other) in zip(hosts, hosts.dropFirst()) {
      _ = try host.connect(
        to: Endpoint(other.address, port: 7100), options: ConnectionOptions(),
        handler: ConnectionLog(sending: [UInt8](repeating: 5, count: 30_000), ending: true))
    }
    var faults = world.random("faults")
    let victim = hosts[Int(faults.below(5))]
    world.at(.zero + .seconds(1)) { world.suspend(victim, grace: .milliseconds(100)) }
    world.at(.zero + .seconds(3)) { world.resume(victim) }
    world.at(.zero + .seconds(4)) { if extra { world.note(nil, kind: "extra", "event") } }
    world.run(for: .seconds(6))
  }

  private static func talk(_ host: SimulatedHost, to hosts: [SimulatedHost]) async {
    do {
      let channel = try DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 7200))
      var random = host.random("talk")
      for number in 0..<200 {
        let other = hosts[Int(random.below(UInt64(hosts.count)))]
        try channel.send([UInt8(number)].span, to: Endpoint(other.address, port: 7200))
        _ = try await channel.receive(until: host.now + .milliseconds(Int(random.below(40))))
      }
    } catch {
      // The host was suspended, and its socket with it.
    }
  }

  private func hash(_ seed: UInt64, idleHosts: Int = 0) throws -> RollingHash {
    let world = World(seed: seed)
    try Self.fill(world, idleHosts: idleHosts)
    world.finish()
    return world.traceHash
  }

  @Test("A run is a function of its seed", arguments: Seed.some(20))
  func sameSeed(seed: Seed) throws {
    #expect(try hash(seed.value) == hash(seed.value))
  }

  @Test("Hosts that do nothing change nothing, however many", arguments: Seed.some(5))
  func idleHosts(seed: Seed) throws {
    #expect(try hash(seed.value, idleHosts: 3_000) == hash(seed.value))
  }

  @Test("Runs of different seeds differ")
  func differentSeeds() throws {
    let hashes = try (0..<20).map { try hash($0) }
    #expect(Set(hashes).count == 20)
  }

  /// The divergence of runs, some of which have an event more.
  private func divergence(
    extraIn hasExtra: (_ run: Int) -> Bool
  ) throws -> DeterminismCheck.Divergence? {
    var run = 0
    return try DeterminismCheck.run {
      World(seed: 3)
    } _: { world in
      run += 1
      try Self.fill(world, extra: hasExtra(run))
    }
  }

  @Test("Equal runs have no divergence")
  func noDivergence() throws {
    #expect(try divergence { _ in false } == nil)
  }

  @Test("The first event that differs is named, from either run")
  func divergence() throws {
    let divergence = try #require(try divergence { $0 % 2 == 0 })
    let events = divergence.events
    #expect(events.count == 2)
    #expect(events.contains { $0?.kind == .note && $0?.detail == "event" })
    #expect(events[0] != events[1])
    let lines = divergence.description.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("first:  ") == true)
    #expect(lines.last == "second: 4.000000\tnote\t\t\textra\tevent")
  }

  @Test("A difference that further runs do not show has the numbers of the events around it")
  func unlocated() throws {
    let found = try #require(try divergence { $0 == 2 })
    #expect(!found.isLocated && found.events == [nil, nil])
    #expect(found.window.count == TraceDigest.checkpointEvents)
    #expect(
      found.description
        == "between the events \(found.window.lowerBound) and \(found.window.upperBound); "
        + "two further runs are equal there")
  }

  @Test("Watching a run does not change it")
  func watching() throws {
    let lines = Mutex<[String]>([])
    let world = World(seed: 7)
    world.record { event in lines.withLock { $0.append(event.description) } }
    try Self.fill(world)
    world.finish()
    let table = lines.withLock { $0 }
    #expect(try world.traceHash == hash(7))
    #expect(table.count == world.eventCount)
    #expect(
      table.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 6 })
  }

  @Test("A trace is a table with one line an event")
  func table() throws {
    let world = World(seed: 1)
    var lines: [String] = []
    world.record { lines.append($0.description) }
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    let socket = try ann.openDatagramSocket(
      on: Endpoint(.anyV4, port: 5), options: DatagramOptions(), handler: DatagramLog())
    try socket.send([1, 2].span, to: Endpoint(bob.address, port: 7), on: nil)
    world.run(for: .seconds(1))
    world.crash(bob)
    world.note(ann, kind: "message", "hello")
    #expect(lines.first == "0.000000\tsent\tann\tbob\tudp\t10.0.0.1:5 → 10.0.0.2:7, 2 bytes")
    #expect(lines.map { $0.split(separator: "\t")[1] } == ["sent", "lost", "fault", "note"])
    #expect(lines.count == world.eventCount)
    world.finish()
  }
}
