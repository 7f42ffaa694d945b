import EarshotSimulator
import Testing

@Suite("Traces for Perfetto")
struct PerfettoTraceTests {
  /// What happens while Ann sends Bob datagrams, some of them twice or not at all.
  private static func file(
    _ body: (World, SimulatedHost, SimulatedHost, PerfettoTrace) -> Void = { _, _, _, _ in }
  ) throws -> (PerfettoFile, [TraceEvent]) {
    let world = World(seed: 5)
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
    var (bytes, events): ([UInt8], [TraceEvent]) = ([], [])
    let trace = PerfettoTrace { bytes += $0 }
    world.record { event in
      events.append(event)
      trace.add(event)
    }
    let conditions = LinkConditions(loss: .percent(20), duplication: .percent(20))
    world.setLink(from: ann, to: bob, conditions)
    let (any, log) = (Endpoint(.anyV4, port: 7), DatagramLog())
    _ = try bob.openDatagramSocket(on: any, options: DatagramOptions(), handler: log)
    let socket = try ann.openDatagramSocket(on: any, options: DatagramOptions(), handler: log)
    for size in 0..<100 {
      let payload = [UInt8](repeating: 1, count: size)
      try socket.send(payload.span, to: Endpoint(bob.address, port: 7), on: nil)
    }
    body(world, ann, bob, trace)
    world.run(for: .seconds(10))
    trace.finish()
    world.finish()
    return (try PerfettoFile(bytes), events)
  }

  @Test("Every event of the world is an instant on its host's track, with its number and its cause")
  func instants() throws {
    let (file, events) = try Self.file { world, ann, _, _ in world.note(ann, kind: "said", "hello")
    }
    let instants = file.events.filter { $0.kind == 3 }
    #expect(file.isOneSequence && instants.count == events.count)
    for (instant, event) in zip(instants, events) {
      #expect(instant.time == UInt64(event.time.nanoseconds))
      #expect(instant.annotations["event"] == "\(event.number)")
      #expect(instant.annotations["cause"] == event.cause.map(String.init))
      let track = file.path(instant.track)
      switch event.kind {
      case .sent: #expect(track == "ann/packets" && instant.name == "sent udp")
      case .delivered: #expect(track == "bob/packets" && instant.name == "delivered udp")
      case .lost: #expect(track == "bob/packets" && instant.name == "lost udp: chance")
      case .note: #expect(track == "ann/notes" && instant.name == "said hello")
      case .timer, .fault: Issue.record("\(event)")
      }
      guard let packet = event.packet else { continue }
      #expect(instant.annotations["bytes"] == "\(packet.payloadBytes)")
      #expect(instant.annotations["from"] == "ann" && instant.annotations["to"] == "bob")
    }
  }

  @Test("An arrow leads from each sending to the first arrival or the loss, and nowhere else")
  func flows() throws {
    let (file, events) = try Self.file()
    let begun = file.events.flatMap(\.flows)
    let ended = file.events.flatMap(\.lastFlows)
    #expect(begun.count == 100 && Set(begun) == Set(ended) && ended.count == 100)
    #expect(events.count { $0.kind == .delivered } > events.count { $0.kind == .sent } - 20)
    for event in file.events where !event.lastFlows.isEmpty {
      let cause = try #require(event.annotations["cause"].flatMap { UInt64($0) })
      #expect(event.lastFlows == [cause + 1])
    }
  }

  @Test("The bytes on their way go up and come back to none")
  func counters() throws {
    let (file, _) = try Self.file()
    let counts = file.events.filter { $0.kind == 4 }
    #expect(counts.allSatisfy { file.path($0.track) == "ann/bytes on their way" })
    #expect(counts.allSatisfy { file.tracks[$0.track]?.isCounter == true })
    #expect(counts.compactMap(\.count).max() ?? 0 > 3_000)
    #expect(counts.last?.count == 0)
  }

  @Test("A host that stands still has a slice, to the end if it stays so")
  func stops() throws {
    let (file, _) = try Self.file { world, ann, bob, _ in
      world.at(.zero + .seconds(1)) { world.freeze(ann) }
      world.at(.zero + .seconds(2)) { world.resume(ann) }
      world.at(.zero + .seconds(3)) { world.suspend(bob) }
      world.at(.zero + .seconds(4)) { world.crash(bob) }
      world.at(.zero + .seconds(5)) { world.note(nil, kind: "end", "") }
    }
    let slices = file.events.filter { $0.kind < 3 }.map { event in
      "\(file.path(event.track)) \(event.kind == 1 ? event.name : "-") \(event.time / 1_000_000_000)"
    }
    #expect(
      slices == [
        "ann frozen 1", "ann - 2", "bob suspended 3", "bob - 4", "bob crashed 4", "bob - 5",
      ])
    let faults = file.events.filter { file.path($0.track) == "faults" }.map(\.name)
    #expect(faults == ["ann freeze", "ann resume", "bob suspend", "bob crash"])
  }

  @Test("A span stands on the track that it is given")
  func spans() throws {
    let (file, _) = try Self.file { _, _, _, trace in
      trace.addSpan("connected", of: "ann", on: "state", .zero..<(.zero + .seconds(1)))
      trace.addSpan("rain", on: "weather", .zero + .seconds(1)..<(.zero + .seconds(3)))
    }
    let slices = file.events.filter { $0.kind < 3 }
    #expect(slices.map { file.path($0.track) }.prefix(2) == ["ann/state", "ann/state"])
    #expect(slices.map { file.path($0.track) }.suffix(2) == ["faults/weather", "faults/weather"])
    #expect(slices.map(\.name) == ["connected", "", "rain", ""])
    #expect(slices.map(\.time) == [0, 1_000_000_000, 1_000_000_000, 3_000_000_000])
  }
}
