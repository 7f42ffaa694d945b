import Foundation
import Testing

/// What somebody reads who records all that two hosts send each other.
@Suite(
  "Eavesdropping", .timeLimit(.minutes(10)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(if: Shell.has("tshark") && Shell.has("python3"), "needs tshark and python3"))
struct EavesdroppingTests {
  private let service = "c\(UInt32.random(in: .min ... .max))"

  /// Runs a command that can be ended by signals, which may be blocked in those who run tests.
  private static let unblocking = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp(sys.argv[1], sys.argv[1:])
    """

  private func earshot(_ side: Namespaces.Side, _ words: String...) throws -> Program {
    try Program(words + ["--service", service], on: side.interface, prefix: side.prefix)
  }

  /// The packets of a capture that a filter of Wireshark's lets through.
  private func packets(_ filter: String, in path: String) async throws -> [String] {
    let reader = try Program(running: ["tshark", "-r", path, "-Y", filter])
    #expect(await reader.exitStatus() == 0)
    return reader.lines.filter { !$0.hasPrefix("Running as user") }
  }

  @Test(
    "Of a whole conversation nothing is in plain but what is announced, and that is well-formed")
  func conversation() async throws {
    let hosts = try Namespaces()
    let path = FileManager.default.temporaryDirectory.appending(path: "c-\(UUID()).pcap").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recorder = try Program(
      running: hosts.right.prefix + [
        "python3", "-c", Self.unblocking, "dumpcap", "-i", hosts.right.interface, "-w", path,
      ])
    await recorder.expect("Capturing on")
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
    // So that the recorder has written what came before.
    try await Task.sleep(for: .seconds(1))
    recorder.signal(SIGTERM)
    #expect(await recorder.exitStatus() == 0)

    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    func contains(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
    // What is announced is there: so the others would be found, too.
    #expect(contains("Announced-Ann") && contains("room=announced"))
    for secret in ["secret-of-the-left", "secret-of-the-right", "Unannounced-Bob"] {
      #expect(!contains(secret), "\(secret)")
    }
    #expect(!contains(String(repeating: ".", count: 32)))  // With that pings are filled.
    #expect(try await packets("mdns", in: path).count > 10)
    #expect(try await packets("tcp.len > 0", in: path).count > 10)
    #expect(try await packets("udp && !mdns && udp.length > 500", in: path).count >= 3)
    #expect(try await packets("_ws.malformed", in: path) == [])
    #expect(try await packets("mdns && ip.ttl != 255 && !ipv6", in: path) == [])
    withExtendedLifetime((hosts, dan)) {}
  }
}
