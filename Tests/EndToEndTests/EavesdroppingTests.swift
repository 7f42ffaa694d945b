import Foundation
import Testing

/// What somebody reads who records all that two hosts send each other.
@Suite(
  "Eavesdropping", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(if: Shell.has("tshark") && Shell.has("python3"), "needs tshark and python3"))
struct EavesdroppingTests {
  private let service = "c\(UInt32.random(in: .min ... .max))"

  private static let letters = Array("abcdefghij")

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  @Test(
    "Of a whole conversation nothing is in plain but what is announced, and that is well-formed")
  func conversation() async throws {
    let hosts = try Namespaces()
    let recording = try await Recording(of: hosts.right)
    let ann = try earshot(
      hosts.left, "advertise", "--name", "Announced-Ann", "--info", "room=announced", "--accept")
    let bob = try earshot(
      hosts.right, "ping", "Announced-Ann", "--name", "Unannounced-Bob", "--count", "3",
      "--interval",
      "0.1", "--size", "600", "--unreliable")
    await bob.expect("answered")
    #expect(await bob.exitStatus() == 0)
    let (cy, dan) = (
      try earshot(hosts.left, "chat", "--name", "Cy"),
      try earshot(hosts.right, "chat", "--name", "Dan")
    )
    try await Program.bringTogether([("Cy", cy), ("Dan", dan)])
    try cy.type("secret-of-the-left")
    try dan.type("secret-of-the-right")
    await dan.expect("secret-of-the-left")
    await cy.expect("secret-of-the-right")
    try cy.type("/quit")
    await dan.expect("Cy ended this chat")
    ann.signal(SIGINT)
    #expect(await ann.exitStatus() == 0)
    try await recording.end()

    let bytes = try Data(contentsOf: URL(fileURLWithPath: recording.path))
    func contains(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
    // What is announced is there: so the others would be found, too.
    #expect(contains("Announced-Ann") && contains("room=announced"))
    for secret in ["secret-of-the-left", "secret-of-the-right", "Unannounced-Bob"] {
      #expect(!contains(secret), "\(secret)")
    }
    #expect(!contains(String(repeating: ".", count: 32)))  // With that pings are filled.
    #expect(try await recording.packets("mdns").count > 10)
    #expect(try await recording.packets("tcp.len > 0").count > 10)
    #expect(try await recording.packets("udp && !mdns && udp.length > 500").count >= 3)
    #expect(try await recording.packets("_ws.malformed") == [])
    #expect(try await recording.packets("mdns && ip.ttl != 255 && !ipv6") == [])
    withExtendedLifetime((hosts, dan)) {}
  }

  @Test("Whatever multicast DNS says, from probes to the largest text, is well-formed")
  func multicastDNS() async throws {
    let hosts = try Namespaces()
    let recording = try await Recording(of: hosts.right)
    let wire = try await hosts.right.wire()
    let type = "_\(service)._tcp.local"
    let info = (1...5).flatMap { ["--info", "key\($0)=" + String(repeating: "x", count: 250)] }
    let ann = try Program(
      ["advertise", "--name", "Ann", "--service", service] + info, on: hosts.left.interface,
      prefix: hosts.left.prefix)
    await wire.expect("=SRV:ann_(")
    let line = try #require(wire.line(with: "=SRV:ann_("))
    let instance = try #require(line.firstMatch(of: /=SRV:(ann_\([a-z2-7]{8}\)[^:]*)/)?.1)
    await wire.expect("=A")
    let address = try #require(wire.line(with: "=A"))
    let host = try #require(address.firstMatch(of: /=A+:([^:]*):/)?.1)
    let name = instance.replacing("_(", with: " (")
    try wire.type("ask 6001 ANY '\(name)'")  // A reply to a resolver of unicast DNS.
    await wire.expect("id=4711 response")
    try wire.type("ask 5353 SRV '\(host)'")  // There is none.
    await wire.expect("NSEC:\(host):")
    let claim = "claim '\(name)' 65535"
    try wire.type(claim)  // A conflict: it is defended, and probed.
    await wire.expect("!SRV:\(instance):")
    try wire.type(claim)
    await wire.expect(
      "=SRV:\(instance.replacing("._", with: "_(2)._", maxReplacements: 1)):120:flush")
    let bob = try earshot(hosts.left, "browse")
    await wire.expect("?PTR:QM:\(type)")
    for number in 100..<140 {
      let unique = "\(number)".map { String(Self.letters[Int(String($0)) ?? 0]) }.joined()
      let id = String(repeating: unique, count: 17) + "q"
      try wire.type("say 5353 '' 'Somebody with number \(number).\(type)' \(id) h\(number)")
    }
    await bob.expect("found\t", times: 41)
    // With another address it looks anew, and lists whom it knows in two packets.
    let left = hosts.left
    try Shell.run("ip", "-n", left.name, "addr", "add", "10.77.0.9/24", "dev", left.interface)
    await wire.expect("query truncated ?PTR")
    ann.signal(SIGINT)
    #expect(await ann.exitStatus() == 0)
    try await recording.end()

    let ours = "mdns && ip.src == \(hosts.left.address)"
    for filter in [
      "dns.flags.response == 0 && dns.qry.type == 255 && dns.count.auth_rr > 0",
      "dns.flags.response == 0 && dns.flags.truncated == 1", "dns.resp.type == 47",
      "dns.txt.length == 255 && dns.flags.response == 1", "dns.resp.ttl == 0",
    ] {
      #expect(try await !recording.packets("\(ours) && \(filter)").isEmpty, "\(filter)")
    }
    let legacy = "udp.dstport == 6001 && udp.srcport == 5353"
    #expect(try await !recording.packets(legacy).isEmpty)
    #expect(try await recording.packets("_ws.malformed") == [])
    withExtendedLifetime((hosts, wire, bob)) {}
  }
}

/// All that comes by on one end of a cable, in a file that is gone when this is released.
private final class Recording: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "c-\(UUID()).pcap").path
  private let recorder: Program

  /// Runs a command that can be ended by signals, which may be blocked in those who run tests.
  private static let unblocking = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp(sys.argv[1], sys.argv[1:])
    """

  init(of side: Namespaces.Side) async throws {
    recorder = try Program(
      running: side.prefix + [
        "python3", "-c", Self.unblocking, "dumpcap", "-i", side.interface, "-w", path,
      ])
    await recorder.expect("Capturing on")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func end() async throws {
    // So that the recorder has written what came before.
    try await Task.sleep(for: .seconds(1))
    recorder.signal(SIGTERM)
    #expect(await recorder.exitStatus() == 0)
  }

  /// The packets that a filter of Wireshark's lets through.
  func packets(_ filter: String) async throws -> [String] {
    let reader = try Program(running: ["tshark", "-r", path, "-Y", filter])
    #expect(await reader.exitStatus() == 0)
    return reader.lines.filter { !$0.hasPrefix("Running as user") }
  }
}
