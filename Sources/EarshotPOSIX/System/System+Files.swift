import CEarshot
import EarshotNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The calls for files and folders.
extension System {
  /// The folder that relative paths begin at, in the place of a descriptor.
  static let presentFolder = AT_FDCWD

  /// Opens a regular file to be read.
  ///
  /// Opening anything else has effects: it moves a tape, or wakes the writer of a pipe. So the kind
  /// is checked before, and afterwards that of what was opened.
  ///
  /// - Returns: The descriptor; `nil` if there is something else.
  static func openRegularFile(_ path: String) throws(SystemFailure) -> Int32? {
    guard try attributes(of: path, follows: true).is_file != 0 else { return nil }
    let descriptor = try check {
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    return try keep(descriptor) { $0.is_file != 0 }
  }

  /// Opens a regular file of a folder to be read and written.
  ///
  /// - Returns: The descriptor; `nil` if there is something else, also a link.
  static func openRegularFile(
    _ name: String, in folder: Int32
  ) throws(SystemFailure) -> Int32? {
    guard try attributes(of: name, in: folder, follows: false).is_file != 0 else { return nil }
    let descriptor = try check {
      openat(folder, name, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    }
    return try keep(descriptor) { $0.is_file != 0 }
  }

  /// Closes a descriptor unless it is of the right kind.
  private static func keep(
    _ descriptor: Int32, if isRight: (earshot_attributes) -> Bool
  ) throws(SystemFailure) -> Int32? {
    do throws(SystemFailure) {
      if isRight(try attributes(of: descriptor)) { return descriptor }
      close(descriptor)
      return nil
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Makes writing beyond the longest file that the process may have (RLIMIT_FSIZE) an error for
  /// this thread; otherwise it ends the process.
  static func blockSignalOfFileSize() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Opens a folder, which must not be a link.
  static func openFolder(_ path: String) throws(SystemFailure) -> Int32 {
    try check { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  }

  /// Creates a file that only its owner may read and write, where there is nothing.
  static func createFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32 {
    try check { openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
  }

  /// Reserves a file for a descriptor.
  ///
  /// - Returns: Whether no other descriptor has reserved it.
  static func reserve(_ file: Int32) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      try check { earshot_reserve(file) }
      return true
    } catch {
      guard error.isTemporary else { throw error }
      return false
    }
  }

  /// Gives back what ``reserve(_:)`` has reserved, and closes the descriptor.
  ///
  /// Closing alone would not do for a moment: a process that is being started has the same open
  /// file until it begins its own program.
  static func closeFile(_ file: Int32) {
    _ = earshot_release(file)
    close(file)
  }

  /// Waits for a millisecond.
  static func pause() { usleep(1_000) }

  static func attributes(of descriptor: Int32) throws(SystemFailure) -> earshot_attributes {
    var attributes = earshot_attributes()
    try check { earshot_ask_attributes(descriptor, &attributes) }
    return attributes
  }

  static func attributes(
    of name: String, in folder: Int32 = presentFolder, follows: Bool
  ) throws(SystemFailure) -> earshot_attributes {
    var attributes = earshot_attributes()
    try check { earshot_ask_attributes_at(folder, name, follows ? 1 : 0, &attributes) }
    return attributes
  }

  // MARK: Names

  /// Renames an entry of a folder, and replaces what has the new name.
  static func rename(
    _ name: String, to newName: String, in folder: Int32
  ) throws(SystemFailure) {
    try check { renameat(folder, name, folder, newName) }
  }

  /// Renames an entry of a folder, unless there is anything of the new name.
  static func renameExclusively(
    _ name: String, to newName: String, in folder: Int32
  ) throws(SystemFailure) {
    try check { earshot_rename_exclusively(folder, name, newName) }
  }

  static func remove(_ name: String, in folder: Int32) throws(SystemFailure) {
    try check { unlinkat(folder, name, 0) }
  }

  /// The names in a folder that are text.
  static func names(
    in folder: Int32, withPrefix prefix: String
  ) throws(SystemFailure) -> [String] {
    guard let listing = earshot_open_names(folder) else { throw .last }
    defer { earshot_close_names(listing) }
    var names: [String] = []
    while let bytes = earshot_read_name(listing) {
      guard let name = String(validatingCString: bytes), name != ".", name != "..",
        name.utf8.starts(with: prefix.utf8)
      else { continue }
      names.append(name)
    }
    guard errno == 0 else { throw .last }
    return names
  }

  /// The bytes that are free on the disk of a folder, for this user.
  static func freeBytes(of folder: Int32) throws(SystemFailure) -> Int64 {
    var record = statvfs()
    try check { fstatvfs(folder, &record) }
    return Int64(clamping: UInt128(record.f_bavail) * UInt128(record.f_frsize))
  }

  // MARK: Bytes

  /// Reads bytes at a place, fewer only at the end.
  static func readBytes(
    _ file: Int32, _ count: Int, at offset: Int64
  ) throws(SystemFailure) -> [UInt8] {
    var failure: SystemFailure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemFailure) {
        filled = try check { pread(file, buffer.baseAddress, count, off_t(offset)) }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  static func writeBytes(
    _ file: Int32, _ bytes: Span<UInt8>, at offset: Int64
  ) throws(SystemFailure) -> Int {
    try bytes.withUnsafeBytes { bytes throws(SystemFailure) in
      try check { pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)) }
    }
  }

  /// The first stretch at an offset or after it that is not a hole.
  static func data(in file: Int32, from offset: Int64) throws(SystemFailure) -> Range<Int64>? {
    do throws(SystemFailure) {
      while true {
        let start = try check { earshot_seek_data(file, offset) }
        let end = try check { earshot_seek_hole(file, start) }
        if end > start { return start..<end }  // Else it became a hole in between.
      }
    } catch {
      if error.isEndOfData { return nil }
      guard error.isUnknownCall else { throw error }
      let end = try attributes(of: file).bytes
      return offset < end ? offset..<end : nil
    }
  }

  static func resize(_ file: Int32, to byteCount: Int64) throws(SystemFailure) {
    try check { ftruncate(file, off_t(byteCount)) }
  }

  static func setExecutable(_ file: Int32, _ isExecutable: Bool) throws(SystemFailure) {
    try check { fchmod(file, isExecutable ? 0o700 : 0o600) }
  }

  /// Sets when a file was modified, in nanoseconds since 1970.
  static func setModified(_ file: Int32, _ time: Int64) throws(SystemFailure) {
    let second: Int64 = 1_000_000_000
    let rest = time % second
    let borrowed: Int64 = rest < 0 ? 1 : 0
    try check {
      earshot_set_modified(file, time / second - borrowed, Int(rest + borrowed * second))
    }
  }

  static func synchronize(_ descriptor: Int32) throws(SystemFailure) {
    try check { earshot_synchronize(descriptor) }
  }
}
