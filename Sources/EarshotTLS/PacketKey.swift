import CEarshotTLS
import COpenSSL

/// AES-256-GCM under one key, for one direction (RFC 5116 §5.2); each nonce is used once.
///
/// Belongs to one thread at a time.
package final class PacketKey {
  /// What a key is for.
  package enum Use: Hashable, Sendable { case sealing, opening }

  /// The length of the tag behind each ciphertext.
  package static let tagBytes = 16
  /// The lengths of the key and of the nonce before the counter is mixed in.
  package static let (keyBytes, nonceBytes) = (32, 12)

  private let cipher: OpaquePointer
  private var nonce: [UInt8]
  private let base: [UInt8]

  /// A key, and the nonce that each counter is mixed into.
  package init(key: [UInt8], nonce: [UInt8], for use: Use) {
    precondition(key.count == Self.keyBytes && nonce.count == Self.nonceBytes)
    (base, self.nonce) = (nonce, nonce)
    cipher = OpenSSL.make("make a cipher", EVP_CIPHER_CTX_new())
    let isSet =
      EVP_CipherInit_ex(
        cipher, EVP_aes_256_gcm(), nil, key, nil, use == .sealing ? 1 : 0) == 1
    OpenSSL.require(isSet, "set a key")
  }

  deinit { EVP_CIPHER_CTX_free(cipher) }

  /// Mixes a counter into the last eight bytes of the nonce.
  private func begin(_ counter: UInt64) {
    for index in 0..<8 {
      nonce[4 + index] = base[4 + index] ^ UInt8(truncatingIfNeeded: counter >> (56 - 8 * index))
    }
  }

  /// Appends ciphertext and tag.
  ///
  /// - Parameters:
  ///   - plaintext: What is to be hidden.
  ///   - counter: A number that was never used with this key.
  ///   - header: What is to be authentic, too.
  ///   - output: What is appended to.
  package func seal(
    _ plaintext: Span<UInt8>, counter: UInt64, header: Span<UInt8>, into output: inout [UInt8]
  ) {
    begin(counter)
    output.append(addingCapacity: plaintext.count + Self.tagBytes) { space in
      space.withUnsafeMutableBufferPointer { buffer, initialized in
        guard let start = buffer.baseAddress.map({ $0 + initialized }) else { return }
        var count: CInt = 0
        let isSealed =
          EVP_EncryptInit_ex(cipher, nil, nil, nil, nonce) == 1
          && header.withUnsafeBufferPointer({
            EVP_EncryptUpdate(cipher, nil, &count, $0.baseAddress, CInt($0.count))
          }) == 1
          && plaintext.withUnsafeBufferPointer({
            EVP_EncryptUpdate(cipher, start, &count, $0.baseAddress, CInt($0.count))
          }) == 1 && EVP_EncryptFinal_ex(cipher, start + plaintext.count, &count) == 1
          && EVP_CIPHER_CTX_ctrl(
            cipher, EVP_CTRL_AEAD_GET_TAG, CInt(Self.tagBytes), start + plaintext.count) == 1
        OpenSSL.require(isSealed, "seal a datagram")
        initialized += plaintext.count + Self.tagBytes
      }
    }
  }

  /// Replaces the contents of a buffer by plaintext, or empties it.
  ///
  /// - Returns: Whether ciphertext and header are authentic.
  package func open(
    _ sealed: Span<UInt8>, counter: UInt64, header: Span<UInt8>, into output: inout [UInt8]
  ) -> Bool {
    output.removeAll(keepingCapacity: true)
    guard sealed.count >= Self.tagBytes else { return false }
    begin(counter)
    let textBytes = sealed.count - Self.tagBytes
    var isAuthentic = false
    output.append(addingCapacity: textBytes) { space in
      space.withUnsafeMutableBufferPointer { buffer, initialized in
        var count: CInt = 0
        var none: UInt8 = 0
        isAuthentic =
          EVP_DecryptInit_ex(cipher, nil, nil, nil, nonce) == 1
          && header.withUnsafeBufferPointer({
            EVP_DecryptUpdate(cipher, nil, &count, $0.baseAddress, CInt($0.count))
          }) == 1
          && sealed.withUnsafeBufferPointer({ bytes in
            let start = buffer.baseAddress.map { $0 + initialized }
            guard let first = bytes.baseAddress else { return false }
            if textBytes > 0,
              EVP_DecryptUpdate(cipher, start, &count, first, CInt(textBytes)) != 1
            {
              return false
            }
            let tag = UnsafeMutableRawPointer(mutating: first + textBytes)
            return EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CInt(Self.tagBytes), tag)
              == 1 && EVP_DecryptFinal_ex(cipher, &none, &count) == 1
          })
        if isAuthentic { initialized += textBytes }
      }
    }
    return isAuthentic
  }
}
