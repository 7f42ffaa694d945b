/// When an event is due and where its contents lie.
///
/// 24 bytes. Events of one instant come in the order of their sequence numbers.
struct EventKey {
  let time: Int64
  let sequence: UInt64
  let slot: EventSlot

  /// Without a branch, which would be mispredicted as often as not in a heap.
  @inline(__always)
  func isBefore(_ other: EventKey) -> Bool { rank < other.rank }

  /// The time, which is never negative, and behind it the sequence number.
  private var rank: UInt128 {
    UInt128(truncatingIfNeeded: time) << 64 | UInt128(truncatingIfNeeded: sequence)
  }
}

/// Which table an event lies in, and where in it.
struct EventSlot {
  enum Table: UInt32 { case timer, datagram, multicast, segment, action }
  private let bits: UInt32

  init(_ table: Table, _ index: Int) { bits = table.rawValue << 29 | UInt32(index) }

  var index: Int { Int(bits & 0x1FFF_FFFF) }

  var table: Table {
    switch bits >> 29 {
    case 0: .timer
    case 1: .datagram
    case 2: .multicast
    case 3: .segment
    default: .action
    }
  }
}
