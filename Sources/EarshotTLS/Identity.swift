public import EarshotCore

/// The identity of a peer, with which it proves who it is.
///
/// A program that stores its identity is the same peer at its next start; one with a new identity is another peer to
/// all others. The plain form is nothing but a ``PeerID``, without proof. It exists for simulations and for tests.
public struct Identity: Hashable, Sendable {
  /// The identifier that others know the identity by.
  public let id: PeerID

  /// The plain identity of an identifier.
  public init(plain id: PeerID) { self.id = id }

  /// A new plain identity, its identifier drawn from a stream of random numbers.
  public static func plain(using random: inout RandomStream) -> Identity {
    Identity(plain: PeerID(random: &random))
  }
}

extension Identity: Codable {
  private enum CodingKeys: String, CodingKey { case kind, id }
  private enum Kind: String, Codable { case plain }

  /// Reads what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .plain: self.init(plain: try container.decode(PeerID.self, forKey: .id))
    }
  }

  /// Writes the kind of the identity and the text form of its identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Kind.plain, forKey: .kind)
    try container.encode(id, forKey: .id)
  }
}

extension Identity: CustomStringConvertible {
  /// The kind and the short form of the identifier; nothing secret.
  public var description: String { "plain identity \(id.short)" }
}
