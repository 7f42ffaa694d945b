package import EarshotCore

/// Why a channel is not to be trusted; its link ends.
package enum SecureChannelError: Error, Hashable, Sendable {
  /// The first bytes are not those of this kind of channel.
  case badPreamble
  /// The remote side is the local peer itself.
  case selfConnection
  /// The remote peer is another one than the one that was dialled.
  case wrongPeer(expected: PeerID, found: PeerID)
  /// The handshake of TLS failed, in OpenSSL's words.
  case handshake(String)
  /// The remote peer's certificate is not a single self-signed one with an Ed25519 key.
  case badCertificate
  /// What came is not what the remote peer sealed, in OpenSSL's words.
  case badRecord(String)
  /// The remote peer changes its keys too often.
  case keyUpdates
  /// The bytes end before the channel was ready, or before it was closed in order.
  case truncated
}

extension SecureChannelError: CustomStringConvertible {
  /// One sentence for a person.
  package var description: String {
    switch self {
    case .badPreamble: "The other side does not speak this protocol."
    case .selfConnection: "The connection leads back to this peer."
    case .wrongPeer(let expected, let found):
      "Peer \(found.short) answered where \(expected.short) was expected."
    case .handshake(let reason): "No secure channel can be agreed on (\(reason))."
    case .badCertificate: "The other side's certificate is not one of this protocol."
    case .badRecord(let reason): "What came is not what was sent (\(reason))."
    case .keyUpdates: "The other side changes its keys too often."
    case .truncated: "The connection ended in the middle."
    }
  }
}
