/// Everything that happened, as one number.
struct Trace {
  private(set) var hash = RollingHash()
  private(set) var eventCount = 0

  enum Kind: UInt64 {
    case timer = 1
    case sent, lost, delivered, ignored, fault, note
  }

  /// Takes in one event.
  mutating func add(
    _ kind: Kind, _ time: Int64, _ from: Int, _ to: Int, _ bytes: Int, _ payload: UInt64 = 0
  ) {
    hash.combine(UInt64(bitPattern: time))
    hash.combine(kind.rawValue << 56 | UInt64(from) << 28 | UInt64(to))
    hash.combine(payload ^ UInt64(bytes))
    eventCount += 1
  }

  /// The hash of a payload.
  static func hash(of bytes: Span<UInt8>) -> UInt64 {
    var hash = RollingHash()
    hash.combine(bytes: bytes)
    return hash.value
  }
}
