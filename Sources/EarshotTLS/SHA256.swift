import COpenSSL

/// A SHA-256 of bytes that come one after the other, and of the next ones.
///
/// One at a time: its calls must not overlap. The algorithm is fetched once for the process, and
/// the context is used again: that saves 300 ns a hash.
package final class SHA256 {
  private let context: OpaquePointer
  private static let algorithm = Algorithm()

  /// OpenSSL's implementation, which never changes.
  private struct Algorithm: @unchecked Sendable {
    let pointer = OpenSSL.make("provide SHA-256", EVP_MD_fetch(nil, "SHA256", nil))
  }

  /// A hash of nothing yet.
  package init() {
    context = OpenSSL.make("hash", EVP_MD_CTX_new())
    begin()
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  package func update(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer {
      OpenSSL.require(EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1, "hash")
    }
  }

  /// Adds zeros.
  package func update(zeros count: Int) {
    var left = count
    while left > 0 {
      let part = min(left, Self.zeros.count)
      update(Self.zeros.span.extracting(..<part))
      left -= part
    }
  }

  /// The hash of what was added, after which another one begins.
  package func finish() -> [UInt8] {
    defer { begin() }
    return OpenSSL.bytes(KeyDerivation.hashBytes, "hash") {
      EVP_DigestFinal_ex(context, $0, nil)
    }
  }

  private func begin() {
    OpenSSL.require(EVP_DigestInit_ex(context, Self.algorithm.pointer, nil) == 1, "hash")
  }

  private static let zeros = [UInt8](repeating: 0, count: 65_536)
}
