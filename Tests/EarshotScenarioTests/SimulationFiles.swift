import Foundation

/// The scenarios that come with the package.
struct SimulationFile: Sendable, CustomStringConvertible {
  let name: String
  let text: String

  var description: String { name }

  /// All of them, by name.
  static let all: [SimulationFile] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Simulations").standardized
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json5" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .compactMap { file in
        (try? String(contentsOf: file, encoding: .utf8)).map {
          SimulationFile(name: file.lastPathComponent, text: $0)
        }
      }
  }()
}
