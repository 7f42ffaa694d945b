/// Packets that were decoded lately, for several peers of one process that hear the same.
///
/// A slot for each of 4,096 remainders of the packets' hashes: a packet takes the place of the one before it. So a room
/// of a thousand simulated peers decodes a packet once, and keeps its names and texts once.
package struct DecodedPackets: Sendable {
  private struct Entry {
    let packet: [UInt8]
    let interface: UInt32
    let message: SharedMessage
  }
  private var entries: [Entry?] = []

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
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.count) }
    let slot = Int(truncatingIfNeeded: hash) & (Self.count - 1)
    if let entry = entries[slot], entry.interface == interface, entry.packet.isEqual(to: packet) {
      return entry.message
    }
    let packet = [UInt8](copying: packet)
    var message = try DNSMessage(decoding: packet)
    if message.isResponse { message.notePeers(on: interface) }
    let shared = SharedMessage(message)
    entries[slot] = Entry(packet: packet, interface: interface, message: shared)
    return shared
  }

  private static let count = 4_096
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
      guard let peer = DiscoveredPeer(instance: name, text: text, endpoints: endpoints) else {
        return
      }
      self = DNSRecord(self, of: peer)
      return
    }
  }
}
