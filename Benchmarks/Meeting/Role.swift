import BenchmarkKit
import Earshot
import Foundation

/// What one process of the benchmark does.
struct Role {
  /// The parts that there are.
  enum Part: String, CaseIterable {
    case appear, watch, stay, look, invite, accept, member, gather, send, read, join, leave,
      hold, launch, overhear, rest, scan
  }
  private let part: Part
  private let service: String
  private let count: Int

  /// What a command line of ours asks for, or `nil` if it is that of a user.
  init?(_ arguments: [String]) {
    guard arguments.count == 5, arguments[1] == "role", let part = Part(rawValue: arguments[2]),
      let count = Int(arguments[4])
    else { return nil }
    (self.part, service, self.count) = (part, arguments[3], count)
  }

  /// Starts a process that plays a part.
  static func start(_ part: Part, _ service: String, _ count: Int = 0) -> ChildProcess {
    ChildProcess(ourselves: ["role", part.rawValue, service, "\(count)"])
  }

  /// Starts a process that plays a part in a network namespace.
  static func start(
    _ part: Part, _ service: String, _ count: Int = 0, in namespace: String
  ) -> ChildProcess {
    ChildProcess(
      "ip", ["netns", "exec", namespace, path, "role", part.rawValue, service, "\(count)"])
  }

  /// Where this program is.
  static var path: String {
    let path = "/proc/self/exe"
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: path))
      ?? CommandLine.arguments[0]
  }

  /// A service that no other run of a benchmark uses.
  static func service(_ name: String) -> String { "\(name)-\(getpid())" }

  /// Plays the part in this process.
  func play() async throws {
    switch part {
    case .appear: try await Finding.appear(service)
    case .watch: try await Finding.watch(service)
    case .stay: try await Finding.stay(service, count)
    case .look: try await Finding.look(service, count)
    case .invite: try await Inviting.invite(service, count)
    case .accept: try await Inviting.accept(service)
    case .member: try await Killing.member(service)
    case .gather: try await Killing.gather(service)
    case .send: try await Stalling.send(service, count)
    case .read: try await Stalling.read(service, count)
    case .join: try await Cycling.join(service)
    case .leave: try await Cycling.leave(service, count)
    case .hold: try await Idling.hold(service, count)
    case .launch: Starting.launch(service)
    case .overhear: Starting.overhear(service)
    case .rest: Starting.rest(service, count)
    case .scan: Starting.scan(service, count)
    }
  }
}
