import Earshot
import EarshotCommandLine
import EarshotSimulator
import Foundation
import Testing

@Suite("Send and receive, interrupted")
struct FileTroubleTests {
  private let file = ["/home/big.bin": 10 << 20]

  @Test("Ctrl-C at either end ends the transfer at both, and leaves nothing", arguments: [0, 1])
  func interrupted(end: Int) throws {
    let mail = try Mail(sending: ["/home/big.bin"], over: Mail.slow, files: file)
    mail.party.at(6) { [mail.ann, mail.bob][end].interrupt() }
    mail.party.run(until: 20)
    #expect(mail.received.isEmpty)
    let (own, other) = end == 0 ? (mail.ann, mail.bob) : (mail.bob, mail.ann)
    #expect(own.complaints.last?.hasPrefix("interrupted: big.bin, ") == true)
    #expect(own.complaints.last?.hasSuffix(" MiB of 10.0 MiB") == true)
    let name = end == 0 ? "Ann" : "Bob"
    #expect(other.complaints.first?.hasPrefix("\(name) cancelled big.bin: ") == true)
    #expect(own.code == .interrupted && other.code == .violated)
  }

  @Test("Ctrl-C before a transfer is an interruption, unless the receiver waits for ever")
  func interruptedBefore() throws {
    let party = Party()
    let ann = try party.guest("receive", "--accept", "--once", on: "phone")
    let cy = try party.guest("receive", "--accept", on: "watch")
    for guest in [ann, cy] { guest.host.disk.makeFolder(at: ".") }
    let bob = try party.guest("send", "/b", "--to", "Zoë", on: "tablet")
    bob.host.disk.write([1], to: "/b")
    for guest in [ann, bob, cy] { party.at(3) { guest.interrupt() } }
    party.run(until: 8)
    #expect([ann.code, bob.code, cy.code] == [.interrupted, .interrupted, .held])
  }

  @Test("A connection that breaks for a while costs time, and both ends report it")
  func brokenLink() throws {
    let mail = try Mail(
      receiving: ["--accept", "--once", "--patience", "60"],
      sending: ["/home/big.bin", "--patience", "60"], over: Mail.slow, files: file)
    var fault: ActiveFault?
    mail.party.at(5) { fault = mail.party.world.partition([[mail.ann.host], [mail.bob.host]]) }
    mail.party.at(25) { fault?.end() }
    mail.party.run(until: 90)
    #expect(mail.codes == [.held, .held])
    #expect(mail.has("/in/big.bin", of: 10 << 20))
    for (guest, other) in [(mail.ann, "Bob"), (mail.bob, "Ann")] {
      #expect(
        guest.printed.err.contains("\n\(other) is out of reach; waiting for up to 60 s\n"))
      #expect(guest.printed.err.contains("\n\(other) is back, and nothing is lost\n"))
    }
  }

  @Test("A receiver that dies fails the file, and the others are not offered")
  func death() throws {
    let mail = try Mail(
      sending: ["/home/big.bin", "/home/b", "/home/c", "--patience", "3"], over: Mail.slow,
      files: ["/home/big.bin": 10 << 20, "/home/b": 1, "/home/c": 1])
    mail.party.at(5) { mail.party.world.crash(mail.ann.host) }
    mail.party.run(until: 90)
    #expect(mail.bob.complaints.first?.hasPrefix("Ann left before the end of big.bin: ") == true)
    #expect(mail.bob.complaints.last == "2 of 3 files were not offered")
    #expect(mail.bob.code == .violated)
  }

  @Test("A full disk is reported at both ends, and the transfer goes on when there is room")
  func diskFull() throws {
    let mail = try Mail(
      receiving: ["--once"], sending: ["/home/big.bin"], over: Mail.slow, files: file)
    mail.ann.host.disk.conditions.capacityBytes = 3 << 20
    mail.party.at(5) { mail.ann.type("y") }
    mail.party.at(7) { mail.ann.type("y") }
    mail.party.at(30) { mail.ann.host.disk.conditions.capacityBytes = 1 << 30 }
    mail.party.run(until: 29)
    #expect(
      mail.ann.printed.err.contains(
        "\nThe disk has too little space for big.bin now. Begin, and wait for space? (y/n)\n"))
    #expect(mail.ann.printed.err.hasSuffix("\nbig.bin: the disk is full\n"))
    #expect(mail.bob.printed.err.hasSuffix("\nbig.bin: the disk of Ann is full\n"))
    mail.party.run(until: 60)
    #expect(mail.codes == [.held, .held])
    #expect(mail.has("/in/big.bin", of: 10 << 20))
  }

  @Test("Too little room is a reason to decline", arguments: [true, false])
  func noRoom(accepts: Bool) throws {
    let mail = try Mail(
      receiving: accepts ? ["--accept", "--once"] : ["--once"], sending: ["/home/big.bin"],
      files: file)
    mail.ann.host.disk.conditions.capacityBytes = 3 << 20
    mail.party.at(5) { mail.ann.type("y") }
    mail.party.at(7) { mail.ann.type("n") }
    mail.party.run(until: 20)
    #expect(mail.bob.complaints == ["Ann declined big.bin: the disk has too little space"])
    #expect(mail.codes == [accepts ? .unwritten : nil, .violated])
    #expect(mail.received.isEmpty)
  }

  @Test("A disk that fails has a status of its own")
  func failingDisk() throws {
    let mail = try Mail(sending: ["/home/big.bin"], over: Mail.slow, files: file)
    mail.ann.host.disk.fail(.write, number: 3, with: .other)
    mail.party.run(until: 30)
    #expect(mail.codes == [.unwritten, .violated])
    #expect(mail.ann.complaints.count == 1 && mail.bob.complaints.count == 1)
    #expect(mail.received.isEmpty)
  }

  // MARK: What is shown

  @Test("Where a person watches, a bar shows how far it is, and leaves the other lines whole")
  func bar() throws {
    let mail = try Mail(
      sending: ["/home/big.bin"], over: Mail.slow, files: file, isWatched: true)
    mail.party.run(until: 30)
    for guest in [mail.ann, mail.bob] {
      let drawn = guest.printed.err.components(separatedBy: "\r\u{1B}[K")
      #expect(drawn.contains { $0.contains(" % [##########") && $0.hasSuffix(" s left") })
      #expect(drawn.allSatisfy { $0.columns <= 80 || $0.contains("\n") })
      #expect(drawn.last?.contains("%") == false)
    }
    #expect(!(mail.bob.lines + mail.ann.lines).contains { $0.contains("\r") })
  }

  @Test("A bar waits while a question stands")
  func barAndQuestion() throws {
    let mail = try Mail(
      receiving: [], sending: ["/home/big.bin"], over: Mail.slow,
      files: ["/home/big.bin": 20 << 20], isWatched: true)
    mail.party.at(4) { mail.ann.type("all") }
    mail.party.run(until: 6)
    let cy = try mail.party.guest("send", "/c", "--to", "Ann", on: "watch")
    cy.host.disk.write([1], to: "/c")
    mail.party.run(until: 9)
    #expect(mail.ann.printed.err.hasSuffix("Accept? (y/n, all, none)\n"))
    mail.party.at(9) { mail.ann.type("n") }
    mail.party.run(until: 9.7)
    #expect(mail.ann.printed.err.hasSuffix(" left"))
  }

  @Test("Programs get one object a line")
  func json() throws {
    let mail = try Mail(
      receiving: ["--accept", "--once", "--json"], sending: ["/home/big.bin", "/home/b", "--json"],
      over: Mail.slow, files: ["/home/big.bin": 10 << 20, "/home/b": 1])
    mail.party.run(until: 30)
    let (ann, bob) = (try mail.ann.objects, try mail.bob.objects)
    let events = ann.compactMap { $0["event"] as? String }
    #expect(
      events.filter { $0 != "progress" } == [
        "listening", "connected", "offered", "received", "offered", "received", "left",
      ])
    #expect(events.count { $0 == "progress" } > 3)
    #expect(
      bob.compactMap { $0["event"] as? String }.filter { $0 != "progress" } == [
        "connected", "offered", "sent", "offered", "sent",
      ])
    let received = try #require(ann.first { $0["event"] as? String == "received" })
    let sent = try #require(bob.first { $0["event"] as? String == "sent" })
    #expect(received["path"] as? String == "/in/big.bin" && received["bytes"] as? Int == 10 << 20)
    #expect(received["digest"] as? String == sent["digest"] as? String)
    #expect((sent["digest"] as? String)?.count == 64)
    let rates = bob.compactMap { $0["rate"] as? Int }
    #expect((rates.max() ?? 0) > 1_000_000)
    #expect(mail.ann.printed.err.isEmpty && mail.bob.printed.err.isEmpty)
  }

  @Test("Programs are told of what fails, and what is declined")
  func jsonOfFailures() throws {
    let mail = try Mail(
      receiving: ["--accept", "--up-to", "1K", "--json"], sending: ["/home/big.bin", "--json"],
      files: file)
    mail.party.run(until: 20)
    let declined = try mail.ann.objects.first { $0["event"] as? String == "declined" }
    let failed = try mail.bob.objects.first { $0["event"] as? String == "failed" }
    #expect(declined?["number"] as? Int == 1)
    #expect(failed?["code"] as? String == "resourceDeclined")
    #expect(failed?["reason"] as? String == declined?["reason"] as? String)
  }

  // MARK: Wrong from the beginning

  @Test(
    "A file or a folder that cannot be used is told before anything else",
    arguments: [
      (["send", "/none", "--to", "A"], "/none cannot be sent: file not found"),
      (
        ["send", "/home", "--to", "A"],
        "/home cannot be sent: it is a folder; send it as an archive"
      ),
      (
        ["receive", "--accept", "--into", "/none"],
        "files cannot be written to /none: folder not fo"
      ),
      (
        ["receive", "--accept", "--into", "/f"], "files cannot be written to /f: it is not a folder"
      ),
      (
        ["receive", "--into", "/home"], "receive cannot ask, since standard input is not a terminal"
      ),
      (["send", "/f"], "no peer can be chosen, since standard input is not a terminal; give --to"),
    ])
  func unusable(words: [String], sentence: String) throws {
    let party = Party()
    let ann = try party.guest(typing: words, on: "phone")
    ann.host.disk.makeFolder(at: "/home")
    ann.host.disk.write([1], to: "/f")
    party.run(until: 2)
    #expect(ann.code == .usage)
    #expect(ann.complaints.first?.hasPrefix(sentence) == true)
  }
}

@Suite("The board of transfers")
struct TransferBoardTests {
  private let end = TransferEnd("Ann", isReceiver: true)

  private func progress(
    _ done: Int64, of total: Int64?, rate: Double = 0,
    _ standstill: ResourceProgress.Standstill? = nil
  ) -> ResourceProgress {
    .test(done, of: total, rate: rate, standstill)
  }

  @Test("A line fits into its columns, and shows as much as fits", arguments: 20...120)
  func columns(width: Int) {
    var board = TransferBoard()
    board.add(1, "小林の写真.jpg", with: end, progress(1 << 20, of: 2 << 20, rate: 524_288))
    let line = board.line(columns: width)
    #expect(line.columns <= width && line.hasPrefix("小林"))
    if width >= 86 { #expect(line.contains(" [##########----------] ")) }
    if width < 68 { #expect(!line.contains("[")) }
    if width >= 60 {
      #expect(
        line.contains(" 50 % ") && line.hasSuffix("1.0 MiB of 2.0 MiB, 512.0 KiB/s, 2 s left"))
    }
  }

  @Test("One transfer has its name, several have sums, and none has nothing")
  func sums() {
    var board = TransferBoard()
    #expect(board.isEmpty && board.line(columns: 80).isEmpty)
    board.add(1, "a", with: end, progress(1_024, of: 4_096, rate: 1_024))
    #expect(board.line(columns: 80).hasPrefix("a  25 % ["))
    board.add(2, "b", with: end, progress(1_024, of: 4_096, rate: 1_024))
    #expect(board.line(columns: 80).hasPrefix("2 files  25 % ["))
    #expect(board.line(columns: 80).hasSuffix("2.0 KiB, 2.0 KiB/s"))
    board.update(2, progress(2_048, of: nil))
    #expect(board.line(columns: 80) == "2 files  3.0 KiB, 1.0 KiB/s")
    board.remove(1)
    #expect(board.line(columns: 80) == "b  2.0 KiB, 0 bytes/s")
    board.update(7, progress(0, of: 0))
    #expect(board.lines.map(\.text) == ["b to Ann, 2.0 KiB, 0 bytes/s"])
  }

  @Test(
    "A line says why nothing moves",
    arguments: [
      (.unanswered, "waiting for Ann to accept"),
      (.linkInterrupted, "waiting for Ann: out of reach"), (.diskFull, "the disk of Ann is full"),
      (.paused, "paused"), (.pausedByRemote, "paused by Ann"),
    ] as [(ResourceProgress.Standstill, String)])
  func standstill(reason: ResourceProgress.Standstill, words: String) {
    var board = TransferBoard()
    board.add(1, "a", with: end, progress(0, of: 10, reason))
    #expect(board.line(columns: 80).hasSuffix("0 bytes of 10 bytes, \(words)"))
  }

  @Test(
    "A time has its two largest units",
    arguments: [
      (.milliseconds(1), "1 s"), (.seconds(59), "59 s"), (.seconds(200), "3 min 20 s"),
      (.seconds(7_500), "2 h 5 min"), (.seconds(100_000), "1 d 3 h"), (.zero, "0 s"),
      (.seconds(-5), "0 s"),
    ] as [(Duration, String)])
  func times(time: Duration, text: String) { #expect(time.roughText == text) }
}
