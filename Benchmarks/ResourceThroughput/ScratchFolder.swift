import BenchmarkKit
import Foundation
import Synchronization

/// A folder for files of this run, which is removed when the program ends, by a failure too.
struct ScratchFolder: Sendable {
  let path: String
  private static let paths = Mutex<[String]>([])

  /// A new folder in one that exists.
  init(in parent: String, _ name: String) {
    path = "\(parent)/earshot-\(getpid())-\(name)"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      fail("\(error)")
    }
    let path = path
    let isFirst = Self.paths.withLock { paths in
      paths.append(path)
      return paths.count == 1
    }
    if isFirst { atexit { ScratchFolder.removeAll() } }
  }

  /// The memory file system, or where temporary files lie on a system without one.
  static var memory: String {
    let path = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: path)
      ? path : FileManager.default.temporaryDirectory.path
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - name: Its name in the folder.
  ///   - dataBytes: How many bytes it has that are not zeros.
  ///   - holeBytes: How many bytes of a hole come after them.
  /// - Returns: The path.
  func makeFile(_ name: String, dataBytes: Int, holeBytes: Int = 0) -> String {
    let path = "\(path)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    require(descriptor >= 0, "\(path) cannot be made")
    defer { close(descriptor) }
    var random = SystemRandomNumberGenerator()
    let block = Data(
      (0..<131_072).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
    let file = FileHandle(fileDescriptor: descriptor)
    do {
      for offset in stride(from: 0, to: dataBytes, by: block.count) {
        try file.write(contentsOf: block.prefix(dataBytes - offset))
      }
      try file.truncate(atOffset: UInt64(dataBytes + holeBytes))
    } catch {
      fail("\(path) cannot be written: \(error)")
    }
    return path
  }

  /// Removes all files in it.
  func clear() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      unlink("\(path)/\(name)")
    }
  }

  private static func removeAll() {
    for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}
