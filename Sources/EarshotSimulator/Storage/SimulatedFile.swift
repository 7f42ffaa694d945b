/// A file that the code of a host has open, until the object is released or the host crashes.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class SimulatedFile: StorageFile, @unchecked Sendable {
  private let file: StoredFile
  private let path: String
  private let storage: HostStorage
  /// Whether the object has created the file: then it has reserved it, and may write.
  private let isCreated: Bool
  private let crashes: Int

  init(_ file: StoredFile, _ path: String, in storage: HostStorage, isCreated: Bool) {
    (self.file, self.path, self.storage) = (file, path, storage)
    (self.isCreated, crashes) = (isCreated, storage.disk.crashes)
    disk.open(file, reserving: isCreated)
  }

  deinit { disk.close(file, reserving: isCreated, openedAfter: crashes) }

  private var disk: SimulatedStorage { storage.disk }

  func attributes() throws(StorageError) -> FileAttributes {
    try storage.begin(.attributes, "stat \(path)")
    return disk.attributes(of: file)
  }

  func read(_ count: Int, at offset: Int64) throws(StorageError) -> [UInt8] {
    try storage.begin(.read, "read \(path)")
    guard count >= 0, offset >= 0 else { throw .invalidArgument("read \(path)") }
    let left = max(0, file.byteCount - offset)
    let bytes = file.blocks.read(Int(min(Int64(min(count, Self.readBytesMax)), left)), at: offset)
    storage.move(bytes.count, bytesPerSecond: disk.conditions.readBytesPerSecond)
    return bytes
  }

  func data(from offset: Int64) throws(StorageError) -> Range<Int64>? {
    try storage.begin(.data, "seek \(path)")
    guard offset >= 0, let stretch = file.blocks.stretch(after: offset) else { return nil }
    let range = stretch.clamped(to: offset..<max(offset, file.byteCount))
    return range.isEmpty ? nil : range
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(StorageError) -> Int {
    try storage.begin(.write, "write \(path)")
    guard isCreated else { throw StorageError(.other, call: "write \(path)", errno: 9) }
    guard offset >= 0 else { throw .invalidArgument("write \(path)") }
    guard !bytes.isEmpty else { return 0 }
    let left = StoredFile.byteCountMax - offset
    guard left > 0 else { throw .ofSystem(.fileTooLarge, "write \(path)") }
    let allowed = bytes.extracting(first: Int(min(Int64(bytes.count), left)))
    let written = disk.write(allowed, to: file, at: offset, room: disk.room)
    guard written > 0 else { throw .ofSystem(.full, "write \(path)") }
    storage.move(written, bytesPerSecond: disk.conditions.writeBytesPerSecond)
    return written
  }

  func resize(to byteCount: Int64) throws(StorageError) {
    let call = "resize \(path) to \(byteCount)"
    try storage.begin(.resize, call)
    guard isCreated, byteCount >= 0 else { throw .invalidArgument(call) }
    guard byteCount <= StoredFile.byteCountMax else { throw .ofSystem(.fileTooLarge, call) }
    disk.resize(file, to: byteCount)
  }

  func set(modified: Int64?, isExecutable: Bool) throws(StorageError) {
    try storage.begin(.set, "set attributes of \(path)")
    file.isExecutable = isExecutable
    file.noteChange(at: disk.now, modified: modified)
  }

  func synchronize() throws(StorageError) {
    try storage.begin(.synchronizeFile, "fsync \(path)")
  }

  /// The system may read less than it is asked for.
  private static let readBytesMax = 1 << 24
}
