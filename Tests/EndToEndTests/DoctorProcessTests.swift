import Foundation
import Testing

/// What keeps peers apart, brought about in network namespaces.
@Suite(
  "Doctor in namespaces", .timeLimit(.minutes(5)),
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct DoctorProcessTests {
  private let service = "n\(UInt32.random(in: .min ... .max))"

  /// Has a doctor look, and expects what it names.
  private func expect(_ cause: String, severity: String, on side: Namespaces.Side) async throws {
    let doctor = try Program(
      ["doctor", "--json", "--service", service, "--timeout", "1.5"], on: side.interface,
      prefix: side.prefix)
    await doctor.expect("{\"cause\":\"\(cause)\",\"severity\":\"\(severity)\"")
    let status = await doctor.exitStatus()
    if severity == "error" { #expect(status == 1) }
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
