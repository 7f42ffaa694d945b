import Earshot
import EarshotCommandLine
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
    facts.interfaces = [loopback, HostFacts.Interface("eth0")]
    facts.hearsItself = true
    facts.defaultRoute = "eth0"
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

  private static func nft(_ rule: String, policy: String = "accept") -> String {
    """
    table inet f {
      chain in {
        type filter hook input priority filter; policy \(policy);
        \(rule)
      }
      chain out {
        type filter hook output priority filter; policy \(policy);
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
    Row(.portTaken, .error, "kill 77") { ($0.problem, $0.portHolders) = (.portTaken, [avahi]) },
    Row(.portTaken, .error, "ss -ulpn") { $0.problem = .portTaken },
    Row(.portUnavailable, .error, "ss -ulpn") { $0.problem = .portUnavailable },
    Row(.responder, .note, "systemctl stop avahi-daemon") { $0.portHolders = [avahi] },
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
    Row(.noRoute, .note, "route add 224.0.0.0/4 dev eth0") { $0.defaultRoute = nil },
    Row(.tunnel, .warning, "--interface eth0") { facts in
      var tunnel = HostFacts.Interface("wg0")
      tunnel.isTunnel = true
      tunnel.carriesMulticast = false
      facts.interfaces.append(tunnel)
      facts.defaultRoute = "wg0"
    },
    Row(.noIPv6, .note, "net.ipv6.conf.eth0.disable_ipv6=0") { $0.interfaces[1].hasIPv6 = false },
    Row(.container, .warning, "--network host") {
      ($0.isContainer, $0.sightings) = (true, [])
    },
    Row(.clock, .warning, "set-ntp true") { $0.isClockBehind = true },
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

  @Test("Routes, sockets, flags and rules are read as Linux writes them")
  func system() {
    var facts = HostFacts()
    facts.readRoutes(
      """
      Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
      eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
      eth1\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0
      """)
    #expect(facts.defaultRoute == "eth0" && facts.multicastRoute == "eth1")
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
  }

  @Test("Rules are read as nft and iptables print them")
  func rules() {
    var firewall = Firewall()
    firewall.read(
      nft: """
        table inet filter {
          chain input {
            type filter hook input priority filter; policy accept;
            udp dport 5353 counter packets 0 bytes 0 drop
            udp dport 53 drop
            tcp dport 5353 drop
            udp dport { 5353, 5354 } accept
          }
        }
        """)
    let rule = "udp dport 5353 counter packets 0 bytes 0 drop"
    #expect(firewall.rules.map(\.chain) == ["inet filter input"])
    #expect(firewall.rules.map(\.rule) == [rule] && firewall.policies.isEmpty)
    firewall = Firewall()
    firewall.read(
      "iptables",
      """
      # Generated by iptables-save v1.8.9 on Mon Nov 23 15:43:08 2026
      *filter
      :INPUT DROP [0:0]
      :OUTPUT DROP [0:0]
      -A INPUT -p udp -m multiport --dports 5353,5354 -j REJECT --reject-with icmp-port-unreachable
      -A INPUT -p udp -m udp --dport 53530 -j DROP
      COMMIT
      """)
    #expect(firewall.rules.map(\.chain) == ["iptables INPUT"])
    #expect(firewall.policies.map(\.chain) == ["iptables INPUT"])
    firewall = Firewall()
    firewall.read(nft: "table inet firewalld {\nchain x {\nudp dport mdns drop\n}\n}")
    #expect(firewall.rules.map(\.command) == ["sudo firewall-cmd --add-service=mdns"])
    firewall.read(nft: "chain\ntable\ntype\n}")
    firewall.read("iptables", ":\n-A\n-A INPUT\n: x")
    #expect(firewall.rules.count == 1 && firewall.policies.isEmpty)
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

  @Test("A word that it does not take is a mistake")
  func usage() throws {
    let party = Party()
    let doctor = try party.guest("doctor", "me", on: "phone")
    #expect(doctor.printed.err.contains("doctor takes no words of its own"))
  }
}
