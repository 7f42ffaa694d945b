import Foundation
import Testing

@Suite("The README's sample of a test in simulated worlds")
struct ReadmeTests {
  @Test("The sample that is compiled and run is the one that is printed")
  func printed() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let sample = try String(
      contentsOf: here.deletingLastPathComponent().appending(path: "ReadmeSample.swift"),
      encoding: .utf8)
    #expect(readme.contains("```swift\n\(sample)```"))
  }
}
