import EarshotNetwork

/// The file system of this computer, as this process may use it.
final class POSIXStorage: Storage {
  static let shared = POSIXStorage()

  func openFile(at path: String) throws(StorageError) -> any StorageFile {
    let call = "open \(path)"
    guard Self.isWhole(path) else { throw StorageError(.invalidName, call: call) }
    let descriptor = try attempt(call, ofName: true) { () throws(SystemFailure) in
      try System.openRegularFile(path)
    }
    guard let descriptor else { throw StorageError(.notFile, call: call) }
    return POSIXFile(descriptor, path)
  }

  func openFolder(at path: String) throws(StorageError) -> any StorageFolder {
    let call = "open \(path)"
    guard Self.isWhole(path) else { throw StorageError(.invalidName, call: call) }
    let path = Self.withoutEndingSlashes(path)
    let descriptor = try attempt(call, ofName: true) { () throws(SystemFailure) in
      try System.openFolder(path)
    }
    return POSIXFolder(descriptor, path)
  }

  /// Whether the system sees all of a path: it stops at a zero byte.
  static func isWhole(_ path: String) -> Bool { !path.utf8.contains(0) }

  /// A path without slashes at its end: with one, the system follows a link in any case.
  static func withoutEndingSlashes(_ path: String) -> String {
    let slash = UInt8(ascii: "/")
    guard let last = path.utf8.lastIndex(where: { $0 != slash }) else {
      return path.isEmpty ? path : "/"
    }
    return String(path[...last])
  }
}
