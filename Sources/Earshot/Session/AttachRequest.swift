import EarshotCore

/// A link whose dialler asks to attach it to a membership.
struct AttachRequest: Sendable {
  let link: Link
  let attach: Attach
  let sender: PeerID
  let name: String  // That the sender has said itself.
  let endpoints: [Endpoint]  // Where the sender listens, as far as the link can tell.
}

/// Requests to attach that came before their introduction, and wait for it.
struct AttachRequests {
  private var requests: [LinkToken: AttachRequest] = [:]

  /// The links of all that wait, the oldest first.
  var tokens: [LinkToken] { requests.keys.sorted() }

  var links: [Link] { requests.values.map(\.link) }

  mutating func add(_ request: AttachRequest) { requests[request.link.token] = request }

  /// Takes a request out, if it waits.
  mutating func take(_ token: LinkToken) -> AttachRequest? { requests.removeValue(forKey: token) }

  mutating func removeAll() { requests = [:] }
}
