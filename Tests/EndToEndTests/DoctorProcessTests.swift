import Foundation
import Testing

/// What keeps peers apart, brought about in network namespaces.
@Suite(
  "Doctor in namespaces", .timeLimit(.minutes(30)), .fewAtOnce,
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

  private func doctor(on side: Namespaces.Side, _ words: [String] = []) throws -> Program {
    try Program(
      ["doctor", "--json", "--service", service, "--timeout", "1.5"] + words, on: side.interface,
      prefix: side.prefix)
  }

  @Test("A cable that is out")
  func cable() async throws {
    let hosts = try Namespaces()
    try hosts.setCable(of: hosts.left, up: false)
    try await expect("noInterface", severity: "error", on: hosts.left)
  }

  @Test("A second interface: without an address, without multicast, and not asked about")
  func second() async throws {
    let hosts = try Namespaces()
    let (name, first) = (hosts.left.name, hosts.left.interface)
    let others = ["dry", "dull", "off"]
    for other in others {
      try Shell.run(
        "ip", "-n", name, "link", "add", other, "type", "veth", "peer", "name", "\(other)x")
    }
    for end in ["dry", "dryx", "dull", "dullx"] {
      try Shell.run(
        hosts.left.prefix + ["sysctl", "-q", "-w", "net.ipv6.conf.\(end).disable_ipv6=1"])
      try Shell.run("ip", "-n", name, "link", "set", end, "up")
    }
    try Shell.run("ip", "-n", name, "addr", "add", "10.78.0.1/24", "dev", "dull")
    try Shell.run("ip", "-n", name, "link", "set", "dull", "multicast", "off")
    let command = [Program.path, "doctor", "--json", "--service", service, "--timeout", "1.5"]
    for (words, isAsked) in [([], true), (["--interface", first], false)] {
      let doctor = try Program(running: hosts.left.prefix + command + words)
      #expect(await doctor.exitStatus() != nil)
      for (other, cause) in zip(others, ["noAddress", "noMulticast", "interfaceDown"]) {
        let found = doctor.lines.filter { $0.contains(" \(other) ") }
        #expect(found.count == (isAsked ? 1 : 0))
        #expect(found.allSatisfy { $0.contains("\"\(cause)\"") }, "\(found)")
      }
    }
    withExtendedLifetime(hosts) {}
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

  /// What a doctor finds of a firewall, and the commands that mend it.
  private func firewallFindings(
    on side: Namespaces.Side, _ words: [String]
  ) async throws -> [(text: String, command: [String])] {
    let doctor = try doctor(on: side, words)
    let status = await doctor.exitStatus()
    #expect([0, 1, 6].contains(status))
    return try doctor.lines.filter { $0.contains("\"firewall\"") }.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
      let command = try #require(object?["command"])
      #expect(command.hasPrefix("sudo "))
      return (line, command.split(separator: " ").dropFirst().map(String.init))
    }
  }

  @Test(
    "A firewall that drops what it does not know; what the doctor says mends it, all at once",
    .enabled(
      if: Shell.has("nft") && Shell.has("iptables-legacy"), "needs nftables and iptables"),
    arguments: ["nft", "iptables-legacy"], [[], ["--port", "7100"]])
  func policy(tool: String, words: [String]) async throws {
    let hosts = try Namespaces()
    if tool == "nft" {
      let chain = "type filter hook input priority 0; policy drop; tcp dport 22 accept;"
      try Shell.run(
        hosts.left.prefix + ["nft", "add", "table", "inet", "f", "{ chain in { \(chain) }; }"])
    } else {
      try Shell.run(hosts.left.prefix + [tool, "-P", "INPUT", "DROP"])
    }
    let found = try await firewallFindings(on: hosts.left, words)
    #expect(found.count == 3)
    for (part, place) in zip(["multicast DNS", "TCP", "UDP"], found.indices) {
      #expect(found[place].text.contains(part))
      if !words.isEmpty, place > 0 { #expect(found[place].command.contains("7100")) }
    }
    // Multicast DNS alone lets peers be found, and not be dialled.
    try Shell.run(hosts.left.prefix + found[0].command)
    let rest = try await firewallFindings(on: hosts.left, words)
    #expect(rest.map(\.command) == found.dropFirst().map(\.command))
    #expect(rest.map { $0.text.contains("\"warning\"") } == [true, false])
    for finding in rest { try Shell.run(hosts.left.prefix + finding.command) }
    #expect(try await firewallFindings(on: hosts.left, words).isEmpty)
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "A last rule that drops what none before it accepts; a peer of the host cannot be dialled, and then can",
    .enabled(if: Shell.has("nft"), "needs nftables"))
  func closing() async throws {
    let hosts = try Namespaces()
    let chain = """
      type filter hook input priority 0; ct state established,related accept; \
      udp dport 5353 accept; meta l4proto ipv6-icmp accept; reject with icmpx admin-prohibited;
      """
    try Shell.run(
      hosts.left.prefix + ["nft", "add", "table", "inet", "f", "{ chain in { \(chain) }; }"])
    let port = ["--port", "7100"]
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service] + port, on: hosts.left.interface,
      prefix: hosts.left.prefix)
    await ann.expect("Advertising Ann")
    try await expect("unreachable", severity: "error", on: hosts.right)
    for finding in try await firewallFindings(on: hosts.left, port) {
      #expect(finding.text.contains("reject with icmpx"))
      try Shell.run(hosts.left.prefix + finding.command)
    }
    let doctor = try doctor(on: hosts.right)
    _ = await doctor.exitStatus()
    #expect(doctor.line(with: "unreachable") == nil)
    withExtendedLifetime((hosts, ann)) {}
  }

  /// How a tunnel takes what is not its own.
  enum Detour: CaseIterable, Sendable {
    case halves, table, neighbours, six

    var commands: [[String]] {
      switch self {
      case .halves: ["0.0.0.0/1", "128.0.0.0/1"].map { ["route", "add", $0, "dev", "tun0"] }
      case .table:
        [
          ["route", "add", "default", "dev", "tun0", "table", "51820"],
          ["rule", "add", "not", "fwmark", "51820", "table", "51820"],
          ["rule", "add", "table", "main", "suppress_prefixlength", "0"],
        ]
      case .neighbours: [["route", "add", "10.77.0.0/25", "dev", "tun0"]]
      case .six: [["-6", "route", "add", "default", "dev", "tun0"]]
      }
    }
  }

  @Test("A tunnel that takes everything, or what is for neighbours", arguments: Detour.allCases)
  func tunnel(detour: Detour) async throws {
    let hosts = try Namespaces()
    let side = hosts.left
    try Shell.run("ip", "-n", side.name, "tuntap", "add", "tun0", "mode", "tun")
    try Shell.run("ip", "-n", side.name, "link", "set", "tun0", "up")
    let before = try doctor(on: side)
    _ = await before.exitStatus()
    #expect(before.line(with: "\"tunnel\"") == nil)
    for command in detour.commands { try Shell.run(["ip", "-n", side.name] + command) }
    try await expect(
      "tunnel", severity: detour == .neighbours ? "error" : "warning", on: side)
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "A container, whose peers may all be on the same computer, as those with its address are",
    .enabled(if: Shell.has("unshare"), "needs unshare of util-linux"))
  func container() async throws {
    let hosts = try Namespaces()
    let (left, right) = (hosts.left, hosts.right)
    let script = """
      mount -t tmpfs tmpfs /run && mkdir /run/systemd && touch /run/systemd/container && exec "$@"
      """
    let inside = left.prefix + ["unshare", "--mount", "sh", "-c", script, "sh"]
    var peers: [Program] = []
    for (side, severity) in [(left, "warning"), (right, "note")] {
      peers.append(
        try Program(
          ["advertise", "--name", "Ann", "--service", service], on: side.interface,
          prefix: side.prefix))
      await peers.last?.expect("Advertising Ann")
      let doctor = try Program(
        ["doctor", "--json", "--service", service, "--timeout", "1.5"], on: left.interface,
        prefix: inside)
      await doctor.expect("{\"cause\":\"container\",\"severity\":\"\(severity)\"")
      _ = await doctor.exitStatus()
    }
    withExtendedLifetime((hosts, peers)) {}
  }

  @Test("A file from a time that the clock has yet to show", arguments: ["--identity", "--trust"])
  func clock(option: String) async throws {
    let hosts = try Namespaces()
    let folder = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "kept").path
    #expect(FileManager.default.createFile(atPath: file, contents: Data()))
    for (seconds, isNamed) in [(0.0, false), (86_400, true)] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date.now + seconds], ofItemAtPath: file)
      let doctor = try doctor(on: hosts.left, [option, file])
      _ = await doctor.exitStatus()
      let line = doctor.line(with: "\"clock\",\"severity\":\"warning\"")
      #expect((line?.contains("before \(file) was made") ?? false) == isNamed)
    }
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

  @Test(
    "Another program that holds the port of IPv6 for itself alone",
    .enabled(if: Shell.has("python3"), "needs python3 for the other program"))
  func portOfIPv6() async throws {
    let hosts = try Namespaces()
    let holder = try await hosts.left.holdPortOfIPv6()
    let said = try await expect("portTaken", severity: "warning", on: hosts.left)
    #expect(said.contains("of IPv6") && said.contains("kill \(holder.id)"), "\(said)")
    withExtendedLifetime((hosts, holder)) {}
  }
}
