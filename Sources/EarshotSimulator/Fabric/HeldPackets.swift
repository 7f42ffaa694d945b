/// The packets that clogged links hold, in the order in which they were sent.
struct HeldPackets {
  struct Packet {
    let slot: EventSlot
    let link: SimulatedLink
    let bytes: Int
  }
  private var packets: [Packet] = []

  /// Holds a packet, unless the queue of its link has no room for it.
  mutating func add(_ slot: EventSlot, _ link: SimulatedLink, _ bytes: Int) -> Bool {
    guard link.heldBytes + bytes <= link.conditions.queueBytes else { return false }
    link.heldBytes += bytes
    packets.append(Packet(slot: slot, link: link, bytes: bytes))
    return true
  }

  /// Takes the packets out whose links hold them no more.
  mutating func take(unless isHeld: (SimulatedLink) -> Bool) -> [Packet] {
    let free = packets.filter { !isHeld($0.link) }
    packets.removeAll { !isHeld($0.link) }
    for packet in free { packet.link.heldBytes -= packet.bytes }
    return free
  }
}
