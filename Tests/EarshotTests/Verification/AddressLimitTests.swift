import Earshot
import EarshotNetwork
import EarshotTLS
import Testing

@Suite("Verifications from one address")
struct AddressLimitTests {
  /// Has a guest come to Ann, and one of the two begin to compare a code, which then leads to nothing.
  ///
  /// - Returns: What the call of the one who begins fails with, if it does.
  private static func fail(
    _ guest: Peer, at meeting: Meeting, of ann: Peer, guestBegins: Bool
  ) async throws -> EarshotError? {
    let joined = try await meeting.join(guest)
    _ = joined.verifications  // The guest's program compares codes, as Ann's does.
    let error = await failure {
      if guestBegins {
        let verification = try await joined.verify(ann.id)
        await verification.withdraw()
      } else {
        let verification = try await meeting.session.verify(guest.id)
        await verification.reject()
      }
    }
    await joined.stop()
    return error
  }

  @Test(
    "After three failures of peers at one address none of its peers may try, whoever begins",
    arguments: [Ground.secured, .real], [true, false])
  func limit(ground: Ground, guestBegins: Bool) async throws {
    try await ground.meetOnHosts(3, within: .seconds(2_000)) { hosts in
      let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
      let meeting = try await Meeting(of: ann, test: guestBegins ? "addressguest" : "address")
      _ = meeting.session.verifications
      var guests: [Peer] = []
      for number in 0..<4 {
        let guest = try await Peer("Guest \(number)", trusting: .anyPeer, on: hosts[1])
        guests.append(guest)
        let error = try await Self.fail(guest, at: meeting, of: ann, guestBegins: guestBegins)
        #expect(error?.code == (number < 3 ? nil : .verificationFailed))
        #expect(error.map { $0.message.hasPrefix("Three verifications") } ?? true)
      }
      if ground == .real {
        for peer in guests + [ann] { await peer.stop() }
        return
      }
      let other = try await Peer("Other", trusting: .anyPeer, on: hosts[2])
      #expect(
        try await Self.fail(other, at: meeting, of: ann, guestBegins: guestBegins) == nil)
      try await ann.wait(milliseconds: 600_000)
      let late = try await Peer("Late", trusting: .anyPeer, on: hosts[1])
      #expect(try await Self.fail(late, at: meeting, of: ann, guestBegins: guestBegins) == nil)
    }
  }
}
