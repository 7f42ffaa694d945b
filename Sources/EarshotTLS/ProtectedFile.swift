import Foundation

/// A file that is there as a whole or not at all, also after a crash at any moment, and that none but its owner changes.
///
/// What is written goes beside its place first, is forced to the disk, and is then linked or renamed into its place. Where
/// a symbolic link stands for the file, its place is where the link leads: the link stays.
struct ProtectedFile {
  private let path: String
  private let forbidden: mode_t
  private let bytesMax: Int

  /// A file that need not be there; its folder must.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - hiding: Whether others may not even read it.
  ///   - bytesMax: How much it may hold.
  init(path: String, hiding: Bool, bytesMax: Int) {
    (self.path, self.bytesMax) = (path, bytesMax)
    forbidden = hiding ? 0o077 : 0o022
  }

  /// The bytes, or `nil` when there is no file.
  ///
  /// - Throws: `foreign` when it belongs to another user than this process, also one whose files root may read;
  ///   `unprotected` when others may do what is not allowed to them; `unreadable`.
  func read() throws(ProtectedFileError) -> [UInt8]? {
    if case .bytes(let bytes, _) = try read(unless: nil) { bytes } else { nil }
  }

  /// What there is.
  enum Contents {
    case nothing
    case unchanged
    case bytes([UInt8], FileState)
  }

  /// The bytes, unless the file is in a state in which they are known.
  ///
  /// - Throws: What ``read()`` throws, whether or not the bytes are known.
  func read(unless known: FileState?) throws(ProtectedFileError) -> Contents {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return .nothing }
      throw failure(.unreadable)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(.unreadable) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ProtectedFileError(kind: .unreadable, detail: "\(path) is no file")
    }
    guard status.st_uid == geteuid() else {
      throw ProtectedFileError(
        kind: .foreign, detail: "\(path): user \(status.st_uid) and not \(geteuid())")
    }
    guard status.st_mode & forbidden == 0 else {
      throw ProtectedFileError(kind: .unprotected, detail: "\(path): chmod 600 \(path)")
    }
    guard status.st_size <= bytesMax else {
      throw ProtectedFileError(
        kind: .unreadable, detail: "\(path) has more than \(bytesMax) bytes")
    }
    let state = FileState(status)
    if state == known { return .unchanged }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        Foundation.read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      guard read >= 0 else { throw failure(.unreadable) }
      if read == 0 { break }
      count += read
    }
    return .bytes(Array(bytes.prefix(count)), state)
  }

  /// Writes the file, unless there is one.
  ///
  /// - Returns: Whether there was none.
  func create(_ bytes: [UInt8]) throws(ProtectedFileError) -> Bool {
    let place = place
    let draft = try writeDraft(bytes, beside: place)
    defer { unlink(draft) }
    guard link(draft, place) == 0 else {
      guard errno == EEXIST else { throw failure(.unwritable) }
      return false
    }
    try forceFolder(of: place)
    return true
  }

  /// Writes the file, in place of the one that is there.
  func replace(with bytes: [UInt8]) throws(ProtectedFileError) {
    let place = place
    let draft = try writeDraft(bytes, beside: place)
    guard rename(draft, place) == 0 else {
      let error = failure(.unwritable)
      unlink(draft)
      throw error
    }
    try forceFolder(of: place)
  }

  /// Does something while no other process, and no other caller, does the same with this file.
  ///
  /// - Throws: What the action throws; `busy` when others have been at it for so long, such as a process that was stopped
  ///   meanwhile; `unwritable`.
  func alone<Value>(
    waiting patience: Duration, _ act: () throws(ProtectedFileError) -> Value
  ) throws(ProtectedFileError) -> Value {
    let lockPath = "\(place).lock"
    let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw failure(.unwritable, at: lockPath) }
    defer {
      // For a moment, a process that is being started has the lock, too.
      _ = flock(lock, LOCK_UN)
      close(lock)
    }
    try take(lock, at: lockPath, waiting: patience)
    return try act()
  }

  /// Waits for a lock, which flock(2) by itself does without an end.
  private func take(
    _ lock: CInt, at lockPath: String, waiting patience: Duration
  ) throws(ProtectedFileError) {
    // Counted, not read from a clock: in a simulated world no time passes here.
    var attemptsLeft = patience / .milliseconds(1)
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK:
        guard attemptsLeft > 0 else { throw failure(.busy, at: lockPath) }
        attemptsLeft -= 1
        usleep(1_000)
      default: throw failure(.unwritable, at: lockPath)
      }
    }
  }

  /// Where the file is, or is to be: where symbolic links lead.
  private var place: String {
    var place = path
    for _ in 0..<Self.linksMax {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place)
      guard let target else { break }
      let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
      place = target.hasPrefix("/") ? target : folder.appending(path: target).path
    }
    return place
  }

  private static let linksMax = 40  // As Linux follows.

  /// - Returns: The path of what was written.
  private func writeDraft(
    _ bytes: [UInt8], beside place: String
  ) throws(ProtectedFileError) -> String {
    // Runs of one seed draw the same number.
    let draft = "\(place).\(getpid()).\(UUID().uuidString)"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(.unwritable) }
    let isWritten = write(bytes, to: file) && fsync(file) == 0
    let reason = isWritten ? nil : failure(.unwritable)
    close(file)
    if let reason {
      unlink(draft)
      throw reason
    }
    return draft
  }

  /// - Returns: Whether all was written; a disk that fills up takes a part first, and says why after that.
  private func write(_ bytes: [UInt8], to file: CInt) -> Bool {
    var count = 0
    while count < bytes.count {
      let written = bytes.withUnsafeBytes {
        Foundation.write(file, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      guard written > 0 || errno == EINTR else { return false }
      count += max(0, written)
    }
    return true
  }

  /// Has the disk know of the new name, too.
  private func forceFolder(of place: String) throws(ProtectedFileError) {
    let folder = open(
      URL(fileURLWithPath: place).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }  // It may be written and not read.
    defer { close(folder) }
    // Some file systems cannot force folders, and say so.
    guard fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw failure(.unwritable)
    }
  }

  /// What the system says about the call that has failed just now.
  private func failure(
    _ kind: ProtectedFileError.Kind, at place: String? = nil
  ) -> ProtectedFileError {
    ProtectedFileError(kind: kind, detail: "\(place ?? path): \(String(cString: strerror(errno)))")
  }
}

/// What is wrong with a file.
struct ProtectedFileError: Error {
  enum Kind { case busy, foreign, unprotected, unreadable, unwritable }
  let kind: Kind
  let detail: String
}
