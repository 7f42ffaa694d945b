import Earshot
import EarshotCommandLine
import EarshotSimulator
import Foundation
import ScreenKit
import Testing

/// What commands print about a peer that they do not reach: the explanation of their own peer.
@Suite("A command whose peer is not reached")
struct UnreachedPeerTests {
  /// A peer called Ann, a ping that does not reach it, and what that prints.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ann: [String]
    let ping: [String]
    let sentence: String

    init(_ name: String, ann: [String], ping: [String], _ sentence: String) {
      testDescription = name
      (self.ann, self.ping, self.sentence) = (ann, ping, sentence)
    }
  }

  private static let other = String(repeating: "a", count: 52)

  private static let rows = [
    Row(
      "never discovered", ann: ["advertise"], ping: ["Zoë", "--timeout", "2"],
      "“Zoë” was never discovered: no announcement of it has arrived for “earshot”."),
    Row(
      "declined", ann: ["advertise"], ping: ["Ann"], " declined the invitation."),
    Row(
      "not trusted there", ann: ["advertise", "--accept", "--pin", other], ping: ["Ann"],
      "does not trust this peer, and closed the link. "
        + "Its program has to approve the key of this peer. The option --identity gives"),
    Row(
      "not trusted here", ann: ["advertise", "--accept"], ping: ["Ann", "--pin", other],
      "This peer does not trust Ann ("),
    Row(
      "not answered", ann: ["chat"],
      ping: ["Ann", "--service", "earshot-chat", "--timeout", "2"],
      "did not answer the invitation in time: it was reached at "),
  ]

  @Test("The explanation is printed, and the status is that of a failure", arguments: rows)
  func explained(row: Row) throws {
    let party = Party()
    let ann = try party.guest(typing: row.ann + ["--name", "Ann"], on: "phone")
    party.run(until: 2)
    let ping = try party.guest(typing: ["ping"] + row.ping, on: "tablet")
    party.run(until: 20)
    #expect(ping.printed.err.hasPrefix("earshot: "))
    #expect(ping.printed.err.contains(row.sentence), "\(ping.printed.err)")
    #expect(ping.printed.err.components(separatedBy: "\n").count == 2, "\(ping.printed.err)")
    #expect(ping.code == .violated)
    withExtendedLifetime(ann) {}
  }

  @Test("A peer that does not advertise the service is told from one that is not reached")
  func mismatch() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--port", "7100", on: "phone")
    let browse = try party.guest("browse", "--json", on: "watch")
    party.run(until: 2)
    let id = try #require(browse.objects.compactMap { $0["id"] as? String }.first)
    for (port, sentence) in [
      (7_100, "was reached, but does not advertise the service “x”."),
      (7_101, ":7101: connectionRefused"),
    ] {
      let ping = try party.guest(
        "ping", id, "--at", "\(ann.host.address):\(port)", "--service", "x", on: "port \(port)")
      party.run(until: port == 7_100 ? 5 : 30)
      #expect(ping.printed.err.contains(sentence), "\(ping.printed.err)")
      #expect(ping.code == .violated)
    }
  }

  @Test("A peer that has just left is named with each address and its error")
  func left() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    party.run(until: 2)
    let ping = try party.guest("ping", "Ann", "--timeout", "6", on: "tablet")
    party.at(2.4) { ann.interrupt() }
    party.run(until: 12)
    let endpoint = "\(ann.host.address):"
    #expect(ping.printed.err.contains("was not reached: \(endpoint)"), "\(ping.printed.err)")
    #expect(ping.printed.err.contains(": connectionRefused (errno 111))"))
    #expect(ping.code == .violated)
  }

  @Test("A peer whose key two hosts announce is named with both, if neither is reached")
  func contested() throws {
    let folder = try Folder()
    let key = "\(folder.path)/me.pem"
    let party = Party()
    let guests = try ["phone", "watch"].map {
      try party.guest("advertise", "--name", "Ann", "--accept", "--identity", key, on: $0)
    }
    party.run(until: 4)
    let ping = try party.guest("ping", "Ann", on: "tablet")
    party.at(4.7) { for guest in guests { party.world.crash(guest.host) } }
    party.run(until: 40)
    let error = ping.printed.err
    #expect(error.hasPrefix("earshot: 2 hosts announce the key of Ann ("), "\(error)")
    #expect(guests.allSatisfy { error.contains("\($0.host.address)") }, "\(error)")
    #expect(error.contains("It was not reached: ") && ping.code == .violated)
    withExtendedLifetime(folder) {}
  }

  @Test("Browsing warns of another host with the same key, and goes on", arguments: [true, false])
  func identityInUse(isTerminal: Bool) throws {
    let folder = try Folder()
    let key = "\(folder.path)/me.pem"
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--identity", key, on: "phone")
    party.run(until: 1)
    let browse = try party.guest(
      "browse", "--identity", key, on: "tablet",
      terminal: isTerminal ? TerminalSize(columns: 80, rows: 24) : nil)
    party.run(until: 4)
    let bob = try party.guest("advertise", "--name", "Bob", on: "watch")
    party.run(until: 8)
    let warning = "the host at \(ann.host.address) announces the key of this peer"
    if isTerminal {
      let rows = browse.screen(columns: 80).lines
      #expect(rows.joined(separator: " ").contains(warning), "\(rows)")
      #expect(
        rows.count { $0.hasPrefix("#  NAME") } == 1 && rows.contains { $0.hasPrefix("1  Bob") })
      #expect(browse.printed.err.isEmpty)
    } else {
      #expect(browse.printed.err.hasPrefix("earshot: \(warning)"), "\(browse.printed.err)")
      #expect(browse.lines.count == 1 && browse.lines[0].hasPrefix("found\tBob\t"))
    }
    withExtendedLifetime((ann, bob, folder)) {}
  }
}
