import Earshot
import EarshotCommandLine
import EarshotSimulator
import Foundation
import ScreenKit
import Synchronization
import Testing

@Suite("Advertise, browse and ping in a simulated world")
struct LiveCommandTests {
  @Test("Who advertises is found and, after Ctrl-C, lost")
  func comeAndGo() throws {
    let party = Party()
    let bob = try party.guest("browse", on: "tablet")
    let ann = try party.guest(
      "advertise", "--name", "Ann", "--info", "room=lobby", "--info", "a=\u{7}", on: "phone")
    party.at(5) { ann.interrupt() }
    party.at(8) { bob.interrupt() }
    party.run(until: 12)
    let cells = bob.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(cells.map { $0.prefix(2) } == [["found", "Ann"], ["lost", "Ann"]])
    #expect(cells.first?.last == "a=\\u{7} room=lobby")
    #expect(ann.lines.first?.hasPrefix("Advertising Ann (") == true)
    #expect(
      ann.lines.first?.hasSuffix(
        ") for \"earshot\" with a=\\u{7} room=lobby; Ctrl-C ends it") == true)
    #expect(ann.lines.last == "Ann is no longer advertised")
    #expect(ann.code == .held)
    #expect(bob.code == .held)
  }

  @Test("Without a name, a peer has one from its identifier, and says nothing of its host")
  func nameless() throws {
    let party = Party()
    let bob = try party.guest("browse", on: "tablet")
    let ann = try party.guest("advertise", on: "phone")
    party.at(3) { ann.interrupt() }
    party.run(until: 5)
    let cells = try #require(bob.lines.first).split(separator: "\t").map(String.init)
    let name = try #require(cells.dropFirst().first)
    #expect(name.hasPrefix("peer-") && cells.contains { $0.hasPrefix(name.dropFirst(5)) })
    #expect(ann.lines.first?.hasPrefix("Advertising \(name) (\(name.dropFirst(5)))") == true)
    #expect(ann.lines.last == "\(name) is no longer advertised")
  }

  @Test("With a port of its own a peer is found there")
  func port() throws {
    let party = Party()
    let bob = try party.guest("browse", "--json", on: "tablet")
    let ann = try party.guest("advertise", "--name", "Ann", "--port", "7100", on: "phone")
    party.run(until: 3)
    #expect(bob.lines.first?.contains(":7100\"") == true)
    withExtendedLifetime(ann) {}
  }

  @Test("With an identity in a file a peer is the same each time; an unprotected one is refused")
  func identity() throws {
    let folder = try Folder()
    let path = "\(folder.path)/ann.pem"
    let party = Party()
    let bob = try party.guest("browse", "--json", on: "tablet")
    let words = ["advertise", "--name", "Ann", "--identity", path]
    let ann = try party.guest(words[0], words[1], words[2], words[3], words[4], on: "phone")
    party.at(5) { ann.interrupt() }
    party.run(until: 8)
    let id = try #require(try FileIdentityStore(path: path).load()?.id)
    #expect(bob.lines.first?.contains("\"\(id)\"") == true)
    let again = try party.guest(words[0], words[1], words[2], words[3], words[4], on: "laptop")
    party.run(until: 12)
    #expect(bob.lines.last?.contains("\"found\"") == true)
    #expect(bob.lines.last?.contains("\"\(id)\"") == true)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let refused = try party.guest(words[0], words[1], words[2], words[3], words[4], on: "watch")
    party.run(until: 13)
    #expect(refused.code == .violated && refused.printed.err.contains("chmod 600"))
    withExtendedLifetime((again, folder)) {}
  }

  @Test("A ticket leads to its peer, whom nobody has looked for")
  func ticket() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", "--ticket", on: "phone")
    party.run(until: 1)
    let text = try #require(ann.lines.dropFirst().first)
    #expect(PeerTicket(text)?.serviceType == "earshot")
    let bob = try party.guest("ping", "--ticket", text, "--count", "2", on: "tablet")
    party.run(until: 12)
    #expect(bob.code == .held)
    #expect(bob.lines.last?.isEmpty == false)
    for words in [["--ticket", "earshot:chat/abc@"], ["Ann", "--ticket", text]] {
      let last = words.dropFirst(2).first ?? "--json"
      let eve = try party.guest("ping", words[0], words[1], last, on: "eve\(words.count)")
      #expect(eve.printed.err.contains("--ticket"))
    }
  }

  @Test("A ticket without an address comes with a warning, whatever command prints it")
  func ticketWithoutAddress() throws {
    for words in [
      ["advertise", "--ticket"], ["pipe", "--listen", "--accept", "--ticket"],
      ["receive", "--into", "/in", "--accept", "--ticket"], ["chat", "--name", "Ann"],
    ] {
      for isUnplugged in [true, false] {
        let party = Party()
        let ann = try party.guest(typing: words, on: "phone", isTyping: words[0] == "chat")
        ann.host.disk.makeFolder(at: "/in")
        if isUnplugged { party.world.inject(.hosts(["phone"], .unplug)) }
        party.run(until: 1)
        if words[0] == "chat" { ann.type("/ticket") }
        party.run(until: 2)
        let isWarned = (ann.printed.err + ann.printed.out).contains("the ticket names no address")
        #expect(isWarned == isUnplugged, "\(words)")
        ann.interrupt()
        party.run(until: 5)
      }
    }
  }

  @Test(
    "Large messages that alone are lost are reported as such, and no others",
    arguments: [(4_000, 1_300, true), (4_000, 0, false), (56, 0, false)])
  func largeMessages(size: Int, passing: Int, isReported: Bool) throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let bob = try party.guest(
      "ping", "Ann", "--size", "\(size)", "--count", "2", "--timeout", "3", on: "tablet")
    var isOpen = false
    party.world.add(
      Rule { packet, _ in
        // The path is whole until both are members.
        if packet.kind == .tcp, packet.payloadBytes > 1_300 { isOpen = true }
        guard isOpen, packet.destination.port != 5_353 else { return nil }
        return packet.payloadBytes > passing || passing == 0 ? .drop : nil
      })
    party.run(until: 40)
    #expect(bob.code == (size == 56 ? .held : .violated))
    #expect(
      bob.printed.err.contains(
        "messages of 4000 bytes are lost, while messages of 56 bytes are answered") == isReported)
    withExtendedLifetime(ann) {}
  }

  @Test("Programs get one object a line")
  func json() throws {
    let party = Party()
    let bob = try party.guest("browse", "--json", "--service", "x", on: "tablet")
    let ann = try party.guest(
      "advertise", "--name", "A\"\u{202E}", "--info", "room=lobby", "--service", "x", on: "phone")
    party.at(5) { ann.interrupt() }
    party.run(until: 8)
    let objects = try bob.lines.map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
    #expect(objects.map { $0["event"] as? String } == ["found", "lost"])
    #expect(objects.map { $0["name"] as? String } == ["A\"\u{202E}", "A\"\u{202E}"])
    #expect((objects[0]["info"] as? [String: String]) == ["room": "lobby"])
    #expect((objects[0]["endpoints"] as? [String])?.isEmpty == false)
    #expect((objects[0]["id"] as? String)?.count == 52)
    #expect(!bob.printed.out.unicodeScalars.contains("\u{202E}"))
  }

  @Test("On a terminal there is a table that stays one, and stays within its size")
  func table() throws {
    let party = Party()
    let size = TerminalSize(columns: 60, rows: 6)
    let bob = try party.guest("browse", on: "tablet", terminal: size)
    for name in ["Ann", "小林", "🦊🦊", "D", "E"] {
      _ = try party.guest("advertise", "--name", name, on: "host of \(name)")
    }
    party.run(until: 5)
    let last = bob.printed.out.split(separator: "\u{1B}[J").last ?? ""
    let lines = last.split(separator: "\n")
    #expect(bob.printed.out.hasPrefix("\r\u{1B}[JLooking for peers of \"earshot\""))
    #expect(lines.count == 5)
    #expect(lines.first?.hasPrefix("#  NAME  ID        ADDRESS") == true)
    #expect(lines.dropFirst().first?.hasPrefix("1  Ann   ") == true)
    #expect(lines.last?.hasPrefix("and 2 more") == true)
    #expect(lines.allSatisfy { String($0).columns <= 60 })
  }

  @Test("A ping by name, number or identifier measures every round trip", arguments: 0...2)
  func ping(way: Int) throws {
    let party = Party()
    let eve = try party.guest("advertise", "--name", "Eve", "--accept", on: "phone")
    _ = try party.guest("advertise", "--name", "Ann", on: "watch")
    let id = eve.lines.first?.split(separator: "(").last?.prefix(8) ?? ""
    party.run(until: 1)
    let identifier = eve.lines.first?.split(separator: "(").last?.prefix(8) ?? id
    let target = ["Eve", "2", String(identifier)][way]
    let bob = try party.guest(
      "ping", target, "--count", "3", "--size", "1000", "--interval", "0.1", on: "tablet")
    party.run(until: 10)
    #expect(bob.lines.count == 7)
    #expect(bob.lines.first == "ping Eve (\(identifier)), 1000 bytes")
    #expect(bob.lines.dropFirst().first?.hasPrefix("1000 bytes from Eve: 1, ") == true)
    #expect(bob.lines.dropLast().last == "3 sent, 3 answered, 0 % lost")
    #expect(bob.lines.last?.hasPrefix("round trip min ") == true)
    #expect(bob.code == .held)
    #expect(eve.lines.last?.hasSuffix("is gone") == true)
  }

  @Test("Who invites and is silent then keeps no others waiting")
  func silentInviters() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    for number in 1...3 {
      let host = party.world.makeHost("silent \(number)")
      // What is sent at 3.8 s arrives at 4 s.
      party.world.setLink(
        between: ann.host, and: host, LinkConditions(latency: .milliseconds(200), jitter: .zero))
      host.addTask("invites") {
        guard let peer = try? await Peer("Silent", trusting: .anyPeer, on: host),
          let browser = try? await peer.browse("earshot"),
          let session = try? await peer.makeSession()
        else { return }
        for await case .found(let found) in browser.events {
          try? await host.sleep(until: .zero + .seconds(3))
          _ = try? await peer.invite(found.id, to: session)
          break
        }
      }
      party.at(3.9) { [world = party.world] in world.freeze(host) }
    }
    party.run(until: 4.1)
    let bob = try party.guest("ping", "Ann", "--count", "1", on: "tablet")
    party.run(until: 7.5)
    #expect(bob.lines.dropFirst().first?.hasPrefix("56 bytes from Ann: 1, ") == true)
  }

  @Test(
    "After a change of its size the terminal has one table, with all that fits",
    arguments: Narrowing.all)
  func resized(narrowing: Narrowing) throws {
    let party = Party()
    let terminal = Mutex(Screen(columns: 70, rows: 10, narrowing: narrowing))
    let printed = Console(
      terminal: { terminal.withLock { $0.size } },
      out: { text in terminal.withLock { $0.write(text) } },
      err: { _ in })
    let bob = try party.guest("browse", on: "tablet", writingTo: printed)
    for name in ["Ann", "小林", "Eve"] {
      _ = try party.guest(
        "advertise", "--name", name, "--info", "room=lobby", on: "host of \(name)")
    }
    party.at(3) {
      terminal.withLock { $0.resize(columns: 30, rows: 10) }
      bob.keyboard.noteTerminalChange { true }
    }
    let ann = "1  Ann   "
    party.run(until: 4)
    for columns in [30, 100] {
      terminal.withLock { $0.resize(columns: columns, rows: 10) }
      bob.keyboard.noteTerminalChange { true }
      let rows = terminal.withLock { $0.lines.suffix(10) }
      #expect(rows.filter { $0.hasPrefix(ann) }.count == 1)
      #expect(rows.count == 4)
      #expect(rows.allSatisfy { $0.columns <= columns })
      #expect(rows.contains { $0.hasSuffix("room=lobby") } == (columns == 100))
    }
    _ = try party.guest("advertise", "--name", "Zoë", on: "watch")
    party.run(until: 8)
    #expect(terminal.withLock { $0.lines.count } == 5)
    #expect(terminal.withLock { $0.unknown }.isEmpty)
  }

  @Test("A flood sends as fast as answers come, and shows nothing for each")
  func flood() throws {
    let party = Party()
    _ = try party.guest("advertise", "--name", "Eve", "--accept", on: "phone")
    let bob = try party.guest("ping", "Eve", "--flood", "--count", "200", on: "tablet")
    party.run(until: 5)
    #expect(bob.lines.count == 4)
    #expect(bob.lines.dropFirst(2).first == "200 sent, 200 answered, 0 % lost")
    #expect(bob.code == .held)
  }

  @Test("A lost unreliable message costs a multiple of the round trip, and not the timeout")
  func lossTimer() throws {
    let party = Party()
    party.world.setDefaultLink(LinkConditions(loss: .percent(20)))
    _ = try party.guest("advertise", "--name", "Eve", "--accept", on: "phone")
    let bob = try party.guest(
      "ping", "Eve", "--unreliable", "--count", "40", "--interval", "0.01", "--timeout", "60",
      on: "tablet")
    party.run(until: 55)  // One lost message would take longer by the timeout.
    #expect(bob.code == .violated)
    let counts = bob.lines.first { $0.hasPrefix("40 sent, ") }
    #expect(counts?.hasSuffix(" 0 % lost") == false)
  }

  @Test("A search that takes a while names the peer on a terminal, and nowhere else")
  func searchNotice() throws {
    let party = Party()
    let (ann, bob) = (
      try party.guest("ping", "Eve", "--timeout", "4", on: "phone", isWatched: true),
      try party.guest("ping", "Eve", "--timeout", "4", on: "tablet")
    )
    party.run(until: 8)
    #expect(ann.printed.err.hasPrefix("Looking for \"Eve\" of the service \"earshot\"; "))
    #expect(!bob.printed.err.contains("Looking"))
  }

  @Test(
    "A search without a peer mentions the doctor once after ten seconds", arguments: [true, false])
  func doctorHint(isAlone: Bool) throws {
    let party = Party()
    let (ann, bob) = (
      try party.guest("browse", "--service", "earshot-chat", on: "phone"),
      try party.guest("chat", on: "tablet")
    )
    let eve = isAlone ? nil : try party.guest("chat", on: "watch")
    // A chat is visible, so the one that browses is alone only once it is gone.
    if isAlone { bob.type("/invisible") }
    party.run(until: 40)
    let hint = "earshot doctor"
    #expect(bob.lines.count { $0.contains(hint) } == (isAlone ? 1 : 0))
    #expect(ann.printed.err.components(separatedBy: hint).count - 1 == 0)
    withExtendedLifetime(eve) {}
    let lonely = try party.guest("browse", "--service", "x", on: "desk")
    party.run(until: 80)
    #expect(lonely.printed.err.components(separatedBy: hint).count == 2)
    #expect(lonely.lines.isEmpty)
  }

  @Test(
    "A damaged file of trusted peers ends each command at the start, with its name",
    arguments: [["chat"], ["advertise"], ["browse"], ["ping", "Ann"], ["pipe", "--to", "Ann"]])
  func damagedTrust(words: [String]) throws {
    let folder = try Folder()
    let path = try folder.file("known.json", "{ no }")
    let party = Party()
    let guest = try party.guest(typing: words + ["--trust", path], on: "phone")
    party.run(until: 0.5)
    #expect(guest.code == .usage && guest.lines.isEmpty)
    #expect(guest.printed.err.contains("--trust \(path): ") && guest.printed.err.contains("Repair"))
    withExtendedLifetime(folder) {}
  }

  @Test("A key that cannot be read is reported with its file and the remedy")
  func damagedIdentity() throws {
    let folder = try Folder()
    let path = try folder.file("me.pem", "nothing")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let party = Party()
    let guest = try party.guest("browse", "--identity", path, on: "phone")
    party.run(until: 0.5)
    #expect(guest.code == .violated)
    #expect(guest.printed.err.contains("--identity \(path): "))
    #expect(guest.printed.err.contains("earshot identity KEYFILE --create"))
    let shell = Shell()
    #expect(shell.run("identity", path) == .violated && shell.err.contains(path))
    withExtendedLifetime(folder) {}
  }

  @Test("What is sent unreliably is answered so, and shows what a path loses")
  func unreliable() throws {
    let party = Party()
    party.world.setDefaultLink(LinkConditions(loss: .percent(20)))
    _ = try party.guest("advertise", "--name", "Eve", "--accept", on: "phone")
    let bob = try party.guest(
      "ping", "Eve", "--unreliable", "--flood", "--count", "100", "--timeout", "4", on: "tablet")
    let cy = try party.guest("ping", "Eve", "--flood", "--count", "50", on: "watch")
    party.run(until: 300)
    #expect(cy.lines.contains("50 sent, 50 answered, 0 % lost"))
    let line = try #require(bob.lines.first { $0.hasPrefix("100 sent, ") })
    let answered = try #require(Int(line.split(separator: " ")[2]))
    // Of the questions in datagrams, 64 % are answered; those before went over the link.
    #expect((45...85).contains(answered), "\(line)")
    #expect(bob.code == .violated)
  }

  @Test("On a terminal a flood leaves a dot for each message that is not answered")
  func dots() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let bob = try party.guest(
      "ping", "Ann", "--flood", "--timeout", "1.5", on: "tablet",
      terminal: TerminalSize(columns: 80, rows: 24))
    party.at(1.2) { party.world.crash(ann.host) }
    party.run(until: 60)
    let lines = bob.screen(columns: 80).lines
    #expect(bob.printed.out.contains(".\u{8} \u{8}.\u{8} \u{8}"))
    #expect(lines.dropFirst().first?.allSatisfy { $0 == "." } == true)
    #expect(lines.dropFirst().first?.isEmpty == false)
    #expect(!lines.contains { $0.hasPrefix("no answer") })
    #expect(bob.screen(columns: 80).unknown.isEmpty)
    #expect(bob.code == .violated)
  }

  @Test("Programs get an object for each answer, and one at the end; of a flood only that")
  func pingJSON() throws {
    let party = Party()
    _ = try party.guest("advertise", "--name", "E\"ve", "--accept", on: "phone")
    let ping = try party.guest(
      "ping", "E\"ve", "--json", "--count", "2", "--interval", "0.1", on: "tablet")
    let flood = try party.guest("ping", "E\"ve", "--json", "--flood", "--count", "50", on: "watch")
    party.run(until: 6)
    let objects = try ping.objects
    #expect(
      objects.map { $0["event"] as? String } == ["started", "answered", "answered", "finished"])
    #expect(objects[0]["name"] as? String == "E\"ve")
    #expect((objects[0]["id"] as? String)?.count == 52)
    #expect(objects[0]["bytes"] as? Int == 56)
    #expect(objects[2]["number"] as? Int == 2)
    #expect(objects[2]["milliseconds"] as? Double ?? 0 > 0)
    #expect(objects[3]["sent"] as? Int == 2)
    #expect(objects[3]["answered"] as? Int == 2)
    #expect(objects[3]["lostPercent"] as? Int == 0)
    #expect(
      (objects[3]["milliseconds"] as? [String: Double])?.keys.sorted() == [
        "max", "median", "min", "p95",
      ])
    #expect(try flood.objects.map { $0["event"] as? String } == ["started", "finished"])
    #expect(try flood.objects.last?["sent"] as? Int == 50)
  }

  @Test("Programs hear of messages without an answer, and of a peer that is gone")
  func pingJSONDeath() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let bob = try party.guest(
      "ping", "Ann", "--json", "--count", "100", "--timeout", "2", on: "tablet")
    party.at(2.5) { party.world.crash(ann.host) }
    party.run(until: 90)
    let events = try bob.objects.compactMap { $0["event"] as? String }
    #expect(events.contains("unanswered"))
    #expect(events.suffix(2) == ["gone", "finished"])
    #expect(bob.code == .violated)
  }

  @Test("Who is not there, or does not want to, is not pinged")
  func refused() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    let bob = try party.guest("ping", "Ann", "--name", "Bob", on: "tablet")
    let eve = try party.guest("ping", "Zo\u{7}", "--timeout", "2", on: "watch")
    party.run(until: 10)
    #expect(bob.printed.err.hasPrefix("earshot: Ann ("))
    #expect(bob.printed.err.hasSuffix(") declined the invitation.\n"))
    #expect(eve.printed.err.hasPrefix("earshot: “Zo\\u{7}” was never discovered: "))
    #expect([bob.code, eve.code] == [.violated, .violated])
    #expect(ann.lines.last?.hasSuffix(" has sent an invitation: declined") == true)
    #expect(ann.lines.last?.hasPrefix("Bob (") == true)
  }

  @Test(
    "Who is asked for by an identifier with a slip in it is not pinged, and named",
    arguments: [8, 20, 52])
  func mistyped(length: Int) throws {
    let party = Party()
    _ = try party.guest("advertise", "--name", "Ann", on: "phone")
    let browser = try party.guest("browse", "--json", on: "watch")
    party.run(until: 2)
    let id = try #require(browser.objects.compactMap { $0["id"] as? String }.first)
    let typed = Array(id.prefix(length))
    func changed(_ count: Int) -> String {
      // One of the alphabet's characters for another one.
      String(typed.enumerated().map { $0 < count ? ($1 == "a" ? "b" : "a") : $1 })
    }
    let swapped = String([typed[1], typed[0]] + typed.dropFirst(2))
    let cases = [changed(1), changed(2), changed(3), swapped]
    let guests = try cases.enumerated().map { number, text in
      try party.guest("ping", text, "--timeout", "2", on: "host\(number)")
    }
    party.run(until: 10)
    let hint = " Did you mean \(id.prefix(length)) (Ann)?"
    let differs = typed[0] != typed[1]
    // Two equal characters that change places are no mistake.
    for (text, (guest, isHinted)) in zip(cases, zip(guests, [true, true, false, differs]))
    where text != String(typed) {
      // A whole identifier is that of one peer, whose short identifier is enough to name it.
      let subject = PeerID(text).map(\.short) ?? "“\(text)”"
      #expect(guest.printed.err.hasPrefix("earshot: \(subject) was never discovered: "))
      #expect(guest.printed.err.hasSuffix(hint + "\n") == isHinted, "\(guest.printed.err)")
      #expect(guest.code == .violated)
    }
  }

  @Test("Of two peers with one name neither is pinged")
  func ambiguous() throws {
    let party = Party()
    for host in ["phone", "watch"] {
      _ = try party.guest("advertise", "--name", "Ann", "--accept", on: host)
    }
    party.run(until: 2)
    let bob = try party.guest("ping", "Ann", on: "tablet")
    party.run(until: 5)
    #expect(bob.printed.err.hasPrefix("earshot: 2 peers are called \"Ann\"; give one of their"))
    #expect(bob.code == .violated)
  }

  @Test("The beginning of a name is enough, and of several names a whole one is taken")
  func prefixes() throws {
    let party = Party()
    for name in ["Anna", "Annabel", "Bob"] {
      _ = try party.guest("advertise", "--name", name, "--accept", on: "host of \(name)")
    }
    party.run(until: 2)
    let guests = try ["Bo", "anna", "Ann"].map { name in
      try party.guest("ping", name, "--count", "1", on: "asks for \(name)")
    }
    party.run(until: 8)
    #expect(guests[0].lines.first?.hasPrefix("ping Bob (") == true)
    #expect(guests[1].lines.first?.hasPrefix("ping Anna (") == true)
    let complaint = guests[2].printed.err
    #expect(complaint.hasPrefix("earshot: the names of 2 peers begin with \"Ann\"; choose one of "))
    #expect(complaint.contains(" Anna (") && complaint.contains(", Annabel ("))
    #expect(guests.map(\.code) == [.held, .held, .violated])
  }

  @Test("A whole name wins that is found just after one that begins so")
  func laterWholeName() throws {
    let party = Party()
    let bob = try party.guest("ping", "Ann", "--count", "1", on: "tablet")
    party.run(until: 3)
    for name in ["Annabel", "Ann"] {
      _ = try party.guest("advertise", "--name", name, "--accept", on: "host of \(name)")
      party.run(until: name == "Ann" ? 12 : 3.6)
    }
    #expect(bob.lines.first?.hasPrefix("ping Ann (") == true)
    #expect(bob.code == .held)
  }

  @Test("Ctrl-C shows what was measured so far")
  func interrupted() throws {
    let party = Party()
    _ = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let bob = try party.guest("ping", "Ann", "--count", "100", on: "tablet")
    party.at(3.5) { bob.interrupt() }
    party.run(until: 8)
    #expect(bob.lines.contains { $0.hasSuffix(" answered, 0 % lost") })
    #expect(bob.code == .held)
  }

  @Test("A peer that dies leaves messages unanswered")
  func death() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let bob = try party.guest(
      "ping", "Ann", "--count", "4", "--timeout", "2", on: "tablet")
    party.at(2.5) { party.world.crash(ann.host) }
    party.run(until: 60)
    #expect(bob.lines.contains { $0.hasPrefix("no answer to ") || $0 == "Ann is gone" })
    #expect(bob.code == .violated)
  }
}

@Suite("Round trips")
struct RoundTripTests {
  @Test("Nothing sent is nothing lost")
  func none() { #expect(RoundTrips().text == "0 sent, 0 answered, 0 % lost\n") }

  @Test(
    "What was lost is never no percent",
    arguments: [(1_000_000, "0.1"), (1_000, "0.1"), (8, "12.5"), (2, "50")])
  func lost(sent: Int, percent: String) {
    var trips = RoundTrips()
    for _ in 0..<sent { trips.addSent() }
    for _ in 1..<sent { trips.addAnswer(after: .zero) }
    #expect(trips.text.hasPrefix("\(sent) sent, \(sent - 1) answered, \(percent) % lost\n"))
    #expect(!trips.areAllAnswered)
    trips.removeSent()
    #expect(trips.areAllAnswered)
  }

  @Test("The figures are those of the nearest rank")
  func figures() {
    var trips = RoundTrips()
    for time in (1...20).reversed() {
      trips.addSent()
      trips.addAnswer(after: .milliseconds(time))
    }
    trips.addSent()
    #expect(
      trips.text == """
        21 sent, 20 answered, 4.8 % lost
        round trip min 1.000 ms, median 10.000 ms, p95 19.000 ms, max 20.000 ms

        """)
  }
}
