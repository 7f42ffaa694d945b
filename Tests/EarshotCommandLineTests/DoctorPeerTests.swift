import Earshot
import EarshotCommandLine
import EarshotSimulator
import Foundation
import Testing

@Suite("Doctor of one peer")
struct DoctorPeerTests {
  private static let other = String(repeating: "a", count: 52)

  /// The object about the peer, which is the last one.
  private static func peer(in doctor: Guest) throws -> [String: Any] {
    let last = try #require(try doctor.objects.last, "\(doctor.printed.err)")
    #expect(last["cause"] as? String == "peer", "\(doctor.lines)")
    return last
  }

  @Test("A peer that is reached is explained last, by its name or its identifier")
  func reached() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    let doctor = try party.guest("doctor", "Ann", "--json", on: "tablet")
    party.run(until: 12)
    let found = try Self.peer(in: doctor)
    #expect(doctor.code == .held)
    #expect(found["severity"] as? String == "note" && found["explanation"] as? String == "reached")
    #expect(found["name"] as? String == "Ann" && found["command"] as? String == "")
    let sentence = try #require(found["sentence"] as? String)
    #expect(sentence.hasSuffix(", and was not invited. Nothing keeps this host from it."))
    let facts = try #require(found["facts"] as? [[String: Any]])
    #expect(facts.allSatisfy { ($0["millisecondsAgo"] as? Double ?? -1) >= 0 })
    #expect((facts.last?["text"] as? String)?.hasPrefix("was reached at ") == true)
    let id = try #require(found["peer"] as? String)
    let person = try party.guest("doctor", String(id.prefix(9)), on: "laptop")
    party.run(until: 24)
    #expect(person.lines.last == "No obstacle was found (1 peer dialled, 1 reached)")
    let line = try #require(person.lines.firstIndex { $0.hasPrefix("note: Ann (") })
    #expect(person.lines[line + 1].contains(" ago: was discovered for “earshot” at "))
    #expect(!person.lines[line...].contains { $0.contains("to fix it") })
    #expect(!ann.lines.contains { $0.contains("invitation") }, "it must not be invited")
  }

  @Test("A name that no peer has was never discovered, and one that several have is not chosen")
  func notFound() throws {
    let party = Party()
    let guests = try ["phone", "watch"].map {
      try party.guest("advertise", "--name", "Ann", on: $0)
    }
    let doctor = try party.guest("doctor", "Zo\u{7}", on: "desk")
    let several = try party.guest("doctor", "Ann", "--json", on: "shelf")
    party.run(until: 12)
    #expect(doctor.code == .violated && several.code == .violated)
    let sentence = try #require(doctor.lines.first { $0.hasPrefix("error: ") })
    #expect(sentence.hasPrefix("error: “Zo\\u{7}” was never discovered: "), "\(sentence)")
    #expect(sentence.contains("“earshot”, “earshot-chat”"))
    #expect(doctor.lines.last?.hasPrefix("An obstacle keeps peers apart") == true)
    #expect(try Self.peer(in: several)["sentence"] as? String != nil)
    #expect(several.lines.last?.contains("means 2 peers: Ann (") == true)
    withExtendedLifetime(guests) {}
  }

  @Test("A peer that does not answer is named with each address and its error, found or by ticket")
  func unreachable() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    let doctor = try party.guest("doctor", "Ann", "--json", on: "tablet")
    party.at(2) { party.world.crash(ann.host) }
    party.run(until: 25)
    #expect(doctor.code == .violated)
    let found = try Self.peer(in: doctor)
    #expect(found["explanation"] as? String == "unreachable", "\(found)")
    let sentence = found["sentence"] as? String ?? ""
    #expect(
      sentence.contains("\(ann.host.address):") && sentence.contains("timedOut"), "\(sentence)")
    #expect((found["command"] as? String)?.contains("earshot doctor") == true)
    let absent = try PeerTicket(
      peer: #require(PeerID(Array(repeating: 7, count: 32))), serviceType: "earshot",
      endpoints: [Endpoint(.v4(0x0A00_00FE), port: 7_100)])
    let other = try party.guest("doctor", "--json", "--ticket", absent.description, on: "shelf")
    party.run(until: 50)
    let peer = try Self.peer(in: other)
    #expect(peer["peer"] as? String == absent.peer.description && peer["name"] is NSNull)
    #expect((peer["sentence"] as? String)?.contains("10.0.0.254:7100 (") == true, "\(peer)")
    #expect(other.code == .violated)
  }

  @Test("A peer that leaves while the doctor looks is gone")
  func gone() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", on: "phone")
    let doctor = try party.guest("doctor", "Ann", "--json", "--timeout", "5", on: "tablet")
    party.at(2) { ann.interrupt() }
    party.run(until: 12)
    let found = try Self.peer(in: doctor)
    #expect(found["explanation"] as? String == "gone", "\(found)")
    #expect(found["severity"] as? String == "error" && doctor.code == .violated)
  }

  @Test("The side that does not trust is named")
  func untrusted() throws {
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--pin", Self.other, on: "phone")
    let doctors = try [[], ["--pin", Self.other]].map { words in
      try party.guest(
        typing: ["doctor", "Ann", "--json"] + words, on: words.isEmpty ? "tablet" : "desk")
    }
    party.run(until: 15)
    let causes = try doctors.map { try Self.peer(in: $0)["explanation"] as? String }
    #expect(causes == ["notTrusting", "untrusted"])
    #expect(doctors.allSatisfy { $0.code == .violated })
    withExtendedLifetime(ann) {}
  }

  @Test("The doctor proves the key of --identity, and creates none")
  func identity() throws {
    let folder = try Folder()
    let (key, missing) = ("\(folder.path)/me.pem", "\(folder.path)/none.pem")
    let id = try Identity.stored(in: FileIdentityStore(path: key)).id
    let party = Party()
    let ann = try party.guest("advertise", "--name", "Ann", "--pin", "\(id)", on: "phone")
    let doctors = try [key, missing].map {
      try party.guest("doctor", "Ann", "--json", "--identity", $0, on: "host \($0.count)")
    }
    party.run(until: 15)
    let causes = try doctors.map { try Self.peer(in: $0)["explanation"] as? String }
    #expect(causes == ["reached", "notTrusting"])
    #expect(!FileManager.default.fileExists(atPath: missing))
    withExtendedLifetime((ann, folder)) {}
  }

  @Test("Hosts that contest the key of the peer are both named, as a warning")
  func contested() throws {
    let folder = try Folder()
    let key = "\(folder.path)/me.pem"
    let party = Party()
    let guests = try ["phone", "watch"].map {
      try party.guest("advertise", "--name", "Ann", "--identity", key, on: $0)
    }
    let doctor = try party.guest("doctor", "Ann", "--json", on: "tablet")
    party.run(until: 12)
    let found = try Self.peer(in: doctor)
    #expect(found["explanation"] as? String == "contested" && doctor.code == .doubted, "\(found)")
    let sentence = found["sentence"] as? String ?? ""
    #expect(guests.allSatisfy { sentence.contains("\($0.host.address)") }, "\(sentence)")
    withExtendedLifetime((guests, folder)) {}
  }

  @Test("Two peers, or a name beside a ticket, are a mistake")
  func usage() throws {
    let party = Party()
    for (words, reason) in [
      (["Ann", "Bob"], "one peer at most"), ([""], "one peer at most"),
      (["Ann", "--ticket", "earshot:x"], "leave the name out"),
    ] {
      let doctor = try party.guest(typing: ["doctor"] + words, on: "host \(words.count)\(reason)")
      #expect(doctor.printed.err.contains(reason), "\(doctor.printed.err)")
    }
  }
}
