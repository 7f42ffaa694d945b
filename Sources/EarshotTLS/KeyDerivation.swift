import CEarshotTLS
import COpenSSL

/// SHA-256, and what HMAC and HKDF make of it.
package enum KeyDerivation {
  /// The length of a hash.
  package static let hashBytes = 32

  /// The hash of some bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    OpenSSL.bytes(hashBytes, "hash") { EVP_Digest(bytes, bytes.count, $0, nil, EVP_sha256(), nil) }
  }

  /// The authentication code of some bytes (RFC 2104).
  package static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    OpenSSL.bytes(hashBytes, "authenticate") { output in
      HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, output, nil) == nil ? 0 : 1
    }
  }

  /// HKDF-Extract (RFC 5869 §2.2).
  package static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] {
    hmac(secret, key: salt)
  }

  /// HKDF-Expand (RFC 5869 §2.3).
  ///
  /// - Precondition: `count <= 255 * 32`.
  package static func expand(_ secret: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    precondition(count <= 255 * hashBytes, "HKDF gives no more")
    var (output, block): ([UInt8], [UInt8]) = ([], [])
    var number: UInt8 = 0
    while output.count < count {
      number += 1
      block = hmac(block + info + [number], key: secret)
      output += block
    }
    return Array(output.prefix(count))
  }

  /// Whether two secrets are equal, in a time that tells nothing about where they differ.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
