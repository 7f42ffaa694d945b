import Earshot
import EarshotPOSIX
import Foundation
import Synchronization
import Testing

/// What browsers see of a host whose interfaces or addresses come, go, and share a link.
@Suite(
  "Addresses of a host on one link", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct TwoInterfacesTests {
  private let service = "t\(UInt32.random(in: .min ... .max))"

  /// Has the left side be a switch, to which the right one is attached by two cables.
  private func layTwoCables(_ hosts: Namespaces) throws {
    let (left, right) = (hosts.left.name, hosts.right.name)
    let port = hosts.left.interface
    try Shell.run("ip", "-n", left, "link", "add", "br0", "type", "bridge")
    try Shell.run("ip", "-n", left, "addr", "flush", "dev", port)
    try Shell.run("ip", "-n", left, "addr", "add", "\(hosts.left.address)/24", "dev", "br0")
    try Shell.run(
      "ip", "link", "add", "port2", "netns", left, "type", "veth", "peer", "name", "en2", "netns",
      right)
    for name in [port, "port2"] {
      try Shell.run("ip", "-n", left, "link", "set", name, "master", "br0")
    }
    for name in ["br0", "port2"] { try Shell.run("ip", "-n", left, "link", "set", name, "up") }
    try Shell.run("ip", "-n", right, "addr", "add", "10.77.0.3/24", "dev", "en2")
    try Shell.run("ip", "-n", right, "link", "set", "en2", "up")
  }

  @Test(
    "A host with two interfaces in one link is found at the addresses of both, and is not updated for ever",
    arguments: [true, false])
  func steady(isAdvertiser: Bool) async throws {
    let hosts = try Namespaces()
    try layTwoCables(hosts)
    let ends = (hosts.right, hosts.left)
    let (speaker, listener) = isAdvertiser ? ends : (ends.1, ends.0)
    func words(_ side: Namespaces.Side, _ words: String...) throws -> Program {
      let only = side.name == hosts.left.name ? ["--interface", "br0"] : []
      return try Program(
        running: side.prefix + [Program.path] + words + ["--service", service] + only)
    }
    let ann = try words(speaker, "advertise", "--name", "Ann")
    await ann.expect("Advertising Ann")
    let bob = try words(listener, "browse", "--json")
    await bob.expect("\"Ann\"")
    // Others ask, too, again and again: each answer was an update.
    for _ in 0..<8 {
      let other = try words(listener, "ping", "nobody", "--timeout", "1.5")
      _ = await other.exitStatus()
    }
    let updates = bob.lines.count { $0.contains("\"updated\"") }
    #expect(updates <= 2, "\(bob.lines)")
    if isAdvertiser {
      let last = try #require(bob.lines.last)
      for address in ["10.77.0.2:", "10.77.0.3:"] { #expect(last.contains(address), "\(last)") }
    }
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("The address of a family that a host has lost is gone within seconds")
  func lostFamily() async throws {
    let hosts = try Namespaces()
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service], on: hosts.right.interface,
      prefix: hosts.right.prefix)
    await ann.expect("Advertising Ann")
    let host = try await hosts.left.host()
    let bob = try await Peer("Bob", trusting: .anyPeer, on: host)
    let browser = try await bob.browse(service)
    func wait(until isMeant: @Sendable (DiscoveredPeer) -> Bool) async {
      for await peers in browser.snapshots where peers.contains(where: isMeant) { break }
    }
    await wait { Set($0.endpoints.map(\.address.family)) == [.v4, .v6] }
    let start = host.now
    try Shell.run("ip", "-n", hosts.right.name, "-4", "addr", "flush", "dev", hosts.right.interface)
    await wait { $0.endpoints.allSatisfy { $0.address.family == .v6 } }
    #expect(host.now - start < .seconds(20))
    await bob.stop()
    await host.shutDown()
    withExtendedLifetime((hosts, ann)) {}
  }
}
