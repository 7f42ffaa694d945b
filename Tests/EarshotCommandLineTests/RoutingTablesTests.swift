import EarshotCommandLine
import EarshotCore
import Testing

@Suite("Routing tables")
struct RoutingTablesTests {
  private static let near = IPAddress.v4(0x0A4D_0009)
  private static let far = IPAddress.v4(0x0909_0909)

  private static let routes = """
    [{"dst":"default","dev":"wg0","table":"51820","scope":"link","flags":[]},
     {"dst":"default","gateway":"10.77.0.254","dev":"eth0","flags":[]},
     {"dst":"10.77.0.0/24","dev":"eth0","protocol":"kernel","scope":"link","flags":[]},
     {"dst":"10.78.0.7","dev":"eth1","flags":[]},
     {"dst":"10.79.0.0/16","nexthops":[{"gateway":"10.77.0.5","dev":"eth2"}],"flags":[]},
     {"type":"unreachable","dst":"10.80.0.0/16","dev":"eth3","flags":[]},
     {"type":"local","dst":"10.77.0.1","dev":"lo","table":"local","flags":[]}]
    """

  private static func rules(_ first: String) -> String {
    """
    [{"priority":0,"src":"all","table":"local"},\(first)
     {"priority":32766,"src":"all","table":"main"},{"priority":32767,"src":"all","table":"default"}]
    """
  }

  @Test(
    "The route that says most of an address leads to it, of these the one with the least metric")
  func longest() {
    var tables = RoutingTables()
    #expect(tables.isEmpty && tables.interface(to: Self.far) == nil)
    tables.read(routes: Self.routes, of: .v4)
    #expect(tables.interface(to: Self.far) == "eth0" && tables.interface(to: Self.near) == "eth0")
    #expect(tables.interface(to: .v4(0x0A4E_0007)) == "eth1")
    #expect(tables.interface(to: .v4(0x0A4E_0008)) == "eth0")
    #expect(tables.interface(to: .v4(0x0A4F_0008)) == "eth2")
    let blocked = tables.way(to: .v4(0x0A50_0008))
    #expect(tables.interface(to: .v4(0x0A50_0008)) == nil)
    guard case .blocked(let route) = blocked else {
      Issue.record("\(String(describing: blocked))")
      return
    }
    #expect("\(route)" == "unreachable 10.80.0.0/16")
    #expect(tables.interface(to: .v6(0x2001 << 48, 1, scope: 0)) == nil)
    tables.add("10.77.0.0/24", through: "eth4", metric: 5)
    #expect(tables.interface(to: Self.near) == "eth0")
    tables.add("10.77.0.0/24", through: "eth5", metric: -1)
    #expect(tables.interface(to: Self.near) == "eth5")
    tables.add("nonsense", through: "eth6")
    #expect(tables.interface(to: Self.far) == "eth0")
  }

  @Test("As wg-quick sets it up, a table before the main one takes all but the local network")
  func wireguard() {
    var tables = RoutingTables()
    tables.read(routes: Self.routes, of: .v4)
    let marked = #"{"priority":32765,"not":null,"src":"all","fwmark":"0xca6c","table":"51820"},"#
    let spared = #"{"priority":32764,"src":"all","table":"main","suppress_prefixlen":0},"#
    tables.read(rules: Self.rules(spared + marked), of: .v4)
    #expect(tables.interface(to: Self.far) == "wg0" && tables.interface(to: Self.near) == "eth0")
    tables.read(rules: Self.rules(marked), of: .v4)
    #expect(tables.interface(to: Self.near) == "wg0")
  }

  @Test(
    "Rules for some packets only say nothing of others",
    arguments: [
      #""src":"all","fwmark":"0x1""#, #""src":"10.0.0.1""#, #""src":"all","iif":"eth0""#,
      #""src":"all","uid_start":0,"uid_end":7"#,
    ])
  func some(rule: String) {
    var tables = RoutingTables()
    tables.read(routes: Self.routes, of: .v4)
    tables.read(rules: Self.rules("{\"priority\":9,\(rule),\"table\":\"51820\"},"), of: .v4)
    #expect(tables.interface(to: Self.far) == "eth0")
  }

  @Test("A rule for some destinations looks into its table for these alone")
  func destinations() {
    var tables = RoutingTables()
    tables.read(routes: Self.routes, of: .v4)
    let rule = #"{"priority":9,"src":"all","dst":"9.0.0.0","dstlen":8,"table":"51820"},"#
    tables.read(rules: Self.rules(rule), of: .v4)
    #expect(tables.interface(to: Self.far) == "wg0" && tables.interface(to: Self.near) == "eth0")
  }

  @Test("A route of the kind \"throw\" has the next table looked into")
  func passing() {
    var tables = RoutingTables()
    tables.read(
      routes: """
        [{"type":"throw","dst":"10.77.0.0/24","table":"9"},{"dst":"default","dev":"wg0","table":"9"},
         {"dst":"10.77.0.0/24","dev":"eth0"}]
        """, of: .v4)
    tables.read(rules: Self.rules(#"{"priority":9,"src":"all","table":"9"},"#), of: .v4)
    #expect(tables.interface(to: Self.far) == "wg0" && tables.interface(to: Self.near) == "eth0")
  }

  @Test("Without `ip`, the main table is read as Linux writes it")
  func table() {
    var tables = RoutingTables()
    tables.read(
      table: """
        Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
        eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
        eth1\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0
        tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0
        eth0\t00000A0A\t00000000\t0001\t0
        """)
    #expect(tables.interface(to: .v4(0xE000_00FB)) == "eth1")
    #expect(tables.interface(to: Self.far) == "tun0")
    #expect(tables.interface(to: .v4(0xC100_0001)) == "eth0")
  }

  @Test("What is no list of routes or rules is none", arguments: ["", "{}", "[1]", "[{}]", "x"])
  func nonsense(text: String) {
    var tables = RoutingTables()
    tables.read(routes: text, of: .v4)
    tables.read(rules: text, of: .v4)
    #expect(tables.isEmpty)
  }
}
