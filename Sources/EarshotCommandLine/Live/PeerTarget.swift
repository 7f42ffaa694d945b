import Earshot
import EarshotScenario

/// Whom a command line asks for.
enum PeerTarget: Hashable, Sendable {
  /// A name, a number in the order of `earshot browse`, or an identifier.
  case nearby(String)
  /// Wherever it is.
  case ticket(PeerTicket)

  /// The peer of a command line.
  init(_ arguments: Arguments) throws(UsageError) {
    if let text = arguments[option: "--ticket"] {
      guard arguments.operands.isEmpty else {
        throw UsageError("--ticket says whom to ping; leave the name out")
      }
      guard arguments.all("--at").isEmpty else {
        throw UsageError("a ticket says where its peer listens; leave --at out")
      }
      self = .ticket(try PeerTicket(of: "--ticket", text))
      return
    }
    guard let name = arguments.operands.first, arguments.operands.count == 1, !name.isEmpty else {
      throw UsageError("ping needs one peer: its name, its identifier, or its number in browse")
    }
    let places = arguments.all("--at")
    self =
      places.isEmpty ? .nearby(name) : .ticket(try Self.place(name, at: places, arguments))
  }

  /// A peer whose identifier and addresses are known.
  private static func place(
    _ name: String, at places: [String], _ arguments: Arguments
  ) throws(UsageError) -> PeerTicket {
    guard let peer = PeerID(name) else {
      throw UsageError("--at needs the whole identifier of the peer: names prove nothing")
    }
    var endpoints: [Endpoint] = []
    for text in places {
      guard let endpoint = Endpoint(text), endpoint.port > 0 else {
        throw UsageError(
          "--at takes an address with a port, such as 10.0.0.1:7100 or [fe80::1%eth0]:7100, not \"\(text.escapedForTerminals)\""
        )
      }
      endpoints.append(endpoint)
    }
    let service = arguments[option: "--service"] ?? "earshot"
    do throws(EarshotError) {
      return try PeerTicket(peer: peer, serviceType: service, endpoints: endpoints)
    } catch {
      throw UsageError(sentence: error.message)
    }
  }
}
