import Earshot
import EarshotCommandLine
import EarshotSimulator
import Testing

/// Ann, who runs `receive` at a phone, and Bob, who runs `send` at a tablet.
struct Mail {
  let party = Party()
  let ann: Guest
  let bob: Guest

  /// Both begin at once.
  ///
  /// - Parameters:
  ///   - receiving: The options of Ann's command.
  ///   - sending: The words of Bob's command, but for its receiver.
  ///   - link: The conditions of the link between them.
  ///   - files: The sizes of Bob's files by their paths.
  ///   - isWatched: Whether both watch standard error.
  /// - Throws: What a party throws.
  init(
    receiving: [String] = ["--accept", "--once"], sending: [String],
    over link: LinkConditions = .lan, files: [String: Int], isWatched: Bool = false
  ) throws {
    let ann = try party.guest(
      typing: ["receive", "--name", "Ann", "--into", "/in"] + receiving, on: "phone",
      isWatched: isWatched, inputIsTerminal: true)
    bob = try party.guest(
      typing: ["send", "--name", "Bob", "--to", "Ann"] + sending, on: "tablet",
      isWatched: isWatched, inputIsTerminal: true)
    self.ann = ann
    ann.host.disk.makeFolder(at: "/in")
    bob.host.disk.makeFolder(at: "/home")
    for (path, count) in files { bob.host.disk.write(Self.bytes(count), to: path) }
    party.world.setLink(between: ann.host, and: bob.host, link)
  }

  /// A link on which 10 MiB take some seconds.
  static let slow = LinkConditions(latency: .milliseconds(10), bandwidth: 2_000_000)

  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
  }

  /// What there is in Ann's folder, hidden files included.
  var received: [String] { ann.host.disk.names(in: "/in").sorted() }
  var codes: [ExitCode?] { [ann.code, bob.code] }

  /// Whether Ann has a file of Bob's, whole.
  func has(_ path: String, of count: Int) -> Bool {
    ann.host.disk.bytes(of: path)?.elementsEqual(Self.bytes(count)) == true
  }
}

extension Guest {
  /// What is wrong, without the name of the program.
  var complaints: [String] {
    printed.err.split(separator: "\n").filter { $0.hasPrefix("earshot: ") }
      .map { String($0.dropFirst(9)) }
  }
}

extension ResourceProgress {
  /// The state of a transfer that goes on.
  static func test(
    _ done: Int64, of total: Int64?, rate: Double = 0, _ standstill: Standstill? = nil
  ) -> ResourceProgress {
    ResourceProgress(
      completedBytes: done, totalBytes: total, bytesPerSecond: rate, standstill: standstill,
      isEnded: false)
  }
}
