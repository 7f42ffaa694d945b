import EarshotNetwork

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SystemFailure {
  static let wouldBlock = SystemFailure(number: EWOULDBLOCK)
  static let isFolder = SystemFailure(number: EISDIR)
  static let tooLarge = SystemFailure(number: EFBIG)

  /// There is nothing of that name.
  var isAbsence: Bool { number == ENOENT }
  var isLink: Bool { number == ELOOP || number == EMLINK }
  /// No byte follows that is not in a hole.
  var isEndOfData: Bool { number == ENXIO }
  /// The file system has no such call.
  var isUnknownCall: Bool { [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, ENOLCK].contains(number) }

  /// The failure of a call of the storage as the boundary tells it.
  func storageError(_ call: String, ofName: Bool) -> StorageError {
    let isOfName = ofName && number == EINVAL
    return StorageError(isOfName ? .invalidName : storageCode, call: call, errno: number)
  }

  private var storageCode: StorageError.Code {
    switch number {
    case EEXIST: .exists
    case EFBIG: .fileTooLarge
    case ENOSPC, EDQUOT: .full
    case ENAMETOOLONG, EILSEQ: .invalidName
    case EISDIR: .isFolder
    case ENOTDIR, ELOOP: .notFolder
    case ENOENT, ESTALE: .notFound
    case EACCES, EPERM: .permissionDenied
    case EROFS: .readOnly
    case EMFILE, ENFILE: .tooManyOpenFiles
    default: .other
    }
  }
}

/// Makes calls of the system, whose failure is the error of a call of the storage.
///
/// - Parameters:
///   - call: The call of the storage as it was made.
///   - ofName: Whether an argument that the system rejects can only be a name.
///   - body: The calls.
/// - Returns: The body's result.
/// - Throws: The body's failure, as an error of the storage.
func attempt<Result>(
  _ call: @autoclosure () -> String, ofName: Bool = false,
  _ body: () throws(SystemFailure) -> Result
) throws(StorageError) -> Result {
  do throws(SystemFailure) { return try body() } catch {
    throw error.storageError(call(), ofName: ofName)
  }
}
