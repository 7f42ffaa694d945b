/// The information that a peer needs to invite another one without a browser: its identifier, and where it listens.
///
/// Comes from ``Peer/ticket(for:)`` of the peer to be invited, and goes to the inviting peer on any way, such as a
/// QR code: a ticket has a text form. It is good for as long as its peer listens there and advertises the
/// service.
public struct PeerTicket: Hashable, Sendable {
  /// The most endpoints that a ticket names.
  public static let maximumEndpointCount = FrameBounds.endpointsMax

  /// The peer to be invited.
  public let peer: PeerID
  /// The service that it advertises, such as `chat`.
  public let serviceType: String
  /// The endpoints on which it listens, the most promising one first.
  public let endpoints: [Endpoint]

  /// A ticket with the given parts.
  ///
  /// - Parameters:
  ///   - peer: The peer to be invited.
  ///   - serviceType: The service that it advertises: 1 to 15 of a–z, 0–9 and hyphen.
  ///   - endpoints: Where it listens, the most promising one first; the first eight count.
  /// - Throws: `invalidServiceType` with the rule that is broken.
  public init(
    peer: PeerID, serviceType: String, endpoints: [Endpoint]
  ) throws(EarshotError) {
    self.serviceType = try Checked.service(serviceType).text
    self.peer = peer
    self.endpoints = Array(endpoints.prefix(Self.maximumEndpointCount))
  }
}

extension PeerTicket: LosslessStringConvertible {
  private static let scheme = "earshot"

  /// The text form: `earshot:chat/`, the identifier, `@`, and the endpoints with commas between them.
  public var description: String {
    let places = endpoints.map(\.description).joined(separator: ",")
    return "\(Self.scheme):\(serviceType)/\(peer)@\(places)"
  }

  /// A ticket from its text form, or `nil` when the text is none.
  public init?(_ description: String) {
    var rest = Substring(description).utf8  // Character by character it takes ten times as long.
    func next(until end: Unicode.Scalar) -> Substring? {
      guard let index = rest.firstIndex(of: UInt8(ascii: end)) else { return nil }
      defer { rest = rest[index...].dropFirst() }
      return Substring(rest[..<index])
    }
    guard next(until: ":") == Substring(Self.scheme), let serviceType = next(until: "/"),
      let name = next(until: "@"), let peer = PeerID(name)
    else { return nil }
    let places = rest.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let endpoints = rest.isEmpty ? [] : places.map { Endpoint(Substring($0)) }
    guard endpoints.count <= Self.maximumEndpointCount, !endpoints.contains(nil) else { return nil }
    try? self.init(
      peer: peer, serviceType: String(serviceType), endpoints: endpoints.compactMap(\.self))
  }
}
