import Earshot
import EarshotCommandLine
import Foundation
import Testing

@Suite("Trust on the command line")
struct TrustCommandTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  @Test("It keeps, lists and forgets peers; what is not there is said")
  func changing() throws {
    let (known, id) = (path("known.json"), Identity().id)
    let empty = Shell()
    #expect(empty.run("trust", known) == .held && empty.out.isEmpty)
    #expect(Shell().run("trust", known, "--pin", "\(id)", "--name", "A\u{202E}nn") == .held)
    let (list, json) = (Shell(), Shell())
    #expect(list.run("trust", known) == .held)
    #expect(list.out.hasPrefix("\(id)  A\\u{202E}nn  (since 2"))
    #expect(json.run("trust", known, "--json") == .held)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
    #expect(object["id"] as? String == "\(id)" && object["verified"] as? Bool == false)
    #expect(object["name"] as? String == "A\u{202E}nn" && object["since"] is String)
    #expect(Shell().run("trust", known, "--forget", "\(id)") == .held)
    let again = Shell()
    #expect(again.run("trust", known, "--forget", "\(id)") == .violated)
    #expect(again.err.contains("does not keep \(id)"))
    #expect(try FileTrustStore(path: known).records().isEmpty)
  }

  @Test("A file that is none, or that cannot be written, is said", arguments: [true, false])
  func failing(isThere: Bool) throws {
    let known = isThere ? path("known.json") : path("no/known.json")
    if isThere {
      try "[]".write(toFile: known, atomically: false, encoding: .utf8)
      chmod(known, 0o600)
    }
    let shell = Shell()
    let code = shell.run("trust", known, "--pin", "\(Identity().id)", "--name", "Ann")
    #expect(code == (isThere ? .violated : .unwritten))
    #expect(shell.err.contains(isThere ? "is damaged" : "cannot be stored"))
  }

  @Test(
    "A mistake is named",
    arguments: [
      ([], "trust needs one file"), (["a", "b"], "trust needs one file"),
      (["f", "--pin", "abc", "--name", "Ann"], "--pin takes the 52 characters"),
      (["f", "--name", "Ann"], "--pin and --name belong together"),
      (["f", "--forget", "abc"], "--forget takes the 52 characters"),
      (["f", "--pin", "a", "--forget", "b"], "--pin and --forget exclude each other"),
      (
        ["f", "--pin", String(repeating: "a", count: 52), "--name", ""], "The display name is empty"
      ),
    ] as [([String], String)])
  func usage(words: [String], reason: String) {
    let shell = Shell()
    #expect(shell.run(["trust"] + words) == .usage)
    #expect(shell.err.contains(reason))
  }

  @Test(
    "A chat keeps whom it met, warns of another key by that name, and lets it in when it is told to"
  )
  func chatting() throws {
    let known = path("known.json")
    do {
      let party = Party(seed: 1)
      let ann = try party.guest("chat", "--name", "Ann", "--trust", known, on: "phone")
      let bob = try party.guest("chat", "--name", "Bob", on: "tablet")
      party.at(2) { bob.type("/invite 1") }
      party.at(3) { ann.type("y") }
      party.run(until: 6)
      #expect(ann.lines.contains("Bob joined this chat"))
    }
    let first = try #require(try FileTrustStore(path: known).records().first)
    #expect(first.name == "Bob")
    let party = Party(seed: 2)
    let ann = try party.guest("chat", "--name", "Ann", "--trust", known, on: "phone")
    let bob = try party.guest("chat", "--name", "Bob", on: "tablet")
    party.at(2) { bob.type("/invite 1") }
    party.run(until: 6)
    #expect(
      bob.lines.last
        == "Ann is not trusted, or does not trust this peer: --identity gives this peer its key")
    let warning = try #require(ann.lines.first { $0.hasPrefix("WARNING") })
    #expect(warning.contains("\"Bob\" was refused: its key") && warning.contains("\(first.peer)"))
    let advice = try #require(ann.lines.first { $0.hasPrefix("If you expected that, /trust ") })
    let short = advice.split(separator: " ")[5]
    party.at(7) { ann.type("/trust") }
    party.at(9) { ann.type("/trust \(short)") }
    party.at(10) { bob.type("/invite 1") }
    party.at(12) { ann.type("y") }
    party.at(14) { ann.type("/trust") }
    party.run(until: 16)
    #expect(ann.lines.contains("Name one: /trust \(short)"))
    #expect(ann.lines.contains("Bob joined this chat"))
    #expect(ann.lines.last == "No peer has changed its key.")
    #expect(try FileTrustStore(path: known).records().count == 2)
  }

  @Test("Only those that are pinned get in")
  func pinned() throws {
    let keys = ["ann.pem", "bob.pem"].map(path)
    let ids = try keys.map { try Identity.stored(in: FileIdentityStore(path: $0)).id }
    let party = Party(seed: 3)
    let ann = try party.guest(
      "advertise", "--name", "Ann", "--accept", "--identity", keys[0], "--pin", "\(ids[1])",
      on: "phone")
    let bob = try party.guest(
      "ping", "Ann", "--count", "1", "--identity", keys[1], "--pin", "\(ids[0])", on: "tablet")
    let eve = try party.guest("ping", "Ann", "--count", "1", on: "other")
    party.run(until: 30)
    #expect(bob.code == .held && eve.code == .violated)
    #expect((eve.printed.out + eve.printed.err).contains("does not trust this peer"))
    ann.interrupt()
    party.run(until: 40)
    #expect(ann.code == .held)
  }

  @Test("Who is invited by a command is warned about, too")
  func warning() throws {
    let known = path("known.json")
    try FileTrustStore(path: known).keep(Identity().id, as: "Ann")
    let party = Party(seed: 4)
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let bob = try party.guest("ping", "Ann", "--count", "1", "--trust", known, on: "tablet")
    party.run(until: 30)
    #expect(bob.code == .violated && bob.printed.err.contains("is not the key that is stored"))
    ann.interrupt()
    party.run(until: 40)
  }

  @Test("Two who chat compare a code, and say what they see", arguments: [true, false])
  func verifying(isSame: Bool) throws {
    let (party, ann, bob) = try Party.chatting()
    party.at(1) { ann.type("/verify") }
    party.at(1) { ann.type("/confirm") }
    party.at(5) { ann.type("/verify bob") }
    party.at(6) { ann.type("/confirm") }
    party.at(7) { bob.type(isSame ? "/confirm" : "/reject") }
    party.at(9) { ann.type("/verify eve") }
    party.run(until: 10)
    let shown = [ann, bob].map { $0.lines.filter { $0.hasPrefix("Compare with ") } }
    #expect(shown.map(\.count) == [1, 1])
    let codes = shown.map { $0[0].split(separator: ": ").last }
    #expect(
      codes[0] == codes[1] && shown[0][0].hasPrefix("Compare with Bob, by voice or by sight: "))
    let sentences =
      isSame
      ? ["Bob is verified", "Ann is verified"]
      : [
        "WARNING: the codes differ. Another party may listen between you and Bob; /leave",
        "WARNING: the codes differ. Another party may listen between you and Ann; /leave",
      ]
    #expect(ann.lines.contains(sentences[0]) && bob.lines.contains(sentences[1]))
    #expect(ann.lines.contains("You are not in a chat."))
    #expect(ann.lines.contains("There is no code to compare; /verify shows one."))
    #expect(ann.lines.last?.hasPrefix("Name one: /verify ") == true)
  }
}
