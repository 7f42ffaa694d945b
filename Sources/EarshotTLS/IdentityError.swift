/// Why there is no identity to be had from a text or a store.
public struct IdentityError: Error, Hashable, Sendable {
  /// What is wrong with it.
  public struct Code: Hashable, Sendable {
    fileprivate enum Kind: Hashable {
      case foreign, noKey, otherKind, unprotected, unreadable, unwritable
    }
    fileprivate let kind: Kind

    /// The file belongs to another user than the one as whom this process runs.
    public static let foreign = Code(kind: .foreign)
    /// There is no private key in it that can be read: none at all, a damaged one, or one behind a password.
    public static let noKey = Code(kind: .noKey)
    /// The key is no Ed25519 key.
    public static let otherKind = Code(kind: .otherKind)
    /// Others than its owner may read or change the file.
    public static let unprotected = Code(kind: .unprotected)
    /// The file cannot be read.
    public static let unreadable = Code(kind: .unreadable)
    /// The file cannot be written.
    public static let unwritable = Code(kind: .unwritable)
  }

  /// What is wrong.
  public let code: Code
  private let detail: String

  init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }
}

extension IdentityError: CustomStringConvertible {
  /// One sentence for a person.
  public var description: String {
    switch code.kind {
    case .foreign: "This identity belongs to another user (\(detail))."
    case .noKey: "No private key in PEM can be read here (\(detail))."
    case .otherKind: "An identity is an Ed25519 key, and this is one of \(detail)."
    case .unprotected: "Others than its owner may read or change this identity (\(detail))."
    case .unreadable: "The identity cannot be read (\(detail))."
    case .unwritable: "The identity cannot be stored (\(detail))."
    }
  }
}
