package import EarshotCore
import Foundation

extension HostFacts {
  /// The facts that Linux reports about this host; none on other systems.
  ///
  /// Facts that this user cannot read, such as a firewall's rules, are left out.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces that peers use.
  ///   - wanted: The names of the interfaces to check; empty for all. Tunnels are always checked.
  ///   - files: Files of earlier runs of this program, whose dates the clock is compared with.
  /// - Returns: The facts, except those that need a peer.
  static func ofSystem(
    seeing interfaces: [NetworkInterface], among wanted: [String], files: [String]
  ) -> HostFacts {
    var facts = HostFacts()
    facts.programs = .ofThisHost
    facts.interfaces = names(in: "/sys/class/net").compactMap { name in
      let folder = "/sys/class/net/\(name)"
      var interface = Interface(
        name, flags: text("\(folder)/flags"), state: text("\(folder)/operstate"),
        seen: interfaces)
      // What is a part of another one needs no address of its own.
      let isPart = FileManager.default.fileExists(atPath: "\(folder)/master")
      interface.isChosen = wanted.contains(name)
      let isWanted =
        wanted.isEmpty ? interface.hasAddress || !isPart : interface.isChosen
      return isWanted || interface.isLoopback || interface.isTunnel ? interface : nil
    }
    facts.routes = routes()
    let tableV6 = text("/proc/net/udp6")
    facts.portHolders = holders(of: text("/proc/net/udp") + tableV6)
    facts.portHoldersV6 = holders(of: tableV6)
    (facts.firewall, facts.isFirewallRead) = firewall()
    facts.peerPorts = peerPorts(text("/proc/sys/net/ipv4/ip_local_port_range"))
    let signs = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]
    facts.isContainer =
      signs.contains { FileManager.default.fileExists(atPath: $0) }
      || isContainer(environment: text("/proc/1/environ"), groups: text("/proc/1/cgroup"))
    facts.clock = clock(files: files)
    return facts
  }

  /// The tables by all tools, of which `nft` knows those of newer `iptables`, but not those of
  /// older; and whether some tool could read them, if one is there.
  private static func firewall() -> (Firewall, isRead: Bool) {
    var firewall = Firewall()
    let ruleset = run("nft list ruleset")
    firewall.read(nft: ruleset.text)
    var tools = ["iptables-legacy", "ip6tables-legacy"]
    if ruleset.text.isEmpty { tools += ["iptables-nft", "ip6tables-nft"] }
    var isRead = ruleset.status == 0
    var isThere = ruleset.status != statusOfNone
    for tool in tools {
      let saved = run("\(tool)-save")
      firewall.read(tool, saved.text)
      // Without the right to, some versions print nothing and are content.
      isRead = isRead || !saved.text.isEmpty
      isThere = isThere || saved.status != statusOfNone
    }
    return (firewall, isRead || !isThere || geteuid() == 0 && ruleset.status == statusOfNone)
  }

  /// The routes that `ip` prints; without `ip`, those of the main table for IPv4.
  private static func routes() -> RoutingTables {
    var routes = RoutingTables()
    for (family, option) in [(IPAddress.Family.v4, "-4"), (.v6, "-6")] {
      routes.read(routes: output("ip \(option) -json route show table all"), of: family)
      routes.read(rules: output("ip \(option) -json rule"), of: family)
    }
    if routes.isEmpty { routes.read(table: text("/proc/net/route")) }
    return routes
  }

  private static func clock(files: [String]) -> Clock {
    var clock = Clock()
    let now = Date.now
    // The time service of systemd keeps the last time that it knew there.
    let known =
      files + ["/var/lib/systemd/timesync/clock", "/var/lib/private/systemd/timesync/clock"]
    clock.newerThanNow =
      now < Date(timeIntervalSince1970: EarshotTool.madeAt)
      ? "this program" : known.first { written($0).map { $0 > now + clockTolerance } ?? false }
    let hardware = text("/sys/class/rtc/rtc0/since_epoch").filter(\.isNumber)
    clock.aheadOfHardware = Double(hardware).map { .seconds(now.timeIntervalSince1970 - $0) }
    clock.isAlone = output("timedatectl show --property=NTPSynchronized --value") == "no\n"
    return clock
  }

  private static func written(_ path: String) -> Date? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.modificationDate] as? Date
  }

  private static let clockTolerance = 60.0

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// Notes for each peer that could not be reached whether its host answers on the link.
  mutating func noteNeighbours() {
    let neighbours = Self.neighbours(Self.output("ip -json neigh"))
    for place in sightings.indices where sightings[place].answer != .reached {
      sightings[place].answersOnLink = sightings[place].ip.flatMap { neighbours[$0.withoutScope] }
    }
  }

  /// The text that a command prints; empty if the command does not exist or fails.
  private static func output(_ command: String) -> String { run(command).text }

  /// Runs a command to its end.
  ///
  /// Not with Foundation's `Process`, which misses a child's end where the firewall drops packets
  /// from the host to itself.
  private static func run(_ command: String) -> (text: String, status: Int32) {
    let path = "PATH=\"$PATH\":/usr/sbin:/sbin:/usr/bin:/bin"
    guard let pipe = popen("\(path); \(command) 2>/dev/null", "r") else {
      return ("", statusOfNone)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 {
      bytes += chunk[..<count]
    }
    let status = pclose(pipe)
    return (String(decoding: bytes, as: UTF8.self), status >> 8 & 0xFF)
  }

  /// The status with which shells end that find no program.
  private static let statusOfNone: Int32 = 127

  /// Whether a process runs this program.
  private static func isEarshot(_ process: Int) -> Bool {
    func file(_ process: String) -> String? {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe"))
        // A file that was replaced while it runs.
        .map { $0.hasSuffix(" (deleted)") ? String($0.dropLast(10)) : $0 }
    }
    guard let other = file("\(process)") else { return false }
    return other == file("self") || other.hasSuffix("/earshot")
  }

  // MARK: Reading

  /// Whether the first process of a system runs in a container, from its environment and its
  /// control groups.
  package static func isContainer(environment: String, groups: String) -> Bool {
    let marks = ["docker", "lxc", "libpod", "containerd", "kubepods", "nspawn", "machine.slice"]
    return environment.split(separator: "\0").contains { $0.hasPrefix("container=") }
      || marks.contains { groups.contains($0) }
  }

  /// The ports that the system chooses from, as Linux writes them.
  package static func peerPorts(_ text: String) -> ClosedRange<UInt16> {
    let ends = text.split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) }
    guard ends.count == 2, ends[0] <= ends[1] else { return Traffic.ephemeral }
    return ends[0]...ends[1]
  }

  /// The service of systemd that a process belongs to, from its control groups; `nil` for what was
  /// started otherwise.
  package static func service(_ groups: String) -> String? {
    let end = groups.split(whereSeparator: { $0 == "/" || $0 == "\n" }).last { $0.contains(".") }
    return end.flatMap { $0.hasSuffix(".service") ? String($0.dropLast(8)) : nil }
  }

  /// The inodes of the sockets at UDP port 5353.
  package static func inodes(in table: String) -> Set<String> {
    let rows = table.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
    return Set(rows.filter { $0.count > 9 && $0[1].hasSuffix(":14E9") }.map { String($0[9]) })
  }

  /// Whether the hosts of a link answer there, by their addresses, from `ip -json neigh`; hosts are
  /// left out while that is being found out.
  package static func neighbours(_ text: String) -> [IPAddress: Bool] {
    let read = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    var found: [IPAddress: Bool] = [:]
    for object in read as? [[String: Any]] ?? [] {
      guard let address = (object["dst"] as? String).flatMap({ IPAddress($0) }) else { continue }
      let states = object["state"] as? [String] ?? []
      // After two seconds without an answer, the system is about to give up.
      if states.contains("FAILED") || states.contains("INCOMPLETE") {
        found[address.withoutScope] = found[address.withoutScope] ?? false
      } else if object["lladdr"] != nil {
        found[address.withoutScope] = true
      }
    }
    return found
  }

  /// The terminal of a process, from its line in `/proc`; `nil` for a process without one.
  package static func terminal(_ stat: String) -> String? {
    // The name, in parentheses, may have spaces in it.
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let cells = stat[end...].split(separator: " ")
    guard cells.count > 5, let device = Int32(cells[5]), device != 0 else { return nil }
    let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF | (device >> 12 & 0xFFF00))
    switch major {
    case 4 where minor < 64: return "tty\(minor)"
    case 136...143: return "pts/\((major - 136) << 8 + minor)"
    default: return "number \(device)"
    }
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
      var program = Program(
        name, process: process, service: service(text("/proc/\(process)/cgroup")))
      program.terminal = terminal(text("/proc/\(process)/stat"))
      program.isEarshot = isEarshot(process)
      return program
    }
  }
}

extension HostFacts.Interface {
  /// An interface from its flags and its state, as Linux writes them, and what the network says of
  /// it.
  package init(
    _ name: String, flags text: String, state: String = "", seen interfaces: [NetworkInterface]
  ) {
    let digits = text.filter(\.isHexDigit).drop { $0 == "0" }
    let flags = Int(digits, radix: 16) ?? 0
    let seen = interfaces.first { $0.name == name }
    self.init(name)
    isLoopback = flags & 0x8 != 0
    isTunnel = flags & 0x10 != 0
    let hasSignal = ["up\n", "unknown\n"].contains(state) || seen != nil
    isEnabled = flags & 0x1 != 0
    isUp = isEnabled && (hasSignal || isLoopback || isTunnel)  // Peers use no tunnels.
    carriesMulticast = flags & 0x1000 != 0 || isLoopback
    hasIPv4 = seen?.has(.v4) ?? false
    hasIPv6 = seen?.has(.v6) ?? false
    networks = seen?.networks ?? []
  }
}
