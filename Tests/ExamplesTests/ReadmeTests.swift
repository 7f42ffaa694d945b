import EarshotPOSIX
import Foundation
import Hello
import Testing

@Suite("The README's samples", .timeLimit(.minutes(30)))
struct ReadmeTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("All Swift that it prints is a file of Sources/Examples/Hello, and it prints all of them")
  func printed() throws {
    let samples = try text("README.md").matches(
      of: #/`Hello/(?<path>[^`\n]+)`:\n\n```swift\n(?<text>.*?)```/#.dotMatchesNewlines())
    for sample in samples {
      #expect(try text("Sources/Examples/Hello/\(sample.path)") == String(sample.text))
    }
    #expect(try text("README.md").matches(of: #/```swift/#).count == samples.count)
    let folder = root.appending(path: "Sources/Examples/Hello").path()
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
    #expect(
      samples.map { String($0.path) }.sorted() == files.filter { $0.hasSuffix(".swift") }.sorted())
  }

  @Test("Its message arrives over sockets")
  func sockets() async throws {
    let hosts = try (0..<2).map { _ in try POSIXHost(.init(interfaces: ["lo"])) }
    async let heard = listen(on: hosts[0])
    try await greet(on: hosts[1])
    #expect(try await heard == "hello")
    for host in hosts { await host.shutDown() }
  }
}
