/// Packets that were decoded lately, for several peers of one process that hear the same.
///
/// A slot for each of 4,096 remainders of the packets' hashes: a packet takes the place of the one before it. So a room
/// of a thousand simulated peers decodes a packet once, and keeps its names and texts once.
package struct DecodedPackets: Sendable {
  private struct Entry {
    let packet: [UInt8]
    let message: DNSMessage
  }
  private var entries: [Entry?] = []

  /// No packets yet.
  package init() {}

  /// Reads a packet as ``DNSMessage/init(decoding:)`` does, or remembers what it said.
  ///
  /// - Parameter packet: The packet, as it came.
  /// - Returns: The message.
  /// - Throws: What reading it throws; that is not remembered.
  package mutating func message(of packet: [UInt8]) throws(WireError) -> DNSMessage {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.count) }
    var hash = RollingHash()
    hash.combine(bytes: packet.span)
    let slot = Int(truncatingIfNeeded: hash.value) & (Self.count - 1)
    if let entry = entries[slot], entry.packet == packet { return entry.message }
    let message = try DNSMessage(decoding: packet)
    entries[slot] = Entry(packet: packet, message: message)
    return message
  }

  private static let count = 4_096
}
