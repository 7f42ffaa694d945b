import Foundation
import Testing

/// The public symbols of one module, as the toolchain's `swift symbolgraph-extract` reports them.
///
/// The format is that of swift-docc-symbolkit; only what the tests read is decoded.
struct SymbolGraph: Sendable {
  struct Symbol: Decodable, Sendable {
    struct Kind: Decodable, Sendable { let identifier: String }
    struct Identifier: Decodable, Sendable { let precise: String }
    /// A part of a declaration, with the identifier of the symbol that it names.
    struct Fragment: Decodable, Sendable {
      let spelling: String
      let preciseIdentifier: String?
    }
    /// The extension that declares a symbol.
    struct Extension: Decodable, Sendable {
      let typeKind: String?
      let constraints: [Constraint]?
    }
    struct Generics: Decodable, Sendable { let constraints: [Constraint]? }
    struct Availability: Decodable, Sendable {
      let domain: String?
      let introduced, deprecated, obsoleted: Version?
      let isUnconditionallyDeprecated, isUnconditionallyUnavailable: Bool?
      let renamed, message: String?
    }
    struct Version: Decodable, Sendable {
      let major: Int
      let minor, patch: Int?
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]
    let accessLevel: String
    let swiftExtension: Extension?
    let swiftGenerics: Generics?
    let availability: [Availability]?

    /// The last component of the path, such as `stop(within:)`.
    var name: String { pathComponents.last ?? "" }

    /// The declaration in one line, without its access level.
    var declaration: String {
      declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
    }
  }

  struct Constraint: Decodable, Hashable, Sendable {
    let kind, lhs, rhs: String
  }

  struct Relationship: Decodable, Sendable {
    let kind, source, target: String
    /// The name of a target that is not in the graph, with its module.
    let targetFallback: String?
    let swiftConstraints: [Constraint]?
  }

  /// The symbols of one file: those of the module itself, or its extensions of another module.
  struct Part: Sendable {
    let extendedModule: String?
    let symbols: [Symbol]
    let relationships: [Relationship]
  }

  let module: String
  let parts: [Part]

  /// The symbols of the module itself.
  var symbols: [Symbol] { parts.filter { $0.extendedModule == nil }.flatMap(\.symbols) }
}

// MARK: Extracting

extension SymbolGraph {
  /// Whether the toolchain can report the symbols.
  static let isAvailable: Bool = {
    #if os(Linux)
      Shell.has("swift-symbolgraph-extract")
    #else
      false
    #endif
  }()
  static let requirement: Comment = "needs Linux, and swift-symbolgraph-extract of the toolchain"

  /// The folder of the package.
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of the build that the tests belong to.
  private static let build = Program.executable.deletingLastPathComponent()
  /// The folder with the compiled C modules of the build, which take seconds to compile.
  private static let cache = build.appending(path: "ModuleCache")

  /// Extracts the symbols of a module of this package from the build that the tests belong to.
  init(of module: String) async throws {
    let (build, sources) = (Self.build, Self.package.appending(path: "Sources"))
    let targets = try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted()
    // The map of a C module is in its sources, or the build makes one.
    let maps = targets.flatMap { target in
      [sources.appending(path: target), build.appending(path: "\(target).build")]
        .map { $0.appending(path: "module.modulemap") }
    }
    try await self.init(
      of: module, in: build.appending(path: "Modules"),
      maps: maps.filter { FileManager.default.fileExists(atPath: $0.path) })
  }

  /// Extracts the symbols of a module.
  ///
  /// - Parameters:
  ///   - module: Its name.
  ///   - folder: The folder with the compiled module and the Swift modules that it imports.
  ///   - maps: The maps of the C modules that it imports.
  /// - Throws: An error of the tool, with what it prints.
  init(of module: String, in folder: URL, maps: [URL] = []) async throws {
    let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: output) }
    let target = try await Self.lines(of: ["swift", "-print-target-info"])
    let triples = target.compactMap { $0.firstMatch(of: /"triple": "([^"]+)"/)?.1 }
    let triple = try #require(triples.first, "swift -print-target-info prints no triple")
    var words = ["swift", "symbolgraph-extract", "-module-name", module, "-target", String(triple)]
    words += ["-I", folder.path, "-module-cache-path", Self.cache.path]
    words += ["-minimum-access-level", "public", "-skip-synthesized-members"]
    words += ["-emit-extension-block-symbols", "-output-dir", output.path]
    words += maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    _ = try await Self.lines(of: words)
    self.module = module
    parts = try FileManager.default.contentsOfDirectory(
      at: output, includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(Part.init)
  }

  /// What a program prints, if it ends well.
  static func lines(of words: [String]) async throws -> [String] {
    let program = try Program(running: words)
    let status = await program.exitStatus()
    try #require(status == 0, "\(words.joined(separator: " ")): \(program.lines)")
    return program.lines
  }
}

extension SymbolGraph.Part {
  /// Reads a file that is called `Module.symbols.json` or `Module@ExtendedModule.symbols.json`.
  fileprivate init(file: URL) throws {
    struct Content: Decodable {
      let symbols: [SymbolGraph.Symbol]
      let relationships: [SymbolGraph.Relationship]
    }
    let content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
    let names = file.lastPathComponent.dropLast(".symbols.json".count).split(separator: "@")
    self.init(
      extendedModule: names.dropFirst().first.map(String.init), symbols: content.symbols,
      relationships: content.relationships)
  }
}
