/// Some of the record sets of an announcement; a set is answered, suppressed and sent as a whole.
struct AdvertisedSets: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// The service points to the instance; shared with others.
  static let pointer = AdvertisedSets(rawValue: 1)
  /// The list of service types points to the service; shared, and the same record for all peers.
  static let serviceTypes = AdvertisedSets(rawValue: 2)
  static let service = AdvertisedSets(rawValue: 4)
  static let text = AdvertisedSets(rawValue: 8)
  static let addressesV4 = AdvertisedSets(rawValue: 16)
  static let addressesV6 = AdvertisedSets(rawValue: 32)
  /// What the instance has, and so what it has not.
  static let instanceTypes = AdvertisedSets(rawValue: 64)
  static let hostTypes = AdvertisedSets(rawValue: 128)

  static let shared: AdvertisedSets = [.pointer, .serviceTypes]
  static let addresses: AdvertisedSets = [.addressesV4, .addressesV6]
  static let instance: AdvertisedSets = [.service, .text]
  static let unique: AdvertisedSets = [.service, .text, .addressesV4, .addressesV6]
  static let negative: AdvertisedSets = [.instanceTypes, .hostTypes]
  static let announced: AdvertisedSets = [.shared, .unique]
  /// What ends with this advertiser; the host and the service type may have others.
  static let farewell: AdvertisedSets = [.pointer, .service, .text]

  /// The sets one by one, in the order in which they are sent.
  static let count = 8
  var each: Each { Each(rest: rawValue) }

  /// The sets one by one; in no array, since every packet asks.
  struct Each: Sequence, IteratorProtocol {
    fileprivate var rest: UInt8

    mutating func next() -> (index: Int, set: AdvertisedSets)? {
      guard rest != 0 else { return nil }
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      return (index, AdvertisedSets(rawValue: 1 << UInt8(index)))
    }
  }
}

/// The records of one announcement.
///
/// Addresses are those of the interface that is answered on, and no others (RFC 6762 §6.2).
struct AdvertisedRecords: Hashable, Sendable {
  static let hostLifetimeSeconds: UInt32 = 120
  static let otherLifetimeSeconds: UInt32 = 4_500
  private static let serviceTypes = DNSName("_services", "_dns-sd", "_udp", "local")

  let announcement: Announcement
  let domain: DNSName
  let instance: DNSName
  let host: DNSName
  private let text: [UInt8]
  /// What many say alike, and each hears from all.
  private let serviceType: DNSRecord

  init(_ announcement: Announcement) {
    self.announcement = announcement
    domain = announcement.service.domain
    instance = announcement.instanceName
    host = announcement.hostName
    text = announcement.text.bytes
    serviceType = DNSRecord(
      Self.serviceTypes, .pointer(domain),
      lifetimeSeconds: Self.lifetimeSeconds(of: .serviceTypes))
  }

  /// The same by the next name that no other host may have.
  var next: AdvertisedRecords {
    var other = announcement
    other.ordinal += 1
    return AdvertisedRecords(other)
  }

  /// The records of some sets on an interface with the given addresses.
  func records(of sets: AdvertisedSets, on addresses: [IPAddress]) -> [DNSRecord] {
    sets == .serviceTypes ? [serviceType] : makeRecords(of: sets, on: addresses)
  }

  private func makeRecords(of sets: AdvertisedSets, on addresses: [IPAddress]) -> [DNSRecord] {
    sets.each.flatMap { _, set in
      data(of: set, on: addresses).map { data in
        DNSRecord(
          name(of: set), data, lifetimeSeconds: Self.lifetimeSeconds(of: set),
          flushesCache: !AdvertisedSets.shared.contains(set))
      }
    }
  }

  /// How long the records of a set may be kept: what depends on the host's address, for two minutes.
  static func lifetimeSeconds(of set: AdvertisedSets) -> UInt32 {
    switch set {
    case .service, .addressesV4, .addressesV6, .hostTypes: hostLifetimeSeconds
    default: otherLifetimeSeconds
    }
  }

  func name(of set: AdvertisedSets) -> DNSName {
    switch set {
    case .pointer: domain
    case .serviceTypes: Self.serviceTypes
    case .addressesV4, .addressesV6, .hostTypes: host
    default: instance
    }
  }

  private func data(of set: AdvertisedSets, on addresses: [IPAddress]) -> [DNSData] {
    switch set {
    case .pointer: [.pointer(instance)]
    case .serviceTypes: [.pointer(domain)]
    case .service: [.service(priority: 0, weight: 0, port: announcement.port, host: host)]
    case .text: [.text(text)]
    case .instanceTypes: [.types(next: instance, [.txt, .srv])]
    case .hostTypes: [.types(next: host, Self.types(of: addresses))]
    default: addresses.map { .address($0.withoutScope) }.filter { Self.set(of: $0.type) == set }
    }
  }

  private static func types(of addresses: [IPAddress]) -> [DNSType] {
    [DNSType.a, .aaaa].filter { type in
      addresses.contains { DNSData.address($0).type == type }
    }
  }

  private static func set(of type: DNSType) -> AdvertisedSets {
    switch type {
    case .a: .addressesV4
    case .aaaa: .addressesV6
    case .srv: .service
    case .txt: .text
    default: []
    }
  }

  /// The sets that answer a question; for a name of this peer and a type that it has not, the set that says so.
  func sets(answering question: DNSQuestion, on addresses: [IPAddress]) -> AdvertisedSets {
    let (name, type) = (question.name, question.type)
    let isPointer = type == .ptr || type == .any
    if name == domain { return isPointer ? .pointer : [] }
    if name == Self.serviceTypes { return isPointer ? .serviceTypes : [] }
    if name == instance {
      return type == .any
        ? .instance : existing(Self.set(of: type), in: .instance, or: .instanceTypes)
    }
    guard name == host else { return [] }
    var had: AdvertisedSets = []
    for address in addresses { had.insert(Self.set(of: DNSData.address(address).type)) }
    if type == .any { return had.isEmpty ? .hostTypes : had }
    return existing(Self.set(of: type), in: had, or: .hostTypes)
  }

  private func existing(
    _ set: AdvertisedSets, in had: AdvertisedSets, or negative: AdvertisedSets
  ) -> AdvertisedSets {
    !set.isEmpty && had.isSuperset(of: set) ? set : negative
  }

  /// What an asker will want to know next (RFC 6763 §12, RFC 6762 §6.2); a host that keeps the address of this one fresh
  /// keeps its service fresh too, which lives as long.
  func additions(to sets: AdvertisedSets) -> AdvertisedSets {
    var more: AdvertisedSets = []
    if sets.contains(.pointer) { more.formUnion([.instance, .addresses]) }
    if sets.contains(.service) { more.formUnion(.addresses) }
    if !sets.isDisjoint(with: .addresses) { more.formUnion([.addresses, .hostTypes, .service]) }
    return more.subtracting(sets)
  }

  /// The sets that some records say the same of, at least in part.
  func sets(saidBy said: [DNSRecord]) -> AdvertisedSets {
    said.reduce(into: []) { $0.formUnion(set(saidBy: $1)) }
  }

  private func set(saidBy record: DNSRecord) -> AdvertisedSets {
    guard record.type == .ptr else { return uniqueSet(of: record) }
    // Where it points is asked first: in a crowd that is somewhere else.
    if record.key == instance { return record.name == domain ? .pointer : [] }
    return record.key == domain && record.name == Self.serviceTypes ? .serviceTypes : []
  }

  /// The unique set that a record of this name and type would belong to, or none.
  func uniqueSet(of record: DNSRecord) -> AdvertisedSets {
    let set = Self.set(of: record.type)
    return !set.isEmpty && name(of: set) == record.name ? set : []
  }
}
