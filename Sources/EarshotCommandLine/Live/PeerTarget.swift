import Earshot
import EarshotScenario

/// Whom a command line asks for.
enum PeerTarget: Hashable, Sendable {
  /// A name, a number in the order of `earshot browse`, or an identifier.
  case nearby(String)
  /// Wherever it is.
  case ticket(PeerTicket)

  /// The peer of a ticket.
  init(ticket text: String, in arguments: Arguments) throws(UsageError) {
    guard arguments.all("--at").isEmpty else {
      throw UsageError("a ticket has the address of its peer; leave --at out")
    }
    self = .ticket(try PeerTicket(of: "--ticket", text))
  }

  /// The peer of a name, which `--at` may say the addresses of.
  init(_ name: String, in arguments: Arguments, service: String) throws(UsageError) {
    let places = arguments.all("--at")
    let service = arguments[option: "--service"] ?? service
    self =
      places.isEmpty ? .nearby(name) : .ticket(try Self.place(name, at: places, for: service))
  }

  /// A peer whose identifier and addresses are known.
  private static func place(
    _ name: String, at places: [String], for service: String
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
    do throws(EarshotError) {
      return try PeerTicket(peer: peer, serviceType: service, endpoints: endpoints)
    } catch {
      throw UsageError(sentence: error.message)
    }
  }
}
