import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Testing

/// Two hosts that listen for datagrams, under a plan of faults.
private final class Field {
  let world: World
  private let listeners: DatagramListeners

  init(_ faults: [Fault], hosts count: Int = 2) throws {
    let world = World(seed: 5)
    listeners = try DatagramListeners(on: (0..<count).map { world.makeHost("host\($0)") })
    self.world = world
    world.execute(FaultPlan(faults))
  }

  /// Sends a datagram between two hosts, after some milliseconds.
  func send(_ from: Int = 0, to: Int = 1, at milliseconds: Int) {
    world.at(.zero + .milliseconds(milliseconds)) { [self] in
      try? listeners.send([1], from: from, to: world.hosts[to])
    }
  }

  func multicast(_ from: Int = 0, at milliseconds: Int) {
    world.at(.zero + .milliseconds(milliseconds)) { [self] in
      try? listeners.multicast(1, from: from)
    }
  }

  /// The numbers of the faults that have struck nothing by the end of so many milliseconds.
  func idle(after milliseconds: Int = 1_000) -> [Int] {
    world.run(until: .zero + .milliseconds(milliseconds))
    return world.idleFaults.map(\.fault.id).sorted()
  }
}

@Suite("A fault that strikes nothing")
struct IdleFaultTests {
  private static let links = LinkEnds.between("host0", and: "host1")
  private static let forth = LinkEnds.from("host0", to: "host1")

  private static func fault(
    _ kind: Fault.Kind, at: Int = 200, for lasting: Int? = 300
  ) -> Fault {
    Fault(at: .milliseconds(at), kind, lasting: lasting.map { .milliseconds($0) })
  }

  private static var lossy: LinkChange {
    var change = LinkChange()
    change.loss = .percent(10)
    return change
  }

  // MARK: Packets

  /// Faults that a packet from the first host to the second one meets.
  private static let metByPackets: [Fault.Kind] = [
    .cut(links), .cut(forth), .links(links, .clog), .link(links, lossy),
    .links(links, .change(lossy, over: .milliseconds(100))),
    .links(links, .flap(every: .seconds(1), down: .seconds(1))),
    .partition([["host0"], ["host1"]]), .partition([["host1"]]),
    .medium(["host0", "host1"], Medium(bandwidth: 1_000_000)),
    .hosts(["host1"], .isolate(.inbound)), .hosts(["host0"], .isolate(.outbound)),
    .hosts(["host0"], .isolate(.both)), .hosts(["host1"], .isolate(.both)),
    .hosts(["host0"], .clog), .hosts(["host1"], .clog), .hosts(["host1", "host0"], .clog),
  ]

  @Test(
    "A fault of links strikes the packets that are sent from its beginning to its end, and no others",
    arguments: metByPackets)
  func packets(kind: Fault.Kind) throws {
    for (time, strikes) in [(199, false), (201, true), (499, true), (501, false)] {
      let field = try Field([Self.fault(kind)])
      field.send(at: time)
      #expect(field.idle() == (strikes ? [] : [1]), "a packet at \(time) ms")
      #expect(field.world.idleFaults.allSatisfy { $0.isOver })
      field.world.finish()
    }
  }

  @Test("A fault that goes on strikes nothing until a packet comes", arguments: metByPackets)
  func endless(kind: Fault.Kind) throws {
    let field = try Field([Self.fault(kind, for: nil)])
    field.send(at: 800)
    #expect(field.idle(after: 100) == [])
    #expect(field.idle(after: 799) == [1])
    #expect(field.world.idleFaults.map { $0.isOver } == [false])
    #expect(field.idle() == [])
    field.world.finish()
  }

  @Test(
    "A fault does not strike the packets of other links",
    arguments: [
      .cut(.from("host1", to: "host0")), .links(.from("host0", to: "host2"), .clog),
      .link(.between("host1", and: "host2"), lossy), .partition([["host2"]]),
      .partition([["host0", "host1"], ["host2"]]),
      .medium(["host0", "host2"], Medium(bandwidth: 1_000_000)),
      .hosts(["host0"], .isolate(.inbound)), .hosts(["host1"], .isolate(.outbound)),
      .hosts(["host2"], .isolate(.both)), .hosts(["host2"], .clog),
    ] as [Fault.Kind])
  func otherLinks(kind: Fault.Kind) throws {
    let field = try Field([Self.fault(kind)], hosts: 3)
    field.send(at: 300)
    field.send(0, to: 0, at: 300)
    field.send(2, to: 2, at: 300)
    #expect(field.idle() == [1])
    field.world.finish()
  }

  @Test("Faults of one link strike each for itself, whichever of them lets nothing pass")
  func twoFaults() throws {
    let faults = Self.metByPackets.flatMap { kind in
      [Self.fault(kind), Self.fault(kind, at: 400, for: 200), Self.fault(kind, at: 700, for: 100)]
    }
    let plan = FaultPlan(faults).faults
    for time in [100, 300, 450, 550, 650, 750] {
      let field = try Field(plan)
      field.send(at: time)
      let idle = plan.filter { fault in
        let end = fault.at + (fault.lasting ?? .zero)
        return !(fault.at...end).contains(.milliseconds(time))
      }
      #expect(field.idle() == idle.map(\.id).sorted(), "a packet at \(time) ms")
      field.world.finish()
    }
  }

  @Test("A flap strikes the packets that are sent while its links are down")
  func flap() throws {
    for (time, strikes) in [(190, false), (230, true), (270, false), (330, true), (370, false)] {
      let kind = Fault.Kind.links(
        Self.links, .flap(every: .milliseconds(100), down: .milliseconds(50)))
      let field = try Field([Self.fault(kind)])
      field.send(at: time)
      #expect(field.idle() == (strikes ? [] : [1]), "a packet at \(time) ms")
      field.world.finish()
    }
  }

  @Test("A reset strikes where a connection exists: the one that resets it")
  func reset() throws {
    let field = try Field([
      Self.fault(.links(Self.links, .reset()), at: 100, for: nil),
      Self.fault(.links(Self.links, .reset(every: .milliseconds(50))), at: 200, for: 40),
      Self.fault(.links(Self.links, .reset(every: .milliseconds(150))), at: 250, for: 300),
      Self.fault(.links(Self.forth, .reset()), at: 600, for: nil),
    ])
    let (listening, calling) = (ConnectionLog(), ConnectionLog())
    let listener = try field.world.hosts[1].listen(
      on: Endpoint(.anyV4, port: 80), handler: listening)
    field.world.at(.zero + .milliseconds(300)) {
      _ = try? field.world.hosts[0].connect(
        to: Endpoint(field.world.hosts[1].address, port: 80), options: ConnectionOptions(),
        handler: calling)
    }
    #expect(field.idle() == [1, 2, 4])
    withExtendedLifetime(listener) { field.world.finish() }
  }

  @Test("Stale records need a multicast of the host, a reflection one that it hears")
  func copies() throws {
    let faults = [
      Self.fault(.hosts(["host0"], .stale(after: .milliseconds(5)))),
      Self.fault(.hosts(["host0"], .reflect(after: .milliseconds(5)))),
    ]
    for (sender, idle) in [(0, [2]), (1, [1])] {
      let field = try Field(faults)
      field.multicast(sender, at: 300)
      field.send(sender, to: 1 - sender, at: 300)
      #expect(field.idle() == idle)
      field.world.finish()
    }
    let silent = try Field(faults)
    silent.multicast(at: 100)
    silent.multicast(1, at: 600)
    #expect(silent.idle() == [1, 2])
    silent.world.finish()
  }

  // MARK: Hosts

  private static let ofHosts: [HostFault] = [
    .crash, .suspend(), .suspend(grace: .milliseconds(100)), .freeze,
    .slow(every: .milliseconds(9)), .leave(within: .milliseconds(20)), .hide, .unplug,
    .exhaustPorts,
    .clock(ClockChange(jump: .seconds(1))), .clock(ClockChange(drift: 1_000)),
  ]

  @Test("A fault of a host that runs strikes", arguments: ofHosts)
  func running(fault: HostFault) throws {
    let field = try Field([Self.fault(.hosts(["host0"], fault))])
    #expect(field.idle() == [])
    field.world.finish()
  }

  @Test("A fault of a host that is off the whole time strikes nothing", arguments: ofHosts)
  func off(fault: HostFault) throws {
    let crash = Self.fault(.crash("host0"), at: 100, for: 500)
    let field = try Field([crash, Self.fault(.hosts(["host0"], fault))])
    #expect(field.idle() == [2])
    #expect(field.world.idleFaults.allSatisfy { $0.isOver })
    field.world.finish()
    let called = try Field([Self.fault(.hosts(["host0"], fault))])
    called.world.crash(called.world.hosts[0])
    #expect(called.idle() == [1])
    called.world.finish()
  }

  @Test(
    "A fault of a host that starts within it strikes if the start ends nothing of it",
    arguments: [
      (.crash, true), (.leave(within: .milliseconds(20)), true), (.freeze, true),
      (.suspend(), true), (.slow(every: .milliseconds(9)), true), (.unplug, true), (.hide, false),
      (.exhaustPorts, false), (.clock(ClockChange(drift: 1_000)), false),
    ] as [(HostFault, Bool)])
  func starting(fault: HostFault, strikes: Bool) throws {
    let crash = Self.fault(.crash("host0"), at: 100, for: 200)
    let field = try Field([crash, Self.fault(.hosts(["host0"], fault))])
    #expect(field.idle() == (strikes ? [] : [2]))
    field.world.finish()
  }

  @Test("Of crashes within a crash, those strike that lengthen it")
  func nestedCrashes() throws {
    let field = try Field([
      Self.fault(.crash("host0"), at: 100, for: 300), Self.fault(.crash("host0"), at: 150, for: 50),
      Self.fault(.crash("host0"), at: 180, for: 100),
      Self.fault(.crash("host0"), at: 300, for: 400),
      Self.fault(.crash("host0"), at: 350, for: 100),
    ])
    #expect(field.idle() == [2, 3, 5])
    field.world.finish()
  }

  @Test("A fault of several hosts strikes if it strikes one of them")
  func several() throws {
    let crash = Self.fault(.crash("host0"), at: 100, for: 500)
    let field = try Field([crash, Self.fault(.hosts(["host0", "host1"], .freeze))])
    #expect(field.idle() == [])
    field.world.finish()
  }

  @Test("A heal and a resumption strike what they end, a restart and new addresses always")
  func moments() throws {
    let cut = Self.fault(.cut(Self.links), at: 100, for: 500)
    let freeze = Self.fault(.hosts(["host0"], .freeze), at: 100, for: 500)
    let cases: [(kind: Fault.Kind, before: [Fault], strikes: Bool)] = [
      (.heal, [], false), (.heal, [freeze], false), (.heal, [cut], true),
      (.hosts(["host0"], .resume), [cut], false), (.hosts(["host1"], .resume), [freeze], false),
      (.hosts(["host0"], .resume), [freeze], true), (.hosts(["host0"], .restart()), [], true),
      (.hosts(["host0"], .readdress), [], true),
    ]
    for (kind, before, strikes) in cases {
      let field = try Field(before + [Self.fault(kind, at: 300, for: nil)])
      #expect(!field.idle().contains(before.count + 1) == strikes, "\(kind) after \(before)")
      field.world.finish()
    }
  }

  // MARK: Disks

  @Test("A fault of a disk strikes the calls that can notice it")
  func disks() throws {
    let kinds: [HostFault] = [.fullDisk, .slowDisk(factor: 3), .failingDisk]
    let field = try Field(kinds.map { Self.fault(.hosts(["host0"], $0)) })
    let storage = field.world.hosts[0].storage
    field.world.hosts[0].disk.write([1, 2], to: "/a")
    let file = try storage.openFile(at: "/a")
    #expect(try file.read(1, at: 0) == [1])
    #expect(field.idle(after: 300) == [1, 2, 3])
    _ = try file.attributes()
    #expect(field.idle(after: 310) == [1, 3])
    #expect(throws: StorageError.self) { try file.read(1, at: 0) }
    #expect(field.idle(after: 320) == [1])
    #expect(throws: StorageError.self) { try file.write([7].span, at: 9_000) }
    #expect(field.idle() == [])
    field.world.finish()
    let idle = try Field(kinds.map { Self.fault(.hosts(["host0"], $0)) })
    #expect(idle.idle(after: 600) == [1, 2, 3])
    idle.world.hosts[0].disk.write([1, 2], to: "/a")
    _ = try idle.world.hosts[0].storage.openFile(at: "/a").read(1, at: 0)
    #expect(idle.idle() == [1, 2, 3])
    idle.world.finish()
  }

  // MARK: The plan

  @Test("A fault that has not begun is not idle; none begins after all faults have ended")
  func notBegun() throws {
    let field = try Field([Self.fault(.cut(Self.links)), Self.fault(.heal, at: 800, for: nil)])
    #expect(field.idle(after: 199) == [])
    #expect(field.idle(after: 799) == [1])
    field.world.endFaults()
    #expect(field.idle() == [1])
    field.world.finish()
  }

  @Test("A fault whose end something else brings about strikes nothing after it")
  func ended() throws {
    let field = try Field([
      Self.fault(.cut(Self.links), at: 100, for: 800), Self.fault(.heal, at: 200, for: nil),
      Self.fault(.partition([["host0"]]), at: 300, for: 100),
    ])
    field.send(at: 500)
    #expect(field.idle() == [1, 3])
    field.world.finish()
  }
}
