import Foundation
import Testing

/// Peers beside Avahi: on the other host, on the same one, and where there is IPv6 alone.
@Suite(
  "Avahi", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(if: Avahi.isAvailable, "needs avahi-daemon, avahi-utils and dbus"))
struct AvahiTests {
  enum Place: CaseIterable { case otherHost, sameHost, otherHostOverIPv6 }

  private let service = "a\(UInt32.random(in: .min ... .max))"
  private let identifier = "d4nzm73tx3b57con3xd5d5sexrqj5zg46bjkm4vjyv5ibdlr4fdq"
  private var type: String { "_\(service)._tcp" }

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  private func hosts(_ place: Place) throws -> Namespaces {
    let hosts = try Namespaces()
    if place == .otherHostOverIPv6 { try hosts.removeIPv4() }
    return hosts
  }

  @Test("It sees a peer with its info, and hears its goodbye", arguments: Place.allCases)
  func seen(place: Place) async throws {
    let hosts = try hosts(place)
    let side = place == .sameHost ? hosts.left : hosts.right
    let browser = try Avahi.run(on: side, "avahi-browse", "-pr", type)
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--info", "room=lobby")
    await browser.expect("\"room=lobby\"")
    await browser.expect(place == .otherHostOverIPv6 ? ";fe80::" : ";\(hosts.left.address);")
    ann.signal(SIGINT)
    await browser.expect("-;\(side.interface);")
    #expect(await ann.exitStatus() == 0)
    withExtendedLifetime((hosts, browser)) {}
  }

  @Test("What it publishes is found, and lost with its goodbye", arguments: Place.allCases)
  func sees(place: Place) async throws {
    let hosts = try hosts(place)
    let browser = try earshot(place == .sameHost ? hosts.right : hosts.left, "browse")
    let publisher = try Avahi.run(
      on: hosts.right, "avahi-publish", "-s", "Ava (d4nzm73t)", type, "4711", "_v=1",
      "_id=\(identifier)", "room=lobby")
    let address = place == .otherHostOverIPv6 ? "[fe80::" : "\(hosts.right.address):4711\t"
    await browser.expect("found\tAva\td4nzm73t\t\(address)")
    await browser.expect("\troom=lobby")
    try publisher.closeInput()
    await browser.expect("lost\tAva")
    withExtendedLifetime((hosts, browser, publisher)) {}
  }

  @Test("It hears of info that a peer changes", arguments: [true, false])
  func hearsUpdate(isOnSameHost: Bool) async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let side = isOnSameHost ? hosts.left : hosts.right
    // Its browser tells no changes, so it is asked for what its daemon has.
    let script = """
      avahi-browse -p "$1" &
      while read -r word; do
        until avahi-browse -prt "$1" | grep "$word"; do :; done
      done
      """
    let browser = try Avahi.run(on: side, "bash", "-c", script, "bash", type)
    let wire = try await hosts.right.wire()
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--info", "room=lobby")
    try browser.type("room=lobby")
    await browser.expect("\"room=lobby\"")
    await wire.expect("=TXT:ann_(", times: 3)  // What follows is said only because it has changed.
    try ann.type("room=attic")
    await ann.expect("The info is now room=attic")
    try browser.type("room=attic")
    await browser.expect("\"room=attic\"")
    #expect(browser.lines.allSatisfy { !$0.contains("attic") || !$0.contains("lobby") })
    #expect(browser.line(with: "-;") == nil)
    withExtendedLifetime((hosts, wire, ann, browser)) {}
  }

  @Test(
    "Text that it changes is an update, and the peer was there all the time",
    .enabled(if: Avahi.hasBus, "needs python3-dbus"), arguments: [true, false])
  func updates(isOnSameHost: Bool) async throws {
    let hosts = try Namespaces()
    let browser = try earshot(isOnSameHost ? hosts.right : hosts.left, "browse")
    let publisher = try Avahi.run(
      on: hosts.right, Avahi.python, Avahi.publisher, "Ava (d4nzm73t)", type, "4711", "_v=1",
      "_id=\(identifier)", "room=lobby")
    await browser.expect("found\tAva\td4nzm73t\t\(hosts.right.address):4711\troom=lobby")
    try publisher.type("_v=1 _id=\(identifier) room=kitchen")
    await browser.expect("updated\tAva\td4nzm73t\t\(hosts.right.address):4711\troom=kitchen")
    #expect(browser.line(with: "lost") == nil)
    withExtendedLifetime((hosts, browser, publisher)) {}
  }

  @Test(
    "When a peer wants a name that it has, it gives way to the announcement, and both are seen",
    arguments: [true, false])
  func heldName(isOnSameHost: Bool) async throws {
    let hosts = try Namespaces()
    let ann = try StoredIdentity()
    let (short, name) = (ann.id.prefix(8), "Ann (\(ann.id.prefix(8)))")
    let publisher = try Avahi.run(
      on: isOnSameHost ? hosts.left : hosts.right, "avahi-publish", "-s", name, type, "4711",
      "_v=1", "_id=\(identifier)", "room=lobby")
    await publisher.expect("Established under name '\(name)'")
    let peer = try earshot(
      hosts.left, "advertise", "--name", "Ann", "--identity", ann.path, "--info", "room=attic")
    await publisher.expect("Established under name '\(name) #2'")
    let browser = try earshot(hosts.right, "browse")
    await browser.expect("found\tAnn\t\(short)")
    await browser.expect("found\t\(name) #2\td4nzm73t")
    #expect(browser.line(with: "lost") == nil)
    withExtendedLifetime((hosts, publisher, peer, browser)) {}
  }

  @Test("When it wants a name that a peer has, it takes another one")
  func conflict() async throws {
    let hosts = try Namespaces()
    let identity = try StoredIdentity()
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--identity", identity.path)
    let browser = try earshot(hosts.right, "browse")
    await browser.expect("found\tAnn")
    let name = "Ann (\(identity.id.prefix(8)))"
    let publisher = try Avahi.run(
      on: hosts.right, "avahi-publish", "-s", name, type, "4711", "_v=1", "_id=\(identifier)")
    await publisher.expect("Established under name '\(name) #2'")
    await browser.expect("found\t\(name) #2\td4nzm73t")
    #expect(browser.line(with: "lost") == nil)
    withExtendedLifetime((hosts, ann, browser, publisher)) {}
  }
}
