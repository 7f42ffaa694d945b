package import EarshotCore
import Foundation

/// Where a host sends packets: its routes, and the rules that say which tables of them it looks into.
package struct RoutingTables: Hashable, Sendable {
  private struct Route: Hashable {
    let range: AddressRange
    let interface: String
    let table: String
    let metric: Int
  }
  private struct Rule: Hashable {
    let priority: Int
    let table: String
    /// Routes of no more bits than these are passed over.
    let bitsIgnored: Int
  }

  private var routes: [Route] = []
  private var rules: [IPAddress.Family: [Rule]] = [:]

  /// No routes.
  package init() {}

  /// Whether there is none.
  package var isEmpty: Bool { routes.isEmpty }

  /// Adds a route, as `ip route` writes its destination.
  package mutating func add(
    _ destination: String, through interface: String, in table: String = Self.main,
    of family: IPAddress.Family = .v4, metric: Int = 0
  ) {
    let range =
      destination == "default"
      ? AddressRange(family.any, bits: 0) : AddressRange(text: destination)
    guard let range else { return }
    routes.append(Route(range: range, interface: interface, table: table, metric: metric))
  }

  /// The interface that leads to an address; `nil` if no route does.
  ///
  /// As the system finds it for a packet without marks: the rules in their order, and within a table the route that
  /// says most of the address.
  package func interface(to address: IPAddress) -> String? {
    for rule in rules[address.family] ?? [Rule(priority: 0, table: Self.main, bitsIgnored: -1)] {
      let route = routes.filter { $0.table == rule.table && $0.range.contains(address) }
        .max { ($0.range.bits, $1.metric) < ($1.range.bits, $0.metric) }
      if let route, route.range.bits > rule.bitsIgnored { return route.interface }
    }
    return nil
  }

  // MARK: Reading

  /// Takes what `ip -json route show table all` prints for a family.
  ///
  /// What leads to this host itself, and to all hosts of a link at once, is left out.
  package mutating func read(routes text: String, of family: IPAddress.Family) {
    for object in Self.objects(text) where object["type"] as? String ?? "unicast" == "unicast" {
      let next = (object["nexthops"] as? [[String: Any]])?.first ?? object
      guard let destination = object["dst"] as? String, let interface = next["dev"] as? String
      else { continue }
      add(
        destination, through: interface, in: object["table"] as? String ?? Self.main, of: family,
        metric: object["metric"] as? Int ?? 0)
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
      guard isForSome == object.keys.contains("not") else { return nil }
      return Rule(
        priority: priority, table: table, bitsIgnored: object["suppress_prefixlen"] as? Int ?? -1)
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
      routes.append(
        Route(
          range: AddressRange(.v4(address.byteSwapped), bits: mask.nonzeroBitCount),
          interface: String(cells[0]), table: Self.main, metric: Int(cells[6]) ?? 0))
    }
  }

  private static func objects(_ text: String) -> [[String: Any]] {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
  }

  private static let selectors = [
    "fwmark", "iif", "oif", "dst", "tos", "uid_start", "ipproto", "sport", "dport", "tun_id",
  ]
  /// The table of routes of which no other one is said.
  package static let main = "main"
}
