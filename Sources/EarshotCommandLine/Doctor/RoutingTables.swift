package import EarshotCore
import Foundation

/// Where a host sends packets: its routes, and the rules that say which tables of them it looks
/// into.
package struct RoutingTables: Hashable, Sendable {
  /// A route: the addresses that it is for, and where it leads.
  package struct Route: Hashable, Sendable, CustomStringConvertible {
    let range: AddressRange
    /// The interface; `nil` for a route that drops or refuses packets.
    let interface: String?
    /// What the system calls its kind, such as `blackhole`.
    let kind: String
    let destination: String
    let table: String
    let metric: Int

    /// The route as it is given to `ip route`.
    package var description: String {
      let place = interface.map { " dev \($0)" } ?? ""
      return (kind == Self.ordinary ? "" : "\(kind) ") + destination + place
        + (table == RoutingTables.main ? "" : " table \(table)")
    }

    /// The command that removes it, which takes the rights of root.
    var removal: String {
      "ip \(range.address.family == .v6 ? "-6 " : "")route del \(self)"
    }

    static let ordinary = "unicast"
    /// The kind of a route that has the next table looked into.
    static let passing = "throw"
  }
  /// Where packets to an address go.
  package enum Way: Hashable, Sendable {
    case through(String, Route)
    case blocked(Route)
  }
  private struct Rule: Hashable {
    let priority: Int
    let table: String
    /// Routes of no more bits than these are passed over.
    let bitsIgnored: Int
    /// The destinations that the rule is for; `nil` for all.
    let destination: AddressRange?
  }

  private var routes: [Route] = []
  private var rules: [IPAddress.Family: [Rule]] = [:]

  /// No routes.
  package init() {}

  /// Whether it has no routes.
  package var isEmpty: Bool { routes.isEmpty }

  /// Adds a route, as `ip route` writes its destination.
  package mutating func add(
    _ destination: String, through interface: String?, kind: String = "unicast",
    in table: String = Self.main, of family: IPAddress.Family = .v4, metric: Int = 0
  ) {
    let range =
      destination == "default"
      ? AddressRange(family.any, bits: 0) : AddressRange(text: destination)
    guard let range else { return }
    routes.append(
      Route(
        range: range, interface: interface, kind: kind, destination: destination, table: table,
        metric: metric))
  }

  /// Where packets to an address go; `nil` if no route is for it.
  ///
  /// As the system finds it for a packet without marks: the rules in their order, and within a
  /// table the route that says most of the address.
  package func way(to address: IPAddress) -> Way? {
    let all = Rule(priority: 0, table: Self.main, bitsIgnored: -1, destination: nil)
    for rule in rules[address.family] ?? [all]
    where rule.destination?.contains(address) ?? true {
      let route = routes.filter { $0.table == rule.table && $0.range.contains(address) }
        .max { ($0.range.bits, $1.metric) < ($1.range.bits, $0.metric) }
      guard let route, route.range.bits > rule.bitsIgnored, route.kind != Route.passing else {
        continue
      }
      return route.interface.map { .through($0, route) } ?? .blocked(route)
    }
    return nil
  }

  /// The interface that leads to an address; `nil` if no route does.
  package func interface(to address: IPAddress) -> String? {
    if case .through(let name, _) = way(to: address) { name } else { nil }
  }

  // MARK: Reading

  /// Takes what `ip -json route show table all` prints for a family.
  ///
  /// What leads to this host itself, and to all hosts of a link at once, is left out.
  package mutating func read(routes text: String, of family: IPAddress.Family) {
    for object in Self.objects(text) {
      let kind = object["type"] as? String ?? Route.ordinary
      let metric = object["metric"] as? Int ?? 0
      let isBlocking = Self.blocking.contains(kind) && metric < Self.lastMetric
      guard isBlocking || kind == Route.ordinary else { continue }
      let next = (object["nexthops"] as? [[String: Any]])?.first ?? object
      let interface = isBlocking ? nil : next["dev"] as? String
      guard let destination = object["dst"] as? String, isBlocking || interface != nil else {
        continue
      }
      add(
        destination, through: interface, kind: kind,
        in: object["table"] as? String ?? Self.main, of: family,
        metric: metric)
    }
  }

  /// Takes what `ip -json rule` prints for a family.
  ///
  /// Rules for some packets only, such as those with a mark or from one address, are left out.
  package mutating func read(rules text: String, of family: IPAddress.Family) {
    let read = Self.objects(text).compactMap { object -> Rule? in
      guard let table = object["table"] as? String, let priority = object["priority"] as? Int else {
        return nil
      }
      let isForSome =
        Self.selectors.contains { object[$0] != nil } || object["src"] as? String != "all"
      let isNegated = object.keys.contains("not")
      let destination = (object["dst"] as? String).flatMap { text in
        AddressRange(text: (object["dstlen"] as? Int).map { "\(text)/\($0)" } ?? text)
      }
      guard isForSome == isNegated, !isNegated || object["dst"] == nil,
        object["dst"] == nil || destination != nil
      else { return nil }
      return Rule(
        priority: priority, table: table,
        bitsIgnored: object["suppress_prefixlen"] as? Int ?? -1, destination: destination)
    }
    if !read.isEmpty { rules[family] = read.sorted { $0.priority < $1.priority } }
  }

  /// Takes the routes of `/proc/net/route`: addresses are in the order of the bytes in memory.
  package mutating func read(table: String) {
    for line in table.split(separator: "\n").dropFirst() {
      let cells = line.split(whereSeparator: \.isWhitespace)
      guard cells.count > 7, let address = UInt32(cells[1], radix: 16),
        let mask = UInt32(cells[7], radix: 16)
      else { continue }
      add(
        "\(IPAddress.v4(address.byteSwapped))/\(mask.nonzeroBitCount)",
        through: String(cells[0]), metric: Int(cells[6]) ?? 0)
    }
  }

  private static func objects(_ text: String) -> [[String: Any]] {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
  }

  private static let blocking: Set = ["blackhole", "unreachable", "prohibit", Route.passing]
  /// That of the route by which Linux itself refuses what has no other route of IPv6.
  private static let lastMetric = 0xFFFF_FFFF
  private static let selectors = [
    "fwmark", "iif", "oif", "tos", "uid_start", "ipproto", "sport", "dport", "tun_id",
  ]
  /// The table of routes of which no other one is said.
  package static let main = "main"
}
