import COpenSSL
import EarshotTLS

/// The server of a TLS 1.3 handshake (RFC 8446) up to its certificate, made by hand: what it says may be anything.
///
/// It chooses TLS_AES_128_GCM_SHA256, X25519 and `earshot/1`, asks for a certificate, and proves nothing.
struct HandmadeServer {
  private let hello: [UInt8]

  /// A server that is to answer a client.
  ///
  /// - Parameter wire: What the client has said: one record with its ClientHello, without a session to resume.
  init(answering wire: [UInt8]) { hello = Array(wire.dropFirst(5)) }

  /// What it says first: records with ServerHello, EncryptedExtensions, CertificateRequest and a Certificate.
  ///
  /// - Parameter certificate: The body of the last one.
  /// - Returns: The records.
  func flight(certificate: [UInt8]) -> [UInt8] {
    let pair = OpenSSLKey(privateKey: [UInt8](repeating: 9, count: 32))
    let answer = message(
      2,
      [3, 3] + [UInt8](repeating: 5, count: 32) + [0, 0x13, 0x01, 0]
        + vector(
          2, [0, 43, 0, 2, 3, 4] + [0, 51, 0, 36, 0, 29, 0, 32] + pair.publicKey))
    let hidden =
      message(8, vector(2, [0, 16] + vector(2, vector(2, vector(1, Array("earshot/1".utf8))))))
      + message(13, [0] + vector(2, [0, 13] + vector(2, vector(2, [8, 7]))))
      + message(11, certificate)
    let secret = handshakeSecret(
      pair.shared(with: clientShare), KeyDerivation.sha256(hello + answer))
    return record(22, answer) + sealed(hidden, under: secret)
  }

  /// The body of a Certificate message, with one entry for each list of bytes.
  func certificates(_ entries: [[UInt8]]) -> [UInt8] {
    [0] + vector(3, entries.flatMap { vector(3, $0) + [0, 0] })
  }

  /// The client's X25519 key, which is told from its group and its length.
  private var clientShare: [UInt8] {
    let start = hello.firstRange(of: [0, 29, 0, 32]).map(\.upperBound) ?? 0
    return Array(hello[start..<start + 32])
  }

  // MARK: Lengths in front of bytes

  private func vector(_ lengthBytes: Int, _ bytes: [UInt8]) -> [UInt8] {
    (0..<lengthBytes).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
  }

  private func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + vector(3, body) }

  private func record(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [type, 3, 3] + vector(2, bytes)
  }

  // MARK: Keys

  /// The secret of what the server says before the end of the handshake (RFC 8446 §7.1).
  private func handshakeSecret(_ shared: [UInt8], _ transcript: [UInt8]) -> [UInt8] {
    let zero = [UInt8](repeating: 0, count: 32)
    let early = KeyDerivation.extract(zero, salt: zero)
    let salt = expand(early, "derived", KeyDerivation.sha256([]), 32)
    return expand(KeyDerivation.extract(shared, salt: salt), "s hs traffic", transcript, 32)
  }

  private func expand(
    _ secret: [UInt8], _ label: String, _ context: [UInt8], _ count: Int
  ) -> [UInt8] {
    let info =
      [UInt8(count >> 8), UInt8(count & 255)] + vector(1, Array("tls13 \(label)".utf8))
      + vector(1, context)
    return KeyDerivation.expand(secret, info: info, count: count)
  }

  /// The first record under a secret.
  private func sealed(_ messages: [UInt8], under secret: [UInt8]) -> [UInt8] {
    let plaintext = messages + [22]  // The type of what is inside.
    let length = plaintext.count + 16
    let header = [23, 3, 3, UInt8(length >> 8), UInt8(length & 255)]
    let (key, nonce) = (expand(secret, "key", [], 16), expand(secret, "iv", [], 12))
    var output = [UInt8](repeating: 0, count: length)
    var count: CInt = 0
    let cipher = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(cipher) }
    EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), nil, key, nonce)
    EVP_EncryptUpdate(cipher, nil, &count, header, CInt(header.count))
    EVP_EncryptUpdate(cipher, &output, &count, plaintext, CInt(plaintext.count))
    output.withUnsafeMutableBufferPointer { buffer in
      guard let tag = buffer.baseAddress.map({ $0 + plaintext.count }) else { return }
      EVP_EncryptFinal_ex(cipher, tag, &count)
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, tag)
    }
    return header + output
  }
}

/// A key of X25519 (RFC 7748).
private final class OpenSSLKey {
  private let key: OpaquePointer?

  init(privateKey: [UInt8]) {
    key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, privateKey, privateKey.count)
  }

  deinit { EVP_PKEY_free(key) }

  var publicKey: [UInt8] {
    var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
    EVP_PKEY_get_raw_public_key(key, &bytes, &count)
    return bytes
  }

  func shared(with remote: [UInt8]) -> [UInt8] {
    let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, remote, remote.count)
    let context = EVP_PKEY_CTX_new(key, nil)
    defer {
      EVP_PKEY_CTX_free(context)
      EVP_PKEY_free(other)
    }
    var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
    EVP_PKEY_derive_init(context)
    EVP_PKEY_derive_set_peer(context, other)
    EVP_PKEY_derive(context, &bytes, &count)
    return bytes
  }
}
