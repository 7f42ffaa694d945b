import EarshotCore
import EarshotScenario
import Testing

@Suite("Lanes of characters")
struct TextLanesTests {
  private static let entries = [
    Timeline.Entry(.seconds(10), "ann", .started),
    Timeline.Entry(.seconds(20), "ann", .joined, "a-peer-with-a-long-name"),
    Timeline.Entry(.milliseconds(30_010), "ann", .interrupted, "a-peer-with-a-long-name"),
    Timeline.Entry(.milliseconds(30_020), "ann", .resumed, "a-peer-with-a-long-name"),
    Timeline.Entry(.seconds(40), nil, .fault, nil, "cut \u{1B}[2J"),
    Timeline.Entry(.seconds(50), nil, .faultEnded, nil, "cut \u{1B}[2J"),
  ]

  private static func lines(_ columns: Int, isColoured: Bool = false) -> [String] {
    let peers = ["ann", "a-peer-with-a-long-name"]
    let verdict = Verdict.of(Timeline(entries), peers: peers, seconds: 60)
    let stops = [HostStop(.seconds(55), "ann", .crashed)]
    return TextLanes(verdict, stops, columns: columns).lines(Paint(isOn: isColoured))
  }

  @Test("A lane shows each state at its place, and a short one at least once")
  func lane() {
    let lines = Self.lines(81)
    #expect(lines.count == 6)
    #expect(lines[0].hasPrefix(String(repeating: " ", count: 21) + "|0 s"))
    let lane = lines[1].dropFirst(21)
    #expect(lines[1].hasPrefix("ann ") && lane.count == 60)
    let expected: [(Character, Int)] = [
      (" ", 10), (".", 10), ("=", 10), ("!", 1), ("=", 24), ("X", 5),
    ]
    #expect(String(lane) == expected.map { String(repeating: $0.0, count: $0.1) }.joined())
    #expect(lines[2].hasPrefix("a-peer-with-a-long-…"))
    #expect(lines[3].dropFirst(21).prefix(52) == String(repeating: " ", count: 40) + "1111111111  ")
    #expect(lines[4] == ". discovering  = connected  ! interrupted  X crashed")
    #expect(lines[5] == "at 40.0 s for 10.0 s: cut \\u{1B}[2J")
  }

  @Test("No line is wider than the terminal", arguments: [1, 40, 41, 80, 200])
  func width(columns: Int) {
    #expect(Self.lines(columns).allSatisfy { $0.count <= max(40, columns) })
  }

  @Test("Colours change nothing else")
  func colours() {
    let coloured = Self.lines(80, isColoured: true)
    #expect(coloured[1].contains("\u{1B}[32m=") && coloured[1].contains("\u{1B}[31mX"))
    let bare = coloured.map { $0.replacing(/\u{1B}\[\d+m/, with: "") }
    #expect(bare == Self.lines(80))
  }

  @Test("Of many faults the first are told, and how many there are")
  func faults() {
    let entries = (0..<12).map { Timeline.Entry(.seconds($0), nil, .fault, nil, "cut \($0)") }
    let verdict = Verdict.of(Timeline(entries), peers: ["ann"], seconds: 60)
    let lines = TextLanes(verdict, [], columns: 67).lines()
    #expect(lines.suffix(2) == ["at 7.00 s for 53.0 s: cut 7", "and 4 more faults"])
    #expect(lines[2].hasPrefix("faults 123456789+++"))
  }

  @Test(
    "A duration has three digits",
    arguments: [
      (0, "0 s"), (1_500, "1.50 µs"), (999_999, "1000 µs"), (3_467_000, "3.47 ms"),
      (72_199_317_000, "72.2 s"), (123_456_000_000, "123 s"), (9_999_000_000, "10.0 s"),
    ])
  func durations(nanoseconds: Int, text: String) {
    #expect(Duration.nanoseconds(nanoseconds).shortText == text)
  }
}
