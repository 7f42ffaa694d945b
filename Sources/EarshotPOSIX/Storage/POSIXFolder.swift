import CEarshot
import EarshotNetwork

/// An open folder of this computer.
final class POSIXFolder: StorageFolder {
  private let descriptor: Int32
  private let path: String
  /// The path up to the names of entries.
  private var inner: String { path.last == "/" ? path : "\(path)/" }

  /// Takes over a descriptor, and closes it at the end.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor.
  ///   - path: The path that it was opened by, for errors.
  init(_ descriptor: Int32, _ path: String) { (self.descriptor, self.path) = (descriptor, path) }

  deinit { System.close(descriptor) }

  func isFound(at path: String) -> Bool {
    guard POSIXStorage.isWhole(path),
      let own = try? System.attributes(of: descriptor),
      let found = try? System.attributes(
        of: POSIXStorage.withoutEndingSlashes(path), follows: false)
    else { return false }
    return found.isSame(as: own)
  }

  func freeBytes() throws(StorageError) -> Int64 {
    try attempt("statvfs \(path)") { () throws(SystemFailure) in
      try System.freeBytes(of: descriptor)
    }
  }

  func names(withPrefix prefix: String) throws(StorageError) -> [String] {
    try attempt("list \(path)") { () throws(SystemFailure) in
      try System.names(in: descriptor, withPrefix: prefix)
    }
  }

  func createFile(_ name: String) throws(StorageError) -> any StorageFile {
    try attemptNamed("create \(inner)\(name)", on: [name]) { () throws(SystemFailure) in
      for _ in 0..<Self.attempts {
        let descriptor = try System.createFile(name, in: descriptor)
        let file = POSIXFile(descriptor, "\(inner)\(name)")
        if try Self.reserve(descriptor) { return file }
      }
      throw .wouldBlock
    }
  }

  /// Reserves a file that was just created.
  ///
  /// Until then, a process that removes abandoned files can mistake it for one of them. That
  /// process reserves the file, too, and removes it a moment later.
  ///
  /// - Returns: Whether the file still has its name.
  private static func reserve(_ file: Int32) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      for _ in 0..<attempts {
        if try System.reserve(file) { return try System.attributes(of: file).links > 0 }
        System.pause()
      }
      throw .wouldBlock
    } catch {
      guard error.isUnknownCall else { throw error }
      return true  // Here nothing can be reserved, so nothing counts as abandoned.
    }
  }

  func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
    let call = "rename \(inner)\(name) to \(newName)"
    try attemptNamed(call, on: [name, newName]) { () throws(SystemFailure) in
      guard replacing else {
        return try System.renameExclusively(name, to: newName, in: descriptor)
      }
      // The system would let a folder replace an empty one.
      let target = try? System.attributes(of: newName, in: descriptor, follows: false)
      if let target, target.is_folder != 0, name != newName { throw .isFolder }
      try System.rename(name, to: newName, in: descriptor)
    }
  }

  func remove(_ name: String) throws(StorageError) {
    try attemptNamed("remove \(inner)\(name)", on: [name]) { () throws(SystemFailure) in
      try System.remove(name, in: descriptor)
    }
  }

  func removeAbandoned(_ name: String) throws(StorageError) -> Bool {
    try attemptNamed("remove \(inner)\(name)", on: [name]) { () throws(SystemFailure) in
      do throws(SystemFailure) {
        guard let file = try System.openRegularFile(name, in: descriptor) else { return false }
        defer { System.closeFile(file) }
        guard try System.reserve(file),
          try System.attributes(of: name, in: descriptor, follows: false)
            .isSame(as: try System.attributes(of: file))
        else { return false }
        try System.remove(name, in: descriptor)
        return true
      } catch {
        // The file is gone or has become a link, or nothing can be reserved here.
        guard error.isAbsence || error.isLink || error.isUnknownCall else { throw error }
        return false
      }
    }
  }

  func synchronize() throws(StorageError) {
    try attempt("fsync \(path)") { () throws(SystemFailure) in
      do throws(SystemFailure) { try System.synchronize(descriptor) } catch {
        // Some file systems cannot synchronize folders.
        guard error == .invalidArgument else { throw error }
      }
    }
  }

  /// Makes calls of the system for entries of the folder, if there can be entries of these names.
  private func attemptNamed<Result>(
    _ call: @autoclosure () -> String, on names: [String],
    _ body: () throws(SystemFailure) -> Result
  ) throws(StorageError) -> Result {
    guard names.allSatisfy(\.utf8.isEntryName) else {
      throw StorageError(.invalidName, call: call())
    }
    return try attempt(call(), ofName: true, body)
  }

  private static let attempts = 100
}

extension earshot_attributes {
  fileprivate func isSame(as other: earshot_attributes) -> Bool {
    (device, number) == (other.device, other.number)
  }
}
