import Earshot
import EarshotPOSIX
import Testing

/// A peer on real sockets, asked by `openssl s_client` in every wrong way.
@Suite(
  "TLS, asked by another program", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: Shell.has("openssl"), "needs the openssl program"))
struct TLSProbeTests {
  /// What a client sees of a peer called Ann: how it ended, and all that was said.
  private func probe(
    _ words: (ProbeCertificates) -> [String]
  ) async throws -> (status: Int32?, lines: [String]) {
    let host = try POSIXHost(.init(interfaces: ["lo"]))
    let ann = try await Peer("Ann-who-listens", trusting: .anyPeer, on: host)
    let certificates = try ProbeCertificates()
    let program = try Program(
      running: [
        "openssl", "s_client", "-ign_eof", "-connect", "127.0.0.1:\(await ann.port)",
      ] + words(certificates))
    let status = await program.exitStatus()
    let lines = program.lines
    await ann.stop()
    await host.shutDown()
    withExtendedLifetime(certificates) {}
    return (status, lines)
  }

  @Test("With the right version, protocol, group and certificate it is greeted, by TLS 1.3")
  func greeted() async throws {
    let (_, lines) = try await probe {
      ["-tls1_3", "-alpn", "h2,earshot/1", "-groups", "X25519"] + $0.use("good")
    }
    #expect(lines.contains { $0.contains("Ann-who-listens") })
    #expect(lines.contains { $0.contains("New, TLSv1.3, Cipher is TLS_") })
    #expect(lines.contains("ALPN protocol: earshot/1"))
    #expect(lines.contains { $0.contains("Peer signature type: ed25519") })
    #expect(lines.contains { $0.contains("Server Temp Key: X25519") })
    #expect(!lines.contains { $0.contains("Session-ID-ctx") }, "no ticket is issued")
  }

  @Test(
    "In every wrong way it is refused, and hears nothing but an alert",
    arguments: [
      ("TLS 1.2", "-tls1_2 -alpn earshot/1 good", "alert"),
      ("no certificate", "-tls1_3 -alpn earshot/1", "certificate required"),
      ("a P-256 key", "-tls1_3 -alpn earshot/1 p256", "alert"),
      ("an RSA key", "-tls1_3 -alpn earshot/1 rsa", "alert"),
      ("an Ed448 key", "-tls1_3 -alpn earshot/1 ed448", "alert"),
      ("another protocol", "-tls1_3 -alpn h2,http/1.1 good", "no application protocol"),
      ("no protocol", "-tls1_3 good", "alert"),
      ("another group", "-tls1_3 -alpn earshot/1 -groups P-256 good", "alert"),
      (
        "another cipher", "-tls1_3 -alpn earshot/1 -ciphersuites TLS_AES_128_CCM_SHA256 good",
        "alert"
      ),
      ("a certificate that another key has signed", "-tls1_3 -alpn earshot/1 leaf", "alert"),
      ("a chain", "-tls1_3 -alpn earshot/1 -cert_chain good.crt leaf", "alert"),
      ("a certificate of 15 kB", "-tls1_3 -alpn earshot/1 large", "alert"),
    ])
  func refused(what: String, words: String, alert: String) async throws {
    let (status, lines) = try await probe { $0.words(words) }
    #expect(status != 0)
    #expect(!lines.contains { $0.contains("Ann-who-listens") })
    #expect(lines.contains { $0.contains(alert) }, "\(lines)")
  }
}
