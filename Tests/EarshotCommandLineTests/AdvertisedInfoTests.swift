import EarshotCommandLine
import Foundation
import Testing

@Suite("The info of who advertises, changed while others look")
struct AdvertisedInfoTests {
  /// What a browser is told of Ann, who begins with `room=lobby` and types these lines from 3 s on, one a second.
  private func watch(_ lines: String...) throws -> (infos: [[String: String]], ann: Guest) {
    let party = Party()
    let bob = try party.guest("browse", "--json", on: "tablet")
    let ann = try party.guest("advertise", "--name", "Ann", "--info", "room=lobby", on: "phone")
    for (number, line) in lines.enumerated() {
      party.at(Double(3 + number)) { ann.type(line) }
    }
    party.at(Double(4 + lines.count)) { ann.closeInput() }
    party.run(until: Double(10 + lines.count))
    let objects = try bob.objects
    #expect(objects.first?["event"] as? String == "found")
    #expect(objects.dropFirst().allSatisfy { $0["event"] as? String == "updated" })
    return (objects.map { $0["info"] as? [String: String] ?? [:] }, ann)
  }

  @Test("A line sets a key or removes it, in any case, and browsers see an update for each")
  func changes() throws {
    let (infos, ann) = try watch("room=attic", "floor=2=top", "ROOM=hall", "Floor=", "room=")
    #expect(
      infos == [
        ["room": "lobby"], ["room": "attic"], ["room": "attic", "floor": "2=top"],
        ["ROOM": "hall", "floor": "2=top"], ["ROOM": "hall"], [:],
      ])
    #expect(
      ann.lines.dropFirst().dropLast() == [
        "The info is now room=attic", "The info is now floor=2=top room=attic",
        "The info is now ROOM=hall floor=2=top", "The info is now ROOM=hall",
        "There is no info now",
      ])
    #expect(ann.printed.err.isEmpty)
  }

  @Test("A wrong line is told to be wrong and changes nothing, an empty one says nothing")
  func mistakes() throws {
    let long = String(repeating: "x", count: 256)
    let (infos, ann) = try watch("attic\u{7}", " ", "", "_id=1", "floor=", "=", "a=\(long)", "b=1")
    #expect(infos == [["room": "lobby"], ["room": "lobby", "b": "1"]])
    let complaints = ann.printed.err.split(separator: "\n")
    #expect(
      complaints.first
        == "earshot: \"attic\\u{7}\" is not a change of the info; type key=value, or key= to remove a key"
    )
    #expect(complaints.count == 5)
    #expect(complaints.dropFirst().first?.contains("begins with an underscore") == true)
    #expect(complaints.dropFirst(2).first == "earshot: the info has no \"floor\" to remove")
    #expect(complaints.last?.contains("258 bytes") == true)
  }

  @Test("After the end of the input the info stays, and Ctrl-C is still a goodbye")
  func endOfInput() throws {
    let party = Party()
    let bob = try party.guest("browse", "--json", on: "tablet")
    let ann = try party.guest("advertise", "--name", "Ann", "--info", "room=lobby", on: "phone")
    party.at(2) { ann.closeInput() }
    party.at(20) { ann.interrupt() }
    party.run(until: 19)
    #expect(try bob.objects.map { $0["event"] as? String } == ["found"])
    #expect(ann.code == nil)
    party.run(until: 25)
    #expect(try bob.objects.map { $0["event"] as? String } == ["found", "lost"])
    #expect(ann.lines.last == "Ann is no longer advertised")
    #expect(ann.code == .held)
  }

  @Test("Who chats tells something by /info, now or when they become visible again")
  func chat() throws {
    let party = Party()
    let watcher = try party.guest("browse", "--json", "--service", "earshot-chat", on: "watch")
    let ann = try party.guest("chat", "--name", "Ann", on: "phone")
    party.at(2) { ann.type("/info room=attic") }
    party.at(4) { ann.type("/info") }
    party.at(5) { ann.type("/info room") }
    party.at(6) { ann.type("/invisible") }
    party.at(8) { ann.type("/info floor=2") }
    party.at(10) { ann.type("/visible") }
    party.at(12) { for key in ["room", "floor"] { ann.type("/info \(key)=") } }
    party.run(until: 16)
    let objects = try watcher.objects
    #expect(
      objects.map { $0["event"] as? String }.prefix(5)
        == ["found", "updated", "lost", "found", "updated"])
    let infos = objects.map { $0["info"] as? [String: String] }
    #expect(infos[1] == ["room": "attic"])
    #expect(infos[3] == ["room": "attic", "floor": "2"])
    #expect(infos.last == .some(nil))
    #expect(
      ann.lines.dropFirst(2).filter { !$0.contains("earshot doctor") } == [
        "The info is now room=attic", "The info is now room=attic",
        "That info cannot be advertised: \"room\" is not a change of the info; type key=value, or key= to remove a key",
        "You are invisible now", "The info is now floor=2 room=attic", "You are visible now",
        "The info is now floor=2", "There is no info now",
      ])
  }
}
