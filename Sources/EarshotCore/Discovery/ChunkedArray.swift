/// Elements by number in chunks that stay where they are, so that growing frees nothing.
///
/// Of a thousand arrays that grow side by side, what each has outgrown lies between the others and fits none of them.
struct ChunkedArray<Element: Hashable & Sendable>: Hashable, Sendable {
  private static var bits: Int { 5 }
  private static var chunk: Int { 1 << bits }

  private var chunks: [[Element]] = []

  /// How many elements there are.
  private(set) var count = 0

  /// The element of a number.
  subscript(number: Int) -> Element {
    _read { yield chunks[number >> Self.bits][number & (Self.chunk - 1)] }
    _modify { yield &chunks[number >> Self.bits][number & (Self.chunk - 1)] }
  }

  /// All elements in their order.
  var all: some Sequence<Element> { chunks.joined() }

  /// Adds an element.
  mutating func append(_ element: Element) {
    if count & (Self.chunk - 1) == 0 {
      var chunk: [Element] = []
      chunk.reserveCapacity(Self.chunk)
      chunks.append(chunk)
    }
    chunks[count >> Self.bits].append(element)
    count += 1
  }
}
