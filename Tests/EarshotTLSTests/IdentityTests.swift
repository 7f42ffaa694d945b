import EarshotCore
import EarshotTLS
import Foundation
import TestKit
import Testing

@Suite("Identity")
struct IdentityTests {
  @Test("An identity that was stored is the same peer", arguments: Seed.some(20))
  func roundTrip(seed: Seed) throws {
    var random = seed.generator
    let identity = Identity.plain(using: &random)
    let stored = try JSONEncoder().encode(identity)
    #expect(try JSONDecoder().decode(Identity.self, from: stored) == identity)
  }

  @Test("Two identities are two peers")
  func distinct() {
    var random = Seed(1).generator
    #expect(Identity.plain(using: &random) != Identity.plain(using: &random))
  }

  @Test(
    "What is no stored identity is refused", arguments: ["{}", #"{"kind":"plain","id":"abc"}"#])
  func refused(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Identity.self, from: Data(text.utf8))
    }
  }
}
