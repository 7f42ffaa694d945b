package import EarshotCore

/// Why a channel is not to be trusted; its link ends.
package enum SecureChannelError: Error, Hashable, Sendable {
  /// The first bytes are not those of this kind of channel.
  case badPreamble
  /// The remote side is the local peer itself.
  case selfConnection
  /// The remote peer is another one than the one that was dialled.
  case wrongPeer(expected: PeerID, found: PeerID)
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
    case .truncated: "The connection ended in the middle."
    }
  }
}
