import EarshotCommandLine
import EarshotSimulator
import ScreenKit
import Testing

@Suite("Chats in a simulated world")
struct ChatTests {
  @Test("Two people meet, talk and part")
  func two() throws {
    let (party, ann, bob) = try Party.chatting()
    party.at(4) { ann.type("hello") }
    party.at(5) { bob.type("hello yourself") }
    party.at(6) { ann.type("/leave") }
    party.at(7) { ann.type("/quit") }
    party.at(10) { bob.closeInput() }
    party.run(until: 14)
    #expect(
      ann.lines.dropFirst(2) == [
        "Bob is nearby: /invite 1", "Bob wants to chat with you. Accept? (y/n)",
        "Bob joined this chat", "You said: hello", "Bob said: hello yourself",
        "You ended this chat",
      ])
    #expect(
      bob.lines.dropFirst(2) == [
        "Ann is nearby: /invite 1", "Asking Ann…", "Ann joined this chat", "Ann said: hello",
        "You said: hello yourself", "Ann ended this chat", "No member is left in this chat",
        "Ann is no longer nearby",
      ])
    #expect(ann.code == .held)
    #expect(bob.code == .held)
  }

  @Test("A chat explains a peer that is nearby, one that has gone, and one that was never there")
  func explanations() throws {
    let (party, ann, bob) = try Party.chatting()
    party.at(4) { bob.type("/why 1") }
    party.at(5) { ann.type("/quit") }
    party.at(9) { bob.type("/why an") }
    party.at(10) { bob.type("/why Zoë") }
    party.at(11) { bob.closeInput() }
    party.run(until: 15)
    let lines = bob.lines
    #expect(
      lines.contains { $0.hasPrefix("Ann (") && $0.contains(") is a member, and connected") })
    #expect(lines.contains { $0.hasPrefix("  ") && $0.hasSuffix(" ago: became a member") })
    #expect(lines.contains { $0.hasPrefix("Ann (") && $0.contains("is not visible any more") })
    #expect(lines.contains { $0.hasPrefix("“Zoë” was never discovered: ") }, "\(lines)")
    #expect(bob.code == .held)
  }

  @Test("Whoever quits reads that they left, in whatever way they quit", arguments: 0...2)
  func quitting(way: Int) throws {
    let (party, ann, bob) = try Party.chatting()
    party.at(4) { [{ ann.type("/quit") }, { ann.closeInput() }, { ann.interrupt() }][way]() }
    party.run(until: 8)
    #expect(ann.lines.last == "You ended this chat")
    #expect(ann.code == .held)
    #expect(bob.lines.contains("Ann ended this chat"))
    #expect(!bob.lines.contains("You ended this chat"))
  }

  @Test("At terminals each sees what was said once, above the line that is being typed")
  func terminals() throws {
    let party = Party()
    let size = TerminalSize(columns: 80, rows: 24)
    let ann = try party.guest(
      "chat", "--name", "Ann", on: "phone", terminal: size, isTyping: true)
    let bob = try party.guest(
      "chat", "--name", "Bob", on: "tablet", terminal: size, isTyping: true)
    party.at(2) { bob.press("/inv\u{7F}vite 1\r") }
    party.at(3) { ann.press("y\r") }
    party.at(4) { ann.press("I am typ") }
    party.at(5) { bob.press("hlo\u{1B}[D\u{1B}[Del\u{5}!\r") }
    party.at(6) { ann.press("ing") }
    party.run(until: 7)
    #expect(
      ann.screen(columns: 80).lines.dropFirst(2) == [
        "Bob is nearby: /invite 1", "Bob wants to chat with you. Accept? (y/n)", "> y",
        "Bob joined this chat", "Bob said: hello!", "> I am typing",
      ])
    #expect(
      bob.screen(columns: 80).lines.dropFirst(2) == [
        "Ann is nearby: /invite 1", "> /invite 1", "Asking Ann…", "Ann joined this chat",
        "You said: hello!", ">",
      ])
    #expect(ann.isEditing && bob.isEditing)
    party.at(8) { ann.press("\u{15}\u{4}") }
    party.run(until: 12)
    #expect(ann.screen(columns: 80).lines.last == "You ended this chat")
    #expect(ann.code == .held)
    #expect(!ann.isEditing)
    #expect(bob.screen(columns: 80).lines.suffix(4).contains("Ann ended this chat"))
    #expect(ann.screen(columns: 80).unknown.isEmpty)
  }

  @Test("A member that hides is still shown as one")
  func hiddenMember() throws {
    let (party, ann, bob) = try Party.chatting()
    party.at(4) { ann.type("/invisible") }
    party.at(6) { bob.type("/who") }
    party.run(until: 7)
    #expect(bob.lines.last == "  -  Ann, in this chat, and invisible to others")
  }

  @Test("Joiners of scripts and emoji arrive as they were sent")
  func joiners() throws {
    let (party, ann, bob) = try Party.chatting()
    party.at(4) { bob.type("👩‍👩‍👧 ❤️ می‌خواهم \u{202E}\u{2066}") }
    party.run(until: 5)
    #expect(ann.lines.last == "Bob said: 👩‍👩‍👧 ❤️ می‌خواهم \\u{202E}\\u{2066}")
  }

  @Test("Colours tell who said what")
  func colours() throws {
    let party = Party()
    let ann = try party.guest("chat", "--name", "Ann", on: "phone", isColoured: true)
    let bob = try party.guest("chat", "--name", "Bob", on: "tablet", isColoured: true)
    party.at(2) { bob.type("/invite ann") }
    party.at(3) { ann.type("yes") }
    party.at(4) { ann.type("hello") }
    party.run(until: 5)
    #expect(ann.lines.contains("\u{1B}[32mYou said:\u{1B}[0m hello"))
    #expect(bob.lines.contains("\u{1B}[33mAnn said:\u{1B}[0m hello"))
  }

  @Test("Who joins one member of a chat is in it with all, and a late question is queued")
  func several() throws {
    let party = Party()
    let ann = try party.guest("chat", "--name", "Ann", on: "phone")
    let others = try ["Bob", "Eve", "Zoë"].map {
      try party.guest("chat", "--name", $0, on: "host of \($0)")
    }
    party.at(2) { for other in others { other.type("/invite Ann") } }
    party.at(3) { for answer in ["y", "y", "/accept"] { ann.type(answer) } }
    party.at(5) { others[1].type("hello all") }
    party.at(6) { others[0].interrupt() }
    party.run(until: 9)
    for guest in [ann, others[0], others[2]] {
      #expect(guest.lines.contains("Eve said: hello all"))
    }
    for guest in [ann, others[1], others[2]] {
      #expect(guest.lines.contains("Bob left this chat"))
    }
    #expect(others[0].code == .held)
    #expect(ann.lines.filter { $0.hasSuffix("Accept? (y/n)") }.count == 3)
  }

  @Test("A no is told, and an invitation that nobody answers ends by itself")
  func refusals() throws {
    let (party, ann, bob) = try Party.annAndBob()
    party.at(2) { bob.type("/invite Ann") }
    party.at(3) { ann.type("n") }
    party.at(4) { bob.type("/invite Ann") }
    party.run(until: 40)
    #expect(bob.lines.contains("Ann declined"))
    #expect(bob.lines.contains("Ann did not answer in time"))
    #expect(
      ann.lines.suffix(2) == ["Bob wants to chat with you. Accept? (y/n)", "Bob no longer asks"])
  }

  @Test("Who is invisible is not near, and cannot be asked")
  func invisible() throws {
    let (party, ann, bob) = try Party.annAndBob()
    party.at(2) { ann.type("/invisible") }
    party.at(4) { bob.type("/who") }
    party.at(5) { ann.type("/visible") }
    party.at(7) { bob.type("/who") }
    party.run(until: 8)
    #expect(
      bob.lines.dropFirst(2) == [
        "Ann is nearby: /invite 1", "Ann is no longer nearby", "No peer is nearby.",
        "Ann is nearby: /invite 1", "  1  Ann",
      ])
  }

  @Test("A process that dies has ended the chat once patience is over")
  func death() throws {
    let party = Party()
    let ann = try party.guest("chat", "--name", "Ann", on: "phone")
    let bob = try party.guest("chat", "--name", "Bob", "--patience", "3", on: "tablet")
    party.at(2) { bob.type("/invite 1") }
    party.at(3) { ann.type("y") }
    party.at(5) { party.world.crash(ann.host) }
    party.run(until: 30)
    #expect(bob.lines.contains("Ann is out of reach; waiting for a while"))
    #expect(bob.lines.contains("Ann ended this chat (the connection was lost)"))
  }

  @Test("Names and texts from others are printed safe")
  func hostile() throws {
    let party = Party()
    let ann = try party.guest("chat", "--name", "Ann", on: "phone")
    let bob = try party.guest("chat", "--name", "B\u{202E}ob", on: "tablet")
    party.at(2) { bob.type("/invite 1") }
    party.at(3) { ann.type("y") }
    party.at(4) { bob.type("\u{1B}[2Jgone\u{7}") }
    party.run(until: 5)
    #expect(ann.lines.last == "B\\u{202E}ob said: \\u{1B}[2Jgone\\u{7}")
    #expect(!ann.printed.out.contains("\u{1B}"))
    #expect(!ann.printed.out.unicodeScalars.contains("\u{202E}"))
  }

  @Test("The same seed gives the same transcript")
  func determinism() throws {
    let transcripts = try (0..<2).map { _ in
      let party = Party(seed: 7)
      let ann = try party.guest("chat", "--name", "Ann", on: "phone")
      let bob = try party.guest("chat", "--name", "Bob", on: "tablet")
      party.at(2) { bob.type("/invite 1") }
      party.at(2) { ann.type("/invite 1") }
      party.at(4) { bob.type("hi") }
      party.run(until: 6)
      return ann.printed.out + bob.printed.out
    }
    #expect(transcripts[0] == transcripts[1])
    #expect(transcripts[0].contains("Bob said: hi"))
  }
}

@Suite("Files in chats")
struct ChatFileTests {
  /// As by `Party.chatting()`; Bob has files, and Ann a folder.
  private func chatting() throws -> (party: Party, ann: Guest, bob: Guest) {
    let party = Party()
    let ann = try party.guest("chat", "--name", "Ann", "--into", "/in", on: "phone")
    let bob = try party.guest("chat", "--name", "Bob", on: "tablet")
    ann.host.disk.makeFolder(at: "/in")
    bob.host.disk.makeFolder(at: "/home")
    bob.host.disk.write(Mail.bytes(10 << 20), to: "/home/my photo.jpg")
    bob.host.disk.write([1], to: "/home/b")
    party.world.setLink(between: ann.host, and: bob.host, Mail.slow)
    party.at(2) { bob.type("/invite Ann") }
    party.at(3) { ann.type("y") }
    return (party, ann, bob)
  }

  @Test("A file is offered to a member, asked about, and arrives while both talk on")
  func sent() throws {
    let (party, ann, bob) = try chatting()
    party.at(4) { bob.type("/send /home/my photo.jpg") }
    party.at(5) { ann.type("y") }
    party.at(7) { ann.type("it comes") }
    party.at(7.5) { bob.type("/files") }
    party.run(until: 20)
    #expect(
      ann.lines.dropFirst(5) == [
        "Bob offers my photo.jpg, 10.0 MiB. Accept? (y/n)",
        "Receiving my photo.jpg (10.0 MiB) from Bob", "You said: it comes",
        "/in/my photo.jpg is here, from Bob",
      ])
    let lines = bob.lines.dropFirst(5)
    #expect(lines.first == "Offering my photo.jpg (10.0 MiB) to Ann")
    #expect(lines.dropFirst().first == "Ann said: it comes")
    #expect(lines.dropFirst(2).first?.hasPrefix("  1  my photo.jpg to Ann, ") == true)
    #expect(lines.dropFirst(2).first?.hasSuffix(" s left") == true)
    #expect(lines.last == "Ann has my photo.jpg")
    #expect(ann.host.disk.bytes(of: "/in/my photo.jpg") == Mail.bytes(10 << 20))
  }

  @Test("A file is declined, cancelled by either side, or never offered, in words")
  func ends() throws {
    let (party, ann, bob) = try chatting()
    party.at(4) { bob.type("/send /home/b") }
    party.at(5) { ann.type("n") }
    party.at(6) { bob.type("/send /none") }
    party.at(7) { bob.type("/send /home/my photo.jpg") }
    party.at(8) { bob.type("/cancel") }
    party.at(9) { bob.type("/send /home/my photo.jpg") }
    party.at(10) { ann.type("y") }
    party.at(12) { ann.type("/cancel 1") }
    party.at(13) { ann.type("/files") }
    party.run(until: 20)
    let bobs = bob.lines.dropFirst(5)
    #expect(bobs.contains("Ann declined b"))
    #expect(bobs.contains { $0.contains("/none") && $0.contains("cannot be read") })
    #expect(bobs.contains("interrupted: my photo.jpg, 0 bytes of 10.0 MiB"))
    #expect(bobs.last?.hasPrefix("Ann cancelled my photo.jpg: ") == true)
    #expect(ann.lines.contains("Bob no longer offers my photo.jpg, 10.0 MiB"))
    #expect(ann.lines.contains { $0.hasPrefix("interrupted: my photo.jpg, ") })
    #expect(ann.lines.last == "No file is under way.")
    #expect(ann.host.disk.names(in: "/in").isEmpty)
  }

  @Test("A file goes to every member, and the end of a chat ends it")
  func toAll() throws {
    let (party, ann, bob) = try chatting()
    let cy = try party.guest("chat", "--name", "Cy", "--into", "/in", on: "watch")
    cy.host.disk.makeFolder(at: "/in")
    party.world.setLink(between: cy.host, and: bob.host, Mail.slow)
    party.at(4) { cy.type("/invite Bob") }
    party.at(5) { bob.type("y") }
    party.at(7) { bob.type("/send /home/b") }
    for guest in [ann, cy] { party.at(8) { guest.type("y") } }
    party.at(10) { bob.type("/send /home/my photo.jpg") }
    for guest in [ann, cy] { party.at(11) { guest.type("y") } }
    party.at(11.5) { bob.type("/leave") }
    party.run(until: 30)
    for guest in [ann, cy] { #expect(guest.host.disk.names(in: "/in") == ["b"]) }
    #expect(bob.lines.count { $0 == "Ann has b" || $0 == "Cy has b" } == 2)
    #expect(bob.lines.count { $0.hasPrefix("interrupted: my photo.jpg, ") } == 2)
  }

  @Test("A folder that cannot be written to is an answer to both")
  func noFolder() throws {
    let (party, ann, bob) = try chatting()
    ann.host.disk.remove("/in")
    party.at(4) { bob.type("/send /home/b") }
    party.at(5) { ann.type("/accept") }
    party.run(until: 10)
    #expect(ann.lines.last?.contains("/in/ is not a folder") == true)
    #expect(bob.lines.last == "Ann declined b: the file cannot be written there")
  }
}
