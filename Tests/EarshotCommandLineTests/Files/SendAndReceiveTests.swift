import Earshot
import EarshotCommandLine
import EarshotSimulator
import Foundation
import Testing

@Suite("Send and receive in a simulated world")
struct SendAndReceiveTests {
  // MARK: Files

  @Test("Files arrive whole, one after the other, and both ends succeed")
  func whole() throws {
    let mail = try Mail(
      sending: ["/home/a b.bin", "/home/empty"],
      files: ["/home/a b.bin": 3_000_000, "/home/empty": 0])
    mail.party.run(until: 30)
    #expect(mail.codes == [.held, .held])
    #expect(mail.received == ["a b.bin", "empty"])
    #expect(mail.has("/in/a b.bin", of: 3_000_000) && mail.has("/in/empty", of: 0))
    #expect(
      mail.ann.lines.map { $0.prefix(43) }.first == "Received /in/a b.bin (2.8 MiB) from Bob in ")
    #expect(mail.bob.lines.last?.hasPrefix("Sent empty (0 bytes) to Ann in 0.") == true)
    #expect(mail.ann.lines.count == 2 && mail.bob.lines.count == 2)
    #expect(mail.bob.printed.err.contains("\nOffering a b.bin (2.8 MiB) to Ann\n"))
    #expect(mail.ann.printed.err.hasPrefix("Receiving as Ann ("))
    #expect(mail.ann.printed.err.contains("Bob ("))
    #expect(mail.ann.complaints.isEmpty && mail.bob.complaints.isEmpty)
  }

  @Test("Standard input is a file of unknown size, under the name that it is given")
  func standardInput() throws {
    let mail = try Mail(sending: ["-", "--as", "x/y.txt"], files: [:])
    for _ in 0..<3 { mail.bob.input.bring("line\n".utf8) }
    mail.party.at(9) {
      mail.bob.input.bring("end".utf8)
      mail.bob.input.end()
    }
    mail.party.run(until: 30)
    #expect(mail.codes == [.held, .held])
    #expect(mail.received.count == 1)
    let path = "/in/\(mail.received.first ?? "")"
    #expect(mail.ann.host.disk.bytes(of: path) == Array("line\nline\nline\nend".utf8))
    #expect(!mail.received[0].contains("/"))
    #expect(mail.bob.printed.err.contains("Offering x/y.txt to Ann\n"))
  }

  @Test("Standard input that cannot be read is no end of the file")
  func brokenInput() throws {
    let mail = try Mail(sending: ["-"], files: [:])
    mail.bob.input.bring("a part".utf8)
    mail.bob.input.fail(with: 21)
    mail.party.run(until: 30)
    #expect(mail.codes == [.violated, .violated])
    #expect(mail.received.isEmpty)
    #expect(mail.bob.complaints.last?.hasSuffix("the bytes cannot be read: Is a directory") == true)
  }

  @Test("A name that is taken is counted on, and --replace replaces it", arguments: [false, true])
  func taken(replaces: Bool) throws {
    let mail = try Mail(
      receiving: ["--accept", "--once"] + (replaces ? ["--replace"] : []), sending: ["/home/a.txt"],
      files: ["/home/a.txt": 5])
    mail.ann.host.disk.write([1], to: "/in/a.txt")
    mail.party.run(until: 30)
    #expect(mail.received == (replaces ? ["a.txt"] : ["a (2).txt", "a.txt"]))
    #expect(mail.has(replaces ? "/in/a.txt" : "/in/a (2).txt", of: 5))
  }

  @Test("A receiver that is kept takes one sender after another, and several at a time")
  func several() throws {
    let mail = try Mail(
      receiving: ["--accept"], sending: ["/home/a"], over: Mail.slow, files: ["/home/a": 5 << 20])
    let cy = try mail.party.guest("send", "/c", "--to", "Ann", on: "watch")
    cy.host.disk.write(Mail.bytes(5 << 20), to: "/c")
    mail.party.world.setLink(between: mail.ann.host, and: cy.host, Mail.slow)
    var hidden = 0
    mail.party.at(2.5) { hidden = mail.received.count { $0.hasPrefix(".earshot-") } }
    mail.party.run(until: 30)
    #expect(hidden == 2)
    let dee = try mail.party.guest("send", "/d", "--to", "Ann", on: "laptop")
    dee.host.disk.write([7], to: "/d")
    mail.party.run(until: 40)
    #expect(mail.received == ["a", "c", "d"])
    mail.ann.interrupt()
    mail.party.run(until: 50)
    #expect(mail.codes == [.held, .held])
    #expect([cy.code, dee.code] == [.held, .held])
  }

  // MARK: Questions

  @Test("Each file is asked about, with its size and its sender")
  func asked() throws {
    let mail = try Mail(
      receiving: [], sending: ["/home/a.bin", "/home/b.bin", "/home/c.bin"],
      files: ["/home/a.bin": 2_048, "/home/b.bin": 1, "/home/c.bin": 1])
    mail.party.at(5) { mail.ann.type("maybe") }
    mail.party.at(6) { mail.ann.type("Y") }
    mail.party.at(8) { mail.ann.type(" no ") }
    mail.party.at(10) { mail.ann.type("yes") }
    mail.party.at(20) { mail.ann.interrupt() }
    mail.party.run(until: 30)
    #expect(mail.received == ["a.bin", "c.bin"])
    let questions = mail.ann.printed.err.split(separator: "\n").filter { $0.hasPrefix("Bob (") }
      .filter { $0.contains("offers") }.map { $0.drop { $0 != ")" } }
    #expect(
      questions == [
        ") offers a.bin, 2.0 KiB. Accept? (y/n, all, none)",
        ") offers b.bin, 1 byte. Accept? (y/n, all, none)",
        ") offers c.bin, 1 byte. Accept? (y/n, all, none)",
      ])
    #expect(mail.ann.complaints.first?.hasPrefix("answer y, n, all or none: Bob (") == true)
    #expect(mail.bob.complaints == ["Ann declined b.bin"])
    #expect(mail.codes == [.held, .violated])
  }

  @Test("A name that is not safe is shown as it will be and as it was")
  func unsafeName() throws {
    let mail = try Mail(
      receiving: [], sending: ["/home/a", "--as", "../../a\u{1B}b"], files: ["/home/a": 1])
    mail.party.at(5) { mail.ann.type("n") }
    mail.party.run(until: 10)
    #expect(mail.ann.printed.err.contains("(called \"../../a\\u{1B}b\" there), 1 byte. Accept?"))
    #expect(!mail.ann.printed.err.contains("\u{1B}b"))
  }

  @Test("One answer may be for all files of a sender", arguments: ["all", "none"])
  func allOrNone(answer: String) throws {
    let mail = try Mail(
      receiving: [], sending: ["/home/a", "/home/b", "/home/c"],
      files: ["/home/a": 1, "/home/b": 1, "/home/c": 1])
    mail.party.at(5) { mail.ann.type(answer) }
    mail.party.run(until: 15)
    #expect(mail.received == (answer == "all" ? ["a", "b", "c"] : []))
    #expect(mail.bob.code == (answer == "all" ? .held : .violated))
    #expect(mail.bob.complaints.count == (answer == "all" ? 0 : 3))
    #expect(mail.ann.printed.err.components(separatedBy: "Accept?").count == 2)
  }

  @Test("A question about a file that is offered no more gives way to the next one")
  func withdrawn() throws {
    let mail = try Mail(receiving: [], sending: ["/home/a"], files: ["/home/a": 1])
    let cy = try mail.party.guest("send", "/c", "--to", "Ann", "--name", "Cy", on: "watch")
    cy.host.disk.write([1], to: "/c")
    mail.party.run(until: 8)
    let (first, second) =
      mail.ann.printed.err.contains("offers a, 1 byte") ? (mail.bob, cy) : (cy, mail.bob)
    #expect(mail.ann.printed.err.components(separatedBy: "Accept?").count == 2)
    mail.party.at(9) { first.interrupt() }
    mail.party.at(12) { mail.ann.type("y") }
    mail.party.run(until: 20)
    #expect(mail.ann.printed.err.contains(" no longer offers "))
    #expect(mail.ann.printed.err.components(separatedBy: "Accept?").count == 3)
    #expect([first.code, second.code] == [.interrupted, .held])
    #expect(mail.received.count == 1)
  }

  @Test("After the end of the input offers are declined, and the receiver ends")
  func endOfInput() throws {
    let mail = try Mail(receiving: [], sending: ["/home/a"], files: ["/home/a": 1])
    mail.party.at(5) { mail.ann.closeInput() }
    mail.party.run(until: 15)
    #expect(mail.bob.complaints == ["Ann declined a: the input of the receiver has ended"])
    #expect(mail.codes == [.held, .violated])
  }

  @Test("Files above the limit of --up-to are declined with a reason")
  func limit() throws {
    let mail = try Mail(
      receiving: ["--accept", "--up-to", "1K"], sending: ["/home/a", "/home/b"],
      files: ["/home/a": 1_025, "/home/b": 1_024])
    mail.party.run(until: 15)
    #expect(mail.bob.complaints == ["Ann declined a: files of more than 1.0 KiB are not accepted"])
    #expect(mail.received == ["b"])
  }

  // MARK: One sender

  @Test("With --once a sender of whom nothing was accepted does not count, and one has its turn")
  func once() throws {
    let mail = try Mail(
      receiving: ["--once"], sending: ["/home/a"], over: Mail.slow, files: ["/home/a": 5 << 20])
    mail.party.at(5) { mail.ann.type("n") }
    mail.party.run(until: 10)
    #expect(mail.codes == [nil, .violated])
    let cy = try mail.party.guest("send", "/c", "--to", "Ann", on: "watch")
    cy.host.disk.write(Mail.bytes(5 << 20), to: "/c")
    mail.party.world.setLink(between: mail.ann.host, and: cy.host, Mail.slow)
    mail.party.at(14) { mail.ann.type("y") }
    mail.party.run(until: 14.5)
    let dee = try mail.party.guest("send", "/d", "--to", "Ann", on: "laptop")
    dee.host.disk.write([1], to: "/d")
    mail.party.run(until: 16)
    mail.party.run(until: 60)
    #expect(dee.complaints.count == 1 && dee.complaints[0].hasPrefix("Ann ("))
    #expect(dee.complaints[0].contains(") is busy, or has too many open invitations."))
    #expect(mail.received == ["c"] && mail.ann.code == .held && cy.code == .held)
  }

  @Test("A sender that offers nothing is let go of, and keeps no place")
  func silent() throws {
    let party = Party()
    let ann = try party.guest(
      "receive", "--accept", "--once", "--timeout", "5", "--into", "/in", "--name", "Ann",
      on: "phone")
    ann.host.disk.makeFolder(at: "/in")
    let host = party.world.makeHost("watch")
    host.addTask("is silent") {
      guard let peer = try? await Peer("Mute", trusting: .anyPeer, on: host),
        let browser = try? await peer.browse("earshot-files"),
        let session = try? await peer.makeSession()
      else { return }
      for await case .found(let found) in browser.events {
        _ = try? await peer.invite(found.id, to: session)
        break
      }
      try? await host.sleep(until: .zero + .seconds(60))
      withExtendedLifetime(session) {}
    }
    party.run(until: 10)
    #expect(ann.complaints == ["Mute offered no file for 5 s, and is disconnected"])
    let bob = try party.guest("send", "/b", "--to", "Ann", on: "tablet")
    bob.host.disk.write([1], to: "/b")
    party.run(until: 20)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  // MARK: The choice of a peer

  @Test("Without --to the peers that are near are listed, and one is chosen by number or name")
  func choice() throws {
    let party = Party()
    for name in ["Ann", "Anna"] {
      let guest = try party.guest(
        "receive", "--accept", "--into", "/in", "--name", name, on: "host of \(name)")
      guest.host.disk.makeFolder(at: "/in")
    }
    let bob = try party.guest("send", "/b", on: "tablet", inputIsTerminal: true)
    bob.host.disk.write([1], to: "/b")
    party.at(3) { bob.type("Zoe") }
    party.at(4) { bob.type("An") }
    party.at(5) { bob.type("  ") }
    party.at(6) { bob.type("anna") }
    party.run(until: 15)
    #expect(bob.code == .held)
    let lines = bob.printed.err.split(separator: "\n")
    #expect(lines.first == "Send to which peer? Type its number, or the beginning of its name:")
    #expect(Set(lines[1...2].map { $0.prefix(9) }).count == 2)
    #expect(lines.contains("No peer nearby matches \"Zoe\""))
    #expect(lines.contains("Several peers match \"An\"; type a number: 1, 2"))
    #expect(lines.contains { $0.hasPrefix("Connected to Anna (") })
  }

  @Test("A list that stays empty names the command that looks for the cause, and its end ends it")
  func emptyChoice() throws {
    let party = Party()
    let bob = try party.guest("send", "/b", on: "tablet", inputIsTerminal: true)
    bob.host.disk.write([1], to: "/b")
    party.run(until: 9)
    #expect(!bob.printed.err.contains("doctor"))
    party.run(until: 11)
    #expect(bob.printed.err.hasSuffix("ten seconds; \"earshot doctor\" looks for the cause\n"))
    bob.closeInput()
    party.run(until: 15)
    #expect(bob.code == .violated)
  }

  @Test("A ticket of a receiver leads to it, and its code is shown")
  func ticket() throws {
    let party = Party()
    let ann = try party.guest(
      "receive", "--accept", "--once", "--into", "/in", "--ticket", on: "phone")
    ann.host.disk.makeFolder(at: "/in")
    party.run(until: 1)
    let text = try #require(
      ann.printed.err.split(separator: "\n").first { $0.hasPrefix("earshot:earshot-files/") })
    #expect(ann.printed.err.contains("█") && ann.printed.out.isEmpty)
    let bob = try party.guest("send", "/b", "--ticket", String(text), on: "tablet")
    bob.host.disk.write([1], to: "/b")
    party.run(until: 10)
    #expect([ann.code, bob.code] == [.held, .held])
  }
}
