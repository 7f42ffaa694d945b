/// The disk of one host, in memory: its files and folders, and how long calls take.
///
/// It belongs to the host's name, so crashes and restarts leave it as it is; a restart that erases
/// the host leaves it empty. Code of the host uses it as ``SimulatedHost/storage``. What stands
/// here is for tests and programs that look on from outside: it takes no time, is not counted, and
/// never fails.
///
/// Every change is on the disk at once: a crash loses no bytes, names change as a whole, and
/// synchronizing only takes time. A crash closes what the host had open, and gives up what it had
/// reserved. Paths are absolute, `.` and `..` are resolved as text, and only the root exists at
/// first. Times of files are those of the world, which begins at 2026-01-01 00:00 UTC.
///
/// Sendable as its world is: used by the thread that drives the world alone.
public final class SimulatedStorage: @unchecked Sendable {
  let scheduler: Scheduler
  let device: UInt64
  private var limits: StorageConditions
  private var root = StoredFolder()
  private var lastNumber: UInt64 = 1
  private var usedBlocks = 0
  /// What the host's code has open, by the number of the file.
  private var openings: [UInt64: Opening] = [:]
  /// How often the host has crashed: what it opened before is closed.
  private(set) var crashes = 0
  var plan = StoragePlan()
  private var callCounts: [StorageCall: Int] = [:]
  var schedule = DiskSchedule()
  var faults = DiskFaults()

  private struct Opening {
    let file: StoredFile
    var count = 0
    var isReserved = false
  }

  init(_ host: Int, _ conditions: StorageConditions, _ scheduler: Scheduler) {
    (device, limits, self.scheduler) = (UInt64(host) + 1, conditions.bounded, scheduler)
  }

  /// The conditions: those of the world's configuration, until they are set.
  ///
  /// Files stay when the capacity becomes less than they take.
  public var conditions: StorageConditions {
    get { limits }
    set {
      scheduler.enter()
      limits = newValue.bounded
    }
  }

  /// How many bytes can still be stored.
  public var freeBytes: Int { room * Int(BlockMap.blockBytes) }

  /// How many blocks can still be stored.
  var room: Int {
    faults.isFull ? 0 : max(0, limits.capacityBytes / Int(BlockMap.blockBytes) - usedBlocks)
  }

  // MARK: Files and folders

  /// Makes a folder, and those that it is in, unless they exist.
  ///
  /// - Parameter path: The path. It is a trap if a file is in the way.
  public func makeFolder(at path: String) {
    scheduler.enter()
    _ = makeFolder(Self.parse(path).names[...], path)
  }

  /// Makes a file, and the folders that it is in, whether there is room for it or not.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - path: The path. A file that has it is replaced, and stays what it was for code that has it
  ///     open. It is a trap if a folder has it.
  public func write(_ bytes: [UInt8], to path: String) {
    scheduler.enter()
    let names = Self.parse(path).names
    guard let name = names.last else { preconditionFailure("'\(path)' is a folder") }
    let folder = makeFolder(names.dropLast(), path)
    switch folder[name] {
    case .file(let file): unlink(file)
    case .folder: preconditionFailure("'\(path)' is a folder")
    case nil: break
    }
    let file = makeFile(name, in: folder)
    _ = write(bytes.span, to: file, at: 0, room: .max)
  }

  /// Reads a file.
  ///
  /// - Parameter path: The path of a file of at most 1 GiB; a longer one is a trap.
  /// - Returns: Its bytes; `nil` if there is no such file.
  public func bytes(of path: String) -> [UInt8]? {
    guard let file = file(at: path) else { return nil }
    precondition(
      file.byteCount <= Self.readableBytesMax,
      "'\(path)' has \(file.byteCount) bytes, which is more than can be read at once")
    return file.blocks.read(Int(file.byteCount), at: 0)
  }

  /// The attributes of a file; `nil` if there is none.
  public func attributes(of path: String) -> FileAttributes? {
    file(at: path).map(attributes)
  }

  /// The names of the files and folders in a folder, in the order of their bytes; none if there is
  /// no such folder.
  public func names(in path: String) -> [String] {
    guard let path = StoragePath(path), case .folder(let folder) = entry(at: path) else {
      return []
    }
    return folder.names.map(\.text)
  }

  /// Removes a file, or a folder with all that is in it; nothing happens if there is none.
  ///
  /// - Parameter path: The path; of the root, all that is in it is removed.
  public func remove(_ path: String) {
    scheduler.enter()
    let names = Self.parse(path).names
    guard let name = names.last else { return removeAll() }
    guard case .folder(let folder) = entry(names.dropLast()) else { return }
    switch folder[name] {
    case .file(let file): unlink(file)
    case .folder(let inner): inner.removeAll(unlink)
    case nil: break
    }
    folder[name] = nil
  }

  private func removeAll() {
    for name in root.names { remove("/\(name.text)") }
  }

  // MARK: Calls

  /// How many calls the code of the host has made so far.
  public var callCount: Int { callCounts.values.reduce(0, +) }

  /// How many calls of one kind the code of the host has made so far.
  public func callCount(of call: StorageCall) -> Int { callCounts[call] ?? 0 }

  /// Has a call of the host fail, once, with no other effect.
  ///
  /// - Parameters:
  ///   - call: The kind of the call; `nil` for any.
  ///   - number: Its number among such calls from now on, from 1; less counts as 1.
  ///   - code: The code of the error. ``StorageFolder/isFound(at:)`` throws none, and is `false`.
  public func fail(_ call: StorageCall? = nil, number: Int = 1, with code: StorageError.Code) {
    scheduler.enter()
    plan.add(.failure(code), for: call, number: number)
  }

  /// Has the host crash at a call.
  ///
  /// The call has no effect. It throws `hostDown`, as all later ones of this run of the host do.
  /// The host crashes as soon as the body has returned that makes the call; at the same instant, if
  /// an offloaded body does not make it.
  ///
  /// - Parameters:
  ///   - call: The kind of the call; `nil` for any.
  ///   - number: Its number among such calls from now on, from 1; less counts as 1.
  public func crashHost(at call: StorageCall? = nil, number: Int = 1) {
    scheduler.enter()
    plan.add(.crash, for: call, number: number)
  }

  /// Forgets the failures and crashes that were planned and have not taken place.
  public func forgetPlannedFailures() {
    scheduler.enter()
    plan.removeAll()
  }

  func count(_ call: StorageCall) { callCounts[call, default: 0] += 1 }

  private static let readableBytesMax: Int64 = 1 << 30
}

// MARK: Names

extension SimulatedStorage {
  /// What a path leads to.
  func entry(at path: StoragePath) -> StoredEntry? {
    guard let entry = entry(path.names[...]) else { return nil }
    if path.isOfFolder, case .file = entry { return nil }
    return entry
  }

  /// Whether a file stands where a path needs a folder.
  func isObstructed(_ path: StoragePath) -> Bool {
    path.names.indices.contains { end in
      guard end + 1 < path.names.count || path.isOfFolder else { return false }
      if case .file = entry(path.names[...end]) { return true }
      return false
    }
  }

  private func entry(_ names: ArraySlice<StorageName>) -> StoredEntry? {
    var entry = StoredEntry.folder(root)
    for name in names {
      guard case .folder(let folder) = entry, let next = folder[name] else { return nil }
      entry = next
    }
    return entry
  }

  private func file(at path: String) -> StoredFile? {
    guard let path = StoragePath(path), case .file(let file) = entry(at: path) else { return nil }
    return file
  }

  private func makeFolder(_ names: ArraySlice<StorageName>, _ path: String) -> StoredFolder {
    var folder = root
    for name in names {
      switch folder[name] {
      case .folder(let inner): folder = inner
      case .file: preconditionFailure("'\(path)' leads through a file")
      case nil:
        let inner = StoredFolder()
        folder[name] = .folder(inner)
        folder = inner
      }
    }
    return folder
  }

  private static func parse(_ path: String) -> StoragePath {
    guard let path = StoragePath(path) else {
      preconditionFailure("no file can have the path '\(path)'")
    }
    return path
  }
}

// MARK: Files

extension SimulatedStorage {
  /// The present time as times of files are counted.
  var now: Int64 { Self.beginning + scheduler.now }

  /// Makes a file of no bytes.
  func makeFile(_ name: StorageName, in folder: StoredFolder) -> StoredFile {
    lastNumber += 1
    let file = StoredFile(number: lastNumber, at: now)
    folder[name] = .file(file)
    return file
  }

  /// Writes to a file while there is room.
  ///
  /// - Returns: How many bytes were written.
  func write(_ bytes: Span<UInt8>, to file: StoredFile, at offset: Int64, room: Int) -> Int {
    let before = file.blocks.count
    let written = file.blocks.write(bytes, at: offset, room: room)
    usedBlocks += file.blocks.count - before
    guard written > 0 else { return 0 }
    file.byteCount = max(file.byteCount, offset + Int64(written))
    file.noteModification(at: now)
    return written
  }

  func resize(_ file: StoredFile, to byteCount: Int64) {
    let before = file.blocks.count
    if byteCount < file.byteCount { file.blocks.cut(to: byteCount) }
    usedBlocks += file.blocks.count - before
    file.byteCount = byteCount
    file.noteModification(at: now)
  }

  func attributes(of file: StoredFile) -> FileAttributes {
    FileAttributes(
      byteCount: file.byteCount,
      storedByteCount: Int64(file.blocks.count) * BlockMap.blockBytes, modified: file.modified,
      changed: file.changed, isExecutable: file.isExecutable, device: device, number: file.number)
  }

  /// Takes in that no folder has a file any more, which takes room while it is open.
  func unlink(_ file: StoredFile) {
    file.isLinked = false
    if openings[file.number] == nil { free(file) }
  }

  private func free(_ file: StoredFile) { usedBlocks -= file.blocks.count }

  /// 2026-01-01 00:00 UTC, in nanoseconds since 1970.
  private static let beginning: Int64 = 1_767_225_600 * 1_000_000_000
}

// MARK: Open files

extension SimulatedStorage {
  func open(_ file: StoredFile, reserving: Bool = false) {
    openings[file.number, default: Opening(file: file)].count += 1
    if reserving { openings[file.number]?.isReserved = true }
  }

  /// Takes in that an object of the host's code is released that had a file open.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - reserving: Whether the object had reserved it.
  ///   - crashes: How often the host had crashed when the file was opened.
  func close(_ file: StoredFile, reserving: Bool, openedAfter crashes: Int) {
    guard crashes == self.crashes, var opening = openings[file.number] else { return }
    opening.count -= 1
    if reserving { opening.isReserved = false }
    openings[file.number] = opening.count > 0 ? opening : nil
    if opening.count == 0, !file.isLinked { free(file) }
  }

  func isReserved(_ file: StoredFile) -> Bool { openings[file.number]?.isReserved ?? false }

  /// Closes what the host's code has open.
  func closeAll() {
    crashes += 1
    for opening in openings.values where !opening.file.isLinked { free(opening.file) }
    openings = [:]
  }

  /// Removes everything; the host has crashed before.
  func erase() {
    root.removeAll(unlink)
    root = StoredFolder()
  }
}
