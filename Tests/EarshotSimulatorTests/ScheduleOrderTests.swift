import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

@Suite("What every schedule keeps in order")
struct ScheduleOrderTests {
  /// Datagrams to one host from two others, and a stream of bytes beside them, without jitter.
  private static func fill(_ world: World) throws -> (DatagramLog, ConnectionLog) {
    let hosts = ["ann", "bob", "eve"].map { world.makeHost($0) }
    let (datagrams, stream) = (DatagramLog(), ConnectionLog())
    _ = try hosts[2].openDatagramSocket(
      on: Endpoint(.anyV4, port: 7_200), options: DatagramOptions(), handler: datagrams)
    _ = try hosts[2].listen(on: Endpoint(.anyV4, port: 7_100), handler: stream)
    _ = try hosts[0].connect(
      to: Endpoint(hosts[2].address, port: 7_100), options: ConnectionOptions(),
      handler: ConnectionLog(sending: bytes, ending: true))
    for (index, host) in hosts.prefix(2).enumerated() {
      host.addTask("talk") {
        guard let channel = try? DatagramChannel(on: host, endpoint: Endpoint(.anyV4, port: 0))
        else { return }
        for number: UInt8 in 0..<60 {
          let message = [UInt8(index), number]
          try? channel.send(message.span, to: Endpoint(hosts[2].address, port: 7_200))
          if number % 4 == 3 { try? await host.sleep(for: .milliseconds(1)) }
        }
      }
    }
    world.run(for: .seconds(5))
    return (datagrams, stream)
  }

  private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) }

  @Test(
    "Packets of one link and bytes of one stream, whatever the policy",
    arguments: ScheduleTests.choosing, Seed.some(10))
  func order(policy: SchedulePolicy, seed: Seed) throws {
    let configuration = PlantedRace.configuration(policy)
    let world = World(seed: seed.value, configuration: configuration)
    let (datagrams, stream) = try Self.fill(world)
    world.finish()
    let received = datagrams.received.map { ($0[0], $0[1]) }
    for sender: UInt8 in 0..<2 {
      #expect(received.filter { $0.0 == sender }.map(\.1) == Array(0..<60))
    }
    #expect(stream.received == Self.bytes)
    #expect(!world.scheduleRecord.choices.isEmpty)
  }

  @Test(
    "A run is a function of seed and policy, and of seed and record",
    arguments: ScheduleTests.choosing, Seed.some(4))
  func determinism(policy: SchedulePolicy, seed: Seed) throws {
    func run(_ policy: SchedulePolicy) throws -> (RollingHash, ScheduleRecord) {
      let configuration = PlantedRace.configuration(policy)
      let world = World(seed: seed.value, configuration: configuration)
      _ = try Self.fill(world)
      world.finish()
      return (world.traceHash, world.scheduleRecord)
    }
    let (first, second) = (try run(policy), try run(policy))
    #expect(first == second)
    let replayed = try run(.replay(first.1))
    #expect(replayed == first)
    #expect(try run(.replay(ScheduleRecord())) == run(.fifo))
    #expect(try run(.fifo).0 != first.0)
  }

  @Test(
    "What a task does follows from what has woken it, whatever ran in between",
    arguments: ScheduleTests.choosing, Seed.some(10))
  func causes(policy: SchedulePolicy, seed: Seed) {
    let configuration = PlantedRace.configuration(policy)
    let world = World(seed: seed.value, configuration: configuration)
    var events: [TraceEvent] = []
    world.record { events.append($0) }
    for number in 0..<8 {
      let host = world.makeHost("host \(number)")
      host.addTask("sleeper") {
        try? await host.sleep(for: .seconds(1))
        world.note(host, kind: "awake", "")
      }
    }
    world.run(for: .seconds(2))
    world.finish()
    let notes = events.filter { $0.kind == .note }
    #expect(notes.count == 8)
    for note in notes { #expect(note.cause.map { events[$0].from } == note.from) }
    #expect(notes.map(\.from) != events.filter { $0.kind == .timer }.map(\.from))
  }
}
