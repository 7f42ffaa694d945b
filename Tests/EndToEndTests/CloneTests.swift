import Foundation
import Testing

/// Two hosts with one key, as after the disk of one was copied to the other.
@Suite(
  "Hosts with the same key", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct CloneTests {
  private let service = "k\(UInt32.random(in: .min ... .max))"
  private let key = FileManager.default.temporaryDirectory.appending(path: "earshot-\(UUID()).key")
    .path

  private func advertise(_ name: String, on side: Namespaces.Side) throws -> Program {
    try Program(
      ["advertise", "--name", name, "--identity", key, "--service", service], on: side.interface,
      prefix: side.prefix)
  }

  @Test(
    "Both peers report the other host, and a doctor names both hosts",
    arguments: ["Ann", "Ann on a copy"])
  func both(name: String) async throws {
    defer { try? FileManager.default.removeItem(atPath: key) }
    let hosts = try Namespaces()
    let first = try advertise("Ann", on: hosts.left)
    await first.expect("Advertising Ann")
    let second = try advertise(name, on: hosts.right)
    for program in [first, second] { await program.expect("announces the key of this peer too") }
    let doctor = try Program(
      ["doctor", "--json", "--service", service, "--timeout", "3"], on: hosts.left.interface,
      prefix: hosts.left.prefix)
    _ = await doctor.exitStatus()
    let finding = try #require(doctor.line(with: "sharedIdentity"), "\(doctor.lines)")
    #expect([hosts.left, hosts.right].allSatisfy { finding.contains($0.address) }, "\(finding)")
    withExtendedLifetime((hosts, first, second)) {}
  }

  @Test("Two peers of one host with the same key are no two hosts")
  func sameHost() async throws {
    defer { try? FileManager.default.removeItem(atPath: key) }
    let hosts = try Namespaces()
    let programs = [try advertise("Ann", on: hosts.left), try advertise("Bob", on: hosts.left)]
    for program in programs { await program.expect("Advertising") }
    let doctor = try Program(
      ["doctor", "--json", "--service", service, "--timeout", "3"], on: hosts.right.interface,
      prefix: hosts.right.prefix)
    _ = await doctor.exitStatus()
    #expect(doctor.line(with: "sharedIdentity") == nil, "\(doctor.lines)")
    for program in programs { #expect(program.line(with: "the key of this peer") == nil) }
    withExtendedLifetime((hosts, programs)) {}
  }
}
