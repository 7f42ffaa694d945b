import Earshot
import Foundation
import Testing

@Suite("The article about metrics")
struct MetricArticleTests {
  /// A metrics backend, which keeps what it is told.
  private struct Backend {
    var lines: [String] = []

    mutating func record(_ name: String, _ labels: [String: String], _ value: Int, isCounter: Bool)
    {
      let sorted = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }
      lines.append(
        "\(name){\(sorted.joined(separator: ","))} \(value) \(isCounter ? "counter" : "gauge")")
    }
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..")

  private static func article() throws -> String {
    let path = "Sources/Earshot/Earshot.docc/Measuring.md"
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("Its example feeds a backend")
  func example() async throws {
    try await Ground.simulated.meet { ann, bob in
      let pair = try await StreamPair(ann, bob)
      try await pair.guest.send([1])
      #expect(await pair.host.take(1) == [1])
      var backend = Backend()
      let peer = ann
      // The example begins here.
      for number in await peer.metrics.numbers {
        let labels = ["peer": number.peer?.short, "reason": number.reason].compactMapValues { $0 }
        let isCounter = number.metric.kind == .counter
        backend.record("earshot_\(number.metric)", labels, number.value, isCounter: isCounter)
      }
      // The example ends here.
      let received = "earshot_messagesReceived{peer=\"\(bob.id.short)\"} 1 counter"
      #expect(backend.lines.contains(received), "\(backend.lines)")
      #expect(backend.lines.contains("earshot_membersInterrupted{} 0 gauge"))
    }
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let parts = source.components(separatedBy: "      // The example ")
    let lines = try #require(parts.dropFirst().first).split(separator: "\n").dropFirst()
    let example = lines.map { $0.dropFirst(6) }.joined(separator: "\n")
    #expect(try Self.article().contains("```swift\n\(example)\n```"))
  }

  @Test("Its table has each metric with its kind, its unit and its sentence")
  func table() throws {
    let rows = try Self.article().split(separator: "\n").filter { $0.hasPrefix("| `") }.map(
      String.init)
    let expected = PeerMetrics.Metric.allCases.map { metric in
      "| `\(metric)` | \(metric.kind) | \(metric.unit) | \(metric.description) |"
    }
    #expect(rows.filter { !$0.contains("%") } == expected)
  }
}
