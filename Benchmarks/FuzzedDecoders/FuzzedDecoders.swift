import Foundation
import FuzzTargets
import FuzzerKit

/// Has libFuzzer look for inputs that break a law of a decoder: `FuzzedDecoders TARGET FOLDER [option of libFuzzer…]`.
///
/// The folder is where inputs are collected; those that are kept with the sources are put there first. An input that
/// breaks a law ends the process, and is written to a file of its own. `.ci/fuzz` runs all of them.
@main
enum FuzzedDecoders {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "list": print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    case "keep" where words.count == 3:
      let target = target(words[1])
      try target.keep(target.corpus + few(of: inputs(in: words[2]), besides: target.corpus))
    case let name? where words.count >= 2: try fuzz(target(name), words[1], Array(words[2...]))
    default: fail("usage: FuzzedDecoders list | keep TARGET FOLDER | TARGET FOLDER [option…]")
    }
  }

  private static func target(_ name: String) -> FuzzTarget {
    guard let target = FuzzTarget.named(name) else {
      fail("\(name) is no target; \"FuzzedDecoders list\" names them")
    }
    return target
  }

  private static func fuzz(_ target: FuzzTarget, _ folder: String, _ options: [String]) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (index, input) in target.corpus.enumerated() {
      try Data(input).write(to: URL(filePath: "\(folder)/kept-\(index)"))
    }
    let length = "-max_len=\(target.bytesMax)"
    Fuzzer.run([length] + options + [folder]) { bytes in
      do { try target.run(bytes) } catch {
        FileHandle.standardError.write(Data("\(target.name): \(error)\n".utf8))
        abort()
      }
    }
  }

  private static func inputs(in folder: String) throws -> [[UInt8]] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
      [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\($0)")))
    }
  }

  /// Short ones of many lengths: whatever libFuzzer has collected has reached something new.
  private static func few(of inputs: [[UInt8]], besides kept: [[UInt8]]) -> [[UInt8]] {
    let short = inputs.filter { 1...bytesMax ~= $0.count && !kept.contains($0) }
      .sorted { $0.count < $1.count }
    let count = min(short.count, max(0, countMax - kept.count))
    return (0..<count).map { short[$0 * short.count / count] }
  }

  private static let bytesMax = 256
  private static let countMax = 24

  private static func fail(_ words: String) -> Never {
    FileHandle.standardError.write(Data((words + "\n").utf8))
    exit(2)
  }
}
