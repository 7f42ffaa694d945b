import CEarshotTLS
import COpenSSL
package import EarshotCore

/// An Ed25519 key pair, by its private half.
package struct KeyPair: Hashable, Sendable {
  /// The private key (RFC 8032 §5.1.5).
  package let privateKey: [UInt8]
  /// The hash of the public key.
  package let id: PeerID

  /// The length of a private key.
  package static let privateKeyBytes = Int(EARSHOT_KEY_BYTES)

  /// The pair of a private key, or `nil` when it has another length.
  package init?(privateKey: [UInt8]) {
    guard privateKey.count == Self.privateKeyBytes else { return nil }
    self.privateKey = privateKey
    id = Self.withKey(privateKey) { Self.id(of: $0) }
  }

  /// A new pair, from the system's randomness: that of the kernel, or in code of a simulated host that of the host.
  package init() {
    var system = SystemRandomNumberGenerator()
    self = Self.made(of: system.bytes(Self.privateKeyBytes))
  }

  /// A new pair, drawn from a stream of random numbers: predictable, for simulations alone.
  package init(using random: inout RandomStream) {
    self = Self.made(of: random.bytes(Self.privateKeyBytes))
  }

  private static func made(of privateKey: [UInt8]) -> KeyPair {
    guard let pair = KeyPair(privateKey: privateKey) else {
      preconditionFailure("a key has 32 bytes")
    }
    return pair
  }

  /// Lends OpenSSL's form of the pair.
  func withKey<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
    try Self.withKey(privateKey, body)
  }

  private static func withKey<Result>(
    _ privateKey: [UInt8], _ body: (OpaquePointer) throws -> Result
  ) rethrows -> Result {
    let key = OpenSSL.make(
      "read a key",
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, privateKey, privateKey.count))
    defer { EVP_PKEY_free(key) }
    return try body(key)
  }

  private static func id(of key: OpaquePointer) -> PeerID {
    var count = privateKeyBytes
    let publicKey = OpenSSL.bytes(count, "read a public key") {
      EVP_PKEY_get_raw_public_key(key, $0, &count)
    }
    let bytes = OpenSSL.bytes(Int(EARSHOT_ID_BYTES), "hash a key") {
      earshot_peer_id(publicKey, $0) ? 1 : 0
    }
    return PeerID(exactly: bytes)
  }
}

extension PeerID {
  /// The identifier of bytes that are known to be as many as it has.
  init(exactly bytes: [UInt8]) {
    guard let id = PeerID(bytes) else { preconditionFailure("an identifier has 32 bytes") }
    self = id
  }
}

// MARK: Text

extension KeyPair {
  /// The private key as PKCS #8 in PEM (RFC 8410 §10.3), which openssl and others read.
  package var pem: String {
    text { PEM_write_bio_PKCS8PrivateKey($0, $1, nil, nil, 0, nil, nil) }
  }

  /// The public key as SubjectPublicKeyInfo in PEM (RFC 8410 §4).
  package var publicKeyPEM: String { text { PEM_write_bio_PUBKEY($0, $1) } }

  /// What OpenSSL writes of the pair.
  private func text(_ write: (OpaquePointer, OpaquePointer) -> CInt) -> String {
    withKey { key in
      let memory = OpenSSL.make("open memory", BIO_new(BIO_s_mem()))
      defer { BIO_free(memory) }
      OpenSSL.require(write(memory, key) == 1, "write a key")
      var text = [UInt8](repeating: 0, count: Self.pemBytesMax)
      let count = BIO_read(memory, &text, CInt(text.count))
      return String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self)
    }
  }

  /// Reads PEM, the first private key in it.
  package init(pem: String) throws(IdentityError) {
    ERR_clear_error()
    let text = pem.utf8.prefix(Self.textBytesMax) + Array("\n".utf8)  // Never empty.
    // OpenSSL reads the text where it is, in the second call.
    let key = text.withUnsafeBytes { bytes in
      let memory = OpenSSL.make(
        "open memory", BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)))
      defer { BIO_free(memory) }
      // Without a password to offer; the default would ask on the terminal.
      return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
    }
    guard let key else { throw IdentityError(.noKey, OpenSSL.takeReason()) }
    defer { EVP_PKEY_free(key) }
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 else {
      throw IdentityError(.otherKind, "\(String(cString: EVP_PKEY_get0_type_name(key)))")
    }
    var count = Self.privateKeyBytes
    let bytes = OpenSSL.bytes(count, "read a private key") {
      EVP_PKEY_get_raw_private_key(key, $0, &count)
    }
    self = Self.made(of: bytes)
  }

  private static let pemBytesMax = 256  // 119 are used.
  private static let textBytesMax = 65_536
}
