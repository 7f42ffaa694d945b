/// Bytes in a row: appended behind, taken from the front.
struct ByteQueue {
  private var storage: [UInt8] = []
  private var head = 0

  var count: Int { storage.count - head }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: [UInt8]) {
    if isEmpty { (storage, head) = (bytes, 0) } else { storage.append(contentsOf: bytes) }
  }

  mutating func append(copying bytes: Span<UInt8>) {
    if isEmpty { removeAll() }
    storage.append(copying: bytes)
  }

  /// A copy of so many bytes from an offset on.
  func copy(from offset: Int, count: Int) -> [UInt8] {
    if offset == 0, head == 0, count == storage.count { return storage }
    return Array(storage[head + offset..<head + offset + count])
  }

  /// Takes at most so many bytes from the front.
  mutating func take(atMost count: Int) -> [UInt8] {
    let count = min(count, self.count)
    if head == 0, count == storage.count { return takeAll() }
    let bytes = copy(from: 0, count: count)
    drop(count)
    return bytes
  }

  private mutating func takeAll() -> [UInt8] {
    var all: [UInt8] = []
    swap(&all, &storage)
    return all
  }

  mutating func drop(_ count: Int) {
    head += count
    if head == storage.count {
      removeAll()
    } else if head >= 65_536, head > storage.count / 2 {
      storage.removeFirst(head)
      head = 0
    }
  }

  mutating func removeAll() { (storage, head) = ([], 0) }
}
