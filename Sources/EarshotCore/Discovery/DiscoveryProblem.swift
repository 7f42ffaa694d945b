/// A reason why a peer finds no others at the moment, and is not found.
///
/// Later versions may add reasons.
@nonexhaustive
public enum DiscoveryProblem: Hashable, Sendable {
  /// No network interface of the host is up, has an address and carries multicast.
  case noInterface
  /// Another program of the host holds UDP port 5353 for itself alone.
  case portTaken
  /// The system refuses UDP port 5353 for another reason.
  case portUnavailable
}

extension DiscoveryProblem: CustomStringConvertible {
  /// One sentence for a person, with what can be done about it.
  public var description: String {
    switch self {
    case .noInterface:
      "No network interface of this host carries multicast, and discovery needs one; connect it to a network."
    case .portTaken:
      "Another program holds UDP port 5353 for itself alone, and discovery needs a share of it; stop that program."
    case .portUnavailable: "Discovery needs UDP port 5353, which cannot be opened."
    }
  }
}
