/// The last change of an item.
struct Record: Hashable, Sendable {
  let item: String
  /// Whether it is on the list, or was removed.
  let isListed: Bool
  let revision: Int
  let author: String

  /// Whether another change of the same item came later.
  func isOlder(than other: Record) -> Bool {
    (revision, author) < (other.revision, other.author)
  }

  /// Changes as a message, a line each.
  static func bytes(of records: [Record]) -> [UInt8] {
    let lines = records.map {
      "\($0.isListed ? "+" : "-")\t\($0.revision)\t\($0.author)\t\($0.item)"
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// The changes of a message; lines that make no sense are left out.
  static func records(in bytes: [UInt8]) -> [Record] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 3).map(String.init)
      guard fields.count == 4, let revision = Int(fields[1]) else { return nil }
      return Record(
        item: fields[3], isListed: fields[0] == "+", revision: revision, author: fields[2])
    }
  }
}
