/// The bytes of a file that is being written, handed on a chunk at a time.
struct FileBuffer {
  private(set) var bytes: [UInt8] = []
  private let sink: ([UInt8]) -> Void

  init(_ sink: @escaping ([UInt8]) -> Void) {
    self.sink = sink
    bytes.reserveCapacity(2 * Self.chunkBytes)
  }

  /// Hands everything on.
  mutating func flush() {
    guard !bytes.isEmpty else { return }
    sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Hands everything on if it is enough to be worth it.
  mutating func flushIfLarge() { if bytes.count >= Self.chunkBytes { flush() } }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }
  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends a number, the least significant byte first.
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    var rest = number
    for _ in 0..<Number.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Replaces four bytes that were appended already.
  mutating func replace(at offset: Int, littleEndian number: UInt32) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index))
    }
  }

  private static let chunkBytes = 1 << 16
}
