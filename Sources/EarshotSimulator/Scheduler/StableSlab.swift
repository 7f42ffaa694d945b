/// Things by number that stay where they are in memory; the numbers of removed things are used again.
///
/// In chunks, so that none is moved when there are more. Not initialized where nothing is: what is added and removed is
/// written once and destroyed once.
struct StableSlab<Element: ~Copyable>: ~Copyable {
  private var chunks: [UnsafeMutablePointer<Element>] = []
  /// How many numbers have been given out so far.
  private var end = 0
  private var free: [Int32] = []

  deinit {
    let vacant = Set(free)
    for index in 0..<end where !vacant.contains(Int32(index)) {
      pointer(to: index).deinitialize(count: 1)
    }
    for chunk in chunks { chunk.deallocate() }
  }

  /// Adds an element.
  ///
  /// - Returns: Its number.
  mutating func add(_ element: consuming Element) -> Int {
    let index = takeNumber()
    pointer(to: index).initialize(to: element)
    return index
  }

  /// Removes an element that is there.
  mutating func remove(_ index: Int) {
    pointer(to: index).deinitialize(count: 1)
    free.append(Int32(index))
  }

  /// Where an element is that is there, until it is removed.
  func pointer(to index: Int) -> UnsafeMutablePointer<Element> {
    chunks[index / Self.chunkCount] + index % Self.chunkCount
  }

  private mutating func takeNumber() -> Int {
    if let index = free.popLast() { return Int(index) }
    if end == chunks.count * Self.chunkCount { chunks.append(.allocate(capacity: Self.chunkCount)) }
    end += 1
    return end - 1
  }

  private static var chunkCount: Int { 64 }
}
