import EarshotSimulator
import Foundation
import Synchronization
import Testing

/// Where the files of failing runs go: into a folder that the environment names, and to the
/// attachments of the test.
struct ReportFolder: Sendable {
  private let root: URL?
  private let attaches: Bool

  /// The variable of the environment that names the folder.
  static let variable = "EARSHOT_REPORT"

  /// The folder; `nil` when no files are wanted.
  ///
  /// - Parameters:
  ///   - environment: The variables of the environment.
  ///   - arguments: The arguments of the process, which say whether attachments are stored.
  init?(
    _ environment: [String: String], arguments: [String] = CommandLine.arguments
  ) {
    root = environment[Self.variable].flatMap { path in
      path.isEmpty ? nil : URL(filePath: path, directoryHint: .isDirectory)
    }
    attaches = arguments.contains { $0.contains("attachments-path") }
    if root == nil && !attaches { return nil }
  }

  /// A folder for the run of a seed that no other run of this process has.
  ///
  /// Cases of one test have the same name: the second one has a number behind it.
  func place(for test: TestName, seed: UInt64) -> URL {
    let root =
      root
      ?? FileManager.default.temporaryDirectory.appending(
        path: "earshot-\(ProcessInfo.processInfo.processIdentifier)")
    let name = "\(test.fileName)-seed-\(seed)"
    return Self.taken.withLock { taken in
      var (path, number) = (root.appending(path: name), 2)
      while !taken.insert(path).inserted {
        path = root.appending(path: "\(name)-\(number)")
        number += 1
      }
      return path
    }
  }

  private static let taken = Mutex<Set<URL>>([])

  /// Attaches files to the test that is running, and removes them if they are not to be kept.
  ///
  /// - Parameter files: The files, which are all of one folder.
  /// - Returns: Where they are kept; `nil` for attachments alone.
  func attach(_ files: [URL]) -> URL? {
    guard let folder = files.first?.deletingLastPathComponent() else { return nil }
    if attaches {
      for file in files {
        guard let bytes = try? Data(contentsOf: file) else { continue }
        let name = "\(folder.lastPathComponent)-\(file.lastPathComponent)"
        Attachment.record(Array(bytes), named: name)
      }
    }
    if root != nil { return folder }
    try? FileManager.default.removeItem(at: folder)
    return nil
  }
}
