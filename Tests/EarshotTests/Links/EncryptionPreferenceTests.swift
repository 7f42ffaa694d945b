import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Foundation
import Synchronization
import Testing

@Suite("Encryption preference")
struct EncryptionPreferenceTests {
  /// What two sides demand.
  private struct Pair: Hashable, Sendable {
    let ann, bob: EncryptionPreference
    static let all = EncryptionPreference.allCases.flatMap { ann in
      EncryptionPreference.allCases.map { Pair(ann: ann, bob: $0) }
    }
  }

  private static let suites: Set<String?> = [
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
  ]

  /// Has two peers talk in sessions that demand something.
  ///
  /// - Returns: The cipher suites of both ends.
  private static func talk(
    _ pair: Pair, _ ann: Peer, _ bob: Peer, test: String
  ) async throws -> [String?] {
    let anns = Session.Configuration(encryptionPreference: pair.ann)
    let meeting = try await Meeting(of: ann, test: test, anns)
    let joined = try await meeting.join(
      bob, Session.Configuration(encryptionPreference: pair.bob))
    try await joined.send([1])
    #expect(await meeting.session.take(1) == [1])
    try await meeting.session.send([2])
    #expect(await joined.take(1) == [2])
    let security = [
      try #require(await meeting.session.security(of: bob.id)),
      try #require(await joined.security(of: ann.id)),
    ]
    await joined.stop()
    await meeting.session.stop()
    return security.map(\.cipherSuite)
  }

  /// A conversation in a simulated world: its cipher suites, and everything that happened in the network.
  private func conversation(
    _ pair: Pair, isSecure: Bool
  ) throws -> (suites: [String?], trace: RollingHash) {
    var configuration = WorldConfiguration()
    configuration.isSecure = isSecure
    let world = World(seed: 3, configuration: configuration)
    defer { world.finish() }
    let hosts = ["ann", "bob"].map { world.makeHost($0) }
    let suites = Mutex<Result<[String?], any Error>?>(nil)
    hosts[0].addTask("both") {
      do {
        let ann = try await Peer("Ann", trusting: .anyPeer, on: hosts[0])
        let bob = try await Peer("Bob", trusting: .anyPeer, on: hosts[1])
        let result = try await Self.talk(pair, ann, bob, test: "encryption")
        suites.withLock { $0 = .success(result) }
      } catch { suites.withLock { $0 = .failure(error) } }
    }
    world.run(for: .seconds(30))
    return (try #require(suites.withLock { $0 }).get(), world.traceHash)
  }

  @Test(
    "Where links are encrypted they are TLS 1.3 for all pairs, and the preference is nowhere on the network"
  )
  func secured() throws {
    let expected = try conversation(Pair(ann: .optional, bob: .optional), isSecure: true)
    for pair in Pair.all {
      let found = try conversation(pair, isSecure: true)
      #expect(found.suites.count == 2 && Self.suites.isSuperset(of: found.suites), "\(pair)")
      #expect(found.trace == expected.trace, "\(pair)")
    }
  }

  @Test("On real networks all pairs are TLS 1.3")
  func real() async throws {
    try await Ground.real.meet { ann, bob in
      for (number, pair) in Pair.all.enumerated() {
        let letter = ["a", "b", "c", "d", "e", "f", "g", "h", "i"][number]
        let suites = try await Self.talk(pair, ann, bob, test: "encrypt\(letter)")
        #expect(suites.count == 2 && Self.suites.isSuperset(of: suites), "\(pair)")
      }
    }
  }

  @Test(
    "Where links are plain a session that requires encryption is refused, before anything changes")
  func refused() async throws {
    try await Ground.simulated.meet { ann, bob in
      let required = Session.Configuration(encryptionPreference: .required)
      let error = await failure { try await ann.makeSession(required) }
      #expect(error?.code == .encryptionUnavailable && error?.code.name == "encryptionUnavailable")
      #expect(await ann.sessionCount == 0)
      // An invitation that was to be accepted into such a session waits for another answer.
      let advertiser = try await ann.advertise("encryption")
      let bobs = try await bob.makeSession()
      async let outcome = bob.invite(try await ann.ticket(for: "encryption"), to: bobs)
      for await invitation in advertiser.invitations {
        let error = await failure {
          try await invitation.accept(into: try await ann.makeSession(required))
        }
        #expect(error?.code == .encryptionUnavailable && invitation.ending == nil)
        let session = try await invitation.accept()
        #expect(session.configuration.encryptionPreference == .optional)
        break
      }
      #expect(try await outcome == .accepted)
      await ann.stop()
      let stopped = await failure { try await ann.makeSession(required) }
      #expect(stopped?.code == .stopped)
    }
  }

  @Test("Where links are plain all other sessions work, and say that nothing is encrypted")
  func plain() throws {
    for pair in Pair.all where pair.ann != .required && pair.bob != .required {
      #expect(try conversation(pair, isSecure: false).suites == [nil, nil], "\(pair)")
    }
  }

  @Test("Sessions that say nothing take what there is; a preference is kept as a word")
  func words() throws {
    #expect(Session.Configuration().encryptionPreference == .optional)
    let text = try JSONEncoder().encode(EncryptionPreference.allCases)
    #expect(String(decoding: text, as: UTF8.self) == #"["optional","required"]"#)
    let read = try JSONDecoder().decode([EncryptionPreference].self, from: text)
    #expect(read == EncryptionPreference.allCases)
  }
}
