/// A folder that the code of a host has open.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class SimulatedFolder: StorageFolder, @unchecked Sendable {
  private let folder: StoredFolder
  private let path: String
  private let storage: HostStorage

  init(_ folder: StoredFolder, _ path: String, in storage: HostStorage) {
    (self.folder, self.path, self.storage) = (folder, path, storage)
  }

  private var disk: SimulatedStorage { storage.disk }

  /// The path of an entry, up to its name.
  private var inner: String { path.hasSuffix("/") ? path : path + "/" }

  func isFound(at path: String) -> Bool {
    do throws(StorageError) { try storage.begin(.isFound, "stat \(path)") } catch { return false }
    guard let path = StoragePath(path), case .folder(let found) = disk.entry(at: path) else {
      return false
    }
    return found === folder
  }

  func freeBytes() throws(StorageError) -> Int64 {
    try storage.begin(.freeBytes, "statvfs \(path)")
    return Int64(disk.freeBytes)
  }

  func names(withPrefix prefix: String) throws(StorageError) -> [String] {
    try begin(.names, "list \(path)")
    return folder.names.filter { $0.bytes.starts(with: prefix.utf8) }.map(\.text)
  }

  func createFile(_ name: String) throws(StorageError) -> any StorageFile {
    let call = "create \(inner)\(name)"
    try begin(.createFile, call)
    let name = try self.name(name, call)
    guard folder[name] == nil else { throw .ofSystem(.exists, call) }
    let file = disk.makeFile(name, in: folder)
    return SimulatedFile(file, inner + name.text, in: storage, isCreated: true)
  }

  func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
    let call = "rename \(inner)\(name) to \(newName)"
    try begin(.rename, call)
    let (name, newName) = (try self.name(name, call), try self.name(newName, call))
    let target = folder[newName]
    if replacing, name != newName, case .folder = target { throw .ofSystem(.isFolder, call) }
    guard let entry = folder[name] else { throw .ofSystem(.notFound, call) }
    guard replacing || target == nil else { throw .ofSystem(.exists, call) }
    guard name != newName else { return }
    if case .file(let replaced) = target {
      guard case .file = entry else { throw .ofSystem(.notFolder, call) }
      disk.unlink(replaced)
    }
    (folder[name], folder[newName]) = (nil, entry)
  }

  func remove(_ name: String) throws(StorageError) {
    let call = "remove \(inner)\(name)"
    try begin(.remove, call)
    let name = try self.name(name, call)
    unlink(name, try file(name, call))
  }

  func removeAbandoned(_ name: String) throws(StorageError) -> Bool {
    let call = "remove \(inner)\(name)"
    try begin(.removeAbandoned, call)
    let name = try self.name(name, call)
    guard case .file(let file) = folder[name], !disk.isReserved(file) else { return false }
    unlink(name, file)
    return true
  }

  func synchronize() throws(StorageError) {
    try storage.begin(.synchronizeFolder, "fsync \(path)")
  }

  /// Takes in a call about the entries of the folder.
  private func begin(_ call: StorageCall, _ text: @autoclosure () -> String) throws(StorageError) {
    try storage.begin(call, text())
    if folder.isRemoved { throw .ofSystem(.notFound, text()) }
  }

  private func name(_ text: String, _ call: String) throws(StorageError) -> StorageName {
    guard let name = StorageName(text.utf8) else { throw .ofSystem(.invalidName, call) }
    return name
  }

  private func file(_ name: StorageName, _ call: String) throws(StorageError) -> StoredFile {
    switch folder[name] {
    case .file(let file): return file
    case .folder: throw .ofSystem(.isFolder, call)
    case nil: throw .ofSystem(.notFound, call)
    }
  }

  private func unlink(_ name: StorageName, _ file: StoredFile) {
    folder[name] = nil
    disk.unlink(file)
  }
}
