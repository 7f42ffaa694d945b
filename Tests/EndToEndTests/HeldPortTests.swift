import Earshot
import EarshotPOSIX
import Foundation
import Testing

/// A host on which another program holds the port of multicast DNS for itself alone.
@Suite(
  "The port of discovery, on a host where another program holds it alone", .timeLimit(.minutes(30)),
  .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(if: Shell.has("python3"), "needs python3 for the other program"))
struct HeldPortTests {
  /// Holds the port, without a share for anybody, until its input ends.
  private func holdPort(of side: Namespaces.Side) async throws -> Program {
    let script = """
      import socket, sys
      holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      holder.bind(("", 5353))
      print("held", flush=True)
      sys.stdin.read()
      """
    let program = try Program(running: side.prefix + ["python3", "-c", script])
    await program.expect("held")
    return program
  }

  private func earshot(_ side: Namespaces.Side, _ words: [String]) throws -> Program {
    try Program(words, on: side.interface, prefix: side.prefix)
  }

  @Test(
    "Each command says so in a sentence and ends with status 1, and works once the port is free",
    arguments: [["advertise", "--name", "Ann"], ["browse"], ["chat", "--name", "Ann"]])
  func commands(words: [String]) async throws {
    let hosts = try Namespaces()
    let holder = try await holdPort(of: hosts.left)
    let refused = try earshot(hosts.left, words)
    #expect(await refused.exitStatus() == 1)
    await refused.expect("earshot: ")
    let sentence = try #require(refused.line(with: "earshot: "))
    #expect(sentence.contains("Another program holds UDP port 5353 for itself alone"))
    try holder.closeInput()
    #expect(await holder.exitStatus() == 0)
    let service = words[0] == "chat" ? "earshot-chat" : "earshot"
    let welcome = try earshot(hosts.left, words)
    let other = try Program(
      ["advertise", "--name", "Bob", "--service", service], on: hosts.right.interface,
      prefix: hosts.right.prefix)
    let watcher = try Program(
      ["browse", "--service", service], on: hosts.right.interface, prefix: hosts.right.prefix)
    if words[0] == "advertise" {
      await watcher.expect("found\tAnn")
    } else {
      await welcome.expect("Bob")
    }
    withExtendedLifetime((hosts, welcome, other, watcher)) {}
  }

  @Test("So it does where there is IPv6 alone, and another program holds the port of that")
  func six() async throws {
    let hosts = try Namespaces()
    try hosts.removeIPv4()
    let holder = try await hosts.left.holdPortOfIPv6()
    let refused = try earshot(hosts.left, ["browse"])
    #expect(await refused.exitStatus() == 1)
    await refused.expect("Another program holds UDP port 5353 for itself alone")
    // With IPv4 it goes without IPv6.
    try Shell.run(
      "ip", "-n", hosts.left.name, "addr", "add", "\(hosts.left.address)/24", "dev",
      hosts.left.interface)
    try Shell.run(
      "ip", "-n", hosts.right.name, "addr", "add", "\(hosts.right.address)/24", "dev",
      hosts.right.interface)
    let bob = try earshot(hosts.right, ["advertise", "--name", "Bob"])
    let welcome = try earshot(hosts.left, ["browse"])
    await welcome.expect("found\tBob")
    withExtendedLifetime((hosts, bob, holder)) {}
  }

  @Test("Where it is held for IPv6 alone, peers meet over IPv4, and over both once it is free")
  func onlyIPv4() async throws {
    let hosts = try Namespaces()
    let holder = try await hosts.left.holdPortOfIPv6()
    let host = try await hosts.left.host()
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    let browser = try await ann.browse("earshot")
    #expect(await ann.discoveryProblem?.code == .discoveryUnavailable)
    _ = await browser.events.first { $0 == .unavailable(.onlyIPv4) }
    let bob = try earshot(hosts.right, ["advertise", "--name", "Bob"])
    _ = await browser.events.first { $0.name == "Bob" }
    // A change of interfaces is no reason to think otherwise.
    try Shell.run(
      "ip", "-n", hosts.left.name, "addr", "add", "10.77.0.9/24", "dev", hosts.left.interface)
    let eve = try earshot(hosts.right, ["advertise", "--name", "Eve"])
    _ = await browser.events.first { $0.name == "Eve" }
    #expect(await ann.discoveryProblem?.code == .discoveryUnavailable)
    try holder.closeInput()
    #expect(await holder.exitStatus() == 0)
    _ = await browser.events.first { $0 == .available }
    #expect(await ann.discoveryProblem == nil)
    // What has no IPv4 is found now.
    try Shell.run(
      "ip", "-n", hosts.right.name, "-4", "addr", "flush", "dev", hosts.right.interface)
    let cat = try earshot(hosts.right, ["advertise", "--name", "Cat"])
    _ = await browser.events.first { $0.name == "Cat" }
    await ann.stop()
    await host.shutDown()
    withExtendedLifetime((hosts, bob, eve, cat)) {}
  }

  @Test("A browser that lost the port in its sleep says so, and finds again when the port is free")
  func lostInSleep() async throws {
    let hosts = try Namespaces()
    let host = try await hosts.left.host()
    let ann = try await Peer("Ann", trusting: .anyPeer, on: host)
    let browser = try await ann.browse("earshot")
    let bob = try earshot(hosts.right, ["advertise", "--name", "Bob"])
    _ = await browser.events.first { $0.name == "Bob" }
    await ann.suspend()
    let holder = try await holdPort(of: hosts.left)
    try await ann.resume()
    #expect(await ann.discoveryProblem?.code == .discoveryUnavailable)
    _ = await browser.events.first { $0 == .unavailable(.portTaken) }
    let eve = try earshot(hosts.right, ["advertise", "--name", "Eve"])
    await eve.expect("Advertising Eve")
    try holder.closeInput()
    #expect(await holder.exitStatus() == 0)
    _ = await browser.events.first { $0 == .available }
    _ = await browser.events.first { $0.name == "Eve" }
    #expect(await browser.peers.contains { $0.name == "Eve" })
    #expect(await ann.discoveryProblem == nil)
    await ann.stop()
    await host.shutDown()
    withExtendedLifetime((hosts, bob, eve)) {}
  }
}

extension BrowserEvent {
  /// Who was found.
  fileprivate var name: String? { if case .found(let peer) = self { peer.name } else { nil } }
}
