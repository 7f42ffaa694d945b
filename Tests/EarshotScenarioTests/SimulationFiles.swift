import EarshotScenario
import Foundation

/// The scenarios that come with the package.
struct SimulationFile: Sendable, CustomStringConvertible {
  let name: String
  /// What stands in it, with what it includes in its place.
  let text: String

  var description: String { name }

  /// All of them by name, then those that failed once.
  static let all: [SimulationFile] = files(in: "Simulations") + files(in: "Simulations/regressions")

  private static func files(in path: String) -> [SimulationFile] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../\(path)").standardized
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json5" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .compactMap { file in
        (try? String(contentsOf: file, encoding: .utf8)).map {
          SimulationFile(name: file.lastPathComponent, text: whole($0, in: file.path))
        }
      }
  }

  private static func whole(_ text: String, in file: String) -> String {
    guard text.contains("include:") else { return text }
    let source = try? ScenarioSource(json5: text, file: file) { path throws(ScenarioError) in
      (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
    return source?.root.json ?? text
  }
}
