/// Things by number; the numbers of removed things are used again.
///
/// Keeps its elements in memory of its own, since an array's checks cost as much as the rest of a packet's handling.
struct Slab<Element: ~Copyable>: ~Copyable {
  private var elements: UnsafeMutablePointer<Element>
  private var capacity = 16
  /// How many numbers have been given out so far.
  private(set) var end = 0
  private var free: [Int32] = []

  init() { elements = .allocate(capacity: capacity) }

  deinit {
    elements.deinitialize(count: end)
    elements.deallocate()
  }

  /// A number to use: a used one, whose element is as it was left, or a new one.
  mutating func take(orAppend fresh: @autoclosure () -> Element) -> Int {
    if let index = free.popLast() { return Int(index) }
    if end == capacity { grow() }
    (elements + end).initialize(to: fresh())
    end += 1
    return end - 1
  }

  mutating func recycle(_ index: Int) { free.append(Int32(index)) }

  subscript(index: Int) -> Element {
    _read {
      precondition(index < end, "there is nothing under this number")
      yield elements[index]
    }
    nonmutating _modify {
      precondition(index < end, "there is nothing under this number")
      yield &elements[index]
    }
  }

  mutating func removeAll() {
    elements.deinitialize(count: end)
    (end, free) = (0, [])
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: elements, count: end)
    elements.deallocate()
    (elements, capacity) = (larger, 2 * capacity)
  }
}
