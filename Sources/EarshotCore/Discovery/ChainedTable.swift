/// Values by key, each of which also has a number for as long as it is there.
///
/// Half the memory of a dictionary, most of whose places are empty: the values lie in chunks, and only their numbers
/// are sought by hash.
package struct ChainedTable<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable,
  Sendable
{
  private struct Element: Hashable, Sendable {
    let key: Key
    var value: Value
    /// The next one of the chain; ``unused`` where nothing lies.
    var next: Int32
  }
  private static var unused: Int32 { -2 }

  private var elements = ChunkedArray<Element>()
  private var index = ChainIndex()
  private var free: [Int32] = []

  /// A table without values.
  package init() {}

  /// How many values there are.
  package var count: Int { elements.count - free.count }

  /// All values, in the order of their numbers.
  package var values: some Sequence<Value> {
    elements.all.lazy.filter { $0.next != Self.unused }.map(\.value)
  }

  /// The number of a key, or `nil` when there is no value.
  package func number(of key: Key) -> Int? {
    var next = index[key.hashValue]
    while next != ChainIndex.none, elements[Int(next)].key != key {
      next = elements[Int(next)].next
    }
    return next == ChainIndex.none ? nil : Int(next)
  }

  /// The value of a number.
  package subscript(number: Int) -> Value {
    _read { yield elements[number].value }
    _modify { yield &elements[number].value }
  }

  /// The value of a key.
  package subscript(key: Key) -> Value? { number(of: key).map { self[$0] } }

  /// Adds a value for a key that has none.
  ///
  /// - Returns: Its number.
  @discardableResult
  package mutating func add(_ value: Value, for key: Key) -> Int {
    let element = Element(key: key, value: value, next: ChainIndex.none)
    let number = free.popLast().map { Int($0) } ?? elements.count
    if number == elements.count { elements.append(element) } else { elements[number] = element }
    if index.isFull(with: count) { enterAll() } else { enter(number) }
    return number
  }

  /// Removes the value of a number, which is given to another one later.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - rest: What lies there until then, and holds nothing.
  package mutating func remove(_ number: Int, leaving rest: Value) {
    let (hash, next) = (elements[number].key.hashValue, elements[number].next)
    if index[hash] == Int32(number) {
      index[hash] = next
    } else {
      var before = Int(index[hash])
      while elements[before].next != Int32(number) { before = Int(elements[before].next) }
      elements[before].next = next
    }
    (elements[number].value, elements[number].next) = (rest, Self.unused)
    free.append(Int32(number))
  }

  /// Enters an element as the first one of its chain.
  private mutating func enter(_ number: Int) {
    let hash = elements[number].key.hashValue
    elements[number].next = index[hash]
    index[hash] = Int32(number)
  }

  private mutating func enterAll() {
    index.reset(for: count)
    for number in 0..<elements.count where elements[number].next != Self.unused { enter(number) }
  }
}
