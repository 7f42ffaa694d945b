/// Packets that were decoded lately, for several peers of one process that hear the same.
///
/// Four slots for each of 1,024 remainders of the packets' hashes: a packet takes the place of the one that came first of
/// them. So a room of a thousand simulated peers that all speak at once decodes a packet once, and keeps its names and
/// texts once; with one slot each, every fifth packet would drive out another at each of its receivers.
package struct DecodedPackets: Sendable {
  private struct Entry {
    let hash: UInt64
    let packet: [UInt8]
    let interface: UInt32
    let message: SharedMessage
  }
  private var entries: [Entry?] = []
  private var records = DecodedRecords()

  /// No packets yet.
  package init() {}

  /// Reads a packet as ``DNSMessage/init(decoding:)`` does, or remembers what it said.
  ///
  /// Strings of an instance know the peer that it is, if the packet says all of it.
  ///
  /// - Parameters:
  ///   - packet: The packet, as it came.
  ///   - interface: The index of the interface that it came in on.
  ///   - hash: The hash of its bytes.
  /// - Returns: The message.
  /// - Throws: What reading it throws; that is not remembered.
  package mutating func message(
    of packet: Span<UInt8>, on interface: UInt32, hash: UInt64
  ) throws(WireError) -> SharedMessage {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.sets * Self.ways) }
    let first = (Int(truncatingIfNeeded: hash) & (Self.sets - 1)) * Self.ways
    let slots = first..<first + Self.ways
    for slot in slots {
      guard let entry = entries[slot] else { break }
      if entry.interface == interface, entry.hash == hash, entry.packet.isEqual(to: packet) {
        return entry.message
      }
    }
    let packet = [UInt8](copying: packet)
    var message = try DNSMessage(decoding: packet)
    if message.isResponse { message.notePeers(on: interface) }
    records.share(with: &message)
    let shared = SharedMessage(message)
    for slot in slots.dropFirst().reversed() { entries[slot] = entries[slot - 1] }
    entries[first] = Entry(hash: hash, packet: packet, interface: interface, message: shared)
    return shared
  }

  private static let sets = 1_024
  private static let ways = 4
}

/// Records that were decoded lately: what two packets say alike is in memory once.
///
/// A peer says the same in several packets, some of them longer than others.
private struct DecodedRecords {
  private static let sets = 4_096
  private static let ways = 4
  private var records: [DNSRecord?] = []

  /// Has a message say by copies what was said before.
  mutating func share(with message: inout DNSMessage) {
    if records.isEmpty { records = Array(repeating: nil, count: Self.sets * Self.ways) }
    let (answers, additionals) = (message.answers, message.additionals)
    message.answers = answers.map { known($0) }
    if !additionals.isEmpty { message.additionals = additionals.map { known($0) } }
  }

  private mutating func known(_ record: DNSRecord) -> DNSRecord {
    let hash = record.key.hashValueOfProcess &+ Int(record.type.rawValue)
    let first = (hash & (Self.sets - 1)) * Self.ways
    let slots = first..<first + Self.ways
    for slot in slots {
      guard let other = records[slot] else { break }
      if let copy = record.sharing(other) { return copy }
    }
    for slot in slots.dropFirst().reversed() { records[slot] = records[slot - 1] }
    records[first] = record
    return record
  }
}

/// A message that several peers of one process hear: in memory once.
package final class SharedMessage: Sendable {
  /// What it says.
  package let message: DNSMessage

  /// A message to be shared.
  package init(_ message: DNSMessage) { self.message = message }
}

extension DNSMessage {
  /// Adds to the strings of each instance the peer that it is, if the message says all of it.
  fileprivate mutating func notePeers(on interface: UInt32) {
    let said = said
    for index in answers.indices { answers[index].notePeer(by: said, on: interface) }
    for index in additionals.indices { additionals[index].notePeer(by: said, on: interface) }
  }
}

extension DNSRecord {
  fileprivate mutating func notePeer(by said: [DNSRecord], on interface: UInt32) {
    guard case .text(let bytes) = data else { return }
    for record in said where record.name == name {
      guard case .service(_, _, let port, let host) = record.data else { continue }
      let addresses: [IPAddress] = said.compactMap { record in
        guard case .address(let address) = record.data, record.name == host else { return nil }
        return address.scoped(to: interface)
      }
      let endpoints = addresses.sorted().map { Endpoint($0, port: port) }
      let text = TextRecord(bytes: bytes)
      let interfaces = endpoints.map { _ in interface }
      guard
        let peer = DiscoveredPeer(
          instance: name, text: text, endpoints: endpoints, interfaces: interfaces)
      else { return }
      self = DNSRecord(self, of: peer)
      return
    }
  }
}
