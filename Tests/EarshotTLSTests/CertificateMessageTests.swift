import EarshotCore
import EarshotTLS
import TestKit
import Testing

/// Certificates that no library writes, from a server that is made by hand.
@Suite("Certificate messages")
struct CertificateMessageTests {
  private let ann = TLSContext(KeyPair())

  /// A self-signed certificate with an Ed25519 key, in DER.
  private static let certificate = bytes(
    """
    3081cd308180020101300506032b657030123110300e06035504030c0765617273686f743020170d
    3236313132353138353530355a180f32313236313130313138353530355a30123110300e06035504
    030c0765617273686f74302a300506032b65700321009e7edabbc8f576f555f8497ad5eb4eef279d
    cd4a6e78929405072a64b072bbeb300506032b6570034100921c01066c20271bae34115f3e94b1f2
    4ce029d564bc803b76825dab1ab0112db6d434880178d2fb6d5d5d5b45763b9d280ad4b530c423eb
    bb1a9f80835ad905
    """)

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// What a client makes of a Certificate message.
  private func outcome(
    _ body: (HandmadeServer) -> [UInt8]
  ) -> SecureChannelError? {
    let client = TLSChannel(ann, as: .client, expecting: nil)
    var wire: [UInt8] = []
    client.start(into: &wire)
    let server = HandmadeServer(answering: wire)
    wire = []
    do throws(SecureChannelError) {
      try client.receive(server.flight(certificate: body(server)).span, into: &wire) { _ in }
    } catch {
      #expect(client.remote == nil && !wire.isEmpty, "an alert")
      return error
    }
    return nil
  }

  @Test("A certificate that is DER to its last byte is read, and its proof is waited for")
  func whole() {
    #expect(outcome { $0.certificates([Self.certificate]) } == nil)
  }

  @Test("Bytes behind the DER of a certificate are refused", arguments: [1, 2, 100])
  func trailing(count: Int) {
    let longer = Self.certificate + [UInt8](repeating: 0, count: count)
    #expect(outcome { $0.certificates([longer]) } == .handshake("cert length mismatch"))
  }

  @Test("A certificate that ends too early, an empty one, none, and bytes behind all are refused")
  func lengths() {
    let shorter = Array(Self.certificate.dropLast())
    for entries in [[shorter], [[]], []] {
      guard case .handshake = outcome({ $0.certificates(entries) }) else {
        Issue.record("\(entries.map(\.count)) bytes are taken")
        continue
      }
    }
    guard case .handshake = outcome({ $0.certificates([Self.certificate]) + [0] }) else {
      Issue.record("bytes behind the list are taken")
      return
    }
  }

  @Test("A second certificate behind the first, even the same one, is refused")
  func chain() {
    let outcome = outcome { $0.certificates([Self.certificate, Self.certificate]) }
    #expect(outcome == .badCertificate)
  }

  @Test("One changed bit of a certificate, anywhere, is found")
  func tampered() {
    for bit in stride(from: 0, to: Self.certificate.count * 8, by: 7) {
      var certificate = Self.certificate
      certificate[bit / 8] ^= 1 << (bit % 8)
      #expect(outcome { $0.certificates([certificate]) } != nil, "bit \(bit)")
    }
  }
}
