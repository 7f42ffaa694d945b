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
  ///   - macro: What is defined, if anything.
  ///   - header: A header without which there is nothing to compile, such as `zmq.h`.
  public init?(
    _ name: String, linking libraries: [String] = [], defining macro: String? = nil,
    needing header: String? = nil
  ) {
    if let header, !Self.succeeds(["-E", "-x", "c", "-include", header, "/dev/null"]) {
      return nil
    }
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-baselines-\(getpid())")
    let source = Self.sources.appendingPathComponent("\(name).c")
    let program = [name, macro?.lowercased()].compactMap { $0 }.joined(separator: "-")
    path = directory.appendingPathComponent(program).path
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      fail("\(error)")
    }
    let arguments =
      ["-O2", "-o", path] + (macro.map { ["-D\($0)"] } ?? []) + [source.path]
      + libraries.map { "-l\($0)" }
    require(Self.succeeds(arguments), "cc \(arguments.joined(separator: " "))")
  }

  /// The same over TLS of OpenSSL, with which Earshot is built.
  public static func secure(_ name: String) -> Baseline {
    guard
      let baseline = Baseline(
        name, linking: ["ssl", "crypto"], defining: "SECURE", needing: "openssl/ssl.h")
    else { fail("no header of OpenSSL") }
    return baseline
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
