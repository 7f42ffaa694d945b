import Foundation
import Testing

/// What keeps peers apart, brought about in network namespaces.
@Suite(
  "Doctor in namespaces", .timeLimit(.minutes(10)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct DoctorProcessTests {
  private let service = "n\(UInt32.random(in: .min ... .max))"

  /// Has a doctor look, and expects what it names.
  ///
  /// - Returns: What it prints.
  @discardableResult
  private func expect(
    _ cause: String, severity: String, on side: Namespaces.Side
  ) async throws -> String {
    let doctor = try doctor(on: side)
    await doctor.expect("{\"cause\":\"\(cause)\",\"severity\":\"\(severity)\"")
    let status = await doctor.exitStatus()
    if severity == "error" { #expect(status == 1) }
    return doctor.lines.joined(separator: "\n")
  }

  private func doctor(on side: Namespaces.Side) throws -> Program {
    try Program(
      ["doctor", "--json", "--service", service, "--timeout", "1.5"], on: side.interface,
      prefix: side.prefix)
  }

  @Test("A cable that is out")
  func cable() async throws {
    let hosts = try Namespaces()
    try hosts.setCable(of: hosts.left, up: false)
    try await expect("noInterface", severity: "error", on: hosts.left)
  }

  @Test("No route to multicast groups")
  func route() async throws {
    let hosts = try Namespaces()
    try await expect("noRoute", severity: "note", on: hosts.left)
  }

  @Test("No IPv6")
  func addresses() async throws {
    let hosts = try Namespaces()
    let side = hosts.left
    try Shell.run("ip", "-n", side.name, "-6", "addr", "flush", "dev", side.interface)
    try await expect("noIPv6", severity: "note", on: side)
  }

  @Test("A firewall that drops multicast DNS", .enabled(if: Shell.has("nft"), "needs nftables"))
  func firewall() async throws {
    let hosts = try Namespaces()
    let rules = "{ chain in { type filter hook input priority 0; udp dport 5353 drop; }; }"
    try Shell.run(hosts.left.prefix + ["nft", "add", "table", "inet", "f", rules])
    try await expect("firewall", severity: "error", on: hosts.left)
  }

  @Test(
    "A firewall of old or new iptables that drops multicast DNS",
    .enabled(if: Shell.has("iptables-legacy") && Shell.has("iptables-nft"), "needs iptables"),
    arguments: ["iptables-legacy", "iptables-nft"])
  func iptables(tool: String) async throws {
    let hosts = try Namespaces()
    let rule = ["-A", "INPUT", "-p", "udp", "--dport", "5353", "-j", "DROP"]
    // What goes through by IPv6 makes a warning of it.
    for tool in [tool, tool.replacing("iptables", with: "ip6tables")] {
      try Shell.run(hosts.left.prefix + [tool] + rule)
    }
    let seen = try await expect("firewall", severity: "error", on: hosts.left)
    #expect(seen.contains("dport 5353"))
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "A firewall that drops what it does not know; what the doctor says mends it",
    .enabled(if: Shell.has("nft"), "needs nftables"))
  func policy() async throws {
    let hosts = try Namespaces()
    let chain = "type filter hook input priority 0; policy drop; tcp dport 22 accept;"
    try Shell.run(
      hosts.left.prefix + ["nft", "add", "table", "inet", "f", "{ chain in { \(chain) }; }"])
    let seen = try await expect("firewall", severity: "error", on: hosts.left)
    let command = "nft insert rule inet f in udp dport 5353 accept"
    #expect(seen.contains(command))
    try Shell.run(hosts.left.prefix + command.split(separator: " ").map(String.init))
    let doctor = try doctor(on: hosts.left)
    let status = await doctor.exitStatus()
    #expect(status == 0 || status == 6)  // A container is worth a warning.
    #expect(doctor.line(with: "firewall") == nil)
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "Another responder, with which the port is shared",
    .enabled(if: Avahi.isAvailable, "needs avahi-daemon, avahi-utils and dbus"))
  func responder() async throws {
    let hosts = try Namespaces()
    let daemon = try Avahi.run(on: hosts.left, "avahi-browse", "-p", "_\(service)._tcp")
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service], on: hosts.right.interface,
      prefix: hosts.right.prefix)
    await daemon.expect("Ann")  // So the daemon answers and asks.
    let seen = try await expect("responder", severity: "note", on: hosts.left)
    #expect(seen.contains("avahi-daemon"))
    withExtendedLifetime((hosts, daemon, ann)) {}
  }

  @Test(
    "A peer that is seen and cannot be dialled",
    .enabled(if: Shell.has("nft"), "needs nftables"))
  func unreachable() async throws {
    let hosts = try Namespaces()
    let chain = "type filter hook input priority 0; meta l4proto tcp drop;"
    let rules = "{ chain in { \(chain) }; }"
    try Shell.run(hosts.left.prefix + ["nft", "add", "table", "inet", "f", rules])
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service], on: hosts.left.interface,
      prefix: hosts.left.prefix)
    await ann.expect("Advertising Ann")
    try await expect("unreachable", severity: "error", on: hosts.right)
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test(
    "Another program that holds the port for itself alone",
    .enabled(if: Shell.has("python3"), "needs python3 for the other program"))
  func port() async throws {
    let hosts = try Namespaces()
    let script = """
      import socket, sys
      holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      holder.bind(("", 5353))
      print("held", flush=True)
      sys.stdin.read()
      """
    let holder = try Program(running: hosts.left.prefix + ["python3", "-c", script])
    await holder.expect("held")
    try await expect("portTaken", severity: "error", on: hosts.left)
    withExtendedLifetime((hosts, holder)) {}
  }
}
