import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// What a program is told while its host cannot discover anything.
@Suite("Discovery that is not possible at the moment")
struct DiscoveryProblemTests {
  /// The events of a browser, each with the second in which it came.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func note(_ event: BrowserEvent, at now: Instant) {
      let word =
        switch event {
        case .found(let peer): "found \(peer.name)"
        case .updated(let peer): "updated \(peer.name)"
        case .lost: "lost"
        case .unavailable(let problem): "unavailable \(problem)"
        case .available: "available"
        }
      let second = (now - .zero).components.seconds
      lines.withLock { $0.append("\(second): \(word)") }
    }
  }

  private let world = World(seed: 1)

  /// A host with one who advertises for the whole run.
  private func addAnn() {
    let host = world.makeHost("ann")
    host.addTask("ann") {
      guard let advertiser = try? await Peer("Ann", trusting: .anyPeer, on: host).advertise("chat")
      else { return }
      for await _ in advertiser.invitations {}
    }
  }

  private func follow(_ browser: Browser, on host: SimulatedHost) -> Log {
    let log = Log()
    host.addTask("events") { for await event in browser.events { log.note(event, at: host.now) } }
    return log
  }

  @Test("Browsers are told that the port was taken in their sleep, and that they have it again")
  func portTakenInSleep() throws {
    addAnn()
    let host = world.makeHost("bob")
    let logs = Mutex<[Log]>([])
    let problems = Mutex<[EarshotError.Code?]>([])
    host.addTask("bob") {
      let bob = try? await Peer("Bob", trusting: .anyPeer, on: host)
      let browsers = [try? await bob?.browse("chat"), try? await bob?.browse("chat")]
      for browser in browsers.compactMap({ $0 }) {
        let log = follow(browser, on: host)
        logs.withLock { $0.append(log) }
      }
      try? await host.sleep(until: .zero + .seconds(5))
      await bob?.suspend()
      let other = try? host.openDatagramSocket(
        on: Endpoint(.anyV4, port: 5353), options: DatagramOptions(), handler: SilentHandler())
      try? await host.sleep(until: .zero + .seconds(20))
      try? await bob?.resume()
      let held = await bob?.discoveryProblem?.code
      try? await host.sleep(until: .zero + .seconds(40))
      other?.close()
      try? await host.sleep(until: .zero + .seconds(60))
      let freed = await bob?.discoveryProblem?.code
      problems.withLock { $0 = [held, freed] }
      await bob?.stop()
    }
    world.run(for: .seconds(70))
    let all = logs.withLock { $0 }.map(\.all)
    #expect(all.count == 2 && all.first == all.last)
    let words = all.first ?? []
    let held = "20: unavailable \(DiscoveryProblem.portTaken)"
    #expect(words.prefix(3) == ["0: found Ann", held, "30: lost"])
    #expect(words.dropFirst(3).map { $0.drop { $0 != " " } } == [" available", " found Ann"])
    #expect(problems.withLock { $0 } == [.discoveryUnavailable, nil])
    world.finish()
  }

  @Test(
    "A browser on a host without an interface says so, first of all, and goes on with the first one"
  )
  func noInterface() throws {
    addAnn()
    let base = world.makeHost("bob")
    let host = ChangingHost(base)
    let interfaces = host.interfaces
    host.interfaces = []
    let log = Mutex(Log())
    let codes = Mutex<[EarshotError.Code?]>([])
    base.addTask("bob") {
      guard let bob = try? await Peer("Bob", trusting: .anyPeer, on: host),
        let browser = try? await bob.browse("chat"),
        let advertiser = try? await bob.advertise("chat")
      else { return }
      log.withLock { $0 = follow(browser, on: base) }
      let without = await bob.discoveryProblem?.code
      try? await base.sleep(until: .zero + .seconds(5))
      host.interfaces = interfaces
      try? await base.sleep(until: .zero + .seconds(10))
      let with = await bob.discoveryProblem?.code
      host.interfaces = []
      try? await base.sleep(until: .zero + .seconds(15))
      host.interfaces = interfaces
      try? await base.sleep(until: .zero + .seconds(20))
      codes.withLock { $0 = [without, with] }
      await advertiser.stop()
      await bob.stop()
    }
    world.run(for: .seconds(30))
    let problem = "unavailable \(DiscoveryProblem.noInterface)"
    let words = log.withLock { $0 }.all
    #expect(
      words == [
        "0: \(problem)", "5: available", "5: found Ann", "10: lost", "10: \(problem)",
        "15: available", "15: found Ann",
      ])
    #expect(codes.withLock { $0 } == [.discoveryUnavailable, nil])
    world.finish()
  }

  @Test("A host whose last cable is gone reports that it finds peers of this computer alone")
  func onlyThisComputer() throws {
    addAnn()
    let base = world.makeHost("bob")
    let host = ChangingHost(base)
    let interfaces = host.interfaces
    let log = Mutex(Log())
    let codes = Mutex<[EarshotError.Code?]>([])
    base.addTask("bob") {
      guard let bob = try? await Peer("Bob", trusting: .anyPeer, on: host),
        let browser = try? await bob.browse("chat")
      else { return }
      log.withLock { $0 = follow(browser, on: base) }
      for (second, isCabled) in [(5, false), (10, true)] {
        try? await base.sleep(until: .zero + .seconds(second))
        host.interfaces = isCabled ? interfaces : [Self.loopback(isSubstitute: true)]
        let code = await bob.discoveryProblem?.code
        codes.withLock { $0.append(code) }
      }
      try? await base.sleep(until: .zero + .seconds(15))
      await bob.stop()
    }
    world.run(for: .seconds(20))
    let problem = "unavailable \(DiscoveryProblem.onlyThisComputer)"
    #expect(
      log.withLock { $0 }.all
        == ["0: found Ann", "5: lost", "5: \(problem)", "10: available", "10: found Ann"])
    #expect(codes.withLock { $0 } == [.discoveryUnavailable, nil])
    world.finish()
  }

  @Test("Loopback that the program chose is no problem")
  func chosenLoopback() throws {
    let base = world.makeHost("bob")
    let host = ChangingHost(base)
    host.interfaces = [Self.loopback(isSubstitute: false)]
    let log = Mutex(Log())
    base.addTask("bob") {
      guard let bob = try? await Peer("Bob", trusting: .anyPeer, on: host),
        let browser = try? await bob.browse("chat")
      else { return }
      log.withLock { $0 = follow(browser, on: base) }
      try? await base.sleep(until: .zero + .seconds(5))
      await bob.stop()
    }
    world.run(for: .seconds(10))
    #expect(log.withLock { $0 }.all.isEmpty)
    world.finish()
  }

  private static func loopback(isSubstitute: Bool) -> NetworkInterface {
    NetworkInterface(
      index: 2, name: "lo", addresses: [.v4(0x7F00_0001)],
      networks: [AddressRange(.v4(0x7F00_0001), bits: 8)],
      isSubstitute: isSubstitute)
  }

  @Test("A suspension by itself is no problem")
  func suspension() throws {
    addAnn()
    let host = world.makeHost("bob")
    let log = Mutex(Log())
    host.addTask("bob") {
      guard let bob = try? await Peer("Bob", trusting: .anyPeer, on: host),
        let browser = try? await bob.browse("chat")
      else { return }
      log.withLock { $0 = follow(browser, on: host) }
      for second in [5, 20] {
        try? await host.sleep(until: .zero + .seconds(second))
        await bob.suspend()
        try? await host.sleep(until: .zero + .seconds(second + 5))
        try? await bob.resume()
      }
      try? await host.sleep(until: .zero + .seconds(40))
      await bob.stop()
    }
    world.at(.zero + .seconds(30)) { world.suspend(host) }
    world.at(.zero + .seconds(31)) { world.resume(host) }
    world.run(for: .seconds(50))
    #expect(log.withLock { $0 }.all == ["0: found Ann"])
    world.finish()
  }

  @Test(
    "Problems that nobody was told of in time are summed up as the present one, or none",
    arguments: [
      (["u"], ["u"]), (["u", "a"], []), (["a"], ["a"]), (["a", "u"], ["u"]),
      (["a", "u", "a"], ["a"]), (["u", "a", "u"], ["u"]), (["u", "v", "a"], []),
      (["u", "v"], ["v"]),
    ])
  func summary(events: [String], expected: [String]) {
    let meaning: [String: BrowserEvent] = [
      "u": .unavailable(.noInterface), "v": .unavailable(.portTaken), "a": .available,
    ]
    let merged = Browser.summary(of: events.compactMap { meaning[$0] })
    #expect(merged == expected.compactMap { meaning[$0] })
  }
}
