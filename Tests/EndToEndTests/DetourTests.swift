import Foundation
import Testing

/// Peers that are discovered on a link which the routes of this host lead away from, as those of a
/// VPN may.
@Suite(
  "Peers behind a route that takes the link", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct DetourTests {
  private let service = "d\(UInt32.random(in: .min ... .max))"

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(running: side.prefix + [Program.path] + words + ["--service", service])
  }

  @Test("A peer is dialled on the interface where it was discovered, wherever routes lead")
  func tunnel() async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let name = hosts.left.name
    try Shell.run("ip", "-n", name, "tuntap", "add", "tun0", "mode", "tun")
    try Shell.run("ip", "-n", name, "link", "set", "tun0", "up")
    try Shell.run("ip", "-n", name, "route", "add", "10.77.0.0/25", "dev", "tun0")
    let ann = try earshot(hosts.right, "advertise", "--name", "Ann", "--accept")
    await ann.expect("Advertising Ann")
    let ping = try earshot(hosts.left, "ping", "Ann", "--count", "2", "--interval", "0")
    #expect(await ping.exitStatus() == 0, "\(ping.lines)")
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("A peer that does not answer there is dialled where the routes lead")
  func otherWay() async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let (left, right) = (hosts.left, hosts.right)
    for side in [left, right] { try side.set("net.ipv6.conf.default.disable_ipv6", to: 1) }
    try Shell.run(
      "ip", "link", "add", "way", "netns", left.name, "type", "veth", "peer", "name", "way",
      "netns", right.name)
    for (side, last) in [(left, 1), (right, 2)] {
      try Shell.run("ip", "-n", side.name, "addr", "add", "10.78.0.\(last)/24", "dev", "way")
      try Shell.run("ip", "-n", side.name, "link", "set", "way", "up")
    }
    for (side, other) in [(left, right), (right, left)] {
      try Shell.run("ip", "-n", side.name, "route", "add", "\(other.address)/32", "dev", "way")
    }
    // Packets from an address that routes lead to by another interface are dropped.
    try right.set("net.ipv4.conf.\(right.interface).rp_filter", to: 1)
    // Looks before Ann announces herself: its questions may be dropped as well.
    let ping = try Program(
      ["ping", "Ann", "--count", "1", "--timeout", "60", "--service", service],
      on: left.interface, prefix: left.prefix)
    let ann = try Program(
      ["advertise", "--name", "Ann", "--accept", "--service", service], on: right.interface,
      prefix: right.prefix)
    #expect(await ping.exitStatus() == 0, "\(ping.lines)")
    withExtendedLifetime((hosts, ann)) {}
  }
}
