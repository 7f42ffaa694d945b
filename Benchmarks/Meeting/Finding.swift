import BenchmarkKit
import Earshot
import LoopbackPeers

/// How long until a peer is found.
enum Finding {
  private static let servicesCount = 10
  private static let gap = Duration.milliseconds(1_200)

  static func measure(in benchmark: inout Benchmark) {
    let count = benchmark.isQuick ? 5 : 100
    benchmark.add(milliseconds: foundByARunningBrowser(count), "found by a running browser")
    benchmark.add(milliseconds: foundByALaterBrowser(count), "found by a later browser")
  }

  // MARK: By a browser that runs already

  private static func foundByARunningBrowser(_ count: Int) -> [Double] {
    let service = Role.service("run")
    let (watcher, appearing) = (Role.start(.watch, service), Role.start(.appear, service))
    watcher.expect("ready")
    let times = (0..<count).map { _ in
      appearing.tell("appear")
      let (appeared, found) = (appearing.expect("appeared"), watcher.expect("found"))
      require(appeared[0] == found[0], "another peer was found")
      appearing.tell("vanish")
      return milliseconds(from: appeared[1], to: found[1])
    }
    appearing.kill()
    watcher.kill()
    return times
  }

  /// Advertises a new peer whenever it is told to.
  static func appear(_ service: String) async throws {
    let host = try await LoopbackPeer("host")
    while readLine() != nil {
      let peer = try await Peer("appearing", trusting: .anyPeer, on: host.host)
      let start = Machine.nanoseconds
      let advertiser = try await peer.advertise(service)
      ChildProcess.answer("appeared \(peer.id) \(start)")
      _ = readLine()
      await advertiser.stop()
      await peer.stop()
    }
  }

  /// Says whom it finds, and when.
  static func watch(_ service: String) async throws {
    let watcher = try await LoopbackPeer("watcher")
    let browser = try await watcher.peer.browse(service)
    ChildProcess.answer("ready")
    for await event in browser.events {
      let now = Machine.nanoseconds
      if case .found(let peer) = event { ChildProcess.answer("found \(peer.id) \(now)") }
    }
  }

  // MARK: By a browser that starts later

  private static func foundByALaterBrowser(_ count: Int) -> [Double] {
    let service = Role.service("late")
    let staying = Role.start(.stay, service, servicesCount)
    staying.expect("ready")
    let looking = Role.start(.look, service, count)
    let times = looking.lines(until: "done").compactMap(Double.init).map { $0 / 1e6 }
    require(times.count == count, "\(times.count) browsers found a peer")
    looking.finish()
    staying.kill()
    return times
  }

  /// Advertises so many peers, each with a service of its own, until their announcements are over.
  static func stay(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("host")
    var advertisers: [Advertiser] = []
    for number in 0..<count {
      let peer = try await Peer("staying \(number)", trusting: .anyPeer, on: host.host)
      advertisers.append(try await peer.advertise("\(number)-\(service)"))
    }
    try await pause(.seconds(5), on: host)
    ChildProcess.answer("ready")
    _ = readLine()
    for advertiser in advertisers { await advertiser.stop() }
  }

  /// Looks for one of the services after the other, each time as a new peer.
  ///
  /// No record may be multicast twice within a second (RFC 6762 §6), so each service has a rest.
  static func look(_ service: String, _ count: Int) async throws {
    let host = try await LoopbackPeer("host")
    var times: [Int64] = []
    for number in 0..<count {
      let peer = try await Peer("looking", trusting: .anyPeer, on: host.host)
      let start = Machine.nanoseconds
      let browser = try await peer.browse("\(number % servicesCount)-\(service)")
      for await event in browser.events { if case .found = event { break } }
      times.append(Machine.nanoseconds - start)
      await peer.stop()
      try await pause(gap / servicesCount, on: host)
    }
    ChildProcess.answer(times.map(String.init).joined(separator: "\n"))
    ChildProcess.answer("done")
    await host.stop()
  }

  private static func pause(_ duration: Duration, on host: LoopbackPeer) async throws {
    try await host.run(.loop) { try await host.host.sleep(for: duration) }
  }
}
