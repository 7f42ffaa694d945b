import EarshotCommandLine
import Foundation
import Testing

/// Three hosts at one switch, each in a namespace, gone when this is released.
private final class Neighbourhood: Sendable {
  let hosts: [Namespaces.Side]
  private let hub: String

  init() throws {
    let number = "\(getpid() % 100_000)y\(UInt16.random(in: .min ... .max))"
    hub = "es\(number)h"
    hosts = (1...3).map {
      .init(name: "es\(number)n\($0)", interface: "v\(number)\($0)", address: "10.77.0.\($0)")
    }
    for name in [hub] + hosts.map(\.name) { try Shell.run("ip", "netns", "add", name) }
    try Shell.run("ip", "-n", hub, "link", "add", "hub", "type", "bridge")
    try Shell.run("ip", "-n", hub, "link", "set", "hub", "up")
    for host in hosts {
      let port = "p\(host.interface)"
      try Shell.run(
        "ip", "-n", hub, "link", "add", port, "type", "veth", "peer", "name", host.interface,
        "netns", host.name)
      try Shell.run("ip", "-n", hub, "link", "set", port, "master", "hub", "up")
      try Shell.run(
        "ip", "-n", host.name, "addr", "add", "\(host.address)/16", "dev", host.interface)
      for interface in ["lo", host.interface] {
        try Shell.run("ip", "-n", host.name, "link", "set", interface, "up")
      }
    }
  }

  deinit {
    for name in [hub] + hosts.map(\.name) { try? Shell.run("ip", "netns", "delete", name) }
  }
}

@Suite(
  "Neighbours", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct NeighbourhoodTests {
  private let service = "n\(UInt32.random(in: .min ... .max))"
  /// More in a measurement: a minute is what the project promises.
  private static let seconds =
    ProcessInfo.processInfo.environment["EARSHOT_FLOOD_SECONDS"].flatMap(Int.init) ?? 8

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  private func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
  }

  /// Waits until a browser has found Ann, at the first host; her identifier, and where she listens.
  private func found(by browser: Program) async throws -> (id: String, port: String) {
    await browser.expect("\"name\":\"Ann\"")
    let line = try #require(browser.line(with: "\"name\":\"Ann\""))
    let id = try #require(line.firstMatch(of: /"id":"([a-z2-7]{52})"/)?.1)
    let port = try #require(line.firstMatch(of: /"10\.77\.0\.1:(\d+)"/)?.1)
    return (String(id), String(port))
  }

  /// What a browser said of a peer, in order: the places where it is, or nothing when it was lost.
  private func places(of id: String, in browser: Program) throws -> [[Substring]] {
    try browser.lines.filter { $0.contains(id) }.map { line in
      guard line.contains("\"endpoints\"") else { return [] }
      let list = try #require(line.firstMatch(of: /"endpoints":\[([^\]]*)\]/)?.1)
      return list.split(separator: ",").map { $0.dropFirst().dropLast() }
    }
  }

  /// How many pings there are during each flood, and how much memory it may take.
  private static let pings =
    ProcessInfo.processInfo.environment["EARSHOT_FLOOD_PINGS"].flatMap(Int.init) ?? 4
  private static let growthMax = 8 << 10  // KiB

  /// The memory that a program has now, in KiB.
  private func residentKilobytes(_ program: Program) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(program.id)/status", encoding: .utf8)
    return try #require(status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) })
  }

  @Test(
    "While 64 addresses open connections by the thousand and do not behave, others get a session in 3 s",
    .enabled(if: Shell.has("python3"), "needs python3 for the strangers"),
    arguments: ["idle", "hello", "dribble", "garbage", "reset"])
  func strangers(kind: String) async throws {
    let neighbourhood = try Neighbourhood()
    let (home, place, far) = (
      neighbourhood.hosts[0], neighbourhood.hosts[1], neighbourhood.hosts[2]
    )
    for number in 1...64 {
      try Shell.run(
        "ip", "-n", far.name, "addr", "add", "10.77.2.\(number)/16", "dev", far.interface)
    }
    let ann = try earshot(home, "advertise", "--name", "Ann", "--accept")
    let browser = try earshot(place, "browse", "--json")
    let (id, port) = try await found(by: browser)
    let before = try residentKilobytes(ann)
    let flood = try Program(
      running: far.prefix + [
        "python3", script("strangers.py"), kind, home.address, port, "100000", "10.77.2.1", "64",
      ])
    await flood.expect("flooding")
    var (good, growth) = (0, 0)
    for number in 1...Self.pings {
      // From an address that was never there before.
      let address = "10.77.3.\(number)"
      try Shell.run("ip", "-n", place.name, "addr", "add", "\(address)/16", "dev", place.interface)
      try Shell.run(
        "ip", "-n", place.name, "route", "replace", "\(home.address)/32", "dev", place.interface,
        "src", address)
      let ping = try earshot(
        place, "ping", id, "--at", "\(home.address):\(port)", "--count", "1", "--timeout", "3")
      if await ping.exitStatus() == 0 { good += 1 }
      growth = max(growth, try residentKilobytes(ann) - before)
    }
    print("strangers, \(kind): \(good) of \(Self.pings) pings, \(growth) KiB more memory")
    #expect(good * 100 >= Self.pings * 99)
    #expect(growth <= Self.growthMax)
    withExtendedLifetime((neighbourhood, flood)) {}
  }

  @Test(
    "Lies by the thousand, also from a peer's own address: it is not lost, leads once it has answered, a new one is found",
    .enabled(if: Shell.has("python3"), "needs python3 for the neighbour"))
  func flood() async throws {
    let neighbourhood = try Neighbourhood()
    let (home, place, liar) = (
      neighbourhood.hosts[0], neighbourhood.hosts[1], neighbourhood.hosts[2]
    )
    let ann = try earshot(home, "advertise", "--name", "Ann")
    let browser = try earshot(place, "browse", "--json")
    let (id, _) = try await found(by: browser)
    let words = [
      "python3", script("flood.py"), liar.interface, service, "5000", "\(Self.seconds)",
      "Ann (\(id.prefix(8)))", id, home.address,
    ]
    let neighbour = try Program(running: liar.prefix + words)
    await neighbour.expect("flooding")
    let clock = ContinuousClock()
    let start = clock.now
    let bob = try earshot(home, "advertise", "--name", "Bob")
    await browser.expect("\"name\":\"Bob\"")
    print("flood: the new peer was found \(clock.now - start) after the start of its process")
    await neighbour.expect("sent ")
    print("flood: \(neighbour.line(with: "sent") ?? "")")
    let eve = browser.lines.count { $0.contains("\"name\":\"Eve\"") }
    #expect(eve > 100, "the flood was heard")
    let said = try places(of: id, in: browser)
    print("flood: \(said.count) events of the victim")
    // What her own address says is believed until she answers; from then on her place leads.
    let leads = said.map { $0.first?.hasPrefix("\(home.address):") == true }
    #expect(leads.last == true, "\(said)")
    #expect(leads.drop { $0 }.drop { !$0 }.allSatisfy { $0 }, "\(said)")
    // The liar's own inventions come and go.
    let lost = browser.lines.filter { line in
      line.contains("\"lost\"") && (line.contains("\"\(id)\"") || line.contains("\"Bob\""))
    }
    #expect(lost.isEmpty, "\(lost)")
    withExtendedLifetime((neighbourhood, ann, bob)) {}
  }
}
