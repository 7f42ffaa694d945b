import EarshotCommandLine
import Foundation
import Testing

/// Two network namespaces with a cable between them, gone when this is released.
///
/// Their names carry the number of this process and one of its own, so that parallel runs do not meet.
final class Namespaces: Sendable {
  /// One of the two: its name, its end of the cable, and its address there.
  struct Side: Sendable {
    let name: String
    let interface: String
    let address: String

    /// What runs a program in it.
    var prefix: [String] { ["ip", "netns", "exec", name] }

    /// Changes a setting of its kernel.
    func set(_ name: String, to value: Int) throws {
      try Shell.run(prefix + ["sysctl", "-q", "-w", "\(name)=\(value)"])
    }
  }
  let left: Side
  let right: Side

  /// Whether this machine lets the process make any, with a cable: root alone may lack the right, as in a container.
  static let areAvailable: Bool = {
    let name = "es\(getpid() % 100_000)t"
    guard (try? Shell.run("ip", "netns", "add", name)) != nil else { return false }
    defer { try? Shell.run("ip", "netns", "delete", name) }
    return (try? Shell.run("ip", "-n", name, "link", "add", "type", "veth")) != nil
  }()

  /// Two hosts, with a cable between them unless it is to be laid later.
  init(areCabled: Bool = true) throws {
    let number = "\(getpid() % 100_000)x\(UInt16.random(in: .min ... .max))"
    left = Side(name: "es\(number)a", interface: "ve\(number)a", address: "10.77.0.1")
    right = Side(name: "es\(number)b", interface: "ve\(number)b", address: "10.77.0.2")
    for side in [left, right] {
      try Shell.run("ip", "netns", "add", side.name)
      try Shell.run("ip", "-n", side.name, "link", "set", "lo", "up")
    }
    if areCabled { try layCable() }
  }

  /// Lays the cable, and gives its ends their addresses.
  func layCable() throws {
    try Shell.run(
      "ip", "link", "add", left.interface, "type", "veth", "peer", "name", right.interface)
    for side in [left, right] {
      try Shell.run("ip", "link", "set", side.interface, "netns", side.name)
      try Shell.run(
        "ip", "-n", side.name, "addr", "add", "\(side.address)/24", "dev", side.interface)
      try Shell.run("ip", "-n", side.name, "link", "set", side.interface, "up")
    }
  }

  deinit {
    for side in [left, right] { try? Shell.run("ip", "netns", "delete", side.name) }
  }

  /// Whether this machine limits the rate of a cable.
  static let canBeSlow = areAvailable && Shell.has("tc")

  /// Lets so much through in each direction, and so many bytes wait for it.
  func limit(kilobits: Int, queueBytes: Int = 262_144) throws {
    for side in [left, right] {
      try Shell.run(
        "tc", "-n", side.name, "qdisc", "add", "dev", side.interface, "root", "tbf", "rate",
        "\(kilobits)kbit", "burst", "1600", "limit", "\(queueBytes)")
    }
  }

  /// Leaves both sides with IPv6 alone.
  func removeIPv4() throws {
    for side in [left, right] {
      try Shell.run("ip", "-n", side.name, "-4", "addr", "flush", "dev", side.interface)
    }
  }

  /// Leaves both sides with IPv4 alone.
  func removeIPv6() throws {
    for side in [left, right] {
      try side.set("net.ipv6.conf.\(side.interface).disable_ipv6", to: 1)
    }
  }

  /// Takes the cable out of one side, or puts it back in.
  func setCable(of side: Side, up isUp: Bool) throws {
    try Shell.run("ip", "-n", side.name, "link", "set", side.interface, isUp ? "up" : "down")
  }
}

/// Programs of the system that do their work at once.
enum Shell {
  struct Failure: Error {
    let command: String
    let status: Int32
  }

  static var isRoot: Bool { geteuid() == 0 }

  /// Whether a program is there.
  static func has(_ name: String) -> Bool { (try? run("which", name)) != nil }

  /// Runs a program to its end, and throws unless it ends well.
  static func run(_ words: String...) throws { try run(words) }

  /// Runs a program to its end.
  static func run(_ words: [String]) throws {
    let status = try ChildProcess(words).wait().status
    guard status == 0 else {
      throw Failure(command: words.joined(separator: " "), status: status)
    }
  }
}
