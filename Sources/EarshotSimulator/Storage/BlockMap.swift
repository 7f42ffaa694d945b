/// The bytes of a file in blocks; blocks that were never written are holes, and take nothing.
struct BlockMap {
  private var blocks: [Int64: [UInt8]] = [:]
  /// The numbers of the blocks, since a dictionary has no order.
  private var stored = RangeSet<Int64>()

  static let blockBytes: Int64 = 4_096

  /// How many blocks are stored.
  var count: Int { blocks.count }

  /// Writes bytes, up to the first block that there is no room for.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - offset: The place of the first.
  ///   - room: How many blocks may be added.
  /// - Returns: How many bytes were written.
  mutating func write(_ bytes: Span<UInt8>, at offset: Int64, room: Int) -> Int {
    var (written, room) = (0, room)
    while written < bytes.count {
      let (index, start) = Self.place(of: offset + Int64(written))
      if blocks[index] == nil {
        guard room > 0 else { break }
        room -= 1
        stored.insert(contentsOf: index..<index + 1)
      }
      let count = min(bytes.count - written, Int(Self.blockBytes) - start)
      Self.copy(
        bytes.extracting(written..<written + count), to: start,
        of: &blocks[index, default: Self.zeros])
      written += count
    }
    return written
  }

  /// A copy of bytes, in which holes are zeros.
  func read(_ count: Int, at offset: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let (index, start) = Self.place(of: offset + Int64(bytes.count))
      let part = min(count - bytes.count, Int(Self.blockBytes) - start)
      bytes += (blocks[index] ?? Self.zeros)[start..<start + part]
    }
    return bytes
  }

  /// Removes what is not before an offset.
  mutating func cut(to offset: Int64) {
    let (last, rest) = Self.place(of: offset)
    let first = rest == 0 ? last : last + 1
    let removed = stored.intersection(RangeSet(first..<Int64.max))
    for range in removed.ranges {
      for index in range { blocks[index] = nil }
    }
    stored.subtract(removed)
    guard rest > 0, blocks[last] != nil else { return }
    blocks[last]?.replaceSubrange(rest..., with: repeatElement(0, count: Self.zeros.count - rest))
  }

  /// The first stretch of stored blocks that ends after an offset.
  func stretch(after offset: Int64) -> Range<Int64>? {
    let (index, ranges) = (offset / Self.blockBytes, stored.ranges)
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound > index { high = middle } else { low = middle + 1 }
    }
    guard low < ranges.count else { return nil }
    return ranges[low].lowerBound * Self.blockBytes..<ranges[low].upperBound * Self.blockBytes
  }

  private static func place(of offset: Int64) -> (index: Int64, start: Int) {
    (offset / blockBytes, Int(offset % blockBytes))
  }

  private static func copy(_ bytes: Span<UInt8>, to start: Int, of block: inout [UInt8]) {
    bytes.withUnsafeBytes { source in
      block.withUnsafeMutableBytes { target in
        UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: source)
      }
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: Int(blockBytes))
}
