extension Collection<UInt8> {
  /// Whether an entry of a folder can have the bytes as its name.
  package var isEntryName: Bool {
    let dot = UInt8(ascii: ".")
    return (1...255).contains(count) && !elementsEqual([dot]) && !elementsEqual([dot, dot])
      && !contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }
}
