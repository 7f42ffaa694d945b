import CEarshotTLS
import COpenSSL
package import EarshotCore

/// What all TLS channels of one identity share: its key, its certificate, and settings that leave no choice.
///
/// TLS 1.3 and nothing older, both sides with one self-signed Ed25519 certificate, X25519, ALPN `earshot/1`, no tickets,
/// no resumption, no early data, no compression. Dates in certificates say nothing: a wrong clock breaks no link.
///
/// Sendable, since nothing of it changes once it is made but OpenSSL's counts of references, which are atomic, and the
/// randomness of a simulation, which one thread drives.
package final class TLSContext: @unchecked Sendable {
  /// The local peer.
  package let id: PeerID
  let pointer: OpaquePointer
  let randomness: SeededRandomness?

  /// The context of a key.
  ///
  /// - Parameters:
  ///   - pair: The key.
  ///   - randomness: Where all that is random comes from, in a simulation.
  package init(_ pair: KeyPair, randomness: SeededRandomness? = nil) {
    id = pair.id
    self.randomness = randomness
    let context = OpenSSL.make("make a context", SSL_CTX_new(TLS_method()))
    pointer = context
    OpenSSL.require(
      SSL_CTX_set_ciphersuites(context, Self.cipherSuites) == 1, "choose ciphers")
    OpenSSL.require(earshot_tls_configure(context), "take the settings")
    pair.withKey { key in
      let certificate = Self.certificate(of: key)
      defer { X509_free(certificate) }
      OpenSSL.require(SSL_CTX_use_certificate(context, certificate) == 1, "use a certificate")
      OpenSSL.require(SSL_CTX_use_PrivateKey(context, key) == 1, "use a key")
    }
  }

  deinit { SSL_CTX_free(pointer) }

  /// Bytes of OpenSSL's generator, or of the simulation's.
  package func randomBytes(_ count: Int) -> [UInt8] {
    func draw() -> [UInt8] { OpenSSL.bytes(count, "draw") { RAND_bytes($0, CInt(count)) } }
    return randomness.map { $0.around(draw) } ?? draw()
  }

  /// A self-signed X.509 v3 certificate that says nothing but the key.
  private static func certificate(of key: OpaquePointer) -> OpaquePointer {
    let certificate = OpenSSL.make("make a certificate", X509_new())
    let name = X509_get_subject_name(certificate)
    let isFilled =
      X509_set_version(certificate, 2) == 1  // Stands for 3.
      && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1
      && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "19700101000000Z") == 1
      && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1
      && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "earshot", -1, -1, 0) == 1
      && X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1
    OpenSSL.require(isFilled, "fill a certificate")
    OpenSSL.require(X509_sign(certificate, key, nil) > 0, "sign a certificate")
    return certificate
  }

  #if arch(x86_64) || arch(arm64)
    private static let cipherSuites =  // With instructions for AES.
      "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
  #else
    private static let cipherSuites =
      "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384"
  #endif
}
