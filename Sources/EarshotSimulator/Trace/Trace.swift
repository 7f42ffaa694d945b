/// Everything that happened, as one number, with a checkpoint every so many events.
struct Trace {
  private(set) var hash = RollingHash()
  private(set) var eventCount = 0
  private(set) var checkpoints: [RollingHash] = []

  /// Takes in one event.
  mutating func add(
    _ kind: TraceEvent.Kind, _ time: Int64, _ from: Int, _ to: Int, _ bytes: Int, _ payload: UInt64
  ) {
    hash.combine(UInt64(bitPattern: time))
    hash.combine(kind.number << 56 | UInt64(from) << 28 | UInt64(to))
    hash.combine(payload ^ UInt64(bytes))
    eventCount += 1
    if eventCount % TraceDigest.checkpointEvents == 0 { checkpoints.append(hash) }
  }

  /// The hash of a payload.
  static func hash(of bytes: Span<UInt8>) -> UInt64 {
    var hash = RollingHash()
    bytes.withUnsafeBytes { bytes in
      let words = bytes.count / 8
      for index in 0..<words {
        hash.combine(
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
      }
      for index in 8 * words..<bytes.count { hash.combine(UInt64(bytes[index])) }
      hash.combine(UInt64(bytes.count))
    }
    return hash.value
  }
}
