import Foundation

extension FuzzTarget {
  /// The file with the inputs that are kept: a line each, in hexadecimal.
  package var corpusPath: String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Corpora/\(name).hex").path
  }

  /// The inputs that are kept; none when there is no file.
  package var corpus: [[UInt8]] {
    guard let text = try? String(contentsOfFile: corpusPath, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map(Self.bytes)
  }

  /// Keeps these inputs and no others.
  ///
  /// - Throws: That the file cannot be written.
  package func keep(_ inputs: [[UInt8]]) throws {
    let lines = inputs.map { $0.map { String(format: "%02x", $0) }.joined() + "\n" }
    try lines.sorted { ($0.count, $0) < ($1.count, $1) }.joined()
      .write(toFile: corpusPath, atomically: true, encoding: .utf8)
  }

  private static func bytes(_ line: Substring) -> [UInt8] {
    var rest = line[...]
    var bytes: [UInt8] = []
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
