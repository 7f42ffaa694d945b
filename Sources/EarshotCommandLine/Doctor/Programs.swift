import Foundation

/// The programs of this host that commands may name.
package struct Programs: Hashable, Sendable {
  private var names: Set<String>
  /// Whether the user has the rights of root already.
  private let isRoot: Bool

  /// Programs by their names.
  package init(_ names: Set<String>, isRoot: Bool = false) {
    (self.names, self.isRoot) = (names, isRoot)
  }

  /// The programs on the path of this process, and where a system has those of root.
  ///
  /// Those that need a service count while it runs.
  static var ofThisHost: Programs {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    var found = known.filter { name in
      folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
    if !FileManager.default.fileExists(atPath: "/run/systemd/system") {
      found.subtract(["systemctl", "timedatectl"])
    }
    let running = servicesOfNetwork
    for (name, service) in services where !running.contains(service) { found.remove(name) }
    return Programs(found, isRoot: geteuid() == 0)
  }

  /// Whether a program is there.
  func has(_ name: String) -> Bool { names.contains(name) }

  /// A command as it is typed to be run with the rights of root.
  func asRoot(_ command: String) -> String {
    if isRoot { return command }
    guard let way = ["sudo", "doas"].first(where: has) else { return "as root: \(command)" }
    return command.split(separator: " && ").map { "\(way) \($0)" }.joined(separator: " && ")
  }

  /// The first command whose program, its first word, is there; as typed to be run with the rights
  /// of root.
  ///
  /// - Parameters:
  ///   - commands: The commands, the best one first.
  ///   - purpose: The purpose of the commands, for a host that has none of their programs.
  /// - Returns: The command, or a sentence that says what to install.
  func asRoot(firstOf commands: String..., to purpose: String) -> String {
    let first = commands.first { command in
      command.split(separator: " ").first.map { has(String($0)) } ?? false
    }
    guard let first else {
      let names = commands.compactMap { $0.split(separator: " ").first }.map(String.init)
      return "install \(names.joined(separator: " or ")) to \(purpose)"
    }
    return asRoot(first)
  }

  /// The names of the processes that manage interfaces of this network, cut off as Linux does.
  private static var servicesOfNetwork: Set<String> {
    func network(_ process: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
    }
    let own = network("self")
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let names = processes.filter { $0.allSatisfy(\.isNumber) }.compactMap { process in
      let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
      // Another user's process does not show its network.
      let isHere = network(process).map { $0 == own } ?? true
      return isHere ? name.map { $0.filter { $0 != "\n" } } : nil
    }
    return Set(names)
  }

  // MARK: Commands

  /// Switches an interface on.
  func raise(_ interface: String) -> String {
    asRoot(
      firstOf: "ip link set \(interface) up", "ifconfig \(interface) up",
      "nmcli device connect \(interface)", to: "switch \(interface) on")
  }

  /// Switches an interface off.
  func lower(_ interface: String) -> String {
    asRoot(
      firstOf: "ip link set \(interface) down", "ifconfig \(interface) down",
      "nmcli device disconnect \(interface)", to: "switch \(interface) off")
  }

  /// Lets an interface carry multicast.
  func allowMulticast(on interface: String) -> String {
    asRoot(
      firstOf: "ip link set \(interface) multicast on", "ifconfig \(interface) multicast",
      to: "enable multicast on \(interface)")
  }

  /// Gives an interface an address: from the network where a program for that is there, or of IPv6
  /// by itself.
  func address(_ interface: String) -> String {
    let clients = [
      "nmcli device connect \(interface)", "networkctl reconfigure \(interface)",
      "dhclient \(interface)", "dhcpcd \(interface)", "udhcpc -i \(interface)",
    ]
    let client = clients.first { has(String($0.prefix { $0 != " " })) }
    return client.map { asRoot($0) } ?? renewIPv6(interface)
  }

  /// Gives an interface its addresses of IPv6 anew.
  func renewIPv6(_ interface: String) -> String {
    // A name with a dot, as those of VLANs, would be taken for two.
    let sign = interface.contains(".") ? "/" : "."
    let key = ["net", "ipv6", "conf", interface, "disable_ipv6"].joined(separator: sign)
    return has("sysctl")
      ? asRoot("sysctl -w \(key)=1 \(key)=0")
      : asRoot(
        firstOf: "ip link set \(interface) addrgenmode eui64", to: "give \(interface) an address")
  }

  /// Lists the programs that have the port of multicast DNS.
  func portHolders(isSix: Bool = false) -> String {
    asRoot(
      firstOf: "ss -\(isSix ? "6" : "")ulpn 'sport = :5353'", "lsof -i UDP:5353",
      "netstat -ulpn", to: "see the program that has UDP port 5353")
  }

  /// Has the clock follow those of the network.
  var setClock: String {
    asRoot(
      firstOf: "timedatectl set-ntp true", "chronyc makestep", "ntpdate pool.ntp.org",
      "date --set 'YYYY-MM-DD hh:mm'", to: "set the clock")
  }

  /// Lists the rules of the firewall.
  var listRules: String {
    asRoot(firstOf: "nft list ruleset", "iptables-save", to: "see the rules of the firewall")
  }

  private static let known: Set = [
    "sudo", "doas", "ip", "ifconfig", "nmcli", "networkctl", "dhclient", "dhcpcd", "udhcpc",
    "sysctl", "ss", "lsof", "netstat", "timedatectl", "chronyc", "ntpdate", "date", "nft",
    "iptables-save", "systemctl",
  ]
  /// Programs that speak to a service, and the names of its processes.
  private static let services = [
    ("nmcli", "NetworkManager"), ("networkctl", "systemd-network"),
  ]

  /// All programs that commands may name, on the path of a user who is not root.
  package static let all = Programs(known)
}
