/// The sequence numbers of connections as they stand in captures: with initial numbers, and a SYN that takes one.
///
/// A simulated segment counts from zero, and ports are used again: with initial numbers of their own the
/// connections of the same ports stay apart.
package struct SequenceSpaces {
  private struct Direction: Hashable {
    let source, destination: Endpoint
  }
  private struct Space {
    let initial: UInt32
    /// Whether anything but its SYN was sent.
    var isInUse = false
  }
  private var spaces: [Direction: Space] = [:]

  package init() {}

  /// What is added to the numbers of a segment.
  package struct Offsets: Hashable {
    /// To its sequence number.
    package var sequence: UInt32 = 0
    /// To the numbers that it acknowledges.
    package var acknowledgement: UInt32 = 0

    package init() {}
  }

  /// Takes in that a segment is sent by an event, and says what its numbers are to be moved by.
  ///
  /// Where the SYN was not seen they stay as they are.
  package mutating func note(_ packet: PacketHeader, _ flags: TCPHeader.Flags, event: Int)
    -> Offsets
  {
    let way = Direction(source: packet.source, destination: packet.destination)
    let back = Direction(source: packet.destination, destination: packet.source)
    var offsets = Offsets()
    if flags.contains(.syn) {
      if spaces[way]?.isInUse ?? true {
        spaces[way] = Space(initial: UInt32(truncatingIfNeeded: event &* 0x9E37_79B1 + 1))
      }
      offsets.sequence = spaces[way]?.initial ?? 0
    } else if let space = spaces[way] {
      if !space.isInUse { spaces[way]?.isInUse = true }
      offsets.sequence = space.initial &+ 1
    }
    if let answered = spaces[back] { offsets.acknowledgement = answered.initial &+ 1 }
    return offsets
  }
}
