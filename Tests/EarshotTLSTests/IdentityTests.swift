import EarshotCore
import EarshotTLS
import Foundation
import TestKit
import Testing

@Suite("Identity")
struct IdentityTests {
  @Test("An identity that was stored is the same peer, with its key", arguments: Seed.some(20))
  func roundTrip(seed: Seed) throws {
    var random = seed.generator
    for identity in [Identity.plain(using: &random), .seeded(using: &random), Identity()] {
      let stored = try JSONEncoder().encode(identity)
      let read = try JSONDecoder().decode(Identity.self, from: stored)
      #expect(read == identity && read.pem == identity.pem)
      if let pem = identity.pem { #expect(try Identity(pem: pem) == identity) }
    }
  }

  @Test("Two identities are two peers")
  func distinct() {
    var random = Seed(1).generator
    #expect(Identity.plain(using: &random) != Identity.plain(using: &random))
    #expect(Identity().id != Identity().id)
    #expect(Identity.seeded(using: &random).id != Identity.seeded(using: &random).id)
  }

  @Test(
    "What is no stored identity is refused",
    arguments: [
      "{}", #"{"kind":"plain","id":"abc"}"#, #"{"kind":"ed25519"}"#,
      #"{"kind":"ed25519","pem":"abc"}"#,
    ])
  func refused(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Identity.self, from: Data(text.utf8))
    }
  }

  /// The private key of RFC 8410 §10.3, and what `openssl` makes of it: the hash was taken with `openssl dgst`.
  private static let rfc8410 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    -----END PRIVATE KEY-----

    """

  @Test("The identifier is the hash of the public key: a key whose hash is known")
  func vector() throws {
    let identity = try Identity(pem: Self.rfc8410)
    let hash = "157528913204cf3d441614e52d71f7f7a71a96b2f1a13c8cbab3776611702b56"
    #expect(identity.id.bytes.map(Self.hex).joined() == hash)
    #expect(identity.pem == Self.rfc8410)
    // RFC 8410 §10.1.
    #expect(
      identity.publicKeyPEM == """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
        -----END PUBLIC KEY-----

        """)
    #expect(Identity(plain: identity.id).publicKeyPEM == nil)
  }

  private static func hex(_ byte: UInt8) -> String {
    String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
  }

  @Test("A key of another kind, behind a password, or none is refused with its reason")
  func keys() {
    let refusals = [Self.p256, Self.encrypted, "", Self.rfc8410.replacing("A", with: "*")].map {
      text in
      do throws(IdentityError) {
        _ = try Identity(pem: text)
        return nil as IdentityError.Code?
      } catch { return error.code }
    }
    #expect(refusals == [.otherKind, .noKey, .noKey, .noKey])
  }

  @Test("Nothing secret is printed, dumped or interpolated")
  func silent() throws {
    let identity = Identity()
    let pem = try #require(identity.pem)
    var dumped = ""
    dump(identity, to: &dumped)
    for text in ["\(identity)", String(reflecting: identity), dumped] {
      #expect(text.contains(identity.id.short))
      #expect(!text.contains(pem.split(separator: "\n")[1].prefix(20)))
      #expect(!text.contains("privateKey"))
    }
  }

  private static let p256 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr7+RVm4+P8wJxLxd
    vNwjj1tfEmikYS57DPtGd+xE+r2hRANCAASa/hqFKiyeY++EhQ1CTwEFBCY7/OGV
    OpBRA2FSISceHmRs2FlNqOrrmOSmv7+zXzkQUuPi4sKktxdkVHdvw8II
    -----END PRIVATE KEY-----
    """
  private static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgwS3mT1sKEXAICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDZ5bGKoOy4T5BaKLgFJIjAEQH9K
    tY0R8YqnPidb2NXrMy2HFrIJoCL0wArLitElBl0ErLpAULMMS0ckjE3b8YvnZfDj
    q3AGeFzgC7cVzkdS17M=
    -----END ENCRYPTED PRIVATE KEY-----
    """
}
