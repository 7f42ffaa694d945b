import Foundation
import Testing

/// The listings in the folder `Interface`, against the modules.
@Suite(
  "The public interface", .timeLimit(.minutes(30)), .fewAtOnce,
  .enabled(if: SymbolGraph.isAvailable, SymbolGraph.requirement))
struct PublicInterfaceTests {
  private static let folder = SymbolGraph.package.appending(path: "Interface")
  private static let mayRecord =
    ProcessInfo.processInfo.environment["EARSHOT_RECORD_INTERFACE"] == "1"

  @Test("It is as recorded: each library, and each module that one exports")
  func recorded() async throws {
    let manager = FileManager.default
    let modules = try Self.modules()
    if Self.mayRecord {
      try? manager.removeItem(at: Self.folder)
      try manager.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    }
    for module in modules {
      let file = Self.folder.appending(path: "\(module).txt")
      let lines = try await Self.listing(of: module)
      if Self.mayRecord {
        try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: file)
      }
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      let changes = Self.changes(from: text.split(separator: "\n").map(String.init), to: lines)
      if !changes.isEmpty {
        Issue.record(
          """
          The public interface of \(module) is not as in Interface/\(module).txt:
          \(changes.joined(separator: "\n"))
          If the change is meant, record it:
          EARSHOT_RECORD_INTERFACE=1 .ci/tests --filter PublicInterfaceTests
          """)
      }
    }
    let files = (try? manager.contentsOfDirectory(atPath: Self.folder.path)) ?? []
    #expect(files.sorted() == modules.map { "\($0).txt" }, "a listing for each module")
  }

  @Test("A listing has a line for each declaration, with all that a caller depends on")
  func lines() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Sample.swift")
    try Data(Self.sample.utf8).write(to: file)
    _ = try await SymbolGraph.lines(of: [
      "swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name",
      "Sample", "-package-name", "sample", "-emit-module-path",
      folder.appending(path: "Sample.swiftmodule").path, file.path,
    ])
    let lines = try await SymbolGraph(of: "Sample", in: folder).listing
    #expect(lines == Self.sampleListing.split(separator: "\n").map(String.init))
  }

  @Test("A difference has what is gone and what is new, side by side, and ends after forty lines")
  func difference() {
    let before = ["A | func a()", "B | func b()", "C | func c()"]
    let after = ["A | func a()", "B | func b(_ count: Int)", "C | func c()", "D | struct D"]
    #expect(
      Self.changes(from: before, to: after) == [
        "-B | func b()", "+B | func b(_ count: Int)", "+D | struct D",
      ])
    #expect(Self.changes(from: after, to: after) == [])
    let long = Self.changes(from: [], to: (0..<50).map { "A | case \($0)" })
    #expect(long.count == 41)
    #expect(long.last == "and 10 more")
  }

  // MARK: Listings

  /// The modules that programs get: those of library products, and those that they export.
  private static func modules() throws -> [String] {
    let manifest = try String(
      contentsOf: SymbolGraph.package.appending(path: "Package.swift"), encoding: .utf8)
    var waiting = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
    var found: Set<String> = []
    while let module = waiting.popLast() {
      guard found.insert(module).inserted else { continue }
      // The last word of `import Module`, or of `import struct Module.Type` up to its point.
      waiting += try exports(of: module).compactMap {
        $0.split(separator: " ").last?.split(separator: ".").first.map(String.init)
      }
    }
    #expect(found.count > 6, "Package.swift has no libraries")
    return found.sorted()
  }

  /// A line for each import that a module exports, which a symbol graph does not have, and for each
  /// of its declarations.
  private static func listing(of module: String) async throws -> [String] {
    let exports = try exports(of: module).map { "\(module) | \($0)" }
    return try await exports + SymbolGraph(of: module).listing
  }

  /// `@_exported import EarshotCore`, and so on.
  private static func exports(of module: String) throws -> [String] {
    let folder = SymbolGraph.package.appending(path: "Sources/\(module)")
    var found: Set<String> = []
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /@_exported public (import [\w. ]+)/) {
        found.insert("@_exported \(match.1)")
      }
    }
    return found.sorted()
  }

  /// The lines that are gone, with a minus, and those that are new, with a plus.
  private static func changes(from before: [String], to after: [String]) -> [String] {
    let difference = after.difference(from: before)
    let changes = difference.map { change in
      switch change {
      case .remove(_, let line, _): (line: line, text: "-\(line)")
      case .insert(_, let line, _): (line: line, text: "+\(line)")
      }
    }
    let texts = changes.sorted { $0.line < $1.line }.map(\.text)
    let rest = texts.count - changesMax
    return texts.prefix(changesMax) + (rest > 0 ? ["and \(rest) more"] : [])
  }

  private static let changesMax = 40

  // MARK: A sample

  private static let sample = """
    public protocol Shape: Sendable {
      associatedtype Side: Hashable = Int
      func area() -> Int
    }
    extension Shape {
      public func area() -> Int { 0 }
    }
    extension Shape where Side == Int {
      public func scaled<Number>(by number: Number) where Number: BinaryInteger {}
    }
    open class Board {
      public init(_ size: Int = 8) throws(CancellationError) {}
      open func clear() {}
      public final var count: Int { get async throws { 1 } }
      public private(set) var size = 8
    }
    public final class Chessboard: Board {}
    public struct Box<Content> {
      public enum Lid: String, CaseIterable { case open, shut }
      @available(*, deprecated, renamed: "content", message: "Read the content.")
      @discardableResult public func open() -> Int { 1 }
      @available(macOS 14.2, *) public static func empty() {}
      package func shake() {}
      func hide() {}
    }
    extension Box: Equatable where Content: Equatable {}
    extension Box: Sendable where Content: Sendable {}
    extension Box where Content == Int { public var sum: Int { 0 } }
    @MainActor public func play(_ moves: [Int] = [], with: (any Shape)? = nil) async throws {}
    extension Bool: Shape {}
    extension Array: Shape where Element: Shape { public func longest() {} }
    extension Dictionary { public struct Page { public func turn() {} } }
    """

  private static let sampleListing = """
    Board | open class Board
    Board | final var count: Int { get async throws }
    Board | init(_ size: Int = 8) throws(CancellationError)
    Board | open func clear()
    Board | var size: Int { get }
    Box | struct Box<Content>
    Box | extension Box: Equatable where Content : Equatable
    Box | extension Box: Sendable where Content : Sendable
    Box | @available(*, deprecated, renamed: "content", \
    message: "Read the content.") @discardableResult func open() -> Int
    Box | @available(macOS, introduced: 14.2) static func empty()
    Box where Content == Int | var sum: Int { get }
    Box.Lid | enum Lid: CaseIterable, Equatable, Hashable, RawRepresentable
    Box.Lid | case open
    Box.Lid | case shut
    Box.Lid | init?(rawValue: String)
    Chessboard | final class Chessboard: Board
    Sample | @MainActor func play(_ moves: [Int] = [], with: (any Shape)? = nil) async throws
    Shape | protocol Shape : Sendable
    Shape | associatedtype Side : Hashable = Int
    Shape | func area() -> Int
    Shape extension | func area() -> Int
    Shape extension where Self.Side == Int | func scaled<Number>(by number: Number) \
    where Number : BinaryInteger
    Swift.Array | extension Array: Sendable, Shape where Element : Shape
    Swift.Array | func longest()
    Swift.Bool | extension Bool: Sendable, Shape
    Swift.Dictionary.Page | struct Page
    Swift.Dictionary.Page | func turn()
    """
}
