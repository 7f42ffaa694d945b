import Foundation
import Testing

/// Peers beside the multicast DNS of python-zeroconf, on the other host and on the same one.
@Suite(
  "python-zeroconf", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(
    if: Zeroconf.isThere,
    "needs python-zeroconf: python3 -m venv .build/interop && .build/interop/bin/pip install zeroconf"
  ))
struct ZeroconfTests {
  private let service = "z\(UInt32.random(in: .min ... .max))"
  private let identifier = "d4nzm73tx3b57con3xd5d5sexrqj5zg46bjkm4vjyv5ibdlr4fdq"

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  private func zeroconf(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(
      running: side.prefix + [Zeroconf.python, Zeroconf.script, side.address, service] + words)
  }

  @Test(
    "It sees a peer with its info and each change of it, and hears its goodbye",
    arguments: [true, false])
  func seen(isOnSameHost: Bool) async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let wire = try await hosts.right.wire()
    let browser = try zeroconf(isOnSameHost ? hosts.left : hosts.right, "browse")
    await browser.expect("browsing")
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--info", "room=lobby")
    await browser.expect("room=lobby")
    let line = try #require(browser.line(with: "added Ann ("))
    #expect(line.contains(" \(hosts.left.address):") && line.contains("_id="))
    await wire.expect("=TXT:ann_(", times: 3)  // What follows is said only because it has changed.
    try ann.type("room=attic")
    await browser.expect("room=attic")
    #expect(browser.line(with: "room=attic")?.hasPrefix("updated Ann (") == true)
    ann.signal(SIGINT)
    await browser.expect("removed Ann (")
    #expect(await ann.exitStatus() == 0)
    withExtendedLifetime((hosts, wire, browser)) {}
  }

  @Test(
    "What it publishes is found, with every new text, and lost with its goodbye",
    arguments: [true, false])
  func sees(isOnSameHost: Bool) async throws {
    let hosts = try Namespaces()
    let browser = try earshot(isOnSameHost ? hosts.right : hosts.left, "browse")
    let publisher = try zeroconf(
      hosts.right, "publish", "Zoe (d4nzm73t)", "4711", "_v=1", "_id=\(identifier)", "room=lobby")
    await browser.expect("found\tZoe\td4nzm73t\t\(hosts.right.address):4711\troom=lobby")
    try publisher.type("_v=1 _id=\(identifier) room=kitchen")
    await browser.expect("room=kitchen")
    try publisher.closeInput()
    await browser.expect("lost\tZoe")
    withExtendedLifetime((hosts, browser, publisher)) {}
  }

  @Test("A peer whose name it holds already and insists on takes another one, and both are seen")
  func heldName() async throws {
    let hosts = try Namespaces()
    let ann = try StoredIdentity()
    let name = "Ann (\(ann.id.prefix(8)))"
    let publisher = try zeroconf(
      hosts.right, "publish", name, "4711", "_v=1", "_id=\(identifier)", "room=lobby")
    await publisher.expect("published")
    let browser = try zeroconf(hosts.right, "browse")
    await browser.expect("room=lobby")
    let peer = try earshot(
      hosts.left, "advertise", "--name", "Ann", "--identity", ann.path, "--info", "room=attic")
    await browser.expect("room=attic")
    // It says nothing to an announcement, and stands firm when it is asked, as after it has said its text anew.
    try publisher.type("_v=1 _id=\(identifier) room=kitchen")
    await browser.expect("added \(name) (2)._")
    await browser.expect("room=attic", times: 2)
    try publisher.closeInput()
    await browser.expect("removed \(name)._")
    withExtendedLifetime((hosts, peer, browser)) {}
  }

  @Test("When it wants a name that a peer has, it is told so, and takes another one")
  func conflict() async throws {
    let hosts = try Namespaces()
    let browser = try zeroconf(hosts.right, "browse")
    await browser.expect("browsing")
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--info", "room=attic")
    await browser.expect("room=attic")
    let line = try #require(browser.line(with: "room=attic"))
    let name = try #require(line.split(separator: "._").first).dropFirst("added ".count)
    let publisher = try zeroconf(
      hosts.right, "publish", String(name), "4711", "_v=1", "_id=\(identifier)", "room=lobby")
    await publisher.expect("published")
    await browser.expect("room=lobby")
    let other = try #require(browser.line(with: "room=lobby"))
    #expect(other.hasPrefix("added \(name)-2._"))
    #expect(browser.line(with: "removed") == nil)
    withExtendedLifetime((hosts, publisher, ann, browser)) {}
  }
}

/// The environment of python-zeroconf, which is no part of the system.
private enum Zeroconf {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  static let script = folder.appending(path: "zeroconf-peer.py").path
  static let python = folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build/interop/bin/python").path
  static let isThere = (try? Shell.run(python, "-c", "import zeroconf")) != nil
}
