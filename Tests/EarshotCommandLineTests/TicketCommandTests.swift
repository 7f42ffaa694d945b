import Earshot
import EarshotCommandLine
import Foundation
import Testing

@Suite("Tickets on the command line")
struct TicketCommandTests {
  private let id = Identity().id

  private func ticket(_ places: [String] = ["10.0.0.1:7100"], expiry: Date? = nil) throws -> String
  {
    try PeerTicket(
      peer: id, serviceType: "earshot", endpoints: places.compactMap { Endpoint($0) },
      expiry: expiry
    ).description
  }

  @Test("It says whom a ticket leads to, where, and how long")
  func showing() throws {
    let (shell, json, code) = (Shell(), Shell(), Shell())
    let far = Date(timeIntervalSince1970: 4_000_000_000)
    #expect(shell.run("ticket", try ticket(["10.0.0.1:7100", "[fe80::1%3]:1"])) == .held)
    #expect(
      shell.out == """
        peer      \(id)
        service   earshot
        endpoint  10.0.0.1:7100
        endpoint  [fe80::1%3]:1
        expires   never

        """)
    #expect(json.run("ticket", try ticket(expiry: far), "--json") == .held)
    let object = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any]
    #expect(object?["id"] as? String == "\(id)" && object?["service"] as? String == "earshot")
    #expect(object?["endpoints"] as? [String] == ["10.0.0.1:7100"])
    #expect(object?["expires"] as? String == "2096-10-02T07:06:40Z")
    #expect(code.run("ticket", try ticket(), "--qr") == .held)
    #expect(code.out.contains("█▀") && code.out.split(separator: "\n").count > 20)
  }

  @Test("It ends with 1 for what is no good, and says why")
  func wrong() throws {
    let old = Date(timeIntervalSince1970: 1_000_000_000)
    for (text, part) in [
      ("hello\u{1B}", "is no ticket"), (try ticket() + "x", "mistyped"),
      (try ticket(expiry: old), "has expired (2001-09-09T01:46:40Z)"),
    ] {
      let shell = Shell()
      #expect(shell.run("ticket", text) == .violated)
      #expect(shell.err.contains(part) && shell.out.isEmpty)
    }
    let shell = Shell()
    #expect(shell.run("ticket") == .usage && shell.err.contains("ticket needs one ticket"))
  }

  @Test("A command that is given a ticket, or a place, says what is wrong with it")
  func usage() throws {
    let old = Date(timeIntervalSince1970: 1_000_000_000)
    for (words, part) in [
      (["ping", "--ticket", "x"], "--ticket: That is no ticket"),
      (["chat", "--ticket", try ticket() + "x"], "--ticket: The ticket was not copied"),
      (["ping", "--ticket", try ticket(expiry: old)], "--ticket: The ticket has expired"),
      (["ping", "--ticket", try ticket([])], "does not say where its peer listens"),
      (["ping", "--ticket", try ticket(), "--at", "10.0.0.1:1"], "leave --at out"),
      (["ping", "Ann", "--at", "10.0.0.1:1"], "--at needs the whole identifier"),
      (["ping", "\(id)", "--at", "10.0.0.1"], "--at takes an address with a port"),
      (["ping", "\(id)", "--at", "10.0.0.1:0"], "--at takes an address with a port"),
      (["advertise", "--valid", "60"], "--valid limits the validity of a ticket"),
      (["advertise", "--ticket", "--valid", "0"], "--valid takes seconds from 1"),
    ] {
      let shell = Shell()
      #expect(shell.run(words) == .usage)
      #expect(shell.err.contains(part), "\(words)")
    }
  }

  @Test("A place and an identifier are enough, and the identifier has to be right")
  func places() throws {
    let party = Party(seed: 5)
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", "--ticket", on: "phone")
    party.run(until: 1)
    let text = try #require(ann.lines.last { $0.hasPrefix("earshot:") })
    let ticket = try #require(PeerTicket(text))
    let place = "\(try #require(ticket.endpoints.first))"
    let right = try party.guest("ping", "\(ticket.peer)", "--at", place, "--count", "1", on: "a")
    let wrong = try party.guest(
      "ping", "\(id)", "--at", place, "--count", "1", "--timeout", "3", on: "b")
    party.run(until: 30)
    #expect(right.code == .held && wrong.code == .violated)
    ann.interrupt()
    party.run(until: 40)
  }

  @Test("A chat shows a ticket, and begins with one")
  func chatting() throws {
    let party = Party(seed: 6)
    let ann = try party.guest("chat", "--name", "Ann", "--service", "one", on: "phone")
    party.at(1) { ann.type("/ticket") }
    party.run(until: 2)
    let text = try #require(ann.lines.first { $0.hasPrefix("earshot:one/") })
    #expect(ann.lines.contains { $0.contains("█▀") })
    let bob = try party.guest(
      "chat", "--name", "Bob", "--service", "other", "--ticket", text, on: "tablet")
    party.at(4) { ann.type("y") }
    party.at(6) { bob.type("hello") }
    party.run(until: 8)
    #expect(ann.lines.contains("Bob joined this chat") && ann.lines.contains("Bob said: hello"))
    #expect(bob.lines.contains { $0.hasPrefix("Asking ") })
  }
}
