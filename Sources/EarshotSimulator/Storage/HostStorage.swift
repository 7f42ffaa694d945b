/// The storage of a host as its code sees it, from its start to its crash.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class HostStorage: Storage, @unchecked Sendable {
  let disk: SimulatedStorage
  private let kernel: HostKernel

  init(_ disk: SimulatedStorage, _ kernel: HostKernel) {
    (self.disk, self.kernel) = (disk, kernel)
  }

  func openFile(at path: String) throws(StorageError) -> any StorageFile {
    try begin(.openFile, "open \(path)")
    switch try entry(at: path, "open \(path)") {
    case .file(let file): return SimulatedFile(file, path, in: self, isCreated: false)
    case .folder: throw StorageError(.notFile, call: "open \(path)")
    }
  }

  func openFolder(at path: String) throws(StorageError) -> any StorageFolder {
    try begin(.openFolder, "open \(path)")
    switch try entry(at: path, "open \(path)") {
    case .file: throw .ofSystem(.notFolder, "open \(path)")
    case .folder(let folder): return SimulatedFolder(folder, path, in: self)
    }
  }

  private func entry(at path: String, _ call: String) throws(StorageError) -> StoredEntry {
    guard !path.isEmpty else { throw .ofSystem(.notFound, call) }
    guard let path = StoragePath(path) else { throw .ofSystem(.invalidName, call) }
    guard let entry = disk.entry(at: path) else {
      throw .ofSystem(disk.isObstructed(path) ? .notFolder : .notFound, call)
    }
    return entry
  }

  /// Takes in a call before it has any effect.
  ///
  /// - Parameters:
  ///   - call: The kind of the call.
  ///   - text: The call as it was made.
  /// - Throws: `hostDown`, and what was planned for the call.
  func begin(_ call: StorageCall, _ text: @autoclosure () -> String) throws(StorageError) {
    disk.scheduler.checkThread("a call of the storage of host '\(kernel.process.name)'")
    guard kernel.isUp, !kernel.isDoomed else { throw StorageError(.hostDown, call: text()) }
    disk.count(call)
    disk.faults.noteStrikes(of: call)
    take(Int128(disk.conditions.latency.nanoseconds))
    switch disk.plan.outcome(of: call) {
    case .failure(let code): throw .ofSystem(code, text())
    case .crash:
      kernel.doom()
      throw StorageError(.hostDown, call: text())
    case nil: break
    }
    if disk.faults.fails(call) { throw .ofSystem(.other, text()) }
  }

  /// Takes in that a call moves bytes.
  func move(_ byteCount: Int, bytesPerSecond: Int) {
    take(Int128(byteCount) * 1_000_000_000 / Int128(bytesPerSecond))
  }

  private func take(_ nanoseconds: Int128) {
    disk.schedule.take(nanoseconds * Int128(disk.faults.factor))
  }
}

extension StorageError {
  /// An error with the number that Linux has for it.
  static func ofSystem(_ code: Code, _ call: String) -> StorageError {
    StorageError(code, call: call, errno: numbers[code])
  }

  /// The error of a call whose argument is out of range (EINVAL).
  static func invalidArgument(_ call: String) -> StorageError {
    StorageError(.other, call: call, errno: 22)
  }

  private static let numbers: [Code: Int32] = [
    .exists: 17, .fileTooLarge: 27, .full: 28, .invalidName: 36, .isFolder: 21, .notFolder: 20,
    .notFound: 2, .permissionDenied: 13, .readOnly: 30, .tooManyOpenFiles: 24, .other: 5,
  ]
}
