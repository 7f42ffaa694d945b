/// The members that a message is for.
///
/// An array literal of identifiers stands for those members: `to: [ann, bob]`.
public struct Recipients: Hashable, Sendable {
  enum Choice: Hashable {
    case all, present
    case one(PeerID)
    case several([PeerID])
  }
  let choice: Choice

  /// All members; a session without members refuses the message with `notConnected`.
  public static let all = Recipients(choice: .all)
  /// The members that the session has now, even if it has none.
  public static let present = Recipients(choice: .present)

  /// One member.
  ///
  /// - Parameter id: Its identifier.
  /// - Returns: The recipient.
  public static func member(_ id: PeerID) -> Recipients { Recipients(choice: .one(id)) }

  /// Whether a member is chosen by its identifier.
  func names(_ id: PeerID) -> Bool {
    switch choice {
    case .all, .present: false
    case .one(let chosen): chosen == id
    case .several(let chosen): chosen.contains(id)
    }
  }

  /// Several members, each of which gets the message once.
  ///
  /// - Parameter ids: Their identifiers, in any order; an empty list is refused with `notConnected`.
  /// - Returns: The recipients.
  public static func members(_ ids: some Sequence<PeerID>) -> Recipients {
    Recipients(choice: .several(Array(ids)))
  }
}

extension Recipients: ExpressibleByArrayLiteral {
  /// The members with the given identifiers.
  public init(arrayLiteral ids: PeerID...) {
    self = ids.count == 1 ? .member(ids[0]) : .members(ids)
  }
}
