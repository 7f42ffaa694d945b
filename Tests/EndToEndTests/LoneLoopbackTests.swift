import Earshot
import EarshotPOSIX
import Foundation
import Testing

/// A host that has loopback and no other interface, from the beginning or once its cable is out.
@Suite(
  "Discovery on a host without a network", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct LoneLoopbackTests {
  private let service = "l\(UInt32.random(in: .min ... .max))"
  private static let sentence = "finds peers of this computer alone"

  /// A command that uses all interfaces that there are.
  private func earshot(_ side: Namespaces.Side, _ words: [String]) throws -> Program {
    try Program(running: side.prefix + [Program.path] + words + ["--service", service])
  }

  @Test(
    "Each command reports that it finds peers of this computer alone",
    arguments: [
      ["browse"], ["browse", "--json"], ["chat", "--name", "Bob"], ["ping", "nobody"],
      ["advertise", "--name", "Bob"],
    ])
  func commands(words: [String]) async throws {
    let hosts = try Namespaces(areCabled: false)
    let program = try earshot(hosts.left, words)
    await program.expect(Self.sentence)
    withExtendedLifetime((hosts, program)) {}
  }

  @Test("Peers of one computer meet without a network")
  func meeting() async throws {
    let hosts = try Namespaces(areCabled: false)
    let ann = try earshot(hosts.left, ["advertise", "--name", "Ann"])
    let bob = try earshot(hosts.left, ["browse"])
    await bob.expect("found\tAnn")
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("Without its cable a host reports so, and loses with it what it found there")
  func unplugged() async throws {
    let hosts = try Namespaces()
    let ann = try earshot(hosts.right, ["advertise", "--name", "Ann"])
    let bob = try earshot(hosts.left, ["browse"])
    await bob.expect("found\tAnn")
    try hosts.setCable(of: hosts.left, up: false)
    await bob.expect(Self.sentence)
    await bob.expect("lost\tAnn")
    try hosts.setCable(of: hosts.left, up: true)
    await bob.expect("available") { $0 == "available" }
    await bob.expect("found\tAnn", times: 2)
    withExtendedLifetime((hosts, ann)) {}
  }

  @Test("A host that was told to use loopback does not complain about it")
  func chosen() async throws {
    let hosts = try Namespaces(areCabled: false)
    let ann = try earshot(hosts.left, ["advertise", "--name", "Ann", "--interface", "lo"])
    let bob = try earshot(hosts.left, ["browse", "--interface", "lo"])
    await bob.expect("found\tAnn")
    #expect(bob.lines.allSatisfy { !$0.contains(Self.sentence) })
    #expect(ann.lines.allSatisfy { !$0.contains(Self.sentence) })
    withExtendedLifetime(hosts) {}
  }
}
