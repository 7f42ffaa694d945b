/// The type of a record or a question.
package struct DNSType: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt16

  /// A type by its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// An IPv4 address.
  package static let a = DNSType(rawValue: 1)
  /// A pointer: an instance of a service, a type of service.
  package static let ptr = DNSType(rawValue: 12)
  /// Strings of a service.
  package static let txt = DNSType(rawValue: 16)
  /// An IPv6 address.
  package static let aaaa = DNSType(rawValue: 28)
  /// Host and port of a service.
  package static let srv = DNSType(rawValue: 33)
  /// Which types a name has, and so which it has not.
  package static let nsec = DNSType(rawValue: 47)
  /// In a question: every type.
  package static let any = DNSType(rawValue: 255)

  /// Whether the left type has the smaller number.
  package static func < (left: DNSType, right: DNSType) -> Bool { left.rawValue < right.rawValue }
}

/// What a record says of its name.
package enum DNSData: Hashable, Sendable {
  /// An IPv4 or IPv6 address; the scope of the latter is 0.
  case address(IPAddress)
  /// Another name.
  case pointer(DNSName)
  /// Where a service is offered.
  case service(priority: UInt16, weight: UInt16, port: UInt16, host: DNSName)
  /// The strings of a service, each behind its length; at least one byte.
  case text([UInt8])
  /// The types that a name has, in ascending order, all below 256.
  case types(next: DNSName, [DNSType])
  /// What this house does not look into.
  case other(DNSType, [UInt8])

  /// The record type that carries this.
  package var type: DNSType {
    switch self {
    case .address(.v4): .a
    case .address(.v6): .aaaa
    case .pointer: .ptr
    case .service: .srv
    case .text: .txt
    case .types: .nsec
    case .other(let type, _): type
    }
  }

  /// Whether two records say the same, also by the case of their letters.
  fileprivate func isWritten(like other: DNSData) -> Bool {
    switch (self, other) {
    case (.pointer(let name), .pointer(let others)): name.wire == others.wire
    case (.service(_, _, _, let host), .service(_, _, _, let others)):
      self == other && host.wire == others.wire
    case (.types(let next, _), .types(let others, _)): self == other && next.wire == others.wire
    case (.address, _), (.pointer, _), (.service, _), (.text, _), (.types, _), (.other, _):
      self == other
    }
  }

  /// The bytes as they are without compression: what a tie between probes is broken by.
  ///
  /// - SeeAlso: RFC 6762 §8.2.
  package var uncompressed: [UInt8] {
    var encoder = DNSEncoder(compresses: false)
    encoder.write(self)
    return encoder.bytes
  }
}

/// A record of the class IN.
package struct DNSRecord: Hashable, Sendable {
  /// What all copies of a record share, however long each is kept.
  private final class Content: Sendable {
    let name: DNSName
    let data: DNSData
    let type: DNSType
    let key: DNSName
    let peer: DiscoveredPeer?

    init(_ name: DNSName, _ data: DNSData, _ peer: DiscoveredPeer? = nil) {
      (self.name, self.data, self.peer, type) = (name, data, peer, data.type)
      key = if case .pointer(let target) = data { target } else { name }
    }
  }

  private let content: Content
  /// How long it may be kept, in seconds; 0 says goodbye.
  package var lifetimeSeconds: UInt32
  /// Whether it replaces what was known of its name and type.
  package var flushesCache: Bool

  /// A record with the given parts.
  package init(
    _ name: DNSName, _ data: DNSData, lifetimeSeconds: UInt32, flushesCache: Bool = false
  ) {
    content = Content(name, data)
    self.lifetimeSeconds = lifetimeSeconds
    self.flushesCache = flushesCache
  }

  /// The strings of an instance, with the peer that it is by all that came in the same packet.
  init(_ record: DNSRecord, of peer: DiscoveredPeer) {
    content = Content(record.name, record.data, peer)
    (lifetimeSeconds, flushesCache) = (record.lifetimeSeconds, record.flushesCache)
  }

  /// The peer that the instance of these strings is by all that came in the same packet, if that is known.
  var peer: DiscoveredPeer? { content.peer }
  /// What the record is about.
  package var name: DNSName { content.name }
  /// What it says.
  package var data: DNSData { content.data }
  /// The type of its data.
  package var type: DNSType { content.type }
  /// The name that the record is found by: where a pointer points, and of all others their own.
  var key: DNSName { content.key }

  /// Whether one record is a copy of the other, but for how long it lives.
  func isCopy(of other: DNSRecord) -> Bool { content === other.content }

  /// This record, as a copy of another one if that says the same to the letter.
  func sharing(_ other: DNSRecord) -> DNSRecord? {
    guard name.wire == other.name.wire, data.isWritten(like: other.data), peer == other.peer else {
      return nil
    }
    var copy = other
    (copy.lifetimeSeconds, copy.flushesCache) = (lifetimeSeconds, flushesCache)
    return copy
  }

  /// Whether two records say the same, however long they live.
  package func saysTheSame(as other: DNSRecord) -> Bool {
    content === other.content || name == other.name && data == other.data
  }

  /// Whether two records have the same data, whatever they are about.
  func hasData(of other: DNSRecord) -> Bool { content === other.content || data == other.data }

  /// Whether two records say the same for as long.
  package static func == (left: DNSRecord, right: DNSRecord) -> Bool {
    left.lifetimeSeconds == right.lifetimeSeconds && left.flushesCache == right.flushesCache
      && left.saysTheSame(as: right)
  }

  /// Feeds all parts to a hasher.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(data)
    hasher.combine(lifetimeSeconds)
    hasher.combine(flushesCache)
  }
}

/// A question of the class IN.
package struct DNSQuestion: Hashable, Sendable {
  /// What is asked about.
  package var name: DNSName
  /// Which records are wanted.
  package var type: DNSType
  /// Whether the answer should come to the asker alone (QU).
  package var wantsUnicast: Bool

  /// A question with the given parts.
  package init(_ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false) {
    (self.name, self.type, self.wantsUnicast) = (name, type, wantsUnicast)
  }

  /// Whether a record answers the question.
  package func isAnswered(by record: DNSRecord) -> Bool {
    (type == .any || type == record.type) && name == record.name
  }
}
