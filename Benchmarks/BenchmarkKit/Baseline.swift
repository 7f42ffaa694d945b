import Foundation

/// A program in C to compare with, from `Benchmarks/Baselines`, compiled when the benchmark runs.
public struct Baseline {
  /// Where the program lies until this process ends.
  public let path: String

  /// Compiles a program with `cc -O2`; `nil` when the header that it needs is not installed.
  ///
  /// - Parameters:
  ///   - name: The source's name without `.c`.
  ///   - libraries: What to link.
  ///   - header: A header without which there is nothing to compile, such as `zmq.h`.
  public init?(_ name: String, linking libraries: [String] = [], needing header: String? = nil) {
    if let header, !Self.succeeds(["-E", "-x", "c", "-include", header, "/dev/null"]) {
      return nil
    }
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-baselines-\(getpid())")
    let source = Self.sources.appendingPathComponent("\(name).c")
    path = directory.appendingPathComponent(name).path
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      preconditionFailure("\(error)")
    }
    let arguments = ["-O2", "-o", path, source.path] + libraries.map { "-l\($0)" }
    precondition(Self.succeeds(arguments), "cc \(arguments.joined(separator: " "))")
  }

  /// Removes what was compiled.
  public static func removeAll() {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-baselines-\(getpid())")
    try? FileManager.default.removeItem(at: directory)
  }

  private static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Baselines")

  private static func succeeds(_ arguments: [String]) -> Bool {
    let compiler = ChildProcess("cc", arguments, isSilent: arguments.first == "-E")
    while compiler.readLine() != nil {}
    return compiler.wait() == 0
  }
}
