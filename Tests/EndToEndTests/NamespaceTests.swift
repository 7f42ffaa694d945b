import Earshot
import EarshotPOSIX
import Foundation
import Testing

/// Peers on two hosts with a cable between them, and the multicast DNS of others.
@Suite(
  "Namespaces", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct NamespaceTests {
  private let service = "n\(UInt32.random(in: .min ... .max))"

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  @Test("Two hosts chat, over IPv4 as over IPv6", arguments: [true, false])
  func chat(hasIPv4: Bool) async throws {
    let hosts = try Namespaces()
    if !hasIPv4 { try hosts.removeIPv4() }
    let ann = try earshot(hosts.left, "chat", "--name", "Ann")
    let bob = try earshot(hosts.right, "chat", "--name", "Bob")
    try await Program.bringTogether([("Ann", ann), ("Bob", bob)])
    try ann.type("hello")
    await bob.expect("Ann said: hello")
    try await leave(ann, before: bob)
    withExtendedLifetime(hosts) {}
  }

  @Test("A cable that is out for a while costs nothing")
  func cable() async throws {
    let hosts = try Namespaces()
    let ann = try earshot(hosts.left, "chat", "--name", "Ann", "--patience", "60")
    let bob = try earshot(hosts.right, "chat", "--name", "Bob", "--patience", "60")
    try await Program.bringTogether([("Ann", ann), ("Bob", bob)])
    try hosts.setCable(of: hosts.right, up: false)
    try ann.type("into the dark")
    await ann.expect("Bob is out of reach")
    try hosts.setCable(of: hosts.right, up: true)
    await bob.expect("Ann said: into the dark")
    await ann.expect("Bob is back, and has missed nothing")
    try await leave(ann, before: bob)
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "Who began before there was a cable is found once there is, and where its address changes to")
  func laterCable() async throws {
    let hosts = try Namespaces(areCabled: false)
    let (left, right) = (hosts.left, hosts.right)
    let words = ["--service", service]
    let ann = try Program(
      running: left.prefix + [Program.path, "advertise", "--name", "Ann", "--accept"] + words)
    let bob = try Program(running: right.prefix + [Program.path, "browse", "--json"] + words)
    await ann.expect("Advertising Ann")
    try hosts.layCable()
    await bob.expect("\"\(left.address):")
    try Shell.run(
      "ip", "-n", left.name, "addr", "delete", "\(left.address)/24", "dev", left.interface)
    try Shell.run("ip", "-n", left.name, "addr", "add", "10.77.0.9/24", "dev", left.interface)
    await bob.expect("Ann at the new address alone") {
      $0.contains("\"10.77.0.9:") && !$0.contains("\"\(left.address):")
    }
    #expect(bob.line(with: "\"lost\"") == nil)
    let ping = try Program(
      running: right.prefix + [Program.path, "ping", "Ann", "--count", "1"] + words)
    await ping.expect("1 sent, 1 answered")
    withExtendedLifetime((hosts, ann, bob)) {}
  }

  /// Has both leave their chat, and end.
  private func leave(_ ann: Program, before bob: Program) async throws {
    try ann.type("/quit")
    #expect(await ann.exitStatus() == 0)
    await bob.expect("Ann ended this chat")
    try bob.type("/quit")
    #expect(await bob.exitStatus() == 0)
  }

  @Test(
    "A large message over a slow cable is there and back in the time that the cable takes",
    .enabled(if: Namespaces.canBeSlow, "needs tc of iproute2"),
    arguments: [(32, 60_000), (64, 150_000)])
  func slow(kilobits: Int, bytes: Int) async throws {
    let hosts = try Namespaces()
    try hosts.limit(kilobits: kilobits)
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--accept")
    let bob = try earshot(
      hosts.right, "ping", "Ann", "--count", "1", "--size", "\(bytes)", "--timeout", "52")
    await bob.expect("1 sent, 1 answered")
    #expect(await bob.exitStatus() == 0)
    await ann.expect("is gone")
    withExtendedLifetime((hosts, ann, bob)) {}
  }

  @Test(
    "Who is not heard any more, but hears, is told so by the one that does not hear it",
    .enabled(if: Shell.has("nft"), "needs nftables"))
  func deaf() async throws {
    let hosts = try Namespaces()
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--accept")
    let host = try await hosts.right.host()
    let bob = try await Peer("Bob", trusting: .anyPeer, on: host)
    let browser = try await bob.browse(service)
    var found: PeerID?
    for await case .found(let peer) in browser.events where peer.name == "Ann" {
      found = peer.id
      break
    }
    let (id, session) = (try #require(found), try await bob.makeSession())
    #expect(try await bob.invite(id, to: session) == .accepted)
    let rules = "{ chain in { type filter hook input priority 0; meta l4proto tcp drop; }; }"
    try Shell.run(hosts.left.prefix + ["nft", "add", "table", "inet", "f", rules])
    var reason: InterruptionReason?
    for await case .interrupted(let member, let why) in session.events(from: .unread)
    where member.id == id {
      reason = why
      break
    }
    #expect(reason == .linkBroken)  // Not what it would have found out by itself, much later.
    await bob.stop(within: .zero)
    await host.shutDown()
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("Unreliable messages arrive over a path whose packets are smaller than their datagrams")
  func smallPackets() async throws {
    let hosts = try Namespaces()
    for side in [hosts.left, hosts.right] {
      try Shell.run("ip", "-n", side.name, "link", "set", side.interface, "mtu", "600")
    }
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann", "--accept")
    let bob = try earshot(
      hosts.right, "ping", "Ann", "--unreliable", "--count", "5", "--size", "1000")
    await bob.expect("5 sent, 5 answered")
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test(
    "A program is answered by another one of its host within the second of the last answer, and nobody else hears",
    .enabled(if: Shell.has("python3"), "needs python3 for the program that asks"))
  func neighbours() async throws {
    let hosts = try Namespaces()
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "ask-again.py").path
    func asker(_ side: Namespaces.Side, _ mode: String) throws -> Program {
      try Program(running: side.prefix + ["python3", script, side.address, service, mode])
    }
    let far = try asker(hosts.right, "listen")
    await far.expect("ready")
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann")
    let near = try asker(hosts.left, "ask")
    await near.expect("answer, hop limit 0", times: 3)
    await near.expect("answer, hop limit 255")
    await far.expect("answer, hop limit 255", times: 2)
    #expect(far.line(with: "hop limit 0") == nil)
    withExtendedLifetime((hosts, ann, near, far)) {}
  }

  @Test(
    "A host that runs Avahi too is found, and finds others",
    .enabled(if: Avahi.isAvailable, "needs avahi-daemon, avahi-utils and dbus"))
  func shares() async throws {
    let hosts = try Namespaces()
    let daemon = try Avahi.run(on: hosts.left, "sleep", "1000")
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann")
    let bob = try earshot(hosts.right, "browse")
    await bob.expect("found\tAnn")
    let eve = try earshot(hosts.left, "browse")
    await eve.expect("found\tAnn")
    withExtendedLifetime((hosts, daemon, ann, bob, eve)) {}
  }
}
