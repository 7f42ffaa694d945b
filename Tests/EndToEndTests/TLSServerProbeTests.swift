import Earshot
import EarshotPOSIX
import EarshotTLS
import Foundation
import Testing

/// A peer on real sockets that dials `openssl s_server`, which is wrong in every way.
@Suite(
  "TLS, answered by another program", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Shell.has("openssl"), "needs the openssl program"))
struct TLSServerProbeTests {
  private static let name = "Ann-who-dials"

  /// What a server sees of a peer called Ann that dials it, and what became of her invitation.
  ///
  /// - Parameters:
  ///   - words: How the server behaves.
  ///   - expected: The certificate whose key Ann expects there.
  ///   - isHeard: Whether the end of the handshake is waited for; else that of the server is, which serves once.
  /// - Returns: How the invitation ended, and what the server has printed.
  /// - Throws: That something could not begin.
  private func probe(
    _ words: String, expecting expected: String, isHeard: Bool
  ) async throws -> (outcome: InvitationOutcome, lines: [String]) {
    let certificates = try ProbeCertificates()
    let program = try Program(
      running: ["openssl", "s_server", "-accept", "127.0.0.1:0", "-naccept", "1"]
        + certificates.words(words))
    await program.expect("ACCEPT 127.0.0.1:")
    let place = try #require(program.line(with: "ACCEPT 127.0.0.1:"))
    let port = try #require(place.split(separator: ":").last.flatMap { UInt16($0) })
    let key = try String(contentsOfFile: certificates.path("\(expected).key"), encoding: .utf8)
    let host = try POSIXHost(.init(interfaces: ["lo"]))
    let ann = try await Peer(Self.name, trusting: .anyPeer, on: host)
    let session = try await ann.makeSession()
    let address = try #require(IPAddress("127.0.0.1"))
    let ticket = try PeerTicket(
      peer: try Identity(pem: key).id, serviceType: "probe",
      endpoints: [Endpoint(address, port: port)])
    let call = Task { try await ann.invite(ticket, to: session) }
    if isHeard {
      await program.expect("CIPHER is TLS_")
    } else {
      _ = await program.exitStatus()
    }
    call.cancel()
    let outcome = try await call.value
    #expect(await session.members.isEmpty)
    await ann.stop()
    _ = await program.exitStatus()
    await host.shutDown()
    return (outcome, program.lines)
  }

  @Test("With the right version, protocol, certificate and key a server is greeted")
  func greeted() async throws {
    let (outcome, lines) = try await probe(
      "-tls1_3 -alpn h2,earshot/1 -Verify 1 good", expecting: "good", isHeard: true)
    #expect(lines.contains { $0.contains(Self.name) }, "\(lines)")
    #expect(lines.contains("ALPN protocols selected: earshot/1"))
    #expect(lines.contains { $0.hasPrefix("CIPHER is TLS_") })
    #expect(outcome == .cancelled)  // It never answers.
  }

  @Test(
    "A server that is wrong in any way hears nothing but an alert",
    arguments: [
      ("TLS 1.2", "-tls1_2 -alpn earshot/1 -Verify 1 good", "unsupported protocol"),
      ("a P-256 key", "-tls1_3 -alpn earshot/1 -Verify 1 p256", "no suitable signature algorithm"),
      ("an RSA key", "-tls1_3 -alpn earshot/1 -Verify 1 rsa", "no suitable signature algorithm"),
      ("an Ed448 key", "-tls1_3 -alpn earshot/1 -Verify 1 ed448", "no suitable signature"),
      ("another protocol", "-tls1_3 -alpn h2 -Verify 1 good", "no application protocol"),
      ("no protocol", "-tls1_3 -Verify 1 good", "alert"),
      ("another group", "-tls1_3 -alpn earshot/1 -groups P-256 -Verify 1 good", "no suitable key"),
      (
        "another cipher",
        "-tls1_3 -alpn earshot/1 -ciphersuites TLS_AES_128_CCM_SHA256 -Verify 1 good", "no shared"
      ),
      ("a chain", "-tls1_3 -alpn earshot/1 -cert_chain good.crt -Verify 1 leaf", "alert"),
      ("another key's signature", "-tls1_3 -alpn earshot/1 -Verify 1 leaf", "alert"),
      ("a certificate of 15 kB", "-tls1_3 -alpn earshot/1 -Verify 1 large", "alert"),
    ])
  func refused(what: String, words: String, reason: String) async throws {
    // Other keys than those of Ed25519 have no identifier.
    let expected = ["large", "leaf"].first { words.hasSuffix($0) } ?? "good"
    let (outcome, lines) = try await probe(words, expecting: expected, isHeard: false)
    #expect(outcome != .accepted)
    #expect(!lines.contains { $0.contains(Self.name) })
    #expect(lines.contains { $0.contains(reason) }, "\(lines)")
  }

  @Test("A server that asks for no certificate is told nothing: it could not know who dials")
  func unasked() async throws {
    let (outcome, lines) = try await probe(
      "-tls1_3 -alpn earshot/1 good", expecting: "good", isHeard: false)
    #expect(outcome != .accepted)
    #expect(!lines.contains { $0.contains(Self.name) })
    #expect(lines.contains("ALPN protocols selected: earshot/1"))  // It went on until then.
  }

  @Test("A server that does all right with another key than the expected one is told nothing")
  func otherKey() async throws {
    let (outcome, lines) = try await probe(
      "-tls1_3 -alpn earshot/1 -Verify 1 good", expecting: "leaf", isHeard: false)
    #expect(outcome != .accepted)
    #expect(!lines.contains { $0.contains(Self.name) })
    #expect(lines.contains { $0.contains("alert") }, "\(lines)")
  }
}
