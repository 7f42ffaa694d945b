import Earshot
import EarshotCommandLine
import EarshotCore
import ScreenKit
import Testing

@Suite("Doctor")
struct DoctorTests {
  /// A host on which nothing is in the way.
  private static var healthy: HostFacts {
    var facts = HostFacts()
    var loopback = HostFacts.Interface("lo")
    loopback.isLoopback = true
    loopback.hasIPv6 = false
    loopback.carriesMulticast = false
    var cable = HostFacts.Interface("eth0")
    cable.networks = [
      AddressRange(.v6(0xFE80 << 48, 1, scope: 2), bits: 64),
      AddressRange(.v4(0x0A00_0001), bits: 24),
      AddressRange(.v6(0xFD00 << 48, 1, scope: 0), bits: 64),
    ]
    facts.interfaces = [loopback, cable]
    facts.hearsItself = true
    facts.routes.add("default", through: "eth0")
    facts.routes.add("10.0.0.0/24", through: "eth0")
    facts.routes.add("fd00::/64", through: "eth0", of: .v6)
    facts.sightings = [HostFacts.Sighting("Ann", at: "10.0.0.2", port: 7_100, .reached)]
    return facts
  }

  @Test("Nothing is found on a host on which nothing is in the way")
  func nothing() { #expect(Self.healthy.findings.isEmpty) }

  struct Row: CustomTestStringConvertible, Sendable {
    let cause: Finding.Cause
    let severity: Finding.Severity
    let command: String
    let plant: @Sendable (inout HostFacts) -> Void
    var testDescription: String { "\(cause), \(severity)" }

    init(
      _ cause: Finding.Cause, _ severity: Finding.Severity, _ command: String,
      _ plant: @escaping @Sendable (inout HostFacts) -> Void
    ) { (self.cause, self.severity, self.command, self.plant) = (cause, severity, command, plant) }
  }

  private static let avahi = HostFacts.Program("avahi-daemon", process: 77)
  private static let avahiService = HostFacts.Program(
    "avahi-daemon", process: 77, service: "avahi-daemon")

  private static func nft(_ rule: String, policy: String = "accept") -> String {
    """
    table inet f {
      chain in {
        type filter hook input priority filter; policy \(policy);
        \(rule)
      }
      chain out {
        type filter hook output priority filter; policy accept;
      }
    }
    """
  }

  private static func iptables(_ rule: String, policy: String = "ACCEPT") -> String {
    """
    *filter
    :INPUT \(policy) [0:0]
    :FORWARD DROP [0:0]
    \(rule)
    COMMIT
    """
  }

  /// Has routes lead into a tunnel; peers that were reached are forgotten.
  private static func addTunnel(
    _ destinations: String..., of family: IPAddress.Family = .v4, metric: Int = 0,
    to facts: inout HostFacts
  ) {
    var tunnel = HostFacts.Interface("wg0")
    tunnel.isTunnel = true
    tunnel.carriesMulticast = false
    facts.interfaces.append(tunnel)
    facts.sightings = []
    for destination in destinations {
      facts.routes.add(destination, through: "wg0", of: family, metric: metric)
    }
  }

  private static let rows: [Row] = [
    Row(.noInterface, .error, "link set eth0 up") { $0.interfaces[1].isUp = false },
    Row(.interfaceDown, .note, "link set eth1 up") { facts in
      var other = HostFacts.Interface("eth1")
      other.isUp = false
      facts.interfaces.append(other)
    },
    Row(.noMulticast, .warning, "link set eth1 multicast on") { facts in
      var other = HostFacts.Interface("eth1")
      other.carriesMulticast = false
      facts.interfaces.append(other)
    },
    Row(.noMulticast, .error, "link set eth0 multicast on") { facts in
      facts.interfaces[1].carriesMulticast = false
    },
    Row(.noAddress, .note, "dhclient eth1") { facts in
      var other = HostFacts.Interface("eth1")
      (other.hasIPv4, other.hasIPv6) = (false, false)
      facts.interfaces.append(other)
    },
    Row(.noAddress, .error, "dhclient eth0") {
      ($0.interfaces[1].hasIPv4, $0.interfaces[1].hasIPv6) = (false, false)
    },
    Row(.portTaken, .error, "kill 77") { ($0.problem, $0.portHolders) = (.portTaken, [avahi]) },
    Row(.portTaken, .error, "ss -ulpn") { $0.problem = .portTaken },
    Row(.portTaken, .warning, "kill 77") {
      ($0.problem, $0.portHolders, $0.portHoldersV6) = (.onlyIPv4, [avahiService, avahi], [avahi])
    },
    Row(.portTaken, .warning, "ss -6ulpn") { $0.problem = .onlyIPv4 },
    Row(.portUnavailable, .error, "ss -ulpn") { $0.problem = .portUnavailable },
    Row(.portTaken, .error, "systemctl stop avahi-daemon") {
      ($0.problem, $0.portHolders) = (.portTaken, [avahiService])
    },
    Row(.responder, .note, "kill 77") { $0.portHolders = [avahi] },
    Row(.responder, .note, "systemctl stop avahi-daemon") { $0.portHolders = [avahiService] },
    Row(.firewall, .warning, "nft insert rule inet f in udp dport 5353 accept") {
      $0.firewall.read(nft: nft("udp dport 5353 drop"))
    },
    Row(.firewall, .error, "nft insert rule inet f in udp dport 5353 accept") {
      $0.firewall.read(nft: nft("udp dport 5353 drop"))
      $0.hearsItself = false
    },
    Row(.firewall, .error, "nft insert rule inet f in udp dport 5353 accept") {
      $0.firewall.read(nft: nft("tcp dport 22 accept", policy: "drop"))
      $0.hearsItself = false
    },
    Row(.firewall, .error, "ip6tables-legacy -I INPUT -p udp --dport 5353 -j ACCEPT") {
      $0.firewall.read("ip6tables-legacy", iptables("-A INPUT -p udp --dport 5353 -j DROP"))
      $0.hearsItself = false
    },
    Row(.firewall, .error, "ufw allow 5353/udp") {
      $0.firewall.read("iptables", iptables("-A INPUT -j ufw-before-input", policy: "DROP"))
      $0.hearsItself = false
    },
    Row(.deaf, .error, "nft list ruleset") {
      // The policy is not what is in the way.
      $0.firewall.read(nft: nft("udp dport { 5353, 5354 } accept", policy: "drop"))
      $0.hearsItself = false
    },
    Row(.deaf, .error, "nft list ruleset") { $0.hearsItself = false },
    // What finds peers is let in, and what they say then is not.
    Row(
      .firewall, .warning, "nft insert rule inet f in ip saddr 10.0.0.0/24 meta l4proto tcp accept"
    ) { $0.firewall.read(nft: nft("udp dport 5353 accept", policy: "drop")) },
    Row(.firewall, .warning, "nft insert rule inet f in tcp dport 7100 accept") {
      $0.firewall.read(nft: nft("meta l4proto udp accept", policy: "drop"))
      $0.peerPorts = 7_100...7_100
    },
    Row(.firewall, .note, "nft insert rule inet f in udp dport 7100 accept") {
      $0.firewall.read(nft: nft("udp dport 5353 accept\ntcp dport 7100 accept", policy: "drop"))
      $0.peerPorts = 7_100...7_100
    },
    Row(.firewall, .warning, "iptables -I INPUT -s 10.0.0.0/24 -p tcp -j ACCEPT") {
      $0.firewall.read("iptables", iptables("-A INPUT -p udp -j ACCEPT", policy: "DROP"))
    },
    Row(.firewall, .note, "iptables -I INPUT -p udp --dport 7100 -j ACCEPT") {
      let rules = "-A INPUT -p tcp -j ACCEPT\n-A INPUT -p udp --dport 5353 -j ACCEPT"
      $0.firewall.read("iptables", iptables(rules, policy: "DROP"))
      $0.peerPorts = 7_100...7_100
    },
    Row(.firewall, .warning, "ip6tables -I INPUT -s fe80::/10 -p tcp -j ACCEPT") {
      $0.firewall.read("ip6tables", iptables("-A INPUT -p udp -j ACCEPT", policy: "DROP"))
    },
    Row(.noRoute, .note, "route add 224.0.0.0/4 dev eth0") {
      $0.routes = RoutingTables()
      $0.routes.add("10.0.0.0/24", through: "eth0")
    },
    // Earshot names its interfaces: what keeps it from hearing itself is something else.
    Row(.noRoute, .note, "route add 224.0.0.0/4 dev eth0") {
      $0.routes = RoutingTables()
      $0.hearsItself = false
    },
    Row(.tunnel, .warning, "--interface eth0") { addTunnel("default", metric: -1, to: &$0) },
    // As OpenVPN takes everything without touching the default route.
    Row(.tunnel, .warning, "--interface eth0") { addTunnel("0.0.0.0/1", "128.0.0.0/1", to: &$0) },
    Row(.tunnel, .warning, "--interface eth0") {
      addTunnel("128.0.0.0/1", to: &$0)
      $0.routes.add("224.0.0.0/4", through: "eth0")
    },
    Row(.tunnel, .warning, "--interface eth0") { addTunnel("default", of: .v6, to: &$0) },
    Row(.tunnel, .warning, "--interface eth0") { addTunnel("::/1", of: .v6, to: &$0) },
    Row(.tunnel, .error, "ip link set wg0 down") {
      addTunnel("10.0.0.0/25", "10.0.0.128/25", to: &$0)
    },
    Row(.tunnel, .error, "ip link set wg0 down") { addTunnel("10.0.0.128/25", to: &$0) },
    Row(.tunnel, .error, "ip link set wg0 down") { addTunnel("fd00::/65", of: .v6, to: &$0) },
    Row(.tunnel, .warning, "ip link set wg0 down") { facts in
      addTunnel("10.0.0.0/25", to: &facts)
      facts.sightings = [HostFacts.Sighting("Ann", at: "fd00::2", port: 7_100, .reached)]
    },
    Row(.noIPv6, .note, "net.ipv6.conf.eth0.disable_ipv6=0") { $0.interfaces[1].hasIPv6 = false },
    Row(.container, .warning, "--network host") {
      ($0.isContainer, $0.sightings) = (true, [])
    },
    Row(.container, .warning, "--network host") {
      $0.isContainer = true
      $0.sightings[0].isHere = true
    },
    Row(.container, .note, "--network host") { $0.isContainer = true },
    Row(.clock, .warning, "set-ntp true") { $0.clock.newerThanNow = "this program" },
    Row(.clock, .warning, "set-ntp true") { $0.clock.aheadOfHardware = .seconds(3 * 86_400) },
    Row(.clock, .warning, "set-ntp true") { $0.clock.aheadOfHardware = .seconds(-3 * 86_400) },
    Row(.clock, .note, "set-ntp true") { $0.clock.isAlone = true },
    Row(.unreachable, .error, "tcp dport 7100 accept") { $0.sightings[0].answer = .silent },
    Row(.unreachable, .error, "tcp dport 7100 accept") { $0.sightings[0].answer = .refused },
  ]

  @Test("Each cause is named with its severity and the command that mends it", arguments: rows)
  func cause(row: Row) throws {
    var facts = Self.healthy
    row.plant(&facts)
    let finding = try #require(
      facts.findings.first { $0.cause == row.cause }, "only \(facts.findings)")
    #expect(finding.severity == row.severity)
    #expect(finding.command.contains(row.command), "\(finding.command)")
    #expect(finding.sentence.hasSuffix("."))
    #expect(facts.findings.map(\.severity) == facts.findings.map(\.severity).sorted(by: >))
    #expect(finding.json.hasPrefix("{\"cause\":\"\(row.cause.rawValue)\""))
  }

  @Test("Every cause has a row here")
  func complete() {
    #expect(Set(Self.rows.map(\.cause)) == Set(Finding.Cause.allCases))
  }

  @Test("The graver a finding, the graver the code that the command ends with")
  func codes() {
    #expect(Finding.Severity.allCases.map(\.exitCode) == [.held, .doubted, .violated])
    #expect(ExitCode.held < .doubted && ExitCode.doubted < .violated)
  }

  @Test("Sockets, flags and signs of containers are read as Linux writes them")
  func system() {
    let sockets = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         1: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   108        0 4711 2
         2: 00000000:14E8 00000000:0000 07 00000000:00000000 00:00000000 00000000   108        0 4712 2
      """
    #expect(HostFacts.inodes(in: sockets) == ["4711"])
    let down = HostFacts.Interface("eth0", flags: "0x1002\n", seen: [])
    #expect(!down.isUp && down.carriesMulticast && !down.isTunnel && !down.isLoopback)
    let tunnel = HostFacts.Interface(
      "tun0", flags: "0x91\n", seen: [NetworkInterface(index: 1, name: "tun0", addresses: [])])
    #expect(tunnel.isUp && tunnel.isTunnel && !tunnel.carriesMulticast)
    #expect(HostFacts.Interface("wg0", flags: "0x91\n", seen: []).isUp)  // No peer uses it.
    #expect(!HostFacts.Interface("wg0", flags: "0x90\n", seen: []).isUp)
    for (state, isUp) in [("up\n", true), ("unknown\n", true), ("down\n", false), ("", false)] {
      #expect(HostFacts.Interface("eth0", flags: "0x1003\n", state: state, seen: []).isUp == isUp)
      #expect(!HostFacts.Interface("eth0", flags: "0x1002\n", state: state, seen: []).isUp)
    }
    #expect(HostFacts.peerPorts("32768\t60999\n") == 32_768...60_999)
    #expect(HostFacts.peerPorts("1024 2048") == 1_024...2_048)
    #expect(
      HostFacts.peerPorts("") == Traffic.ephemeral
        && HostFacts.peerPorts("2 1") == Traffic.ephemeral)
  }

  @Test(
    "The service of a process is known by its control groups",
    arguments: [
      ("0::/system.slice/systemd-resolved.service\n", "systemd-resolved"),
      ("12:pids:/x\n1:name=systemd:/system.slice/avahi-daemon.service\n", "avahi-daemon"),
      ("0::/user.slice/user-0.slice/user@0.service/app.slice/run-1.scope\n", nil), ("", nil),
      ("0::/\n", nil),
    ])
  func services(groups: String, name: String?) { #expect(HostFacts.service(groups) == name) }

  @Test(
    "A container is known by the environment of its first process, or by its control groups",
    arguments: [
      ("A=b\0container=lxc\0", ""), ("", "0::/kubepods.slice/pod1"), ("", "1:cpu:/docker/0a1b"),
      ("", "0::/system.slice/containerd.service"), ("", "0::/lxc.payload.a"),
      ("", "0::/machine.slice/a.scope"), ("", "0::/libpod_parent/x"), ("", "0::/nspawn/payload"),
    ])
  func containers(environment: String, groups: String) {
    #expect(HostFacts.isContainer(environment: environment, groups: groups))
    #expect(!HostFacts.isContainer(environment: "A=container=\0TERM=x", groups: "0::/init.scope"))
  }

  @Test("Who is seen is dialled, and whose port nobody can reach is named")
  func simulated() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    let doctor = try party.guest("doctor", "--json", on: "tablet")
    party.run(until: 12)
    #expect(doctor.code == .held, "\(doctor.lines)")
    #expect(doctor.lines.allSatisfy { $0.contains("\"note\"") })
    let person = try party.guest("doctor", on: "laptop")
    party.run(until: 24)
    #expect(person.lines.last == "Nothing is in the way (1 seen, 1 reached)")
    withExtendedLifetime(ann) {}
  }

  @Test("Each of forty peers that are seen is dialled")
  func many() throws {
    let party = Party()
    let peers = try (1...40).map { number in
      try party.guest("advertise", "--name", "Ann \(number)", on: "phone \(number)")
    }
    let doctor = try party.guest("doctor", on: "laptop")
    party.run(until: 30)
    #expect(doctor.lines.last == "Nothing is in the way (40 seen, 40 reached)")
    withExtendedLifetime(peers) {}
  }

  @Test("A word that it does not take is a mistake")
  func usage() throws {
    let party = Party()
    let doctor = try party.guest("doctor", "me", on: "phone")
    #expect(doctor.printed.err.contains("doctor takes no words of its own"))
  }
}
