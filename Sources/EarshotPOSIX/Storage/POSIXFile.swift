import CEarshot
import EarshotNetwork

/// An open file of this computer.
final class POSIXFile: StorageFile {
  private let descriptor: Int32
  private let path: String

  /// Takes over a descriptor, and closes it at the end.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor.
  ///   - path: The path that it was opened by, for errors.
  init(_ descriptor: Int32, _ path: String) { (self.descriptor, self.path) = (descriptor, path) }

  deinit { System.closeFile(descriptor) }

  func attributes() throws(StorageError) -> FileAttributes {
    let found = try attempt("stat \(path)") { () throws(SystemFailure) in
      try System.attributes(of: descriptor)
    }
    return FileAttributes(
      byteCount: found.bytes, storedByteCount: found.stored_bytes,
      modified: Self.nanoseconds(found.modified_s, found.modified_ns),
      changed: Self.nanoseconds(found.changed_s, found.changed_ns),
      isExecutable: found.is_executable != 0, device: found.device, number: found.number)
  }

  private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 {
    Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(rest))
  }

  func read(_ count: Int, at offset: Int64) throws(StorageError) -> [UInt8] {
    try attempt("read \(path)") { () throws(SystemFailure) in
      guard count >= 0, offset >= 0 else { throw .invalidArgument }
      let possible = min(count, Self.readBytesMax, Self.room(after: offset))
      return possible > 0 ? try System.readBytes(descriptor, possible, at: offset) : []
    }
  }

  func data(from offset: Int64) throws(StorageError) -> Range<Int64>? {
    guard offset >= 0 else { return nil }
    return try attempt("seek \(path)") { () throws(SystemFailure) in
      try System.data(in: descriptor, from: offset)
    }
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(StorageError) -> Int {
    try attempt("write \(path)") { () throws(SystemFailure) in
      guard offset >= 0 else { throw .invalidArgument }
      let possible = bytes.extracting(first: Self.room(after: offset))
      guard !possible.isEmpty || bytes.isEmpty else { throw .tooLarge }
      return try System.writeBytes(descriptor, possible, at: offset)
    }
  }

  /// How many bytes have a place from an offset on: the system rejects calls that go beyond.
  private static func room(after offset: Int64) -> Int { Int(clamping: Int64.max - offset) }

  func resize(to byteCount: Int64) throws(StorageError) {
    try attempt("resize \(path) to \(byteCount)") { () throws(SystemFailure) in
      try System.resize(descriptor, to: byteCount)
    }
  }

  func set(modified: Int64?, isExecutable: Bool) throws(StorageError) {
    try attempt("set attributes of \(path)") { () throws(SystemFailure) in
      try System.setExecutable(descriptor, isExecutable)
      if let modified { try System.setModified(descriptor, modified) }
    }
  }

  func synchronize() throws(StorageError) {
    try attempt("fsync \(path)") { () throws(SystemFailure) in
      try System.synchronize(descriptor)
    }
  }

  /// More is not read at once: an array of that many bytes is made before.
  private static let readBytesMax = 16 << 20
}
