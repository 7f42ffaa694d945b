/// Datagrams of one size, one behind the other, which go to the system at once; only the last one may be shorter.
struct DatagramBatch {
  private(set) var bytes: [UInt8] = []
  /// How many bytes each has, but perhaps the last.
  private(set) var size = 0
  private(set) var count = 0
  private var isComplete = false  // The last one is shorter.

  var isEmpty: Bool { count == 0 }

  /// Whether a datagram of so many bytes fits behind the others.
  func hasRoom(for size: Int) -> Bool {
    isEmpty
      || !isComplete && size <= self.size && count < Self.countMax
        && bytes.count + size <= Self.bytesMax
  }

  /// Appends a datagram.
  ///
  /// - Parameters:
  ///   - size: How many bytes it has.
  ///   - body: Appends them.
  mutating func append(_ size: Int, _ body: (inout [UInt8]) -> Void) {
    if isEmpty { self.size = size }
    isComplete = size < self.size
    count += 1
    body(&bytes)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    (size, count, isComplete) = (0, 0, false)
  }

  // What one call of the system takes: UDP_SEGMENT, and the largest packet of IPv4.
  private static let countMax = 64
  private static let bytesMax = 65_000
}
