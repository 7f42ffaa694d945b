import Foundation
import Testing

@Suite(
  "Tickets between hosts", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Namespaces.areAvailable, "network namespaces need Linux, root and iproute2"),
  .enabled(if: Shell.has("nft"), "needs nftables"))
struct TicketProcessTests {
  @Test("Two hosts whose network drops all multicast meet by a ticket, and by nothing else")
  func withoutMulticast() async throws {
    let hosts = try Namespaces()
    let rules = "{ chain in { type filter hook input priority 0; udp dport 5353 drop; }; }"
    for side in [hosts.left, hosts.right] {
      try Shell.run(side.prefix + ["nft", "add", "table", "inet", "f", rules])
    }
    let ann = try Program(
      ["advertise", "--name", "Ann", "--accept", "--ticket"], on: hosts.left.interface,
      prefix: hosts.left.prefix)
    await ann.expect("earshot:earshot/")
    let ticket = try #require(ann.line(with: "earshot:earshot/"))
    func ping(_ words: String...) throws -> Program {
      try Program(
        ["ping", "--count", "2", "--timeout", "3"] + words, on: hosts.right.interface,
        prefix: hosts.right.prefix)
    }
    let bob = try ping("--ticket", ticket)
    await bob.expect("2 sent, 2 answered")
    #expect(await bob.exitStatus() == 0)
    #expect(try await ping("Ann").exitStatus() == 1)
    withExtendedLifetime((hosts, ann)) {}
  }
}
