import Foundation

/// Two network namespaces with a cable between them, gone with all that runs there when this is released.
final class Cable {
  /// The names of the two namespaces.
  let left, right: String

  /// `nil` where the process may not make any.
  init?() {
    let id = getpid()
    (left, right) = ("meet\(id)a", "meet\(id)b")
    let ends = [(left, "10.78.0.1"), (right, "10.78.0.2")]
    var commands = ends.map { "ip netns add \($0.0)" }
    // Addresses of IPv6 that are good at once.
    commands += ends.map {
      "ip netns exec \($0.0) sysctl -qw net.ipv6.conf.default.accept_dad=0"
    }
    commands += ["ip link add name \(left) netns \(left) type veth peer \(right) netns \(right)"]
    for (name, address) in ends {
      commands += [
        "ip -n \(name) address add \(address)/24 dev \(name)", "ip -n \(name) link set lo up",
        "ip -n \(name) link set \(name) up",
      ]
    }
    guard Self.run(commands.joined(separator: " && ")) else {
      remove()
      return nil
    }
  }

  deinit { remove() }

  private func remove() {
    for name in [left, right] {
      Self.run("ip netns pids \(name) | xargs -r kill -KILL; ip netns delete \(name)")
    }
  }

  @discardableResult
  private static func run(_ command: String) -> Bool { system("{ \(command); } 2>/dev/null") == 0 }
}
