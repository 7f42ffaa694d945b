import Foundation

/// What the machine is set to.
public enum Machine {
  /// CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share.
  public static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// How TCP avoids congestion unless told otherwise.
  public static var congestionControl: String {
    let path = "/proc/sys/net/ipv4/tcp_congestion_control"
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    return text?.trimmingCharacters(in: .newlines) ?? "unknown"
  }

  /// What else is running: processes that were ready to run in the last minute, on average.
  public static var load: String {
    let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
    return text.flatMap { $0.split(separator: " ").first.map(String.init) } ?? "unknown"
  }

  /// Starts this program anew where only the loopback interface exists and TCP avoids congestion like this.
  ///
  /// Needs the right to make network namespaces; traps without it. Returns at once where it was done already.
  public static func enterNamespace(congestionControl: String) {
    let mark = "EARSHOT_NAMESPACE"
    guard getenv(mark) == nil else { return }
    setenv(mark, congestionControl, 1)
    let script = """
      ip link set lo up multicast on && \
      sysctl -qw net.ipv4.tcp_congestion_control=\(congestionControl) && exec "$0" "$@"
      """
    let path = "/proc/\(getpid())/exe"
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
    let command =
      ["unshare", "--net", "sh", "-c", script, program] + CommandLine.arguments.dropFirst()
    var words = command.map { strdup($0) } + [nil]
    execvp(command[0], &words)
    fail("unshare cannot be started")
  }
}
