import Earshot
import EarshotCommandLine
import EarshotCore
import EarshotSimulator
import Foundation
import Testing

@Suite("Pipes in a simulated world")
struct PipeTests {
  private let bytes = Mail.bytes(3 << 20)
  private let connected = "Connected to Ann ("

  /// Ann listens at a phone, and Bob connects at a tablet.
  private func annAndBob() throws -> (party: Party, ann: Guest, bob: Guest) {
    let party = Party()
    let ann = try party.guest("pipe", "--listen", "--accept", "--name", "Ann", on: "phone")
    let bob = try party.guest("pipe", "--to", "Ann", "--name", "Bob", on: "tablet")
    return (party, ann, bob)
  }

  // MARK: Bytes

  @Test("Both directions carry every byte, and both ends succeed")
  func bothWays() throws {
    let (party, ann, bob) = try annAndBob()
    for part in stride(from: 0, to: bytes.count, by: 65_536) {
      bob.input.bring(bytes[part..<part + 65_536])
      ann.input.bring(bytes[part..<part + 65_536].reversed())
    }
    bob.input.end()
    ann.input.end()
    party.run(until: 60)
    #expect(ann.output.bytes == bytes)
    #expect(bob.output.bytes.count == bytes.count)
    #expect(Array(bob.output.bytes.prefix(65_536)) == bytes.prefix(65_536).reversed())
    #expect(ann.output.isEnded && bob.output.isEnded)
    #expect([ann.code, bob.code] == [.held, .held])
    #expect(ann.printed.err.contains("\nDone: 3.0 MiB sent, 3.0 MiB received\n"))
    #expect(bob.printed.err.hasPrefix("Connected to Ann ("))
    #expect(bob.printed.err.hasSuffix(")\nDone: 3.0 MiB sent, 3.0 MiB received\n"))
    #expect(ann.printed.out.isEmpty && bob.printed.out.isEmpty)
  }

  @Test("The end of what one side sends arrives while the other side still sends")
  func halfClose() throws {
    let (party, ann, bob) = try annAndBob()
    bob.input.bring("a question".utf8)
    bob.input.end()
    party.run(until: 20)
    #expect(ann.output.text == "a question" && ann.output.isEnded)
    #expect(ann.code == nil && bob.code == nil)
    ann.input.bring("an answer".utf8)
    ann.input.end()
    party.run(until: 30)
    #expect(bob.output.text == "an answer" && bob.output.isEnded)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  @Test("The end that is invited may be the first that sends")
  func listenerFirst() throws {
    let (party, ann, bob) = try annAndBob()
    ann.input.bring("welcome".utf8)
    party.run(until: 10)
    #expect(bob.output.text == "welcome")
    #expect(!bob.output.isEnded)
  }

  @Test("Inputs without a byte are a pipe without a byte")
  func empty() throws {
    let (party, ann, bob) = try annAndBob()
    ann.input.end()
    bob.input.end()
    party.run(until: 20)
    #expect([ann.code, bob.code] == [.held, .held])
    #expect(ann.output.isEnded && ann.output.bytes.isEmpty)
    #expect(bob.printed.err.hasSuffix("Done: 0 bytes sent, 0 bytes received\n"))
  }

  @Test("A reader that stands still holds up the input of the other end")
  func backPressure() throws {
    let (party, ann, bob) = try annAndBob()
    ann.output.hold()
    ann.input.end()
    for _ in 0..<40 { for part in 0..<16 { bob.input.bring(bytes[part << 16..<(part + 1) << 16]) } }
    bob.input.end()
    party.run(until: 60)
    #expect(bob.input.bytesRead < 6 << 20)
    ann.output.release()
    party.run(until: 200)
    #expect(ann.output.bytes.count == 40 << 20)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  // MARK: Terminals

  @Test("Where a terminal is the input and no output, the other end's finish ends both directions")
  func typedInput() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--name", "Ann", on: "phone", inputIsTerminal: true)
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    bob.input.bring("all".utf8)
    bob.input.end()
    party.run(until: 20)
    #expect(ann.output.text == "all")
    #expect([ann.code, bob.code] == [.held, .held])
    #expect(bob.output.isEnded)
  }

  @Test("Where a terminal is input and output, it is told how to end what is typed")
  func typedConversation() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--name", "Ann", on: "phone", inputIsTerminal: true,
      outputIsTerminal: true)
    let bob = try party.guest("pipe", "--to", "Ann", "--name", "Bob", on: "tablet")
    bob.input.end()
    party.run(until: 20)
    #expect(ann.printed.err.hasSuffix("Bob has ended its direction; Ctrl-D ends yours\n"))
    #expect(ann.code == nil)
    ann.input.bring("late".utf8)
    ann.input.end()
    party.run(until: 30)
    #expect(bob.output.text == "late")
    #expect([ann.code, bob.code] == [.held, .held])
  }

  @Test("Nothing is told of Ctrl-D to a person who has pressed it")
  func typedEnd() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--name", "Ann", on: "phone", inputIsTerminal: true,
      outputIsTerminal: true)
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    ann.input.end()
    party.at(5) { bob.input.end() }
    party.run(until: 20)
    #expect(!ann.printed.err.contains("Ctrl-D"))
    #expect([ann.code, bob.code] == [.held, .held])
  }

  // MARK: One after the other

  @Test("While one peer is connected, another one is declined as busy")
  func busy() throws {
    let (party, ann, bob) = try annAndBob()
    party.run(until: 5)
    let cy = try party.guest("pipe", "--to", "Ann", "--name", "Cy", on: "watch")
    party.run(until: 12)
    #expect(cy.printed.err.hasPrefix("earshot: Ann ("))
    #expect(cy.printed.err.contains(") is busy, or has too many open invitations. Invite it "))
    #expect(cy.code == .violated)
    #expect(ann.printed.err.contains("\nCy ("))
    #expect(ann.printed.err.hasSuffix(") is declined: another peer is connected\n"))
    for guest in [ann, bob] { guest.input.end() }
    party.run(until: 20)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  @Test("With --keep a second peer waits for its turn, and then has its own stream")
  func keep() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--keep", "--name", "Ann", on: "phone")
    ann.input.end()
    let bob = try party.guest("pipe", "--to", "Ann", "--name", "Bob", on: "tablet")
    party.run(until: 3)
    let cy = try party.guest(
      "pipe", "--to", "Ann", "--name", "Cy", "--timeout", "30", on: "watch")
    cy.input.bring("from Cy".utf8)
    cy.input.end()
    party.run(until: 10)
    #expect(cy.printed.err.isEmpty && cy.code == nil)
    bob.input.bring("from Bob, ".utf8)
    bob.input.end()
    party.run(until: 20)
    #expect(ann.output.text == "from Bob, from Cy")
    #expect([bob.code, cy.code] == [.held, .held])
    #expect(ann.code == nil && !ann.output.isEnded)
    ann.interrupt()
    party.run(until: 25)
    #expect(ann.code == .held)
  }

  @Test("With --keep one broken transfer of several is remembered by the status")
  func keepAfterFailure() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--keep", "--name", "Ann", on: "phone")
    ann.input.end()
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    party.at(5) { bob.interrupt() }
    party.run(until: 10)
    let cy = try party.guest("pipe", "--to", "Ann", on: "watch")
    cy.input.end()
    party.run(until: 20)
    #expect(cy.code == .held)
    ann.interrupt()
    party.run(until: 25)
    #expect(ann.code == .violated)
  }

  @Test("With --keep a peer that has given up before its turn is passed over")
  func impatient() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--keep", "--name", "Ann", on: "phone")
    ann.input.end()
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    party.run(until: 3)
    let cy = try party.guest("pipe", "--to", "Ann", "--name", "Cy", "--timeout", "2", on: "watch")
    party.run(until: 10)
    #expect(cy.printed.err.contains(") did not answer the invitation in time: it was reached at "))
    #expect(cy.code == .violated)
    bob.input.end()
    party.run(until: 15)
    #expect(
      bob.code == .held
        && ann.printed.err.hasSuffix(") did not connect: its invitation has ended\n"))
  }

  @Test("A peer that is accepted and opens no stream does not keep others out for ever")
  func noStream() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--name", "Ann", "--timeout", "2", on: "phone")
    let host = party.world.makeHost("mute")
    host.addTask("invites") {
      guard let peer = try? await Peer("Mute", trusting: .anyPeer, on: host),
        let browser = try? await peer.browse("earshot-pipe"),
        let session = try? await peer.makeSession()
      else { return }
      for await case .found(let found) in browser.events {
        _ = try? await peer.invite(found.id, to: session)
        break
      }
      try? await host.sleep(until: .zero + .seconds(30))
      withExtendedLifetime(session) {}
    }
    party.run(until: 8)
    #expect(ann.printed.err.contains("earshot: Mute ("))
    #expect(ann.printed.err.hasSuffix(") was accepted and opened no stream\n"))
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    for guest in [ann, bob] { guest.input.end() }
    party.run(until: 16)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  // MARK: Names

  @Test("A peer is found by the beginning of its name; a whole name wins; several are listed")
  func names() throws {
    let party = Party()
    for name in ["Anna", "Annabel"] {
      let guest = try party.guest(
        "pipe", "--listen", "--accept", "--name", name, on: "host of \(name)")
      guest.input.end()
    }
    party.run(until: 2)
    let guests = try ["Annab", "Anna", "Ann", "Zo\u{7}"].map { name in
      try party.guest("pipe", "--to", name, "--timeout", "3", on: "asks for \(name)")
    }
    for guest in guests { guest.input.end() }
    party.run(until: 12)
    #expect(guests[0].printed.err.hasPrefix("Connected to Annabel ("))
    #expect(guests[1].printed.err.hasPrefix("Connected to Anna ("))
    #expect(
      guests[2].printed.err.hasPrefix(
        "earshot: the names of 2 peers begin with \"Ann\"; choose one of Anna ("))
    #expect(guests[3].printed.err.hasPrefix("earshot: “Zo\\u{7}” was never discovered: "))
    #expect(guests.map(\.code) == [.held, .held, .violated, .violated])
  }

  @Test("A ticket on standard error leads to its listener, whom nobody has looked for")
  func ticket() throws {
    let party = Party()
    let ann = try party.guest("pipe", "--listen", "--accept", "--ticket", on: "phone")
    party.run(until: 1)
    let lines = ann.printed.err.split(separator: "\n").map(String.init)
    let text = try #require(lines.last { $0.hasPrefix("earshot:earshot-pipe/") })
    #expect(ann.printed.out.isEmpty)
    let bob = try party.guest("pipe", "--ticket", text, on: "tablet")
    let ticket = try #require(PeerTicket(text))
    for guest in [ann, bob] { guest.input.end() }
    party.run(until: 15)
    #expect([ann.code, bob.code] == [.held, .held])
    #expect(bob.printed.err.contains("(\(ticket.peer.short))"))
  }

  @Test("A listener of --pin lets that peer connect, and no other")
  func pinned() throws {
    let folder = try Folder()
    let party = Party()
    let key = "\(folder.path)/bob.pem"
    let id = try Identity.stored(in: FileIdentityStore(path: key)).id
    let ann = try party.guest("pipe", "--listen", "--pin", "\(id)", "--name", "Ann", on: "phone")
    let eve = try party.guest("pipe", "--to", "Ann", on: "watch")
    party.run(until: 8)
    #expect(eve.printed.err.contains(") does not trust this peer, and closed the link"))
    #expect(eve.code == .violated)
    let bob = try party.guest("pipe", "--to", "Ann", "--identity", key, on: "tablet")
    for guest in [ann, bob] { guest.input.end() }
    party.run(until: 16)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  // MARK: Ends before the end

  @Test("Ctrl-C resets the stream: the other end never takes a part for the whole")
  func interrupted() throws {
    let (party, ann, bob) = try annAndBob()
    bob.input.bring("a part".utf8)
    party.at(6) { bob.interrupt() }
    party.run(until: 12)
    #expect(ann.output.text == "a part" && !ann.output.isEnded)
    #expect(
      ann.printed.err.hasSuffix(
        "earshot: Bob reset the pipe (code 130, it was interrupted): "
          + "0 bytes sent, 6 bytes received\n"))
    #expect(bob.printed.err.hasSuffix("earshot: interrupted: 6 bytes sent, 0 bytes received\n"))
    #expect([ann.code, bob.code] == [.violated, .interrupted])
  }

  @Test(
    "Ctrl-C at a listener that serves a peer ends with the same status",
    arguments: ["--accept", "--keep"])
  func interruptedListener(option: String) throws {
    let folder = try Folder()
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", option, "--trust", "\(folder.path)/known", "--name", "Ann",
      on: "phone")
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    party.at(6) { ann.interrupt() }
    party.run(until: 12)
    #expect(ann.printed.err.hasSuffix("earshot: interrupted: 0 bytes sent, 0 bytes received\n"))
    #expect(bob.printed.err.contains("earshot: Ann reset the pipe (code 130, it was "))
    #expect([ann.code, bob.code] == [.interrupted, .violated])
  }

  @Test("Ctrl-C before a peer is there ends with the status of an interruption")
  func interruptedBefore() throws {
    let party = Party()
    let ann = try party.guest("pipe", "--listen", "--accept", on: "phone")
    let bob = try party.guest("pipe", "--to", "Zoë", on: "tablet")
    let cy = try party.guest("pipe", "--listen", "--accept", "--keep", on: "watch")
    for guest in [ann, bob, cy] { party.at(3) { guest.interrupt() } }
    party.run(until: 8)
    #expect([ann.code, bob.code, cy.code] == [.interrupted, .interrupted, .held])
    #expect(bob.printed.err.isEmpty)
  }

  @Test("An output that cannot be written ends with its own status, and the other end hears why")
  func brokenOutput() throws {
    let (party, ann, bob) = try annAndBob()
    ann.output.fail(with: EPIPE, after: 1)
    for part in 0..<8 { bob.input.bring(bytes[part << 16..<(part + 1) << 16]) }
    party.run(until: 12)
    #expect(
      ann.printed.err.hasSuffix("earshot: standard output cannot be written: Broken pipe\n"))
    #expect(
      bob.printed.err.contains(
        "earshot: Ann reset the pipe (code 5, its output cannot be written): "))
    #expect([ann.code, bob.code] == [.unwritten, .violated])
  }

  @Test("A failure to write the last bytes reaches an end whose directions have ended")
  func lastBytes() throws {
    let (party, ann, bob) = try annAndBob()
    ann.input.end()
    ann.output.hold()
    ann.output.fail(with: ENOSPC, after: 0)
    bob.input.bring("all".utf8)
    bob.input.end()
    party.run(until: 15)
    #expect(bob.output.isEnded && bob.code == nil)
    ann.output.release()
    party.run(until: 20)
    #expect(
      bob.printed.err.hasSuffix(
        "earshot: Ann reset the pipe (code 5, its output cannot be written): "
          + "3 bytes sent, 0 bytes received\n"))
    #expect([ann.code, bob.code] == [.unwritten, .violated])
  }

  @Test("An end that dies before it has written the last bytes is no success for the other end")
  func unconfirmed() throws {
    let party = Party()
    let ann = try party.guest("pipe", "--listen", "--accept", "--name", "Ann", on: "phone")
    let bob = try party.guest("pipe", "--to", "Ann", "--patience", "3", on: "tablet")
    ann.input.end()
    ann.output.hold()
    bob.input.bring("all".utf8)
    bob.input.end()
    party.at(8) { party.world.crash(ann.host) }
    party.run(until: 60)
    #expect(
      bob.printed.err.hasSuffix(
        "earshot: Ann left before it wrote everything: "
          + "3 bytes sent, 0 bytes received\n"))
    #expect(bob.code == .violated)
  }

  @Test("A listener of --keep does not go on without an output")
  func brokenOutputOfKeep() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--keep", "--name", "Ann", on: "phone")
    let bob = try party.guest("pipe", "--to", "Ann", on: "tablet")
    ann.output.fail(with: ENOSPC, after: 0)
    bob.input.bring("x".utf8)
    party.run(until: 12)
    #expect(ann.code == .unwritten && bob.code == .violated)
  }

  @Test("An input that cannot be read is not the end of the input")
  func brokenInput() throws {
    let (party, ann, bob) = try annAndBob()
    bob.input.bring("a part".utf8)
    bob.input.fail(with: EISDIR)
    party.run(until: 12)
    #expect(
      bob.printed.err.hasSuffix("earshot: standard input cannot be read: Is a directory\n"))
    #expect(ann.printed.err.contains("(code 1, its input cannot be read)"))
    #expect(!ann.output.isEnded)
    #expect([ann.code, bob.code] == [.violated, .violated])
  }

  @Test("A peer that dies is waited for as long as the patience lasts, and then is gone")
  func death() throws {
    let party = Party()
    let ann = try party.guest("pipe", "--listen", "--accept", "--name", "Ann", on: "phone")
    let bob = try party.guest("pipe", "--to", "Ann", "--patience", "7", on: "tablet")
    bob.input.bring("a part".utf8)
    party.at(5) { party.world.crash(ann.host) }
    party.run(until: 60)
    #expect(bob.printed.err.contains("\nAnn is out of reach; waiting for up to 7 s\n"))
    #expect(bob.printed.err.contains("earshot: Ann left before the end: 6 bytes sent"))
    #expect(bob.code == .violated)
  }

  @Test("A connection that breaks for a while costs no byte")
  func brokenLink() throws {
    let party = Party()
    let ann = try party.guest(
      "pipe", "--listen", "--accept", "--name", "Ann", "--patience", "60", on: "phone")
    let bob = try party.guest(
      "pipe", "--to", "Ann", "--patience", "60", "--progress", on: "tablet")
    ann.input.end()
    for part in 0..<16 { bob.input.bring(bytes[part << 16..<(part + 1) << 16]) }
    var fault: ActiveFault?
    party.at(5) { fault = party.world.partition([[ann.host], [bob.host]]) }
    party.at(6) { for part in 16..<48 { bob.input.bring(bytes[part << 16..<(part + 1) << 16]) } }
    party.at(30) {
      fault?.end()
      bob.input.end()
    }
    party.run(until: 120)
    #expect(bob.printed.err.contains("\nAnn is out of reach; waiting for up to 60 s\n"))
    #expect(bob.printed.err.contains(" sent, 0 bytes received, waiting for Ann\n"))
    #expect(bob.printed.err.contains("\nAnn is back, and nothing is lost\n"))
    #expect(ann.output.bytes == bytes)
    #expect([ann.code, bob.code] == [.held, .held])
  }

  // MARK: Progress

  @Test("Where a person watches, the progress is a line that is rewritten")
  func watchedProgress() throws {
    let party = Party()
    _ = try party.guest("pipe", "--listen", "--accept", "--name", "Ann", on: "phone")
    let bob = try party.guest(
      "pipe", "--to", "Ann", "--progress", on: "tablet", isWatched: true)
    bob.input.bring(bytes)
    party.run(until: 9)
    #expect(bob.printed.err.contains("\r\u{1B}[K3.0 MiB sent, 0 bytes received, 0 bytes/s"))
    #expect(!bob.printed.err.contains("received, 0 bytes/s\n"))
    bob.interrupt()
    party.run(until: 12)
    #expect(bob.printed.err.contains("\r\u{1B}[Kearshot: interrupted: "))
  }

  @Test("Elsewhere the progress is a line every ten seconds, and without --progress there is none")
  func plainProgress() throws {
    let party = Party()
    let ann = try party.guest("pipe", "--listen", "--accept", "--name", "Ann", on: "phone")
    let bob = try party.guest("pipe", "--to", "Ann", "--progress", on: "tablet")
    party.at(2) { bob.input.bring("12345".utf8) }
    party.run(until: 35)
    let line = "5 bytes sent, 0 bytes received, 0 bytes/s\n"
    #expect(bob.printed.err.components(separatedBy: line).count == 4)
    #expect(!bob.printed.err.contains("\r") && !ann.printed.err.contains("/s"))
  }
}

@Suite("Sizes and rates of a pipe")
struct PipeFigureTests {
  @Test(
    "A size has the largest unit of which there is at least one, and is never rounded up",
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1.0 KiB"),
      ((1 << 20) - 1, "1023.9 KiB"), (1 << 20, "1.0 MiB"), (3 << 30, "3.0 GiB"),
      (1 << 50, "1024.0 TiB"),
    ])
  func sizes(bytes: Int, text: String) { #expect(bytes.sizeText == text) }

  @Test("A rate is that of the last seconds")
  func rate() {
    var rate = TransferRate(from: .zero)
    #expect(rate.bytesPerSecond(at: .zero) ?? 0 == 0)
    for second in 1...10 { rate.note(1_000 * Int64(second), at: .zero + .seconds(second)) }
    #expect(rate.bytesPerSecond(at: .zero + .seconds(10)) == 1_000)
    for second in 11...20 { rate.note(10_000, at: .zero + .seconds(second)) }
    #expect(rate.bytesPerSecond(at: .zero + .seconds(20)) == 0)
  }
}
