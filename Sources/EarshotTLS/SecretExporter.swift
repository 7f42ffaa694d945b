import EarshotCore

/// What makes secrets that both ends of a channel have, and over TLS no one else (RFC 8446 §7.5).
///
/// Apart from the channel, so that secrets can be made while the channel lends what it has read.
package struct SecretExporter {
  private enum Kind {
    case plain([UInt8])
    case tls(TLSChannel)
  }
  private let kind: Kind

  /// The exporter of a TLS channel whose handshake is done.
  init(_ channel: TLSChannel) { kind = .tls(channel) }

  /// What stands for an exporter where nothing is secret, so that what is made of secrets runs over a plain channel, too:
  /// whoever knows both peers has them.
  init(between one: PeerID, and other: PeerID) {
    kind = .plain(KeyDerivation.sha256([one, other].sorted().flatMap(\.bytes)))
  }

  /// A secret.
  ///
  /// - Parameters:
  ///   - label: What it is for; begins with `EXPERIMENTAL` (RFC 5705 §4).
  ///   - context: What else it depends on.
  ///   - count: Its length.
  /// - Returns: The same at both ends for the same arguments.
  package func secret(label: String, context: [UInt8], count: Int) -> [UInt8] {
    switch kind {
    case .plain(let secret):
      KeyDerivation.expand(secret, info: Array(label.utf8) + [0] + context, count: count)
    case .tls(let channel): channel.exportSecret(label: label, context: context, count: count)
    }
  }
}
