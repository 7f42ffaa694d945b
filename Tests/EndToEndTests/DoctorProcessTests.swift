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

  /// What a doctor found, by the keys of its JSON that have texts.
  private typealias Found = [String: String]

  /// Has a doctor look at all interfaces, or as it is told, to its end.
  private func findings(on side: Namespaces.Side, _ words: [String] = []) async throws -> [Found] {
    let doctor = try Program(
      running: side.prefix + [
        Program.path, "doctor", "--json", "--service", service, "--timeout", "1",
      ] + words)
    let status = await doctor.exitStatus()
    try #require([0, 1, 6].contains(status), "\(doctor.lines)")
    return try doctor.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object, "\(line)").compactMapValues { $0 as? String }
    }
  }

  /// Has a doctor find a cause, runs the command that it prints, and expects the cause to be gone.
  ///
  /// - Returns: The finding.
  @discardableResult
  private func mend(
    _ cause: String, severity: String, on side: Namespaces.Side, _ words: [String] = []
  ) async throws -> Found {
    let all = try await findings(on: side, words)
    let found = try #require(
      all.first { $0["cause"] == cause && $0["severity"] == severity }, "\(all)")
    let command = try #require(found["command"])
    try Shell.run(side.prefix + ["sh", "-c", command.replacing("sudo ", with: "")])
    // An address of IPv6 is not used before the system knows that no other host has it.
    var rest: [Found] = []
    for _ in 0..<4 {
      rest = try await findings(on: side, words).filter { $0["cause"] == cause }
      if rest.isEmpty { break }
    }
    #expect(rest.isEmpty, "after \(command)")
    return found
  }

  @Test("An interface that is down comes up by the command")
  func cable() async throws {
    let hosts = try Namespaces()
    try hosts.setCable(of: hosts.left, up: false)
    try await mend("noInterface", severity: "error", on: hosts.left)
    withExtendedLifetime(hosts) {}
  }

  @Test("A second interface that is down, or carries no multicast, is mended by the command")
  func mendedSecond() async throws {
    let hosts = try Namespaces()
    let name = hosts.left.name
    try Shell.run("ip", "-n", name, "link", "add", "off", "type", "veth", "peer", "name", "offx")
    try Shell.run("ip", "-n", name, "link", "set", "offx", "up")
    try await mend("interfaceDown", severity: "note", on: hosts.left)
    try Shell.run("ip", "-n", name, "link", "set", "off", "multicast", "off")
    try await mend("noMulticast", severity: "warning", on: hosts.left)
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "An interface without an address gets one by the command",
    .enabled(
      if: !["dhclient", "dhcpcd", "udhcpc"].contains(where: Shell.has),
      "the client of this system would ask a server that no namespace has"))
  func mendedAddress() async throws {
    let hosts = try Namespaces()
    let (name, interface) = (hosts.left.name, hosts.left.interface)
    try hosts.left.set("net.ipv6.conf.\(interface).disable_ipv6", to: 1)
    try Shell.run("ip", "-n", name, "-4", "addr", "flush", "dev", interface)
    try await mend("noAddress", severity: "error", on: hosts.left)
    withExtendedLifetime(hosts) {}
  }

  @Test("Of the interfaces, only the chosen one is spoken of")
  func loopback() async throws {
    let hosts = try Namespaces()
    try hosts.setCable(of: hosts.left, up: false)
    let found = try await findings(on: hosts.left, ["--interface", "lo"])
    #expect(!found.contains { $0["severity"] != "note" }, "\(found)")
    #expect(!found.contains { $0["command"]?.contains(" link set ") ?? true }, "\(found)")
    withExtendedLifetime(hosts) {}
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
    try await mend("noRoute", severity: "note", on: hosts.left)
    withExtendedLifetime(hosts) {}
  }

  @Test("No IPv6")
  func addresses() async throws {
    let hosts = try Namespaces()
    let side = hosts.left
    try Shell.run("ip", "-n", side.name, "-6", "addr", "flush", "dev", side.interface)
    try await mend("noIPv6", severity: "note", on: side)
    try side.set("net.ipv6.conf.\(side.interface).disable_ipv6", to: 1)
    try await mend("noIPv6", severity: "note", on: side)
    withExtendedLifetime(hosts) {}
  }

  @Test("A firewall that drops multicast DNS", .enabled(if: Shell.has("nft"), "needs nftables"))
  func firewall() async throws {
    let hosts = try Namespaces()
    let rules = "{ chain in { type filter hook input priority 0; udp dport 5353 drop; }; }"
    try Shell.run(hosts.left.prefix + ["nft", "add", "table", "inet", "f", rules])
    try await mend("firewall", severity: "error", on: hosts.left)
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "A rule that drops the first packets of links is quoted, for certain or not, and mended",
    .enabled(if: Shell.has("nft"), "needs nftables"),
    arguments: [
      ("tcp flags & (syn | ack) == syn drop", "drops connections"),
      ("iifname \"ve*\" tcp dport 30000-65535 drop", "drops connections"),
      ("iifname \"ve*\" tcp dport 40000-50000 drop", "may drop connections"),
      ("ip saddr 10.77.0.0/24 meta l4proto tcp drop", "drops connections"),
      ("ip saddr 10.77.0.9 tcp flags syn drop", "may drop connections"),
      ("ip saddr @near tcp flags syn drop", "drops connections"),
      ("ip saddr @some meta l4proto tcp drop", "may drop connections"),
      ("meta l4proto tcp limit rate over 3/minute drop", "may drop connections"),
    ])
  func quoted(rule: String, words: String) async throws {
    let hosts = try Namespaces()
    let table = """
      { set near { type ipv4_addr; flags interval; elements = { 10.0.0.0/8 }; }; \
      set some { type ipv4_addr; elements = { 10.77.0.9, 10.77.0.11 }; }; \
      chain in { type filter hook input priority 0; \(rule); }; }
      """
    try Shell.run(hosts.left.prefix + ["nft", "add table inet f \(table)"])
    let found = try await mend("firewall", severity: "warning", on: hosts.left)
    let sentence = found["sentence"] ?? ""
    #expect(sentence.contains(words), "\(sentence)")
    // Some versions print a rule in other words than it was given in.
    #expect(sentence.contains("inet f in: ") && sentence.contains(" drop"), "\(sentence)")
    withExtendedLifetime(hosts) {}
  }

  @Test(
    "What this host sends to a peer, or hears from it, is dropped here: its peer is not blamed",
    .enabled(if: Shell.has("nft"), "needs nftables"),
    arguments: [
      [
        "nft",
        "add table inet f { chain out { type filter hook output priority 0; tcp dport 7100 drop; }; }",
      ],
      [
        "nft",
        "add table inet f { chain in { type filter hook input priority 0; tcp sport 7100 drop; }; }",
      ],
      ["ip", "route", "add", "blackhole", "10.77.0.2"],
    ])
  func ownFault(command: [String]) async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service, "--port", "7100"],
      on: hosts.right.interface, prefix: hosts.right.prefix)
    await ann.expect("Advertising Ann")
    try Shell.run(hosts.left.prefix + command)
    let before = try await findings(on: hosts.left)
    #expect(!before.contains { $0["cause"] == "unreachable" }, "\(before)")
    let found = before.filter { $0["severity"] == "error" }
    #expect(found.map { $0["cause"] } == [command[0] == "nft" ? "firewall" : "noRoute"])
    let mending = try #require(found.first?["command"])
    try Shell.run(hosts.left.prefix + ["sh", "-c", mending.replacing("sudo ", with: "")])
    let after = try await findings(on: hosts.left)
    #expect(!after.contains { $0["severity"] == "error" }, "\(after)")
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test(
    "A route that leads away from a peer is no obstacle where the peer is dialled as it was received"
  )
  func otherRoute() async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let ann = try advertise("Ann", on: hosts.right)
    await ann.expect("Advertising Ann")
    try Shell.run(hosts.left.prefix + ["ip", "route", "add", "10.77.0.2", "dev", "lo"])
    let found = try await findings(on: hosts.left)
    #expect(!found.contains { $0["severity"] == "error" }, "\(found)")
    withExtendedLifetime((hosts, ann)) {}
  }

  private func advertise(_ name: String, on side: Namespaces.Side) throws -> Program {
    try Program(
      ["advertise", "--name", name, "--service", service], on: side.interface,
      prefix: side.prefix)
  }

  /// The last finding of a doctor, which is about one peer, and its status.
  private func peer(
    _ words: String..., on side: Namespaces.Side
  ) async throws -> (found: [String: Any], status: Int32?) {
    let doctor = try doctor(on: side, words)
    let status = await doctor.exitStatus()
    let line = try #require(doctor.lines.last)
    let found = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return (try #require(found, "\(line)"), status.map { Int32($0) })
  }

  @Test(
    "One peer is explained: reached, not reached with its address and the error, never discovered",
    .enabled(if: Shell.has("nft"), "needs nftables"))
  func onePeer() async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let (left, right) = (hosts.left, hosts.right)
    let ann = try advertise("Ann", on: right)
    await ann.expect("Advertising Ann")
    let reached = try await peer("Ann", on: left)
    #expect(reached.found["explanation"] as? String == "reached" && reached.status == 0)
    let chain = "type filter hook input priority 0; meta l4proto tcp drop;"
    try Shell.run(
      right.prefix + ["nft", "add", "table", "inet", "f", "{ chain in { \(chain) }; }"])
    let silent = try await peer("ann", on: left)
    #expect(silent.found["explanation"] as? String == "unreachable" && silent.status == 1)
    let sentence = silent.found["sentence"] as? String ?? ""
    #expect(sentence.contains("\(right.address):") && sentence.contains("timedOut"), "\(sentence)")
    let absent = try await peer("Zoë", on: left)
    #expect(absent.found["explanation"] as? String == "neverDiscovered" && absent.status == 1)
    #expect(ann.line(with: "invitation") == nil)
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("The peers of all services are found, those of chats and of services that peers name")
  func services() async throws {
    let hosts = try Namespaces()
    let side = hosts.right
    let peers = try [["chat"], ["advertise", "--service", "x-\(service.prefix(10))"]].map { words in
      try Program(
        words + ["--name", "Ann \(words[0])"], on: side.interface, prefix: side.prefix)
    }
    await peers[1].expect("Advertising")
    let doctor = try Program(
      ["doctor"], on: hosts.left.interface, prefix: hosts.left.prefix)
    await doctor.expect("(2 peers dialled, 2 reached)")
    _ = await doctor.exitStatus()
    withExtendedLifetime((hosts, peers)) {}
  }

  @Test("A chat on the same host is nothing to be ended")
  func otherTerminal() async throws {
    let hosts = try Namespaces()
    let side = hosts.left
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service], on: side.interface,
      prefix: side.prefix)
    await ann.expect("Advertising Ann")
    let found = try await findings(on: side)
    #expect(!found.contains { $0["cause"] == "responder" }, "\(found)")
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("Ctrl-C before the end blames nothing, and ends with the status of an interruption")
  func interrupted() async throws {
    let hosts = try Namespaces()
    let browse = try Program(
      ["browse", "--json", "--service", "earshot-doctor"], on: hosts.right.interface,
      prefix: hosts.right.prefix)
    let doctor = try Program(
      ["doctor", "--timeout", "60"], on: hosts.left.interface, prefix: hosts.left.prefix)
    await browse.expect("earshot doctor")
    doctor.signal(SIGINT)
    #expect(await doctor.exitStatus() == 130)
    #expect(doctor.lines.count == 1 && doctor.line(with: "there is no result") != nil)
    withExtendedLifetime((hosts, browse)) {}
  }

  /// How an access point keeps its clients apart.
  enum Isolation: CaseIterable, Sendable {
    case everything, multicast

    /// What drops it at the other end of the cable, in the place of an access point.
    func tables(on interface: String) -> [String] {
      func chain(_ hook: String, _ rule: String) -> String {
        "{ chain c { type filter hook \(hook) priority 0; \(rule) drop; }; }"
      }
      return switch self {
      case .everything:
        [
          "netdev f \(chain("ingress device \"\(interface)\"", ""))",
          "inet f \(chain("output", ""))",
        ]
      case .multicast:
        [
          "inet f \(chain("output", "udp dport 5353"))",
          "inet g \(chain("input", "udp dport 5353"))",
        ]
      }
    }
  }

  @Test(
    "Ports that are isolated from each other, with a peer that is known from a ticket",
    .enabled(if: Shell.has("nft"), "needs nftables"), arguments: Isolation.allCases)
  func isolated(isolation: Isolation) async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    let side = hosts.right
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service, "--ticket"], on: side.interface,
      prefix: side.prefix)
    await ann.expect("earshot:")
    let words = try #require(ann.line(with: "earshot:")).split(separator: " ")
    let ticket = try #require(words.first { $0.hasPrefix("earshot:") })
    for table in isolation.tables(on: side.interface) {
      try Shell.run(side.prefix + ["nft", "add table \(table)"])
    }
    let asked = ["--ticket", String(ticket)]
    let found = try await findings(on: hosts.left, asked)
    let finding = try #require(found.first { $0["cause"] == "isolated" }, "\(found)")
    #expect(finding["severity"] == (isolation == .everything ? "error" : "warning"))
    let sentence = finding["sentence"] ?? ""
    #expect(sentence.contains("client isolation"), "\(sentence)")
    #expect(sentence.contains("are not answered") == (isolation == .everything))
    #expect(!found.contains { $0["cause"] == "unreachable" }, "\(found)")
    try Shell.run(side.prefix + ["nft", "flush ruleset"])
    let after = try await findings(on: hosts.left, asked)
    #expect(!after.contains { $0["severity"] != "note" }, "\(after)")
    withExtendedLifetime((hosts, ann)) {}
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
    for _ in 0..<2 {  // One for each family.
      let found = try #require(
        try await findings(on: hosts.left).first { $0["cause"] == "firewall" })
      #expect(found["sentence"]?.contains("dport 5353") == true)
      let command = try #require(found["command"])
      try Shell.run(hosts.left.prefix + ["sh", "-c", command.replacing("sudo ", with: "")])
    }
    let rest = try await findings(on: hosts.left).filter { $0["cause"] == "firewall" }
    #expect(rest.isEmpty)
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
      return (line, command.split(separator: " ").map(String.init).filter { $0 != "sudo" })
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
    let blamed = try await expect("unreachable", severity: "error", on: hosts.right)
    // The command for the other side: its doctor, with the port of its peer.
    #expect(blamed.contains("earshot doctor --port 7100"), "\(blamed)")
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
    if detour != .six { try hosts.removeIPv6() }
    let before = try await findings(on: side)
    #expect(!before.contains { $0["cause"] == "tunnel" }, "\(before)")
    for command in detour.commands { try Shell.run(["ip", "-n", side.name] + command) }
    guard detour == .neighbours else {
      let found = try await findings(on: side).filter { $0["cause"] == "tunnel" }
      #expect(found.map { $0["severity"] } == ["warning"])
      let words = ["--interface", side.interface]
      #expect(found.first?["command"] == "earshot browse \(words.joined(separator: " "))")
      let chosen = try await findings(on: side, words)
      #expect(!chosen.contains { $0["cause"] == "tunnel" }, "\(chosen)")
      return withExtendedLifetime(hosts) {}
    }
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service], on: hosts.right.interface,
      prefix: hosts.right.prefix)
    await ann.expect("Advertising Ann")
    // Peers are dialled on the interface where they were received, and so are reached.
    let found = try await findings(on: side)
    #expect(found.filter { $0["severity"] == "error" }.isEmpty, "\(found)")
    #expect(found.count { $0["cause"] == "tunnel" } == 1, "named once")
    try await mend("tunnel", severity: "warning", on: side)
    withExtendedLifetime((hosts, ann)) {}
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
      #expect((line?.contains("before the date of \(file)") ?? false) == isNamed)
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
    try await mend("portTaken", severity: "error", on: hosts.left)
    withExtendedLifetime((hosts, holder)) {}
  }

  @Test(
    "Another program that holds the port of IPv6 for itself alone",
    .enabled(if: Shell.has("python3"), "needs python3 for the other program"))
  func portOfIPv6() async throws {
    let hosts = try Namespaces()
    let holder = try await hosts.left.holdPortOfIPv6()
    let found = try await mend("portTaken", severity: "warning", on: hosts.left)
    #expect(found["sentence"]?.contains("of IPv6") == true, "\(found)")
    #expect(found["command"]?.contains("kill \(holder.id)") == true, "\(found)")
    withExtendedLifetime((hosts, holder)) {}
  }
}
