import BenchmarkKit
import Foundation

/// How long from the start of a program on one host until it is found on another one, or finds what is there.
///
/// The hosts are network namespaces, the programs `earshot advertise` and `earshot browse`, and the start is what
/// comes just before `exec`.
enum Starting {
  private static let servicesCount = 10
  private static let gapMicroseconds: UInt32 = 1_200_000

  static func measure(in benchmark: inout Benchmark) {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      return benchmark.note("exec to found", "not measured: \(program) is not there, build it")
    }
    guard let cable = Cable() else {
      return benchmark.note("exec to found", "not measured: needs root and iproute2")
    }
    let count = benchmark.isQuick ? 3 : 100
    benchmark.add(milliseconds: byARunningBrowser(count, cable), "exec to found, running browser")
    benchmark.add(milliseconds: byALaterBrowser(count, cable), "exec to found, later browser")
  }

  /// The program beside this one.
  private static var program: String {
    let path = URL(fileURLWithPath: Role.path).deletingLastPathComponent()
    return path.appendingPathComponent("earshot").path
  }

  // MARK: By a browser that runs already

  private static func byARunningBrowser(_ count: Int, _ cable: Cable) -> [Double] {
    let service = Role.service("x")
    let watching = Role.start(.overhear, service, in: cable.right)
    let launching = Role.start(.launch, service, in: cable.left)
    let times = (0...count).map { _ in
      launching.tell("launch")
      let (launched, found) = (launching.expect("launched"), watching.expect("found"))
      require(launched[0] == found[0], "another peer was found")
      launching.tell("end")
      launching.expect("ended")
      return milliseconds(from: launched[1], to: found[1])
    }
    return Array(times.dropFirst())  // The browser may have begun to run during the first one.
  }

  /// Starts a program that advertises, whenever it is told to, and has it end.
  static func launch(_ service: String) {
    var number = 0
    while readLine() != nil {
      number += 1
      let start = Machine.nanoseconds
      let advertising = ChildProcess(
        program, ["advertise", "--name", "n\(number)", "--service", service])
      ChildProcess.answer("launched n\(number) \(start)")
      _ = readLine()
      end(advertising)
      ChildProcess.answer("ended")
    }
  }

  /// Says whom a program that browses finds, and when.
  static func overhear(_ service: String) {
    let browsing = ChildProcess(
      program, ["browse", "--json", "--service", service], isSilent: true)
    while let line = browsing.readLine() {
      let now = Machine.nanoseconds
      guard line.contains("\"found\""), let name = line.firstMatch(of: /"name":"([^"]*)"/)?.1
      else { continue }
      ChildProcess.answer("found \(name) \(now)")
    }
  }

  // MARK: By a browser that starts later

  private static func byALaterBrowser(_ count: Int, _ cable: Cable) -> [Double] {
    let service = Role.service("y")
    let resting = Role.start(.rest, service, servicesCount, in: cable.left)
    resting.expect("ready")
    let scanning = Role.start(.scan, service, count, in: cable.right)
    let times = scanning.lines(until: "done").compactMap(Double.init).map { $0 / 1e6 }
    require(times.count == count, "\(times.count) browsers found a peer")
    scanning.finish()
    return times
  }

  /// Starts so many programs that advertise, each a service of its own, and waits until their announcements are over.
  static func rest(_ service: String, _ count: Int) {
    let advertising = (0..<count).map {
      ChildProcess(program, ["advertise", "--service", "\($0)-\(service)"])
    }
    for program in advertising { program.expect("Advertising") }
    sleep(5)
    ChildProcess.answer("ready")
    _ = readLine()
    for program in advertising { end(program) }
  }

  /// Starts one program after the other that looks for one of the services.
  ///
  /// No record may be multicast twice within a second (RFC 6762 §6), so each service has a rest.
  static func scan(_ service: String, _ count: Int) {
    for number in 0..<count {
      let start = Machine.nanoseconds
      let browsing = ChildProcess(
        program, ["browse", "--json", "--service", "\(number % servicesCount)-\(service)"])
      while let line = browsing.readLine(), !line.contains("\"found\"") {}
      ChildProcess.answer("\(Machine.nanoseconds - start)")
      end(browsing)
      usleep(gapMicroseconds / UInt32(servicesCount))
    }
    ChildProcess.answer("done")
  }

  /// Ends a program as Ctrl-C does.
  private static func end(_ program: ChildProcess) {
    kill(program.id, SIGINT)
    program.finish()
  }
}
