package import EarshotCore
import Foundation

extension HostFacts {
  /// What Linux says of this host; on other systems nothing.
  ///
  /// What may not be read, such as a firewall's rules by any but root, is left out.
  static func ofSystem(seeing interfaces: [NetworkInterface]) -> HostFacts {
    var facts = HostFacts()
    facts.interfaces = names(in: "/sys/class/net").map { name in
      Interface(name, flags: text("/sys/class/net/\(name)/flags"), seen: interfaces)
    }
    facts.readRoutes(text("/proc/net/route"))
    facts.portHolders = holders(of: text("/proc/net/udp") + text("/proc/net/udp6"))
    facts.firewall = firewall()
    let signs = ["/.dockerenv", "/run/.containerenv"]
    facts.isContainer = signs.contains { FileManager.default.fileExists(atPath: $0) }
    facts.isClockBehind = Date.now < Date(timeIntervalSince1970: EarshotTool.madeAt)
    return facts
  }

  /// What all tools say, of which `nft` knows the tables of newer `iptables`, but not those of older.
  private static func firewall() -> Firewall {
    var firewall = Firewall()
    let ruleset = output("nft list ruleset")
    firewall.read(nft: ruleset)
    var tools = ["iptables-legacy", "ip6tables-legacy"]
    if ruleset.isEmpty { tools += ["iptables-nft", "ip6tables-nft"] }
    for tool in tools { firewall.read(tool, output("\(tool)-save")) }
    return firewall
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// What a command of ours prints; nothing if it is not there or may not say.
  ///
  /// Not with Foundation's `Process`, which never hears of a child's end where the firewall drops what a host says
  /// to itself.
  private static func output(_ command: String) -> String {
    guard let pipe = popen("PATH=/usr/sbin:/sbin:/usr/bin:/bin \(command) 2>/dev/null", "r") else {
      return ""
    }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Reading

  /// Takes the routes of `/proc/net/route` in: addresses are in the order of the bytes in memory.
  package mutating func readRoutes(_ table: String) {
    for line in table.split(separator: "\n").dropFirst() {
      let cells = line.split(whereSeparator: \.isWhitespace)
      guard cells.count > 7 else { continue }
      switch (cells[1], cells[7]) {
      case ("00000000", "00000000"): defaultRoute = defaultRoute ?? String(cells[0])
      case ("000000E0", "000000F0"): multicastRoute = multicastRoute ?? String(cells[0])
      default: break
      }
    }
  }

  /// The inodes of the sockets at UDP port 5353.
  package static func inodes(in table: String) -> Set<String> {
    let rows = table.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
    return Set(rows.filter { $0.count > 9 && $0[1].hasSuffix(":14E9") }.map { String($0[9]) })
  }

  private static func holders(of table: String) -> [Program] {
    let sockets = Set(inodes(in: table).map { "socket:[\($0)]" })
    guard !sockets.isEmpty else { return [] }
    return names(in: "/proc").compactMap(Int.init).sorted().filter { process in
      process != Int(getpid())
        && names(in: "/proc/\(process)/fd").contains { file in
          let path = "/proc/\(process)/fd/\(file)"
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
          return target.map(sockets.contains) ?? false
        }
    }.map { process in
      let name = text("/proc/\(process)/comm").filter { $0 != "\n" }
      return Program(name, process: process)
    }
  }
}

extension HostFacts.Interface {
  /// An interface from its flags, as Linux writes them, and what the network says of it.
  package init(_ name: String, flags text: String, seen interfaces: [NetworkInterface]) {
    let digits = text.filter(\.isHexDigit).drop { $0 == "0" }
    let flags = Int(digits, radix: 16) ?? 0
    let seen = interfaces.first { $0.name == name }
    self.init(name)
    isUp = flags & 0x1 != 0 && (seen != nil || flags & 0x8 != 0)
    isLoopback = flags & 0x8 != 0
    isTunnel = flags & 0x10 != 0
    carriesMulticast = flags & 0x1000 != 0
    hasIPv4 = seen?.has(.v4) ?? false
    hasIPv6 = seen?.has(.v6) ?? false
  }
}
