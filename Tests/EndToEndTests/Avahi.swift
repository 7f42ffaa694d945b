import Foundation

/// An Avahi daemon in a network namespace.
enum Avahi {
  static let isAvailable =
    Shell.has("avahi-daemon") && Shell.has("avahi-browse") && Shell.has("dbus-daemon")

  /// Runs a command beside a daemon of its own.
  static func run(on side: Namespaces.Side, _ words: String...) throws -> Program {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "avahi-in-namespace.sh").path
    return try Program(running: side.prefix + [script, side.interface, side.name] + words)
  }
}
