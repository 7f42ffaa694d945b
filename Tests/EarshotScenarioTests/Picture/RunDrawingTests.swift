import EarshotCore
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("The drawing of a run")
struct RunDrawingTests {
  private static func drawing(_ text: String) throws -> String {
    let recording = RunRecording()
    let verdict = ScenarioRun.run(
      try Scenario(json5: text, file: "a.json5"), seed: 1, events: recording.add)
    return RunDrawing(RunPicture(verdict, recording, file: "a.json5")).svg
  }

  private static func count(_ part: String, in text: String) -> Int {
    text.components(separatedBy: part).count - 1
  }

  @Test("Each peer has a lane, each fault a band, each message a line, each file a row")
  func parts() throws {
    let svg = try Self.drawing(
      """
      { name: "parts", duration: "20s",
        peers: [
          { name: "ann", send: { to: "bob", count: 7, start: "1s" },
            file: { to: "bob", name: "film", bytes: 1000, start: "6s" } },
          { name: "bob", invite: "ann" }],
        faults: [{ at: "5s", kind: "cut", between: ["ann", "bob"], for: "6s" }],
        expect: [{ event: "bob sees ann joined" }] }
      """)
    #expect(svg.contains(">ann</text>") && svg.contains(">bob</text>"))
    #expect(Self.count("class=\"message\"", in: svg) == 7)
    #expect(Self.count("class=\"fault\"", in: svg) == 1 && svg.contains(">cut ann ↔ bob</text>"))
    #expect(Self.count("class=\"file\"", in: svg) == 1)
    #expect(svg.contains(">film ann → bob: complete</text>"))
    #expect(svg.contains("parts, seed 1: everything held"))
    for state in ["discovering", "connected", "interrupted"] {
      #expect(svg.contains("<title>ann \(state), "), "\(state)")
    }
    #expect(!svg.contains("<title>ann crashed"))
  }

  @Test("A run that is violated says so")
  func violated() throws {
    let svg = try Self.drawing(
      "{ name: 'v', duration: '1s', peers: ['ann', 'bob'], expect: [{ event: 'ann sees bob joined' }] }"
    )
    #expect(svg.contains("v, seed 1: violated"))
  }

  @Test("A name has room beside its lane, and a name too wide for that keeps its beginning and end")
  func names() throws {
    let (long, endless) = ("the-printer-of-the-second-floor", String(repeating: "ab", count: 24))
    let svg = try Self.drawing(
      """
      { name: "names", duration: "1s", peers: ["\(long)", "\(endless)"],
        expect: [{ event: "\(long) sees \(endless) found" }] }
      """)
    #expect(svg.contains(">\(long)</text>"))
    let label = try #require(svg.firstMatch(of: />(abab[^<]*)</)?.1)
    #expect(label.contains("…") && label.hasSuffix("ab") && (38...42).contains(label.count))
    // The lanes begin on the right of the widest label.
    let lanes = svg.matches(of: /<path class="(?:waiting|discovering)" d="M([0-9]+)/)
    #expect(!lanes.isEmpty)
    for lane in lanes { #expect(Int(lane.1) ?? 0 >= 12 + 7 * label.count) }
  }

  @Test("Names are text in the drawing, and nothing else")
  func hostile() throws {
    let svg = try Self.drawing(
      """
      { name: "</svg><script>alert(1)</script>\\u202E", duration: "3s",
        peers: [{ name: "ann", file: { to: "bob", name: "<b>&'", bytes: 10 } },
          { name: "bob", invite: "ann" }],
        expect: [{ event: "bob sees ann joined" }] }
      """)
    #expect(!svg.contains("<script") && !svg.contains("<b>"))
    #expect(Self.count("</svg>", in: svg) == 1)
    #expect(svg.contains("&lt;b&gt;&amp;&#39;"))
    #expect(svg.unicodeScalars.allSatisfy { !$0.properties.isBidiControl })
  }

  @Test("A drawing has at most 400 messages and six files, whatever the run has")
  func bounded() throws {
    let files = (0..<9).map { "{ to: 'bob', name: 'f\($0)', bytes: 10 }" }.joined(separator: ", ")
    let svg = try Self.drawing(
      """
      { name: "many", duration: "10s",
        peers: [{ name: "ann", send: { to: "bob", count: 500, every: "10ms" }, file: [\(files)] },
          { name: "bob", invite: "ann" }],
        expect: [{ event: "bob sees ann joined" }] }
      """)
    #expect(Self.count("class=\"message\"", in: svg) == 400)
    #expect(Self.count("class=\"file\"", in: svg) == 6)
  }

  @Test("A run without peers that met, or without length, can be drawn", arguments: ["1ms", "24h"])
  func extremes(duration: String) throws {
    let svg = try Self.drawing(
      "{ name: 'e', duration: '\(duration)', peers: ['ann'], expect: [{ event: 'ann sees anyone found', never: true }] }"
    )
    #expect(Self.count("class=\"line\"", in: svg) <= 32)
    #expect(svg.hasSuffix("</svg>\n"))
  }
}
