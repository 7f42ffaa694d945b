import EarshotCore
import EarshotTLS

/// The digests of a resource's pieces, and the digest of those.
///
/// A piece that is all zeros has a digest that is known, so that holes cost nothing.
struct PieceHash {
  private let piece = SHA256()
  private let whole = SHA256()
  private var pieceBytes = 0
  private var zeros = 0  // At the end of the piece, not hashed yet.

  /// How many bytes the piece lacks.
  var bytesLeft: Int { ResourceFrame.pieceBytes - pieceBytes }

  /// Whether the piece has no bytes.
  var isEmpty: Bool { pieceBytes == 0 }

  /// Adds bytes of the piece.
  mutating func add(_ bytes: Span<UInt8>) {
    addZeros()
    piece.update(bytes)
    pieceBytes += bytes.count
  }

  /// Adds zeros of the piece.
  mutating func add(zeros count: Int) {
    zeros += count
    pieceBytes += count
  }

  /// Ends the piece.
  ///
  /// - Returns: Its digest.
  mutating func endPiece() -> [UInt8] {
    defer { (pieceBytes, zeros) = (0, 0) }
    if zeros == ResourceFrame.pieceBytes {
      whole.update(Self.zeroDigest.span)
      return Self.zeroDigest
    }
    addZeros()
    let digest = piece.finish()
    whole.update(digest.span)
    return digest
  }

  /// The digest of the digests of all pieces.
  mutating func finish() -> [UInt8] { whole.finish() }

  private mutating func addZeros() {
    if zeros > 0 { piece.update(zeros: zeros) }
    zeros = 0
  }

  private static let zeroDigest: [UInt8] = {
    let hash = SHA256()
    hash.update(zeros: ResourceFrame.pieceBytes)
    return hash.finish()
  }()
}
