import Foundation

/// An Avahi daemon in a network namespace.
enum Avahi {
  static let isAvailable =
    Shell.has("avahi-daemon") && Shell.has("avahi-browse") && Shell.has("dbus-daemon")

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// Runs a command beside a daemon of its own; what is typed goes to the command.
  static func run(on side: Namespaces.Side, _ words: String...) throws -> Program {
    let script = folder.appending(path: "avahi-in-namespace.sh").path
    return try Program(running: side.prefix + [script, side.interface, side.name] + words)
  }

  /// The system's own Python, which has its message bus.
  static let python = "/usr/bin/python3"
  /// What publishes a service whose text can change.
  static let publisher = folder.appending(path: "avahi-publish-text.py").path
  static let hasBus = (try? Shell.run(python, "-c", "import dbus")) != nil
}
