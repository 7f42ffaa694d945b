/// A reason why a peer finds no others at the moment, or not all of them, and is not found by them.
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
  /// UDP port 5353 is refused for IPv6 alone, as when another program holds it there for itself: peers are found, and
  /// find this one, over IPv4.
  case onlyIPv4
  /// No network interface other than loopback is up, has an address and carries multicast: peers on
  /// this computer alone are found, and find this one.
  ///
  /// A host that was told to use loopback does not report it.
  case onlyThisComputer
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
    case .onlyIPv4:
      "Discovery works over IPv4 alone: another program holds UDP port 5353 of IPv6 for itself; stop that program."
    case .onlyThisComputer:
      "No network interface other than loopback carries multicast, so discovery finds peers of this computer alone; connect it to a network."
    }
  }
}
