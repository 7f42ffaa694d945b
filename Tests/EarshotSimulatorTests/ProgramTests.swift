import EarshotSimulator
import Synchronization
import Testing

@Suite("Programs of hosts")
struct ProgramTests {
  /// A host whose program notes when it starts and what it is told.
  private final class Diary: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    func run(on host: SimulatedHost, _ start: HostStart) {
      note("start \(start.number)\(start.isErased ? " erased" : "")")
      host.observeSystem { [self] in note("\($0)") }
      host.addTask("beat") { [self] in
        note("runs at \(host.worldTime)")
      }
    }
  }

  private static func world() -> (World, Diary) {
    let (world, diary) = (World(seed: 1), Diary())
    world.makeHost("ann") { diary.run(on: $0, $1) }
    return (world, diary)
  }

  @Test("A program runs when its host starts, and again after a crash")
  func restart() {
    let (world, diary) = Self.world()
    let crash = world.inject(.crash("ann"))
    world.run(for: .seconds(1))
    #expect(diary.all == ["start 0"])
    crash.end()
    world.run(for: .seconds(1))
    #expect(diary.all == ["start 0", "start 1", "runs at 1.000000"])
    world.inject(.hosts(["ann"], .restart(erased: true)))
    world.run(for: .seconds(1))
    #expect(diary.all.suffix(2) == ["start 2 erased", "runs at 2.000000"])
    world.finish()
  }

  @Test(
    "Hosts of a group are made in order, each with the program, however few of them a test needs",
    arguments: [Int.min, -1, 0, 2, 3, 4, .max])
  func groups(fewest: Int) {
    let (world, diary) = (World(seed: 1), Diary())
    let hosts = world.makeHosts(["cy", "ann", "bob"], atLeast: fewest, segment: "hall") {
      diary.run(on: $0, $1)
    }
    #expect(hosts.map(\.name) == ["cy", "ann", "bob"])
    #expect(world.hosts.map(\.name) == hosts.map(\.name))
    world.inject(.crash("ann")).end()
    world.run(for: .seconds(1))
    #expect(
      diary.all.filter { $0.hasPrefix("start") }.sorted() == [
        "start 0", "start 0", "start 0", "start 1",
      ])
    world.finish()
  }

  @Test("A group may be empty")
  func emptyGroup() {
    let world = World(seed: 1)
    #expect(world.makeHosts([String](), atLeast: 1).isEmpty && world.hosts.isEmpty)
    world.finish()
  }

  @Test("A crash that a restart has ended does not start the host again")
  func endedByRestart() {
    let (world, diary) = Self.world()
    let crashes = [world.inject(.crash("ann")), world.inject(.crash("ann"))]
    world.inject(.hosts(["ann"], .restart()))
    #expect(!crashes.contains { $0.isActive })
    for crash in crashes { crash.end() }
    world.run(for: .seconds(1))
    #expect(diary.all == ["start 0", "start 1", "runs at 0.000000"])
    world.finish()
  }

  @Test("A program hears of its suspension before, and of its end after it")
  func suspension() {
    let (world, diary) = Self.world()
    world.run(for: .seconds(1))
    let fault = world.inject(.suspend("ann", grace: .seconds(2)))
    world.run(for: .seconds(5))
    fault.end()
    world.run(for: .seconds(1))
    #expect(
      diary.all.dropFirst(2) == ["willSuspend(grace: 2.0 seconds)", "didResume"], "\(diary.all)")
    world.inject(.suspend("ann", grace: .seconds(2)))
    world.inject(.hosts(["ann"], .resume))
    world.run(for: .seconds(10))
    #expect(diary.all.last == "didResume" && diary.all.count == 6)
    world.finish()
  }

  @Test("A program that starts in a suspension runs when that has ended")
  func crashInSuspension() {
    let (world, diary) = Self.world()
    let suspension = world.inject(.suspend("ann", grace: .zero))
    world.inject(.crash("ann")).end()
    world.run(for: .seconds(1))
    #expect(diary.all.last == "start 1")
    suspension.end()
    world.run(for: .seconds(1))
    #expect(diary.all.last == "runs at 1.000000")
    world.finish()
  }

  @Test("A program that is to end has its time, and starts again when the fault ends")
  func leaving() {
    let (world, diary) = Self.world()
    let fault = world.inject(.hosts(["ann"], .leave(within: .seconds(3))))
    let ann = world.hosts[0]
    world.run(for: .milliseconds(2_999))
    #expect(ann.isUp)
    world.run(for: .milliseconds(2))
    #expect(!ann.isUp && fault.isActive)
    fault.end()
    world.run(for: .seconds(1))
    #expect(
      diary.all == [
        "start 0", "willTerminate(within: 3.0 seconds)", "runs at 0.000000", "start 1",
        "runs at 3.001000",
      ])
    world.finish()
  }

  @Test("A program is told to hide, and to show itself again")
  func hiding() {
    let (world, diary) = Self.world()
    world.inject(.hosts(["ann"], .hide)).end()
    #expect(diary.all == ["start 0", "hide", "show"])
    world.finish()
  }
}
