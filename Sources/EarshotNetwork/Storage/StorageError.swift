/// An operation on a file or a folder that the system refused.
public struct StorageError: Error, Hashable, Sendable {
  /// The kind of an error, to switch on.
  ///
  /// Later versions may add codes.
  public struct Code: Hashable, Sendable {
    private enum Kind: String {
      case exists, fileTooLarge, full, hostDown, invalidName, isFolder, notFile, notFolder
      case notFound, permissionDenied, readOnly, tooManyOpenFiles, other
    }
    private let kind: Kind

    /// There is something of that name (EEXIST).
    public static let exists = Code(kind: .exists)
    /// The file system takes no file of that size (EFBIG).
    public static let fileTooLarge = Code(kind: .fileTooLarge)
    /// No room is left on the disk (ENOSPC), or in what the user may fill of it (EDQUOT).
    public static let full = Code(kind: .full)
    /// The host is not running any more.
    public static let hostDown = Code(kind: .hostDown)
    /// The file system takes no such name (ENAMETOOLONG, EILSEQ, EINVAL).
    public static let invalidName = Code(kind: .invalidName)
    /// A folder is where a file was expected (EISDIR).
    public static let isFolder = Code(kind: .isFolder)
    /// What the path leads to is not a regular file.
    public static let notFile = Code(kind: .notFile)
    /// What the path leads to is not a folder, or is a link (ENOTDIR, ELOOP).
    public static let notFolder = Code(kind: .notFolder)
    /// There is no such file or folder (ENOENT, ESTALE).
    public static let notFound = Code(kind: .notFound)
    /// The system does not allow it (EACCES, EPERM).
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// The file system can only be read (EROFS).
    public static let readOnly = Code(kind: .readOnly)
    /// No descriptor is left (EMFILE, ENFILE).
    public static let tooManyOpenFiles = Code(kind: .tooManyOpenFiles)
    /// Any other error; see ``StorageError/errno``.
    public static let other = Code(kind: .other)

    /// The code's name, as it is written in traces.
    public var name: String { kind.rawValue }
  }

  /// The kind of the error.
  public let code: Code
  /// The call as it was made, such as `open /home/ann/a.txt`.
  public let call: String
  /// The system's own number, where there is one.
  public let errno: Int32?

  /// An error of a call.
  public init(_ code: Code, call: String, errno: Int32? = nil) {
    (self.code, self.call, self.errno) = (code, call, errno)
  }
}

extension StorageError: CustomStringConvertible {
  /// `open /home/ann/a.txt: notFound (errno 2)`.
  public var description: String {
    "\(call): \(code.name)" + (errno.map { " (errno \($0))" } ?? "")
  }
}
