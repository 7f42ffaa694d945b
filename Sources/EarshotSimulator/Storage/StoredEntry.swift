/// A file or a folder on the disk of a host.
enum StoredEntry {
  case file(StoredFile)
  case folder(StoredFolder)
}

/// A folder on the disk of a host, for as long as something refers to it.
final class StoredFolder {
  private var entries: [StorageName: StoredEntry] = [:]
  /// Whether it has been taken out of the folder that it was in.
  private(set) var isRemoved = false

  subscript(name: StorageName) -> StoredEntry? {
    get { entries[name] }
    set { entries[name] = newValue }
  }

  /// The names of the entries, in the order of their bytes.
  var names: [StorageName] { entries.keys.sorted() }

  /// Takes all entries out, those of inner folders, too.
  ///
  /// - Parameter unlink: Called with each file.
  func removeAll(_ unlink: (StoredFile) -> Void) {
    for name in names {
      switch entries[name] {
      case .file(let file): unlink(file)
      case .folder(let folder): folder.removeAll(unlink)
      case nil: break
      }
    }
    entries = [:]
    isRemoved = true
  }
}

/// A file on the disk of a host, for as long as something refers to it.
final class StoredFile {
  let number: UInt64
  var blocks = BlockMap()
  var byteCount: Int64 = 0
  var isExecutable = false
  private(set) var modified: Int64
  private(set) var changed: Int64
  /// Whether it is in a folder.
  var isLinked = true

  init(number: UInt64, at now: Int64) {
    (self.number, modified, changed) = (number, now, now)
  }

  /// Takes in that the bytes have changed.
  func noteModification(at now: Int64) { (modified, changed) = (now, now) }

  /// Takes in that attributes have changed, and sets when the bytes have, unless that is `nil`.
  func noteChange(at now: Int64, modified: Int64?) {
    changed = now
    if let modified { self.modified = modified }
  }

  /// The length of the longest file: 16 TiB less a block, as with ext4.
  static let byteCountMax: Int64 = 1 << 44 - BlockMap.blockBytes
}
