import EarshotCore
import EarshotScenario
import Testing

@Suite("How well pairs were connected")
struct PairOutagesTests {
  private static func pairs(
    _ entries: [(Int, String, Timeline.Kind, String)], messages: [Verdict.Messages] = [],
    _ delays: [RunRecording.Message] = []
  ) -> [PairOutages] {
    let entries = entries.map { Timeline.Entry(.seconds($0.0), $0.1, $0.2, $0.3) }
    let verdict = Verdict.of(
      Timeline(entries), peers: ["ann", "bob", "cy"], seconds: 100, messages: messages)
    return PairOutages.all(verdict, delays)
  }

  @Test("A pair is connected while both have the other, with links that are up")
  func connected() throws {
    let pair = try #require(
      Self.pairs([
        (10, "ann", .joined, "bob"), (20, "bob", .joined, "ann"), (40, "ann", .interrupted, "bob"),
        (45, "bob", .interrupted, "ann"), (50, "ann", .resumed, "bob"),
        (60, "bob", .resumed, "ann"), (90, "bob", .left, "ann"),
      ]).first)
    #expect(pair.connected == [.seconds(20)..<(.seconds(40)), .seconds(60)..<(.seconds(90))])
    #expect(pair.connectedShare == 0.5)
    #expect(pair.interruptions == 2 && pair.longestInterruption == .seconds(20))
  }

  @Test("A program that crashes takes its end of the memberships with it")
  func crash() throws {
    let pair = try #require(
      Self.pairs([
        (10, "ann", .joined, "cy"), (10, "cy", .joined, "ann"), (20, "ann", .crashed, "ann"),
        (70, "ann", .joined, "cy"),
      ]).first)
    #expect(pair.connected == [.seconds(10)..<(.seconds(20)), .seconds(70)..<(.seconds(100))])
  }

  @Test("Who never met has no row; who only sent has one")
  func rows() {
    let sent = [Verdict.Messages("cy", "bob", sent: 3, delivered: 0)]
    let pairs = Self.pairs(
      [(10, "ann", .joined, "bob"), (10, "bob", .joined, "ann")], messages: sent)
    #expect(pairs.map { "\($0.left) \($0.right)" } == ["ann bob", "bob cy"])
    #expect(pairs[1].connectedShare == 0 && pairs[1].interruptions == 0 && pairs[1].sent == 3)
    #expect(pairs[1].delay(percentile: 50) == nil)
  }

  @Test("Messages of both directions count, and their percentiles are of those that arrived")
  func delays() {
    let messages = (1...100).map { number in
      var message = RunRecording.Message(
        from: number % 2 == 0 ? "ann" : "bob", sent: .seconds(1), sentEvent: number)
      message.to = number % 2 == 0 ? "bob" : "ann"
      message.arrived = .seconds(1) + .milliseconds(number)
      return message
    }
    let lost = RunRecording.Message(from: "ann", sent: .zero, sentEvent: 0)
    let counts = [
      Verdict.Messages("ann", "bob", sent: 60, delivered: 50),
      Verdict.Messages("bob", "ann", sent: 50, delivered: 50),
    ]
    let pair = Self.pairs([], messages: counts, messages.shuffled() + [lost])[0]
    #expect(pair.sent == 110 && pair.arrived == 100)
    let delays = [1, 50, 95, 100].map { pair.delay(percentile: $0) }
    #expect(delays == [1, 50, 95, 100].map { Duration.milliseconds($0) })
  }
}

@Suite("The faults of a picture")
struct FaultSpanTests {
  @Test("A fault lasts until its end, or to the end of the run")
  func spans() {
    let words: [(Int, Timeline.Kind, String)] = [
      (1, .fault, "cut"), (2, .fault, "crash"), (3, .fault, "cut"), (5, .faultEnded, "cut"),
      (6, .faultEnded, "cut"), (7, .faultEnded, "other"),
    ]
    let entries = words.map { Timeline.Entry(.seconds($0.0), nil, $0.1, nil, $0.2) }
    let spans = FaultSpan.all(Verdict.of(Timeline(entries), peers: [], seconds: 9))
    #expect(spans.map(\.phrase) == ["cut", "crash", "cut"])
    #expect(spans.map(\.start) == [1, 2, 3].map { .seconds($0) })
    #expect(spans.map(\.end) == [6, 9, 5].map { .seconds($0) })
  }
}
