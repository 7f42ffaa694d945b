import EarshotCore
import Testing

@Suite("Failed verifications")
struct VerificationFailuresTests {
  private static let ids = (0..<1_300).map { number -> PeerID in
    var random = RandomStream(seed: UInt64(number))
    return PeerID(random: &random)
  }
  private let ann = ids[0]
  private let bob = ids[1]
  private let start = Instant.zero + .seconds(1)

  private func address(_ number: Int) -> IPAddress { .v4(0x0A00_0000 + UInt32(number)) }

  @Test("After three failures within ten minutes a peer may not try, from wherever")
  func peers() {
    var failures = VerificationFailures()
    for number in 0..<3 {
      #expect(failures.mayTry(ann, at: address(9), start))
      failures.note(ann, at: address(number), start + .seconds(number))
    }
    for place in [address(0), address(9), nil] {
      #expect(!failures.mayTry(ann, at: place, start + .milliseconds(599_999)))
      #expect(failures.mayTry(bob, at: place, start + .milliseconds(599_999)))
      #expect(failures.mayTry(ann, at: place, start + .seconds(600)))
    }
    // One more failure, and the last three count.
    failures.note(ann, at: nil, start + .seconds(600))
    #expect(!failures.mayTry(ann, at: nil, start + .milliseconds(600_999)))
    #expect(failures.mayTry(ann, at: nil, start + .seconds(601)))
  }

  @Test(
    "After three failures at one address none may try from there, IPv6 by its /64",
    arguments: [
      (["10.0.0.1", "10.0.0.1", "::ffff:10.0.0.1"], "10.0.0.1", "10.0.0.2"),
      (["2001:db8::1", "2001:db8::2", "2001:db8:0:0:9::"], "2001:db8::4", "2001:db8:0:1::1"),
    ])
  func addresses(places: [String], same: String, other: String) throws {
    var failures = VerificationFailures()
    for (number, place) in places.enumerated() {
      let address = try #require(IPAddress(place))
      #expect(failures.mayTry(Self.ids[number], at: address, start))
      failures.note(Self.ids[number], at: address, start)
    }
    let (here, elsewhere) = (try #require(IPAddress(same)), try #require(IPAddress(other)))
    #expect(!failures.mayTry(Self.ids[3], at: here, start + .milliseconds(599_999)))
    #expect(!failures.mayTry(Self.ids[0], at: here, start + .milliseconds(599_999)))
    #expect(failures.mayTry(Self.ids[0], at: elsewhere, start))
    #expect(failures.mayTry(Self.ids[3], at: here, start + .seconds(600)))
  }

  @Test("Many others who fail crowd out no count of one that has had enough")
  func crowd() {
    var failures = VerificationFailures()
    for _ in 0..<3 { failures.note(ann, at: address(0), start) }
    for (number, id) in Self.ids.dropFirst(2).enumerated() {
      failures.note(id, at: address(2 + number), start + .milliseconds(number))
    }
    let later = start + .seconds(60)
    #expect(!failures.mayTry(ann, at: address(9_999), later))
    #expect(!failures.mayTry(bob, at: address(0), later))
    #expect(failures.mayTry(bob, at: address(1), later))
  }

  @Test("Of those who may still try, who has failed more often stays, and then who failed last")
  func order() {
    var failures = VerificationFailures()
    for _ in 0..<2 { failures.note(ann, at: nil, start) }
    failures.note(bob, at: nil, start)
    for id in Self.ids.dropFirst(2).prefix(1_023) { failures.note(id, at: nil, start) }
    let (first, last) = (Self.ids[2], Self.ids[1_024])
    // Bob was forgotten, and nobody else: two more are not enough for him.
    for id in [bob, ann, last] {
      failures.note(id, at: nil, start)
      #expect(failures.mayTry(id, at: nil, start) == (id != ann))
    }
    for id in [bob, last] {
      failures.note(id, at: nil, start)
      #expect(failures.mayTry(id, at: nil, start) == (id == bob))
    }
    for _ in 0..<2 {
      #expect(failures.mayTry(first, at: nil, start))
      failures.note(first, at: nil, start)
    }
    #expect(failures.mayTry(first, at: nil, start))  // Who gave way to Bob.
  }

  @Test("While a thousand have had enough, all others wait for the first of them")
  func full() {
    var failures = VerificationFailures()
    for (number, id) in Self.ids.dropFirst(2).prefix(1_024).enumerated() {
      #expect(failures.mayTry(ann, at: nil, start + .milliseconds(number)))
      for _ in 0..<3 { failures.note(id, at: nil, start + .milliseconds(number)) }
    }
    let later = start + .milliseconds(599_999)
    #expect(!failures.mayTry(ann, at: nil, later))
    failures.note(ann, at: nil, later)  // One that was under way.
    for id in Self.ids.dropFirst(2).prefix(1_024) { #expect(!failures.mayTry(id, at: nil, later)) }
    #expect(failures.mayTry(ann, at: nil, start + .seconds(600)))
  }
}
