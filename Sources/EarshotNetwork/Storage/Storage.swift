/// The storage of a host: the files and folders of its system.
///
/// The system's own file system and the simulator's implement it, and code above it cannot tell
/// which one it uses. Each call is about one system call. It blocks, so code of a host makes it in
/// the body of ``NetworkHost/offload(_:)``; calls of one folder or file must not overlap.
public protocol Storage: AnyObject, Sendable {
  /// Opens a file to be read.
  ///
  /// - Parameter path: An absolute path, or one from the folder that the process is in. Links are
  ///   followed.
  /// - Returns: The file, which is closed when it is released.
  /// - Throws: `notFound`, `notFile` for anything that is not a regular file, `permissionDenied`,
  ///   `tooManyOpenFiles`, and other codes of the system.
  func openFile(at path: String) throws(StorageError) -> any StorageFile

  /// Opens a folder.
  ///
  /// - Parameter path: As of a file, but its last part is not followed if it is a link.
  /// - Returns: The folder, which stays the same one if another one takes its path.
  /// - Throws: `notFound`, `notFolder` for anything else, also for a link; `permissionDenied`,
  ///   `tooManyOpenFiles`, and other codes of the system.
  func openFolder(at path: String) throws(StorageError) -> any StorageFolder
}

/// An open folder.
///
/// Names are those of its own entries: a name that is empty, `.` or `..`, has more than 255 bytes,
/// or has a slash or a zero byte, is `invalidName`.
public protocol StorageFolder: AnyObject, Sendable {
  /// Whether a path still leads to this folder, its last part not followed.
  func isFound(at path: String) -> Bool

  /// The bytes that new files may have together now.
  func freeBytes() throws(StorageError) -> Int64

  /// The names of the entries that begin with a text, in no order.
  func names(withPrefix prefix: String) throws(StorageError) -> [String]

  /// Creates a file of no bytes, which only its owner may read and write, and reserves it for this
  /// process.
  ///
  /// - Throws: `exists` if there is anything of that name, also a link that leads nowhere.
  func createFile(_ name: String) throws(StorageError) -> any StorageFile

  /// Gives a file another name in the folder.
  ///
  /// - Parameters:
  ///   - name: The present name.
  ///   - newName: The new one.
  ///   - replacing: Whether a file of the new name gives way, at one instant.
  /// - Throws: `exists` if there is anything of the new name, unless it is to be replaced;
  ///   `isFolder` if a folder would have to be replaced; `notFound` if the file or the folder is
  ///   gone.
  func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError)

  /// Removes a file, or a link.
  func remove(_ name: String) throws(StorageError)

  /// Removes a file that ``createFile(_:)`` has made, if no process has reserved it any more.
  ///
  /// - Returns: Whether it was removed.
  func removeAbandoned(_ name: String) throws(StorageError) -> Bool

  /// Waits until all changes of names are on the disk.
  func synchronize() throws(StorageError)
}

/// An open file.
public protocol StorageFile: AnyObject, Sendable {
  /// The present attributes.
  func attributes() throws(StorageError) -> FileAttributes

  /// Reads bytes.
  ///
  /// - Parameters:
  ///   - count: The most bytes.
  ///   - offset: The place of the first.
  /// - Returns: At least one byte; none at the end or beyond it.
  /// - Throws: The error of the system.
  func read(_ count: Int, at offset: Int64) throws(StorageError) -> [UInt8]

  /// The next stretch of a file that is not a hole, as far as the system tells.
  ///
  /// - Returns: The first stretch that ends after an offset, cut to what is not before it; `nil` if
  ///   all that follows is a hole.
  func data(from offset: Int64) throws(StorageError) -> Range<Int64>?

  /// Writes bytes, which may be fewer than given.
  ///
  /// - Returns: How many were written: one at least, unless none were given.
  /// - Throws: `full` if there is no room; `fileTooLarge`, and other codes of the system.
  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(StorageError) -> Int

  /// Cuts the file, or extends it by a hole.
  func resize(to byteCount: Int64) throws(StorageError)

  /// Changes when it was modified, and whether its owner may execute it.
  ///
  /// - Parameters:
  ///   - modified: In nanoseconds since 1970; `nil` leaves it.
  ///   - isExecutable: Whether the owner may execute it.
  /// - Throws: The error of the system.
  func set(modified: Int64?, isExecutable: Bool) throws(StorageError)

  /// Waits until the bytes and the attributes are on the disk.
  func synchronize() throws(StorageError)
}

/// The attributes of a file.
public struct FileAttributes: Hashable, Sendable {
  /// The length in bytes.
  public var byteCount: Int64
  /// The bytes that it takes on the disk; fewer if it has holes.
  public var storedByteCount: Int64
  /// When its bytes were changed last, in nanoseconds since 1970.
  public var modified: Int64
  /// When its bytes or its attributes were changed last, in nanoseconds since 1970.
  public var changed: Int64
  /// Whether its owner may execute it.
  public var isExecutable: Bool
  /// The number of its device.
  public var device: UInt64
  /// Its number on the device.
  public var number: UInt64

  /// The attributes of a file.
  public init(
    byteCount: Int64, storedByteCount: Int64, modified: Int64, changed: Int64, isExecutable: Bool,
    device: UInt64, number: UInt64
  ) {
    (self.byteCount, self.storedByteCount) = (byteCount, storedByteCount)
    (self.modified, self.changed, self.isExecutable) = (modified, changed, isExecutable)
    (self.device, self.number) = (device, number)
  }
}
