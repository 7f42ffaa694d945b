import Foundation
import Testing

/// On which interfaces a peer hears multicast, whatever becomes of them, and whoever else shares its port.
@Suite(
  "Interfaces that are heard", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"))
struct HeardInterfaceTests {
  private let service = "i\(UInt32.random(in: .min ... .max))"

  private func earshot(_ side: Namespaces.Side, on interface: String, _ words: String...) throws
    -> Program
  {
    try Program(words + ["--service", service], on: interface, prefix: side.prefix)
  }

  @Test("One that is taken away and comes back under its number is heard again")
  func returning() async throws {
    let hosts = try Namespaces()
    let (left, right) = (hosts.left, hosts.right)
    let ann = try earshot(left, on: left.interface, "advertise", "--name", "Ann")
    let bob = try earshot(right, on: right.interface, "browse", "--json")
    await bob.expect("Ann over IPv6, too") { $0.contains("\"Ann\"") && $0.contains("[fe80:") }
    for round in 1...3 {
      try Shell.run("ip", "-n", right.name, "link", "set", right.interface, "netns", left.name)
      await bob.expect("\"lost\"", times: round)
      try Shell.run("ip", "-n", left.name, "link", "set", right.interface, "netns", right.name)
      try Shell.run(
        "ip", "-n", right.name, "addr", "add", "\(right.address)/24", "dev", right.interface)
      try Shell.run("ip", "-n", right.name, "link", "set", right.interface, "up")
      await bob.expect("\"found\"", times: 1 + round)
    }
    // Nobody asks when she comes: she is heard, or she is not.
    let eve = try earshot(left, on: left.interface, "advertise", "--name", "Eve")
    await bob.expect("\"Eve\"")
    withExtendedLifetime((hosts, ann, eve)) {}
  }

  @Test("Each of forty is heard, more than one socket of the system can hear on")
  func many() async throws {
    let hosts = try Namespaces()
    let (left, right) = (hosts.left, hosts.right)
    for side in [left, right] { try side.set("net.ipv6.conf.default.disable_ipv6", to: 1) }
    let numbers = 1...40
    for number in numbers {
      try Shell.run(
        "ip", "link", "add", "a\(number)", "netns", left.name, "type", "veth", "peer", "name",
        "b\(number)", "netns", right.name)
      for (side, name, last) in [(left, "a\(number)", 1), (right, "b\(number)", 2)] {
        try Shell.run(
          "ip", "-n", side.name, "addr", "add", "10.78.\(number).\(last)/24", "dev", name)
        try Shell.run("ip", "-n", side.name, "link", "set", name, "up")
      }
    }
    let bob = try Program(
      running: right.prefix + [Program.path, "browse", "--service", service])
    let cat = try earshot(left, on: "a\(numbers.lowerBound)", "advertise", "--name", "Cat")
    await bob.expect("found\tCat")
    var peers = [cat]
    for number in [15, 16, 17, 20, 21, 32, 33, numbers.upperBound] {
      peers.append(try earshot(left, on: "a\(number)", "advertise", "--name", "Ann \(number)"))
      await bob.expect("found\tAnn \(number)")
    }
    withExtendedLifetime((hosts, peers)) {}
  }

  @Test(
    "A program of the host that shares the port, and hears on another interface, takes nothing away",
    .enabled(if: Shell.has("python3"), "needs python3 for the other side"))
  func neighbour() async throws {
    let hosts = try Namespaces()
    let (left, right) = (hosts.left, hosts.right)
    for side in [left, right] {
      try side.set("net.ipv6.conf.\(side.interface).disable_ipv6", to: 1)
    }
    let neighbour = try earshot(right, on: "lo", "browse")
    let other = try earshot(right, on: "lo", "advertise", "--name", "Ann")
    await neighbour.expect("found\tAnn")
    let bob = try earshot(right, on: right.interface, "browse")
    let wire = try await left.wire()
    await wire.expect("?PTR:QM:_\(service)._tcp.local")
    // Who gets what an address sends would be drawn from the address.
    for (number, mark) in "abcdefghijkl".enumerated() {
      let source = "10.77.0.\(number + 20)"
      try Shell.run("ip", "-n", left.name, "addr", "add", "\(source)/24", "dev", left.interface)
      let id = "\(mark)aaaaaaax3b57con3xd5d5sexrqj5zg46bjkm4vjyv5ibdlr4fdq"
      try wire.type(
        "say 5353 \(source) '\(mark) (\(mark)aaaaaaa)._\(service)._tcp.local' \(id) host-\(mark)")
      await bob.expect("found\t\(mark)\t")
    }
    withExtendedLifetime((hosts, neighbour, other)) {}
  }
}
