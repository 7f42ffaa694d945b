/// Why a text is not the key of an identity.
public struct IdentityError: Error, Hashable, Sendable {
  /// What is wrong with it.
  public struct Code: Hashable, Sendable {
    private enum Kind: Hashable { case noKey, otherKind }
    private let kind: Kind

    /// There is no private key in it that can be read: none at all, a damaged one, or one behind a password.
    public static let noKey = Code(kind: .noKey)
    /// The key is no Ed25519 key.
    public static let otherKind = Code(kind: .otherKind)
  }

  /// What is wrong.
  public let code: Code
  private let detail: String

  init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }
}

extension IdentityError: CustomStringConvertible {
  /// One sentence for a person.
  public var description: String {
    code == .otherKind
      ? "An identity is an Ed25519 key, and this is one of \(detail)."
      : "No private key in PEM can be read here (\(detail))."
  }
}
