import EarshotSimulator
import Testing

/// Two or three hosts that listen for datagrams at one port.
private struct Row {
  let world = World(seed: 1)
  let hosts: [SimulatedHost]
  private let logs: [DatagramLog]
  private let sockets: [any DatagramSocket]

  init(_ count: Int) throws {
    let world = world
    hosts = (0..<count).map { world.makeHost("host\($0)") }
    logs = hosts.map { _ in DatagramLog() }
    sockets = try zip(hosts, logs).map { host, log in
      try host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
    }
  }

  /// Whether a datagram passes from one host to another now.
  func passes(_ source: Int, _ target: Int) throws -> Bool {
    let before = logs[target].received.count
    try sockets[source].send([1].span, to: Endpoint(hosts[target].address, port: 7100), on: nil)
    world.run(for: .seconds(1))
    return logs[target].received.count > before
  }
}

@Suite("Faults of the network")
struct NetworkFaultTests {
  @Test("Ending one cut leaves the other cuts, also one of the same direction")
  func cuts() throws {
    let row = try Row(2)
    let (ann, bob) = (row.hosts[0], row.hosts[1])
    let first = row.world.cut(ann, to: bob)
    let second = row.world.cut(ann, to: bob)
    let back = row.world.cut(bob, to: ann)
    first.end()
    #expect(!first.isActive && second.isActive && back.isActive)
    #expect(try !row.passes(0, 1))
    second.end()
    #expect(try row.passes(0, 1))
    #expect(try !row.passes(1, 0))
    back.end()
    #expect(try row.passes(1, 0))
  }

  @Test("A fault that is ended twice ends once")
  func twice() throws {
    let row = try Row(2)
    let first = row.world.cut(row.hosts[0], to: row.hosts[1])
    _ = row.world.cut(row.hosts[0], to: row.hosts[1])
    first.end()
    first.end()
    #expect(try !row.passes(0, 1))
  }

  @Test("Partitions that overlap compose, and end one by one")
  func partitions() throws {
    let row = try Row(3)
    let first = row.world.partition([[row.hosts[0]]])
    let second = row.world.partition([[row.hosts[0], row.hosts[1]]])
    #expect(try !row.passes(0, 1))
    #expect(try !row.passes(1, 2))
    first.end()
    #expect(try row.passes(0, 1))
    #expect(try !row.passes(1, 2))
    second.end()
    #expect(try row.passes(1, 2))
  }

  @Test("A cut within a partition outlives it")
  func cutInPartition() throws {
    let row = try Row(2)
    let partition = row.world.partition([[row.hosts[0]]])
    let cut = row.world.cut(row.hosts[0], to: row.hosts[1])
    partition.end()
    #expect(try !row.passes(0, 1))
    #expect(try row.passes(1, 0))
    cut.end()
    #expect(try row.passes(0, 1))
  }

  @Test("A rule is a fault: its end lets packets pass again")
  func rule() throws {
    let row = try Row(2)
    let rule = row.world.add(Rule { _, _ in .drop })
    #expect(try !row.passes(0, 1))
    rule.end()
    #expect(!rule.isActive)
    #expect(try row.passes(0, 1))
  }

  @Test("Healing ends all faults, and their handles know")
  func heal() throws {
    let row = try Row(2)
    let faults = [
      row.world.cut(row.hosts[0], to: row.hosts[1]), row.world.partition([[row.hosts[0]]]),
      row.world.add(Rule { _, _ in .drop }),
    ]
    row.world.heal()
    #expect(faults.allSatisfy { !$0.isActive })
    #expect(try row.passes(0, 1))
    for fault in faults { fault.end() }
    #expect(try row.passes(0, 1))
  }

  @Test("A host that joins during a partition belongs to the hosts that were not named")
  func lateHost() throws {
    let row = try Row(2)
    row.world.partition([[row.hosts[0]]])
    let late = row.world.makeHost("late")
    let log = DatagramLog()
    let socket = try late.openDatagramSocket(
      on: Endpoint(.anyV4, port: 7100), options: DatagramOptions(), handler: log)
    try socket.send([1].span, to: Endpoint(row.hosts[1].address, port: 7100), on: nil)
    try socket.send([1].span, to: Endpoint(row.hosts[0].address, port: 7100), on: nil)
    var lost: [TraceEvent.Loss?] = []
    row.world.record { if $0.kind == .lost { lost.append($0.loss) } }
    try socket.send([1].span, to: Endpoint(row.hosts[0].address, port: 7100), on: nil)
    row.world.run(for: .seconds(1))
    #expect(lost == [.partition])
  }

  @Test("The trace tells the beginning and the end of each fault")
  func trace() throws {
    let row = try Row(2)
    var lines: [[String]] = []
    row.world.record { lines.append([$0.label, $0.from, $0.to, $0.detail]) }
    let cut = row.world.cut(row.hosts[0], to: row.hosts[1])
    let partition = row.world.partition([[row.hosts[0]], [row.hosts[1]]])
    cut.end()
    cut.end()
    partition.end()
    row.world.heal()
    #expect(
      lines == [
        ["cut", "host0", "host1", ""], ["partition", "", "", "host0 | host1"],
        ["heal", "host0", "host1", ""], ["heal", "", "", "host0 | host1"], ["heal", "", "", ""],
      ])
  }
}
