public import EarshotCore

/// The identity of a peer, with which it proves who it is.
///
/// An Ed25519 key; its ``id`` is a hash of the public half. A program that stores its identity is the same peer at
/// its next start; one with a new identity is another peer to all others. An identity is a secret: whoever has it
/// is that peer.
///
/// The plain form is nothing but a ``PeerID``, without proof. It exists for simulations and for tests; real
/// networks refuse it.
public struct Identity: Hashable, Sendable {
  /// How it is proved.
  package enum Proof: Hashable, Sendable {
    case none
    case key(KeyPair)
  }

  /// The identifier that others know the identity by: SHA-256 of `"earshot peer id v1\0"` and the public key, as
  /// SubjectPublicKeyInfo in DER (RFC 8410 §4).
  public let id: PeerID
  package let proof: Proof

  /// A new identity, its key drawn from the system's randomness.
  ///
  /// Code of a simulated host draws the key from the seed of its world: each run of the seed has the same identity, and
  /// the key is no secret.
  public init() { self.init(KeyPair()) }

  /// The identity of a private key in PEM, such as ``pem`` gives and `openssl genpkey -algorithm ed25519` writes.
  ///
  /// - Throws: ``IdentityError`` when there is no such key in the text.
  public init(pem: String) throws(IdentityError) { self.init(try KeyPair(pem: pem)) }

  /// The plain identity of an identifier.
  public init(plain id: PeerID) { (self.id, proof) = (id, .none) }

  private init(_ pair: KeyPair) { (id, proof) = (pair.id, .key(pair)) }

  /// A new plain identity, its identifier drawn from a stream of random numbers.
  public static func plain(using random: inout RandomStream) -> Identity {
    Identity(plain: PeerID(random: &random))
  }

  /// A new identity whose key is drawn from a stream of random numbers, and is no secret: for simulations.
  package static func seeded(using random: inout RandomStream) -> Identity {
    Identity(KeyPair(using: &random))
  }

  /// The private key as PKCS #8 in PEM, or `nil` for a plain identity.
  ///
  /// To be kept where no one else can read it.
  public var pem: String? {
    switch proof {
    case .none: nil
    case .key(let pair): pair.pem
    }
  }
}

extension Identity {
  /// The public key in PEM, which everyone may know, or `nil` for a plain identity.
  public var publicKeyPEM: String? {
    switch proof {
    case .none: nil
    case .key(let pair): pair.publicKeyPEM
    }
  }
}

extension Identity: Codable {
  private enum CodingKeys: String, CodingKey { case kind, id, pem }
  private enum Kind: String, Codable { case plain, ed25519 }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .plain: self.init(plain: try container.decode(PeerID.self, forKey: .id))
    case .ed25519:
      do {
        try self.init(pem: try container.decode(String.self, forKey: .pem))
      } catch let error as IdentityError {
        throw DecodingError.dataCorruptedError(
          forKey: .pem, in: container, debugDescription: error.description)
      }
    }
  }

  /// Writes the kind of the identity, and its private key in PEM or the text form of its plain identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch proof {
    case .none:
      try container.encode(Kind.plain, forKey: .kind)
      try container.encode(id, forKey: .id)
    case .key(let pair):
      try container.encode(Kind.ed25519, forKey: .kind)
      try container.encode(pair.pem, forKey: .pem)
    }
  }
}

extension Identity: CustomStringConvertible, CustomReflectable {
  /// The kind and the short form of the identifier; nothing secret.
  public var description: String {
    switch proof {
    case .none: "plain identity \(id.short)"
    case .key: "identity \(id.short)"
    }
  }

  /// The identifier alone: dumps and debuggers show no key.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
