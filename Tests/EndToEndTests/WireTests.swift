import Foundation
import Testing

/// Multicast DNS as it is on the cable, packet by packet: each rule of RFC 6762 that only real sockets show.
///
/// Times are those that the kernel has noted, and only the least that a rule asks for is checked; a little of it is
/// left to a busy machine, whose packets leave late.
@Suite(
  "Multicast DNS on the wire", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(if: Shell.has("python3"), "needs python3 for the other side"))
struct WireTests {
  private let service = "w\(UInt32.random(in: .min ... .max))"
  private let identifier = "d4nzm73tx3b57con3xd5d5sexrqj5zg46bjkm4vjyv5ibdlr4fdq"
  private let other = "aaaaaaaax3b57con3xd5d5sexrqj5zg46bjkm4vjyv5ibdlr4fdq"
  private var type: String { "_\(service)._tcp.local" }

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  /// Two hosts with IPv4 alone, since an address of IPv6 that comes late has all be announced again.
  private func hosts() throws -> Namespaces {
    let hosts = try Namespaces()
    try hosts.removeIPv6()
    return hosts
  }

  /// Ann on the left, and her instance's name as it is written on the wire.
  private func ann(of hosts: Namespaces, heardBy wire: Program) async throws -> (Program, String) {
    let ann = try earshot(hosts.left, "advertise", "--name", "Ann")
    await wire.expect("=SRV:ann_(")
    let line = try #require(wire.line(with: "=SRV:ann_("))
    return (ann, String(try #require(line.firstMatch(of: /=SRV:(ann_\([a-z2-7]{8}\)[^:]*)/)?.1)))
  }

  @Test(
    "Questions and answers come from port 5353 with a hop limit of 255, on IPv4 and IPv6 (M03, M46)"
  )
  func ports() async throws {
    let hosts = try Namespaces()
    let wire = try await hosts.right.wire()
    let (ann, _) = try await ann(of: hosts, heardBy: wire)
    let bob = try earshot(hosts.left, "browse")
    for kind in ["query ?PTR:", "response"] {
      for family in ["\(hosts.left.address):", "fe80:"] {
        await wire.expect("\(kind) from \(family)") {
          $0.contains(kind) && $0.contains(" \(family)") && $0.contains(service)
        }
      }
    }
    let heard = wire.lines.filter { $0.contains(service) }
    #expect(heard.allSatisfy { $0.contains(":5353 hop-limit=255 id=0 ") }, "\(heard)")
    withExtendedLifetime((hosts, ann, bob)) {}
  }

  @Test(
    "A shared answer comes 20 ms after the question or later, and a second after the last one (M15, M19)"
  )
  func sharedAnswers() async throws {
    let hosts = try hosts()
    let wire = try await hosts.right.wire()
    let (ann, _) = try await ann(of: hosts, heardBy: wire)
    await wire.expect("=PTR:\(type):4500", times: 3)  // All announcements.
    try await passASecond(on: wire)
    let before = wire.lines.count
    for number in 1...3 {
      try wire.type("ask 5353 PTR \(type)")
      await wire.expect("=PTR:\(type):4500", times: 3 + number)
    }
    let lines = wire.lines.dropFirst(before)
    let asked = lines.filter { $0.hasPrefix("sent") }.map { Self.time($0, field: 1) }
    let answered = lines.filter { $0.contains("=PTR:\(type)") }.map { Self.time($0) }
    #expect(asked.count == 3 && answered.count == 3)
    #expect(answered[0] - asked[0] >= 0.02)
    for (one, next) in zip(answered, answered.dropFirst()) { #expect(next - one >= 0.9) }
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test(
    "Announcements are at least a second apart, and the third two seconds from the second (M37)")
  func announcements() async throws {
    let hosts = try hosts()
    let wire = try await hosts.right.wire()
    let (ann, name) = try await ann(of: hosts, heardBy: wire)
    await wire.expect("=SRV:\(name):120:flush", times: 3)
    let heard = wire.lines.filter { $0.contains("=SRV:\(name):120:flush") }
    let times = heard.map { Self.time($0) }
    #expect(times.count == 3)
    #expect(times[1] - times[0] >= 0.9 && times[2] - times[1] >= 1.9, "\(times)")
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("A response from another port than 5353 is not believed (M17)")
  func otherPort() async throws {
    let hosts = try hosts()
    let wire = try await hosts.right.wire()
    let browser = try earshot(hosts.left, "browse")
    await wire.expect("?PTR:QM:\(type)")
    try wire.type("say 6000 '' 'Eve (aaaaaaaa).\(type)' \(other) eve")
    try wire.type("say 5353 '' 'Zoe (d4nzm73t).\(type)' \(identifier) zoe")
    await browser.expect("found\tZoe\td4nzm73t\t\(hosts.right.address):4711")
    #expect(browser.line(with: "Eve") == nil)
    withExtendedLifetime((hosts, wire)) {}
  }

  @Test("A response from another subnet is not believed (M46)")
  func otherSubnet() async throws {
    let hosts = try hosts()
    for side in [hosts.left, hosts.right] {
      for name in ["all", side.interface] {  // So that it is not the kernel that refuses.
        try side.set("net.ipv4.conf.\(name).rp_filter", to: 0)
      }
    }
    let right = hosts.right
    try Shell.run("ip", "-n", right.name, "addr", "add", "192.0.2.7/24", "dev", right.interface)
    let wire = try await hosts.right.wire()
    let browser = try earshot(hosts.left, "browse")
    await wire.expect("?PTR:QM:\(type)")
    try wire.type("say 5353 192.0.2.7 'Eve (aaaaaaaa).\(type)' \(other) eve")
    try wire.type("say 5353 \(right.address) 'Zoe (d4nzm73t).\(type)' \(identifier) zoe")
    await browser.expect("found\tZoe\td4nzm73t\t\(right.address):4711")
    #expect(browser.line(with: "Eve") == nil)
    withExtendedLifetime((hosts, wire)) {}
  }

  @Test(
    "Who asks from another port is answered there in the terms of unicast DNS (M10, M25, M51)",
    arguments: [true, false])
  func legacy(asksAll: Bool) async throws {
    let hosts = try hosts()
    let wire = try await hosts.right.wire()
    let (ann, name) = try await ann(of: hosts, heardBy: wire)
    let asked = asksAll ? "" : hosts.left.address
    for (kind, question) in [("PTR", type), ("SRV", name.replacing("_(", with: " ("))] {
      try wire.type("ask 6001 \(kind) '\(question)' \(asked)")
      let start = "id=4711 response ?\(kind):QM:"
      await wire.expect(start)
      let answer = try #require(wire.line(with: start))
      #expect(answer.contains(" \(hosts.left.address):5353 "))
      #expect(answer.contains("SRV:\(name):") && !answer.contains(":compressed"))
      #expect(!answer.contains(":flush"))
      let lifetimes = answer.matches(of: /[=+][A-Z]+:[^: ]+:(\d+)/).compactMap { Int($0.1) }
      #expect(lifetimes.count >= 1 && lifetimes.allSatisfy { $0 <= 10 }, "\(answer)")
    }
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test(
    "Who is contradicted says its records again, probes three times, and then announces (M32, M39)")
  func probes() async throws {
    let hosts = try hosts()
    let wire = try await hosts.right.wire()
    let (ann, name) = try await ann(of: hosts, heardBy: wire)
    let said = "=SRV:\(name):120:flush"
    await wire.expect(said, times: 3)
    try await passASecond(on: wire)  // Else the announcement would do for a defence.
    let before = wire.lines.count
    try wire.type("claim '\(name.replacing("_(", with: " ("))' 4711")
    await wire.expect(said, times: 5)
    let heard = wire.lines.dropFirst(before).filter { !$0.hasPrefix("sent") }
    let probes = heard.filter { $0.contains("!SRV:\(name):120") }
    #expect(probes.count == 3)
    #expect(probes.allSatisfy { $0.contains(" query ?ANY:QU:\(name) ") })
    let answers = heard.filter { $0.contains(said) }
    let times = ([answers[0]] + probes + [answers[1]]).map { Self.time($0) }
    #expect(times.sorted() == times, "its defence, its probes, its announcement")
    for (one, next) in zip(times.dropFirst(), times.dropFirst(2)) {
      #expect(next - one >= 0.2, "\(times)")
    }
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("Who is contradicted while it probes takes another name (M34)")
  func renames() async throws {
    let hosts = try hosts()
    let wire = try await hosts.right.wire()
    let (ann, name) = try await ann(of: hosts, heardBy: wire)
    let claim = "claim '\(name.replacing("_(", with: " ("))' 65535"
    try wire.type(claim)
    await wire.expect("!SRV:\(name):120")
    try wire.type(claim)
    await wire.expect("=SRV:\(name.replacing("._", with: "_(2)._", maxReplacements: 1)):120:flush")
    withExtendedLifetime((hosts, ann)) {}
  }

  /// Waits until a second has passed since the last announcement: the kinds of services, which are part of it, are not
  /// said again before.
  private func passASecond(on wire: Program) async throws {
    let types = "_services._dns-sd._udp.local"
    let count = wire.lines.count { $0.contains("=PTR:\(types)") }
    try wire.type("ask 5353 PTR \(types)")
    await wire.expect("=PTR:\(types)", times: count + 1)
  }

  /// The seconds that a line begins with, or that stand in another of its fields.
  private static func time(_ line: String, field: Int = 0) -> Double {
    Double(line.split(separator: " ")[field]) ?? .nan
  }
}

extension Namespaces.Side {
  /// What tells all of multicast DNS that it hears here, a packet a line, and sends what it is told to.
  func wire() async throws -> Program {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "mdns-wire.py").path
    let wire = try Program(running: prefix + ["python3", script, interface, address])
    await wire.expect("ready")
    return wire
  }
}
