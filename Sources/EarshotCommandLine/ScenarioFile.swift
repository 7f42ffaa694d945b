import EarshotScenario
import Foundation

/// A file that was named, and the scenario in it.
struct ScenarioFile: Sendable {
  /// The file as the user named it.
  let path: String
  /// What stands in it, with all that it includes and repeats in its place.
  let text: String
  let scenario: Scenario

  /// Reads a file, and those that it includes.
  ///
  /// - Parameters:
  ///   - path: The file as the user named it.
  ///   - settings: What stands in place of its own variables.
  ///   - reading: Told of each file before it is read.
  /// - Throws: Every mistake in the files.
  init(
    _ path: String, settings: [Setting] = [], reading: (String) -> Void = { _ in }
  ) throws(ScenarioError) {
    reading(path)
    self.path = path
    let written = try Self.text(of: path)
    let source = try withoutActuallyEscaping(reading) { reading throws(ScenarioError) in
      try ScenarioSource(
        json5: written, file: path, settings: settings.map { ($0.name, $0.value) }
      ) { path throws(ScenarioError) in
        reading(path)
        return try Self.included(path)
      }
    }
    text = source.isExpanded ? source.root.json : written
    scenario = try source.scenario()
  }

  /// The text of an included file; what is no file, such as a terminal, is none.
  private static func included(_ path: String) throws(ScenarioError) -> String {
    let kind =
      try? FileManager.default.attributesOfItem(
        atPath: URL(filePath: path).resolvingSymlinksInPath().path)[.type] as? FileAttributeType
    if let kind, kind != .typeRegular, kind != .typeDirectory {
      throw ScenarioError(file: path, reason: "this is not a file")
    }
    return try text(of: path)
  }

  private static func text(of path: String) throws(ScenarioError) -> String {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ScenarioError(file: path, reason: missing(path))
    }
    guard !isDirectory.boolValue else {
      throw ScenarioError(file: path, reason: "this is a folder; name the files in it")
    }
    guard let bytes = bytes(of: path) else {
      throw ScenarioError(file: path, reason: "this file cannot be read; look at its permissions")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ScenarioError(file: path, reason: "this is not text in UTF-8")
    }
    return text
  }

  /// Never more than a scenario may have, and one byte, by which the reader sees that it is too long.
  private static func bytes(of path: String) -> [UInt8]? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? handle.close() }
    do {
      return [UInt8](try handle.read(upToCount: Scenario.textBytesMax + 1) ?? Data())
    } catch {
      return nil
    }
  }

  private static func missing(_ path: String) -> String {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let files = FileManager.default.scenarioNames(in: folder.isEmpty ? "." : folder)
    let nearest = Spelling.nearest(to: name, among: files)
    return "there is no such file" + (nearest.map { "; did you mean \"\(folder)\($0)\"?" } ?? "")
  }
}

extension FileManager {
  /// The names in a folder that look like scenarios, sorted.
  fileprivate func scenarioNames(in folder: String) -> [String] {
    let names = (try? contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json5") || $0.hasSuffix(".json") }.sorted()
  }
}
