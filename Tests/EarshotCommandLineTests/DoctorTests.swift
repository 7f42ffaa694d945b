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
    facts.programs = programs("dhclient")
    facts.interfaces = [loopback, cable]
    facts.hearsItself = true
    facts.routes.add("default", through: "eth0")
    facts.routes.add("10.0.0.0/24", through: "eth0")
    facts.routes.add("fd00::/64", through: "eth0", of: .v6)
    facts.sightings = [HostFacts.Sighting("Ann", at: "10.0.0.2", port: 7_100, .reached)]
    return facts
  }

  private static func programs(_ others: String..., isRoot: Bool = false) -> Programs {
    Programs(
      Set(["sudo", "ip", "sysctl", "ss", "nft", "systemctl", "timedatectl"] + others),
      isRoot: isRoot)
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
    Row(.noInterface, .error, "link set eth0 up") {
      ($0.interfaces[1].isEnabled, $0.interfaces[1].isUp) = (false, false)
    },
    Row(.noInterface, .error, "plug in the cable of eth0") { $0.interfaces[1].isUp = false },
    Row(.noInterface, .error, "ip -brief link") { $0.interfaces.removeLast() },
    Row(.interfaceDown, .note, "link set eth1 up") { facts in
      var other = HostFacts.Interface("eth1")
      (other.isEnabled, other.isUp) = (false, false)
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
    Row(.portTaken, .error, "press Ctrl-C in its terminal, pts/3") {
      var other = HostFacts.Program("MyChat", process: 78)
      other.terminal = "pts/3"
      ($0.problem, $0.portHolders) = (.portTaken, [other])
    },
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
    Row(.firewall, .warning, "nft insert rule inet f in ip saddr 10.0.0.0/24 meta l4proto tcp") {
      $0.firewall.read(nft: nft("meta l4proto tcp ct count over 20 drop"))
    },
    Row(.firewall, .note, "earshot doctor") { $0.isFirewallRead = false },
    // This host's own firewall and routes come before those of the peer.
    Row(.firewall, .error, "nft insert rule inet f out tcp dport 7100 accept") {
      $0.firewall.read(
        nft: nft("").replacing(
          "hook output priority filter; policy accept;",
          with: "hook output priority filter; policy accept;\nip daddr 10.0.0.2 tcp dport 7100 drop"
        ))
      $0.sightings[0].answer = .silent
    },
    Row(.firewall, .error, "nft insert rule inet f in ct state established,related accept") {
      $0.firewall.read(nft: nft("tcp dport 7200 accept", policy: "drop"))
      $0.sightings[0].answer = .silent
    },
    Row(.noRoute, .error, "ip route del blackhole 10.0.0.2") {
      $0.routes.add("10.0.0.2", through: nil, kind: "blackhole")
      $0.sightings[0].answer = .silent
    },
    Row(.noRoute, .error, "ip route del 10.0.0.2 dev eth1") {
      $0.routes.add("10.0.0.2", through: "eth1")
      $0.sightings[0].answer = .silent
    },
    Row(.noRoute, .error, "ip route del prohibit 10.0.0.128/25") {
      $0.routes.add("10.0.0.128/25", through: nil, kind: "prohibit")
      $0.sightings = []
    },
    Row(.noRoute, .warning, "ip -6 route del unreachable fd00::/65 table 7") {
      $0.routes.read(
        rules:
          #"[{"priority":9,"src":"all","table":"7"},{"priority":10,"src":"all","table":"main"}]"#,
        of: .v6)
      $0.routes.add("fd00::/65", through: nil, kind: "unreachable", in: "7", of: .v6)
    },
    Row(.unreachable, .error, "start the peer with --port 7100") {
      $0.sightings[0].answer = .silent
    },
    Row(.unreachable, .error, "earshot doctor --port 7100") { $0.sightings[0].answer = .refused },
    Row(.unreachable, .error, "--port 7100") {
      ($0.sightings[0].answer, $0.sightings[0].isSeen) = (.silent, false)
      $0.sightings[0].answersOnLink = true
    },
    Row(.isolated, .error, "client isolation") {
      ($0.sightings[0].answer, $0.sightings[0].isSeen) = (.silent, false)
    },
    Row(.isolated, .error, "--port 7100") {
      ($0.sightings[0].answer, $0.sightings[0].isSeen) = (.silent, false)
      $0.sightings[0].answersOnLink = false
    },
    Row(.isolated, .warning, "chat --ticket") { $0.sightings[0].isSeen = false },
    Row(.isolated, .note, "chat --ticket") {
      $0.sightings[0] = HostFacts.Sighting("Ann", at: "10.9.0.2", port: 7_100, .reached)
      $0.sightings[0].isSeen = false
    },
    Row(.sharedIdentity, .warning, "earshot identity KEYFILE --create") {
      $0.clones = [HostFacts.Clones("Ann", at: [.v4(0x0A00_0007), .v4(0x0A00_0008)])]
    },
    Row(.peer, .error, "give the identifier of one of them") {
      let peers = (1...2).compactMap { number in
        PeerID(Array(repeating: number, count: 32)).map {
          DiscoveredPeer(id: $0, name: "Ann", endpoints: [])
        }
      }
      $0.target = Finding("Ann", meaning: peers)
    },
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

  @Test("A cause on this host, a tunnel among them, is named once, and the peer is not blamed")
  func once() {
    for (plant, causes) in [
      ({ Self.addTunnel("10.0.0.0/25", to: &$0) }, [Finding.Cause.tunnel]),
      ({ Self.addTunnel("10.0.0.2", to: &$0) }, [.tunnel]),
      ({ $0.routes.add("10.0.0.2", through: nil, kind: "blackhole") }, [.noRoute]),
      ({ $0.routes.add("10.0.0.0/25", through: nil, kind: "blackhole") }, [.noRoute]),
      (
        { $0.firewall.read(nft: Self.nft("tcp sport 7100 drop")) }, [.firewall]
      ),
    ] as [((inout HostFacts) -> Void, [Finding.Cause])] {
      var facts = Self.healthy
      plant(&facts)
      facts.sightings = [
        HostFacts.Sighting("Ann", at: "10.0.0.2", port: 7_100, .silent),
        HostFacts.Sighting("Bob", at: "10.0.0.2", port: 7_100, .silent),
      ]
      facts.sightings[1].isSeen = false
      let found = Set(facts.findings.map(\.cause))
      #expect(found == Set(causes), "\(facts.findings)")
      if causes == [.tunnel] { #expect(facts.findings.count == 1) }
    }
  }

  @Test("A tunnel that takes a peer of another network is named instead of the peer")
  func farTunnel() {
    var facts = Self.healthy
    Self.addTunnel("10.9.0.0/16", to: &facts)
    facts.sightings = [HostFacts.Sighting("Ann", at: "10.9.0.2", port: 7_100, .silent)]
    facts.sightings[0].isSeen = false
    #expect(facts.findings.map(\.cause) == [.tunnel])
    #expect(facts.findings.map(\.severity) == [.error])
  }

  @Test("Of the interfaces, only those that were chosen are spoken of")
  func chosen() throws {
    var facts = Self.healthy
    facts.interfaces[1].isUp = false
    var loopback = facts.interfaces[0]
    (loopback.isChosen, loopback.carriesMulticast) = (true, true)
    loopback.networks = [AddressRange(.v4(0x7F00_0001), bits: 8)]
    facts.interfaces[0] = loopback
    #expect(facts.findings.isEmpty, "\(facts.findings)")
    Self.addTunnel("default", metric: -1, to: &facts)
    #expect(facts.findings.isEmpty, "\(facts.findings)")
    (facts.interfaces[0].isUp, facts.interfaces[0].isEnabled) = (false, false)
    let finding = try #require(facts.findings.first)
    #expect(finding.cause == .noInterface && finding.command == "sudo ip link set lo up")
    #expect(!facts.findings.contains { $0.command.contains("eth0") })
    // What drops all but the loopback interface is not in its way.
    (facts.interfaces[0].isUp, facts.interfaces[0].isEnabled) = (true, true)
    facts.firewall.read(nft: Self.nft("iif \"lo\" accept", policy: "drop"))
    #expect(facts.findings.isEmpty, "\(facts.findings)")
  }

  @Test(
    "Commands name programs that are there",
    arguments: [
      (["sudo", "nmcli", "dhclient"], "sudo nmcli device connect eth0"),
      (["sudo", "networkctl"], "sudo networkctl reconfigure eth0"),
      (["sudo", "dhcpcd", "udhcpc"], "sudo dhcpcd eth0"),
      (["doas", "udhcpc"], "doas udhcpc -i eth0"),
      (["dhclient"], "as root: dhclient eth0"),
      (
        ["sudo", "sysctl"],
        "sudo sysctl -w net.ipv6.conf.eth0.disable_ipv6=1 net.ipv6.conf.eth0.disable_ipv6=0"
      ),
      (["sudo", "ip"], "sudo ip link set eth0 addrgenmode eui64"),
      ([], "install ip to give eth0 an address"),
    ])
  func programs(names: [String], command: String) {
    var facts = Self.healthy
    facts.programs = Programs(Set(names))
    (facts.interfaces[1].hasIPv4, facts.interfaces[1].hasIPv6) = (false, false)
    #expect(facts.findings.first { $0.cause == .noAddress }?.command == command)
  }

  @Test("Root types commands as they are; a service without systemctl is ended as a process")
  func root() {
    var facts = Self.healthy
    facts.portHolders = [Self.avahiService]
    facts.programs = Self.programs(isRoot: true)
    #expect(facts.findings.map(\.command) == ["systemctl stop avahi-daemon"])
    facts.programs = Programs(["sudo"])
    #expect(facts.findings.map(\.command) == ["sudo kill 77"])
  }

  @Test("Another earshot that shares the port is no obstacle, and no command ends it")
  func otherTerminal() {
    var facts = Self.healthy
    var other = HostFacts.Program("earshot", process: 78)
    (other.isEarshot, other.terminal) = (true, "pts/3")
    (facts.portHolders, facts.portHoldersV6) = ([other], [other])
    #expect(facts.findings.isEmpty)
    for problem in [DiscoveryProblem.portTaken, .onlyIPv4] {
      facts.problem = problem
      #expect(!facts.findings.contains { $0.command.contains("kill") }, "\(facts.findings)")
    }
  }

  @Test(
    "The terminal of a process is read as Linux writes it",
    arguments: [
      ("77 (bash) S 1 77 77 34819 77 4194304", "pts/3"),
      ("77 (a) b) S 1 77 77 1025 77 4194304", "tty1"), ("77 (x) S 1 77 77 0 -1 4194560", nil),
      ("77 (x) S 1 77 77 1083392 77 4", "pts/256"), ("", nil), ("77 (x)", nil),
    ])
  func terminals(stat: String, name: String?) { #expect(HostFacts.terminal(stat) == name) }

  @Test("Whether neighbours answer is read from what `ip` prints")
  func neighbours() {
    let text = """
      [{"dst":"10.0.0.2","dev":"eth0","lladdr":"02:00:00:00:00:02","state":["STALE"]},
       {"dst":"10.0.0.3","dev":"eth0","state":["FAILED"]},
       {"dst":"10.0.0.4","dev":"eth0","state":["INCOMPLETE"]},
       {"dst":"fe80::2","dev":"eth0","lladdr":"02:00:00:00:00:02","router":null,"state":["REACHABLE"]},
       {"dst":"10.0.0.5","dev":"eth0","state":["NOARP"]},{"dst":"x"},{}]
      """
    #expect(
      HostFacts.neighbours(text) == [
        .v4(0x0A00_0002): true, .v4(0x0A00_0003): false, .v4(0x0A00_0004): false,
        .v6(0xFE80 << 48, 2, scope: 0): true,
      ])
    #expect(HostFacts.neighbours("").isEmpty)
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

  @Test("A peer that is seen is dialled")
  func simulated() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    let doctor = try party.guest("doctor", "--json", on: "tablet")
    party.run(until: 12)
    #expect(doctor.code == .held, "\(doctor.lines)")
    #expect(doctor.lines.allSatisfy { $0.contains("\"note\"") })
    let person = try party.guest("doctor", on: "laptop")
    party.run(until: 24)
    #expect(person.lines.last == "No obstacle was found (1 peer dialled, 1 reached)")
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
    #expect(doctor.lines.last == "No obstacle was found (40 peers dialled, 40 reached)")
    withExtendedLifetime(peers) {}
  }

  @Test("The peers of every service are found, those of chats and of services that others name")
  func services() throws {
    let party = Party()
    let guests = try [
      party.guest("chat", "--name", "Ann", on: "phone"),
      party.guest("advertise", "--name", "Bob", "--service", "board-game", on: "tablet"),
      party.guest("receive", "--name", "Eve", on: "laptop", inputIsTerminal: true),
    ]
    let doctor = try party.guest("doctor", on: "desk")
    party.run(until: 12)
    #expect(doctor.lines.last == "No obstacle was found (3 peers dialled, 3 reached)")
    withExtendedLifetime(guests) {}
  }

  @Test("Without a peer, a ticket is asked for")
  func alone() throws {
    let party = Party()
    let doctor = try party.guest("doctor", on: "desk")
    party.run(until: 12)
    #expect(
      doctor.lines.last
        == "No obstacle was found (0 peers dialled, 0 reached); "
        + "to dial a peer that was not found, use --ticket TEXT")
  }

  @Test("Ctrl-C before the end blames nothing", arguments: [0.1, 2, 4])
  func interrupted(seconds: Double) throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    // The dials of those that answer nothing take until after the fourth second.
    let ticket = try PeerTicket(
      peer: #require(PeerID(Array(repeating: 7, count: 32))), serviceType: "earshot",
      endpoints: [Endpoint(.v4(0x0A00_00FE), port: 7_100)])
    let doctor = try party.guest("doctor", "--ticket", ticket.description, on: "desk")
    party.at(seconds) { doctor.interrupt() }
    party.run(until: seconds + 2)
    #expect(doctor.code == .interrupted)
    #expect(doctor.printed.out.isEmpty)
    #expect(doctor.printed.err.contains("there is no result"))
    withExtendedLifetime(ann) {}
  }

  @Test(
    "The peer of a ticket that is seen is dialled once; one that nothing answers for is isolated")
  func ticket() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--ticket", on: "phone")
    party.run(until: 2)
    let text = try #require(
      ann.lines.joined(separator: " ").split(separator: " ").first { $0.hasPrefix("earshot:") })
    let doctor = try party.guest("doctor", "--ticket", String(text), on: "desk")
    party.run(until: 14)
    #expect(doctor.lines.last == "No obstacle was found (1 peer dialled, 1 reached)")
    let absent = try PeerTicket(
      peer: #require(PeerID(Array(repeating: 7, count: 32))), serviceType: "earshot",
      endpoints: [Endpoint(.v4(0x0A00_00FE), port: 7_100)])
    let other = try party.guest(
      "doctor", "--json", "--ticket", absent.description, on: "shelf")
    party.run(until: 30)
    #expect(other.code == .violated)
    #expect(other.lines.contains { $0.contains("\"isolated\",\"severity\":\"error\"") })
    let wrong = try party.guest("doctor", "--ticket", "me", on: "door")
    #expect(wrong.printed.err.contains("--ticket"))
    withExtendedLifetime(ann) {}
  }
}
