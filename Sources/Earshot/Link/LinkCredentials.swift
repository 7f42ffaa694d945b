import EarshotNetwork
import EarshotTLS

/// Who a peer is to those that it links with, and how it proves that: what makes the channels of its links.
struct LinkCredentials: Sendable {
  private enum Kind: Sendable {
    case plain
    case tls(TLSContext)
  }

  let identity: Identity
  private let kind: Kind

  /// The credentials of an identity, or of a new one, as the host secures its links.
  ///
  /// - Throws: `identityWithoutKey`.
  init(
    _ identity: Identity?, on host: any NetworkHost, named name: String,
    using random: inout RandomStream
  ) throws(EarshotError) {
    switch host.linkSecurity.kind {
    case .plain:
      self.identity = identity ?? .plain(using: &random)
      kind = .plain
    case .seeded:
      self.identity = identity ?? .seeded(using: &random)
      let randomness = SeededRandomness(host.random("tls of peer \(name)"))
      kind = .tls(try Self.context(of: self.identity, randomness))
    case .required:
      self.identity = identity ?? Identity()
      kind = .tls(try Self.context(of: self.identity, nil))
    }
  }

  private static func context(
    of identity: Identity, _ randomness: SeededRandomness?
  ) throws(EarshotError) -> TLSContext {
    switch identity.proof {
    case .key(let pair): return TLSContext(pair, randomness: randomness)
    case .none:
      throw EarshotError(
        .identityWithoutKey,
        "A plain identity proves nothing, and this host secures its links; use one with a key.",
        peers: [identity.id])
    }
  }

  /// Whether links are encrypted.
  var areLinksEncrypted: Bool {
    switch kind {
    case .plain: false
    case .tls: true
    }
  }

  /// Random bytes that nobody can guess; none for plain links.
  func randomBytes(_ count: Int) -> [UInt8]? {
    switch kind {
    case .plain: nil
    case .tls(let context): context.randomBytes(count)
    }
  }

  /// The channel of a new link.
  func makeChannel(as role: TLSChannel.Role, _ expected: PeerID?) -> SecureChannel {
    switch kind {
    case .plain: .plain(PlainChannel(identity.id, expecting: expected))
    case .tls(let context): .tls(TLSChannel(context, as: role, expecting: expected))
    }
  }
}
