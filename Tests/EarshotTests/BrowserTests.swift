import Earshot
import EarshotNetwork
import EarshotSimulator
import Synchronization
import TestKit
import Testing

/// What the tasks of a test have noted, in order.
private final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  func of(_ who: String) -> [String] {
    all.filter { $0.hasPrefix("\(who): ") }.map { String($0.dropFirst(who.count + 2)) }
  }
}

extension BrowserEvent {
  fileprivate var words: String {
    switch self {
    case .found(let peer): "found \(peer.name)"
    case .updated(let peer): "updated \(peer.name) \(peer.info?["mood"] ?? "-")"
    case .lost: "lost"
    case .unavailable(let problem): "unavailable \(problem)"
    case .available: "available"
    }
  }
}

extension [String: String]? {
  fileprivate var words: String {
    guard let self else { return "none" }
    return "[\(self.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", "))]"
  }
}

@Suite("Browsing and advertising, as programs see them")
struct BrowserTests {
  private let world = World(seed: 1)
  private let notes = Notes()

  /// Runs a task on a host of its own, or on one that is given.
  @discardableResult
  private func play(
    _ name: String, on host: SimulatedHost? = nil,
    _ body: @escaping @Sendable (SimulatedHost) async throws -> Void
  ) -> SimulatedHost {
    let host = host ?? world.makeHost(name)
    host.addTask(name) { [notes] in
      do { try await body(host) } catch { notes.add("\(name): failed, \(error)") }
    }
    return host
  }

  /// A peer that advertises `chat` and does something meanwhile.
  private func addAnn(
    then: @escaping @Sendable (SimulatedHost, Peer, Advertiser) async throws -> Void = {
      _, _, _ in
    }
  ) {
    play("ann") { host in
      let peer = try await Peer("Ann", trusting: .anyPeer, on: host)
      let advertiser = try await peer.advertise("chat", info: ["mood": "good"])
      try await then(host, peer, advertiser)
      try? await host.sleep(for: .seconds(86_400))
      withExtendedLifetime(advertiser) {}
    }
  }

  /// The code of the error that a call throws, or `nothing`.
  private func code(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "nothing"
    } catch { return (error as? EarshotError)?.code.name ?? "\(error)" }
  }

  @Test("Two consumers both see everything, in order; one that is cancelled ends alone")
  func twoConsumers() {
    addAnn { host, _, advertiser in
      try await host.sleep(for: .seconds(2))
      try await advertiser.update(info: ["mood": "better"])
      try await host.sleep(for: .seconds(5))
      await advertiser.stop()
    }
    play("bob") { [notes] host in
      let browser = try await Peer("Bob", trusting: .anyPeer, on: host).browse("chat")
      for name in ["first", "second"] {
        host.addTask(name) {
          for await event in browser.events { notes.add("\(name): \(event.words)") }
          notes.add("\(name): end")
        }
      }
      let third = host.addTask("third") {
        for await event in browser.events { notes.add("third: \(event.words)") }
        notes.add("third: end")
      }
      try await host.sleep(for: .seconds(1))
      third.cancel()
      try await host.sleep(for: .seconds(20))
      await browser.stop()
    }
    world.run(for: .seconds(30))
    let story = ["found Ann", "updated Ann better", "lost", "end"]
    #expect(notes.of("first") == story && notes.of("second") == story)
    #expect(notes.of("third") == ["found Ann", "end"])
    world.finish()
  }

  @Test(
    "What was seen before the stop is still taken, then the loop ends; stopping twice is nothing")
  func stopWhilePending() {
    addAnn()
    play("bob") { [notes] host in
      let peer = try await Peer("Bob", trusting: .anyPeer, on: host)
      let browser = try await peer.browse("chat")
      try await host.sleep(for: .seconds(1))
      notes.add("bob: \(await browser.peers.map(\.name))")
      await browser.stop()
      await browser.stop()
      for await event in browser.events { notes.add("bob: \(event.words)") }
      notes.add("bob: end")
      // Whom it found can be invited all the same.
      let session = try await peer.makeSession()
      let id = try #require(await browser.peers.first?.id)
      notes.add("bob: \(try await peer.invite(id, to: session, within: .seconds(1)))")
    }
    world.run(for: .seconds(30))
    #expect(notes.of("bob") == ["[\"Ann\"]", "found Ann", "end", "timedOut"])
    world.finish()
  }

  @Test("A browser and an advertiser end with their peer; a suspended one begins nothing")
  func endOfPeer() {
    addAnn { [notes] host, peer, advertiser in
      let browser = try await peer.browse("chat")
      host.addTask("events") {
        for await _ in browser.events {}
        notes.add("ann: events end")
      }
      host.addTask("invitations") {
        for await _ in advertiser.invitations {}
        notes.add("ann: invitations end")
      }
      try await host.sleep(for: .seconds(1))
      await peer.suspend()
      notes.add("ann: \(await code { _ = try await peer.browse("chat") })")
      notes.add("ann: \(await code { _ = try await peer.advertise("other") })")
      try await peer.resume()
      await peer.stop()
      try await host.sleep(for: .seconds(1))
      notes.add("ann: \(await code { _ = try await peer.browse("chat") })")
      notes.add("ann: \(await code { _ = try await peer.advertise("other") })")
      notes.add("ann: \(await code { try await advertiser.update(info: [:]) })")
      await advertiser.stop()
      await browser.stop()
    }
    world.run(for: .seconds(30))
    #expect(notes.of("ann").prefix(2) == ["suspended", "suspended"])
    #expect(Set(notes.of("ann").dropFirst(2).prefix(2)) == ["events end", "invitations end"])
    #expect(notes.of("ann").dropFirst(4) == ["stopped", "stopped", "stopped"])
    world.finish()
  }

  @Test("An update with bad info fails and changes nothing; a good one replaces what was said")
  func updates() {
    addAnn { [notes] host, peer, advertiser in
      try await host.sleep(for: .seconds(4))
      notes.add("ann: \(await code { try await advertiser.update(info: ["a=b": "c"]) })")
      notes.add("ann: \(await advertiser.info ?? [:])")
      try await advertiser.update(info: ["mood": "fine"])
      notes.add("ann: \(await advertiser.info ?? [:])")
      notes.add("ann: \(await code { _ = try await peer.advertise("chat") })")
      notes.add("ann: \(await code { _ = try await peer.advertise("no spaces") })")
      notes.add("ann: \(await code { _ = try await peer.browse("no spaces") })")
      notes.add("ann: \(await code { _ = try await peer.advertise("x", info: ["=": ""]) })")
      await advertiser.stop()
      try await host.sleep(for: .seconds(4))
      let again = try await peer.advertise("chat")
      try? await host.sleep(for: .seconds(60))
      withExtendedLifetime(again) {}
    }
    play("bob") { [notes] host in
      let browser = try await Peer("Bob", trusting: .anyPeer, on: host).browse("chat")
      for await event in browser.events { notes.add("bob: \(event.words)") }
    }
    world.run(for: .seconds(20))
    #expect(
      notes.of("ann") == [
        "invalidDiscoveryInfo", "[\"mood\": \"good\"]", "[\"mood\": \"fine\"]",
        "alreadyAdvertised", "invalidServiceType", "invalidServiceType", "invalidDiscoveryInfo",
      ])
    #expect(notes.of("bob") == ["found Ann", "updated Ann fine", "lost", "found Ann"])
    world.finish()
  }

  @Test("Info may be absent, which is not the same as empty, and an update may bring and take it")
  func absentInfo() {
    play("ann") { host in
      let advertiser = try await Peer("Ann", trusting: .anyPeer, on: host).advertise("chat")
      #expect(await advertiser.info == nil)
      for info in [[:], ["id": "1", "v": "2", "n": "3"], nil] as [[String: String]?] {
        try await host.sleep(for: .seconds(7))
        try await advertiser.update(info: info)
        #expect(await advertiser.info == info)
      }
      try await host.sleep(for: .seconds(7))
      await advertiser.stop()
    }
    play("bob") { [notes] host in
      let browser = try await Peer("Bob", trusting: .anyPeer, on: host).browse("chat")
      for await event in browser.events {
        guard case .found(let peer) = event else {
          if case .updated(let peer) = event { notes.add("bob: \(peer.info.words)") }
          continue
        }
        notes.add("bob: \(peer.info.words)")
      }
    }
    world.run(for: .seconds(40))
    #expect(notes.of("bob") == ["none", "[]", "[id=1, n=3, v=2]", "none"])
    world.finish()
  }

  @Test("A peer that is renamed is updated under its identifier, and found by its new name")
  func renamed() {
    play("ann") { [notes] host in
      let peer = try await Peer("Ann", trusting: .anyPeer, on: host)
      let advertiser = try await peer.advertise("chat", info: ["mood": "good"])
      try await host.sleep(for: .seconds(7))
      try await peer.rename(to: "Annie")
      notes.add("ann: \(peer.name)")
      for name in ["", String(repeating: "n", count: 64), "a\u{7}"] {
        do throws(EarshotError) { try await peer.rename(to: name) } catch {
          notes.add("ann: \(error.code.name)")
        }
      }
      try await host.sleep(for: .seconds(7))
      // Two at once: one of them is the last.
      let others = ["Anna", "Anne"].map { name in
        host.addTask("renames") { try? await peer.rename(to: name) }
      }
      for other in others { _ = try? await other.wait() }
      notes.add("ann: is \(peer.name)")
      try await host.sleep(for: .seconds(7))
      try await peer.rename(to: "Ann")
      try await host.sleep(for: .seconds(7))
      await peer.stop()
      do throws(EarshotError) { try await peer.rename(to: "Annie") } catch {
        notes.add("ann: \(error.code.name)")
      }
      notes.add("ann: \(peer.name)")
      withExtendedLifetime(advertiser) {}
    }
    for (name, start) in [("bob", Duration.zero), ("cy", .seconds(11))] {
      play(name) { [notes] host in
        try await host.sleep(for: start)
        let browser = try await Peer(name, trusting: .anyPeer, on: host).browse("chat")
        for await event in browser.events { notes.add("\(name): \(event.words)") }
      }
    }
    world.run(for: .seconds(40))
    let invalid = [String](repeating: "invalidDisplayName", count: 3)
    let last = notes.of("ann").first { $0.hasPrefix("is ") }?.dropFirst(3) ?? "nobody"
    #expect(["Anna", "Anne"].contains(last))
    #expect(notes.of("ann") == ["Annie"] + invalid + ["is \(last)", "stopped", "Ann"])
    // What is said twice in a moment may be seen once.
    let bob = notes.of("bob").filter { !$0.hasPrefix("updated Ann") || !$0.contains("good") }
    #expect(bob == ["found Ann", "lost"], "\(notes.of("bob"))")
    let seen = notes.of("bob").filter { $0.hasPrefix("updated") }
    #expect(seen.first == "updated Annie good" && seen.last == "updated Ann good")
    #expect(seen.dropLast().last == "updated \(last) good" && (3...4).contains(seen.count))
    #expect(notes.of("cy").first == "found Annie" && notes.of("cy").last == "lost")
    world.finish()
  }

  @Test(
    "Info that an update has replaced is not shown again, however soon the advertiser stops",
    arguments: Seed.some(40))
  func replaced(seed: Seed) {
    let world = World(seed: seed.value)
    defer { world.finish() }
    var random = world.random("waits")
    let waits = [Duration.seconds(5), .seconds(1)].map { random.duration(below: $0) }
    play("ann", on: world.makeHost("ann")) { host in
      let advertiser = try await Peer("Ann", trusting: .anyPeer, on: host).advertise(
        "chat", info: ["mood": "good"])
      try await host.sleep(for: waits[0])
      try await advertiser.update(info: ["mood": "fine"])
      try await host.sleep(for: waits[1])
      await advertiser.stop()
    }
    play("bob", on: world.makeHost("bob")) { [notes] host in
      let browser = try await Peer("Bob", trusting: .anyPeer, on: host).browse("chat")
      for await event in browser.events { notes.add("bob: \(event.words)") }
    }
    world.run(for: .seconds(20))
    let story = notes.of("bob")
    #expect(story.last == "lost" && story.count(where: { $0 == "lost" }) == 1)
    #expect(story.firstIndex(of: "updated Ann good") == nil, "\(story)")
  }

  @Test("A peer has 64 browsers at most; one more may come for each that stops")
  func browsersMax() {
    play("bob") { [notes] host in
      let peer = try await Peer("Bob", trusting: .anyPeer, on: host)
      var browsers: [Browser] = []
      for number in 0..<64 { browsers.append(try await peer.browse("s\(number)")) }
      notes.add("bob: \(await code { _ = try await peer.browse("more") })")
      await browsers[7].stop()
      notes.add("bob: \(await code { _ = try await peer.browse("more") })")
    }
    world.run(for: .seconds(1))
    #expect(notes.of("bob") == ["tooManyBrowsers", "nothing"])
    world.finish()
  }

  @Test("Events that nobody takes are summed up; whoever came and went is not mentioned")
  func summary() {
    addAnn { host, _, advertiser in
      try await host.sleep(for: .seconds(2))
      for number in 0..<4_200 {
        try await advertiser.update(info: ["mood": "\(number)"])
        try await host.sleep(for: .seconds(7))
      }
    }
    play("cleo") { host in
      let advertiser = try await Peer("Cleo", trusting: .anyPeer, on: host).advertise("chat")
      try await host.sleep(for: .seconds(60))
      await advertiser.stop()
    }
    play("bob") { [notes] host in
      let browser = try await Peer("Bob", trusting: .anyPeer, on: host).browse("chat")
      try await host.sleep(for: .seconds(7 * 4_300))
      host.addTask("take") {
        for await event in browser.events { notes.add("bob: \(event.words)") }
      }
    }
    world.run(for: .seconds(7 * 4_310))
    let story = notes.of("bob")
    #expect(story.first == "found Ann" || story.first?.hasPrefix("found") == true)
    #expect(story.count < 200 && story.last == "updated Ann 4199")
    #expect(!story.contains { $0.contains("Cleo") || $0 == "lost" })
    world.finish()
  }

  @Test("Whoever was told of a peer before events were summed up hears of an update, not of a find")
  func summaryOfKnown() {
    addAnn { host, _, advertiser in
      try await host.sleep(for: .seconds(2))
      for number in 0..<4_200 {
        try await advertiser.update(info: ["mood": "\(number)"])
        try await host.sleep(for: .seconds(7))
      }
    }
    play("bob") { [notes] host in
      let browser = try await Peer("Bob", trusting: .anyPeer, on: host).browse("chat")
      for await event in browser.events {
        notes.add("bob: \(event.words)")
        break
      }
      try await host.sleep(for: .seconds(7 * 4_300))
      host.addTask("take") {
        for await event in browser.events { notes.add("bob: \(event.words)") }
      }
    }
    world.run(for: .seconds(7 * 4_310))
    let story = notes.of("bob")
    #expect(story.first == "found Ann" && story.last == "updated Ann 4199")
    #expect(story.count < 200 && story.dropFirst().allSatisfy { $0.hasPrefix("updated Ann") })
    world.finish()
  }

  @Test("An event says whom it is about")
  func identifiers() {
    var random = world.random("id")
    let id = PeerID(random: &random)
    let peer = DiscoveredPeer(id: id, name: "Ann", info: ["a": "b"], endpoints: [])
    for event in [BrowserEvent.found(peer), .updated(peer), .lost(peer)] {
      #expect(event.peer == peer)
    }
    for event in [BrowserEvent.unavailable(.noInterface), .available] { #expect(event.peer == nil) }
    world.finish()
  }
}
