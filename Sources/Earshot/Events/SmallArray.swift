/// Elements in their order, of which a single one needs no memory of its own.
struct SmallArray<Element> {
  private var first: Element?
  private var others: [Element] = []

  var isEmpty: Bool { first == nil }

  mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }

  /// Takes the first element out that meets a condition.
  mutating func removeFirst(where isMeant: (Element) -> Bool) -> Element? {
    if let element = first, isMeant(element) {
      first = others.isEmpty ? nil : others.removeFirst()
      return element
    }
    return others.firstIndex(where: isMeant).map { others.remove(at: $0) }
  }

  func forEach(_ body: (Element) -> Void) {
    if let first { body(first) }
    for element in others { body(element) }
  }
}

extension SmallArray: Sendable where Element: Sendable {}
