/// A DNS message: a query or a response of multicast DNS.
///
/// ```
///  0               2               4               6               8              10              12
/// +---------------+---------------+---------------+---------------+---------------+---------------+---
/// | id            | flags         | questions     | answers       | authorities   | additionals   | …
/// +---------------+---------------+---------------+---------------+---------------+---------------+---
/// flags: response 0x8000 · opcode 0x7800 · authoritative 0x0400 · truncated 0x0200 · code 0x000F
/// ```
package struct DNSMessage: Hashable, Sendable {
  /// The longest packet that is sent or taken in (RFC 6762 §17).
  package static let packetBytesMax = 9_000
  /// The most questions and records of a packet that is taken in.
  package static let recordsMax = 512
  /// The length up to which records share a packet: it fits an Ethernet frame over IPv6.
  package static let comfortableBytes = 1_440

  /// Zero, but for conversations with resolvers that know only unicast DNS.
  package var id: UInt16
  /// Whether this is a response and not a query.
  package var isResponse: Bool
  /// In a query: more known answers follow in another packet.
  package var isTruncated: Bool
  /// Whether the operation and the response code are the ordinary ones, both 0.
  ///
  /// Messages of another kind are ignored (RFC 6762 §18.3, §18.11).
  package var isOrdinary: Bool
  /// What is asked.
  package var questions: [DNSQuestion]
  /// In a response what is said, in a query what is known already.
  package var answers: [DNSRecord] { didSet { noteSaid() } }
  /// In a probe, what its sender wishes to own.
  package var authorities: [DNSRecord]
  /// What is said on top.
  package var additionals: [DNSRecord] { didSet { noteSaid() } }
  /// The records of a response, in their order; the authorities say nothing there.
  package private(set) var said: [DNSRecord]

  /// A query.
  package init(
    asking questions: [DNSQuestion], knowing answers: [DNSRecord] = [],
    claiming authorities: [DNSRecord] = []
  ) {
    (id, isResponse, isTruncated, isOrdinary) = (0, false, false, true)
    (self.questions, self.answers, self.authorities) = (questions, answers, authorities)
    additionals = []
    said = answers
  }

  /// A response.
  package init(
    answering answers: [DNSRecord], adding additionals: [DNSRecord] = [], id: UInt16 = 0,
    repeating questions: [DNSQuestion] = []
  ) {
    (self.id, isResponse, isTruncated, isOrdinary) = (id, true, false, true)
    (self.questions, self.answers, self.additionals) = (questions, answers, additionals)
    authorities = []
    said = answers
    noteSaid()
  }

  private mutating func noteSaid() {
    said = additionals.isEmpty ? answers : answers + additionals
  }
}
