import EarshotCore
public import Foundation

/// The information that a peer needs to invite another one without a browser: its identifier, and where it listens.
///
/// Comes from ``Peer/ticket(for:lasting:)`` of the peer to be invited, and goes to the inviting peer on any way, such as a
/// QR code: a ticket has a text form, whose last characters tell whether it was copied without a mistake. It is good for
/// as long as its peer listens there and advertises the service, and until its expiry if it has one. A program may make
/// tickets of its own for peers whose identifier and address it knows: static peers, where multicast does not get through.
public struct PeerTicket: Hashable, Sendable {
  /// The most endpoints that a ticket names.
  public static let maximumEndpointCount = FrameBounds.endpointsMax
  /// The most bytes of a text form, in UTF-8.
  public static let maximumTextBytes = 1_024

  /// The peer to be invited.
  public let peer: PeerID
  /// The service that it advertises, such as `chat`.
  public let serviceType: String
  /// The endpoints on which it listens, the most promising one first.
  public let endpoints: [Endpoint]
  /// When the ticket is void, in whole seconds; `nil` if that is not limited.
  ///
  /// Wall clocks differ: it is judged where a text becomes a ticket, and nowhere else.
  public let expiry: Date?

  /// A ticket with the given parts.
  ///
  /// - Parameters:
  ///   - peer: The peer to be invited.
  ///   - serviceType: The service that it advertises: 1 to 15 of a–z, 0–9 and hyphen.
  ///   - endpoints: Where it listens, the most promising one first; the first eight count.
  ///   - expiry: When the ticket is void: from 1970 to 10¹² seconds later. Parts of a second are
  ///     dropped, and other dates count as the nearest of these.
  /// - Throws: `invalidServiceType` with the rule that is broken; `invalidTicket` for an expiry
  ///   that is not a number.
  public init(
    peer: PeerID, serviceType: String, endpoints: [Endpoint], expiry: Date? = nil
  ) throws(EarshotError) {
    self.serviceType = try Checked.service(serviceType).text
    if let expiry, expiry.timeIntervalSince1970.isNaN {
      throw EarshotError(
        .invalidTicket, "The expiry of the ticket is not a number; pass a date.", peers: [peer])
    }
    self.peer = peer
    self.endpoints = Array(endpoints.prefix(Self.maximumEndpointCount))
    self.expiry = expiry.map {
      Date(timeIntervalSince1970: $0.timeIntervalSince1970.clamped(to: 0...1e12).rounded(.down))
    }
  }

  /// A ticket from a text that somebody has copied, typed or scanned.
  ///
  /// - Parameters:
  ///   - text: The text; spaces and line breaks around it do not count.
  ///   - time: The present time, for the expiry.
  /// - Throws: `invalidTicket`, and whether the text is none, was mistyped, or has expired.
  public init(parsing text: some StringProtocol, at time: Date = Date()) throws(EarshotError) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.hasPrefix("\(Self.scheme):"), text.utf8.count <= Self.maximumTextBytes else {
      throw EarshotError(.invalidTicket, "That is no ticket: one begins with \"\(Self.scheme):\".")
    }
    guard let content = Self.checked(text) else {
      throw EarshotError(
        .invalidTicket,
        "The ticket was not copied as a whole, or was mistyped: its end does not match.")
    }
    guard let ticket = Self.decode(content) else {
      throw EarshotError(.invalidTicket, "The ticket says nothing that this version understands.")
    }
    if let expiry = ticket.expiry, !(expiry > time) {  // Also when a time is not a number.
      throw EarshotError(
        .invalidTicket, "The ticket has expired (\(expiry.ISO8601Format())); ask for a new one.",
        peers: [ticket.peer])
    }
    self = ticket
  }
}

extension PeerTicket: LosslessStringConvertible {
  private static let scheme = "earshot"

  /// The text form: `earshot:chat/`, the identifier, `@`, the endpoints with commas between them, `~` and the expiry in
  /// seconds since 1970 if there is one, and `~` with seven characters that check all that (CRC-32, in base32).
  public var description: String {
    let places = endpoints.map(\.description).joined(separator: ",")
    let end = expiry.map { "~\(Int($0.timeIntervalSince1970))" } ?? ""
    let content = "\(Self.scheme):\(serviceType)/\(peer)@\(places)\(end)"
    return "\(content)~\(Self.check(content.utf8))"
  }

  /// A ticket from its text form, also an expired one, or `nil` when the text is none.
  public init?(_ description: String) {
    guard description.utf8.count <= Self.maximumTextBytes,
      let content = Self.checked(description), let ticket = Self.decode(content)
    else { return nil }
    self = ticket
  }

  /// What stands before the check, if that matches.
  private static func checked(_ text: String) -> Substring? {
    guard let end = text.utf8.lastIndex(of: UInt8(ascii: "~")) else { return nil }
    let content = text[..<end]
    return text[end...].dropFirst() == check(content.utf8) ? content : nil
  }

  private static func decode(_ content: Substring) -> PeerTicket? {
    var rest = content.utf8  // Character by character it takes ten times as long.
    func next(until end: Unicode.Scalar) -> Substring? {
      guard let index = rest.firstIndex(of: UInt8(ascii: end)) else { return nil }
      defer { rest = rest[index...].dropFirst() }
      return Substring(rest[..<index])
    }
    guard next(until: ":") == Substring(scheme), let serviceType = next(until: "/"),
      let name = next(until: "@"), let peer = PeerID(name)
    else { return nil }
    let parts = rest.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count) else { return nil }
    let places = parts[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let endpoints = parts[0].isEmpty ? [] : places.map { Endpoint(Substring($0)) }
    guard endpoints.count <= maximumEndpointCount, !endpoints.contains(nil) else { return nil }
    var expiry: Date?
    if parts.count == 2 {
      guard let seconds = UInt64(Substring(parts[1])), seconds <= 1_000_000_000_000 else {
        return nil
      }
      expiry = Date(timeIntervalSince1970: Double(seconds))
    }
    return try? PeerTicket(
      peer: peer, serviceType: String(serviceType), endpoints: endpoints.compactMap(\.self),
      expiry: expiry)
  }

  /// The CRC-32 of IEEE 802.3 of some bytes: it sees every mistake in up to 32 bits in a row.
  private static func check(_ bytes: some Sequence<UInt8>) -> String {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
    sum = ~sum
    return Base32.encode((0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * $0)) })
  }
}
