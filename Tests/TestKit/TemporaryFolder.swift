import Foundation

/// A place on this computer for the folders of a test.
package struct TemporaryFolder: Sendable {
  private let path: String

  /// A place that does not exist until a folder is made in it.
  package init() {
    path = FileManager.default.temporaryDirectory.appending(path: "earshot-\(UUID())").path
  }

  /// Makes a folder, and those that it is in.
  ///
  /// - Parameter name: Its path in this place.
  /// - Returns: Its absolute path.
  /// - Throws: The error of the system.
  package func make(_ name: String) throws -> String {
    let folder = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Removes all that is in it.
  package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
