package import EarshotCore

/// The channel that identifies and does nothing else: for simulations and for tests.
///
/// Each side first sends 40 bytes; what follows passes through as it is, without a copy.
///
/// ```
/// 0               8                               40
/// +---------------+-------------------------------+
/// | "earshot0"    | PeerID, 32 bytes              |
/// +---------------+-------------------------------+
/// ```
package final class PlainChannel {
  /// The length of what each side sends first.
  package static let preambleBytes = magic.count + PeerID.byteCount

  /// The identifier that the other side gives itself, once it has.
  package private(set) var remote: PeerID?

  private static let magic = Array("earshot0".utf8)
  private var preamble: [UInt8] = []
  private let local: PeerID
  private let expected: PeerID?

  /// A channel between the local peer and the one that was dialled, or any that dials.
  package init(_ local: PeerID, expecting expected: PeerID?) {
    (self.local, self.expected) = (local, expected)
  }

  /// How many bytes of an unfinished preamble are buffered.
  package var bufferedBytes: Int { preamble.count }

  /// Appends the local peer's preamble.
  package func start(into wire: inout [UInt8]) {
    wire += Self.magic
    wire += local.bytes
  }

  /// Takes in the remote's preamble, then lends what follows.
  package func receive(
    _ bytes: Span<UInt8>, lending body: (Span<UInt8>) -> Void
  ) throws(SecureChannelError) {
    var plaintext = bytes
    if remote == nil {
      let count = min(Self.preambleBytes - preamble.count, bytes.count)
      preamble.append(copying: bytes.extracting(..<count))
      try judgePreamble()
      plaintext = bytes.extracting(count...)
    }
    if plaintext.count > 0 { body(plaintext) }
  }

  /// Judges as soon as a byte is wrong, not only when the last one is there.
  private func judgePreamble() throws(SecureChannelError) {
    guard Self.magic.starts(with: preamble.prefix(Self.magic.count)) else { throw .badPreamble }
    guard let found = PeerID(preamble.dropFirst(Self.magic.count)) else { return }
    if found == local { throw .selfConnection }
    if let expected, found != expected { throw .wrongPeer(expected: expected, found: found) }
    remote = found
    preamble = []
  }

  /// What stands for an exporter, once the other side is known.
  package var exporter: SecretExporter? {
    remote.map { SecretExporter(between: local, and: $0) }
  }
}
