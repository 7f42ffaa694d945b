import Earshot
import EarshotCommandLine
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("The log of commands")
struct LogCommandTests {
  /// A guest whose environment has a value of EARSHOT_LOG.
  private static func guest(
    _ words: String..., on host: String, logging text: String, in party: Party
  ) throws -> (guest: Guest, printed: Printed) {
    let printed = Printed()
    var console = printed.console()
    console.logText = text
    return (try party.guest(typing: words, on: host, writingTo: console), printed)
  }

  private static func lines(_ printed: Printed) -> [String] {
    printed.err.split(separator: "\n").map(String.init)
  }

  @Test("A command prints a line for each record to standard error, and its answers as before")
  func lines() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--accept", on: "phone")
    let (bob, printed) = try Self.guest(
      "ping", "Ann", "--count", "1", on: "tablet", logging: "debug", in: party)
    party.run(until: 10)
    #expect(bob.code == .held)
    let lines = Self.lines(printed)
    #expect(
      lines.first?.contains(" info peer ") == true && lines.last?.hasSuffix("is stopped") == true)
    for words in ["was discovered for “earshot” at", "is dialled at", "Ann (", "became a member"] {
      #expect(lines.contains { $0.contains(words) }, "\(words)")
    }
    #expect(
      lines.allSatisfy {
        $0.split(separator: " ").count > 4 && Double($0.prefix { $0 != " " }) != nil
      })
    // What the command does not stop itself would be told of.
    #expect(!lines.contains { $0.contains("is held by nobody any more") })
    #expect(printed.out.contains("1 sent, 1 answered") && !printed.out.contains("became a member"))
    withExtendedLifetime(ann) {}
  }

  @Test("With --json each record is an object on a line, with its values")
  func json() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann\u{202E}", "--accept", on: "phone")
    let (bob, printed) = try Self.guest(
      "ping", "Ann", "--count", "1", "--json", on: "tablet", logging: "link:debug", in: party)
    party.run(until: 10)
    #expect(bob.code == .held)
    let objects = try Self.lines(printed).map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["event"] as? String }.contains("linkOpened"))
    for object in objects {
      #expect(object["subsystem"] as? String == "link" && object["level"] is String)
      #expect(object["time"] is NSNumber && object["link"] is NSNumber)
      #expect((object["local"] as? String)?.count == 52 && object["message"] is String)
    }
    let end = try #require(objects.last { $0["event"] as? String == "linkEnded" })
    #expect((end["bytesSent"] as? Int ?? 0) > 0 && (end["peer"] as? String)?.count == 52)
    withExtendedLifetime(ann) {}
  }

  @Test("Control characters of names are escaped in lines")
  func escaped() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann\u{202E}", on: "phone")
    let (bob, printed) = try Self.guest("browse", on: "tablet", logging: "info", in: party)
    party.at(3) { bob.interrupt() }
    party.run(until: 5)
    #expect(printed.err.contains("Ann\\u{202E}") && !printed.err.contains("\u{202E}"))
    withExtendedLifetime(ann) {}
  }

  @Test(
    "A wrong word is an error that names the right ones, and nothing is begun",
    arguments: [
      ("loud", "\"loud\" is not one of debug, info, notice, warning, error, off"),
      ("wire:debug", "\"wire\" is not one of peer, discovery, trust, invitation, link, session"),
      ("link:debug:info", "\"link:debug:info\" is not one of LEVEL, SUBSYSTEM:LEVEL"),
      ("link:", "\"\" is not one of debug"),
    ])
  func wrong(text: String, part: String) throws {
    for words in [["browse"], ["simulate", "Simulations/first-hello.json5"]] {
      let printed = Printed()
      var console = printed.console()
      console.logText = text
      let tool = EarshotTool(console: console, engine: .simulated, surroundings: .nowhere)
      #expect(tool.run(words) == .usage)
      #expect(printed.err.contains("EARSHOT_LOG=\(text): \(part)"), "\(printed.err)")
      #expect(printed.out.isEmpty)
    }
  }

  @Test("The console of a process has the log of its environment, or none")
  func environment() {
    #expect(Console.standard(environment: ["EARSHOT_LOG": "link:debug"]).logText == "link:debug")
    #expect(Console.standard(environment: [:]).logText == nil)
  }

  @Test("A chat prints its log, and so does a doctor, to the end")
  func chatAndDoctor() throws {
    let party = Party()
    let (ann, chat) = try Self.guest(
      "chat", "--name", "Ann", on: "phone", logging: "info", in: party)
    let (bob, doctor) = try Self.guest("doctor", on: "tablet", logging: "discovery:info", in: party)
    party.at(10) { ann.type("/quit") }
    party.run(until: 20)
    #expect(ann.code == .held && bob.code == .held)
    #expect(Self.lines(chat).contains { $0.contains("browses for “earshot-chat”") })
    #expect(Self.lines(chat).last?.hasSuffix("is stopped") == true, "\(chat.err)")
    #expect(Self.lines(doctor).contains { $0.contains("Ann (") && $0.contains("was discovered") })
  }

  @Test("Capitals, spaces and empty parts do not matter, and an empty value asks for nothing")
  func spelling() throws {
    let filter = try LogFilter(" DEBUG ,, Link:OFF ,")
    #expect(filter[.discovery] == .debug && filter[.link] == nil)
    #expect(try LogFilter("") == LogFilter(nil))
    #expect(try LogFilter("link:debug,link:error,info,notice")[.link] == .error)
    #expect(try LogFilter("link:debug,info,notice")[.peer] == .notice)
  }

  @Test("A simulated run prints the records of all peers, and those are in its trace")
  func simulated() throws {
    func run(_ words: String...) -> Printed {
      let printed = Printed()
      var console = printed.console()
      console.logText = "debug"
      let tool = EarshotTool(console: console, engine: .simulated, surroundings: .nowhere)
      #expect(tool.run(["simulate", "Simulations/first-hello.json5", "--once"] + words) == .held)
      return printed
    }
    let folder = try Folder()
    let plain = Self.lines(
      run("--trace", "\(folder.path)/trace", "--report", "\(folder.path)/page.html"))
    let page = try String(contentsOfFile: "\(folder.path)/page.html", encoding: .utf8)
    let sentences = plain.filter { $0.contains("became a member") }
      .compactMap { $0.components(separatedBy: ": ").last }
    #expect(sentences.count == 2 && sentences.allSatisfy { page.contains($0) })
    #expect(plain.contains { $0.contains("became a member") })
    let trace = try String(contentsOfFile: "\(folder.path)/trace", encoding: .utf8)
    let notes = trace.split(separator: "\n").compactMap { line -> String? in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      return cells[1] == "note" && cells[4] == "log" ? "\(cells[2]) \(cells[0]) \(cells[5])" : nil
    }
    #expect(notes.count > 10 && notes == plain)
    let objects = try Self.lines(run("--json")).map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.count == plain.count && objects.allSatisfy { $0["host"] is String })
  }
}
