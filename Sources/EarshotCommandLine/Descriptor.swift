import Foundation

extension [UInt8] {
  /// Reads some bytes from a descriptor, and waits until there are any.
  ///
  /// - Parameters:
  ///   - descriptor: Where from.
  ///   - countMax: The most bytes.
  /// - Returns: The bytes; none at the end.
  /// - Throws: What the system says, such as `EAGAIN` of a descriptor that does not block.
  static func read(from descriptor: Int32, upTo countMax: Int) throws(ByteFailure) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: countMax) { buffer, count in
      var got: Int
      repeat {
        got = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
        failure = got < 0 ? errno : 0
      } while failure == EINTR
      count = Swift.max(0, got)
    }
    guard failure == 0 else { throw .system(failure) }
    return bytes
  }
}

/// The lines that come out of a descriptor.
package struct DescriptorLines {
  private let descriptor: Int32
  private var rest: [UInt8] = []
  private var searched = 0
  private var hasEnded = false

  /// Reads a descriptor that its owner closes.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its line break, also one that the end cut short; `nil` at the end.
  package mutating func next() -> [UInt8]? {
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          rest.removeFirst(end + 1)
          searched = 0
        }
        return Array(rest[..<end])
      }
      searched = rest.count
      guard !hasEnded else {
        defer { (rest, searched) = ([], 0) }
        return rest.isEmpty ? nil : rest
      }
      fill()
    }
  }

  private mutating func fill() {
    let chunk = (try? [UInt8].read(from: descriptor, upTo: Self.chunkBytes)) ?? []
    hasEnded = chunk.isEmpty
    rest += chunk
  }

  private static let chunkBytes = 1 << 16
}
