/// The name of an entry of a folder: bytes, of which each is another name.
struct StorageName: Hashable, Comparable {
  let bytes: [UInt8]

  /// A name, unless no entry can have it.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.isEntryName else { return nil }
    self.bytes = Array(bytes)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  static func < (one: StorageName, other: StorageName) -> Bool {
    one.bytes.lexicographicallyPrecedes(other.bytes)
  }
}

/// The way from the root to a file or a folder.
struct StoragePath {
  /// The names, without `.` and `..`, which are resolved as text.
  let names: [StorageName]
  /// Whether it can only lead to a folder.
  let isOfFolder: Bool

  /// A path, unless no file can have it.
  ///
  /// - Parameter text: An absolute path; one that does not begin with a slash begins at the root,
  ///   too.
  init?(_ text: String) {
    guard text.utf8.count < Self.bytesMax else { return nil }
    var names: [StorageName] = []
    var isOfFolder = false
    for part in text.utf8.split(separator: Self.slash) {
      isOfFolder = part.elementsEqual([Self.dot]) || part.elementsEqual([Self.dot, Self.dot])
      if isOfFolder {
        if part.count == 2 { _ = names.popLast() }
        continue
      }
      guard let name = StorageName(part) else { return nil }
      names.append(name)
    }
    self.names = names
    self.isOfFolder = isOfFolder || text.utf8.last == Self.slash
  }

  static let slash = UInt8(ascii: "/")
  static let dot = UInt8(ascii: ".")
  /// PATH_MAX of Linux.
  private static let bytesMax = 4_096
}
