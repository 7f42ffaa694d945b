import EarshotCore
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("The failures in the page of a run")
struct FailurePageTests {
  /// Cid's crash ends two memberships in the middle of a long conversation.
  private static let long = """
    { name: "long", duration: "60s", links: { latency: "5ms" },
      peers: ["bob", { name: "ann", invite: "found",
          send: { to: "bob", count: 5000, every: "10ms", start: "2s" } },
        { name: "cid", session: { patience: "5s" } }],
      faults: [{ at: "20s", kind: "crash", peer: "cid", for: "35s" }],
      expect: [{ event: "bob sees ann joined", by: "2s" },
        { event: "ann sees cid left", never: true },
        { event: "bob sees ann left", by: "30s" }] }
    """

  private static func picture(
    _ text: String, around moments: [Duration] = []
  ) throws -> RunPicture {
    let recording = RunRecording(around: moments)
    let scenario = try Scenario(json5: text, file: "a.json5")
    let verdict = ScenarioRun.run(scenario, seed: 1, events: recording.add)
    return RunPicture(ScenarioRun.explaining(verdict, of: scenario), recording, file: "a.json5")
  }

  /// The first run as the page's script reads it.
  private static func run(_ page: String) throws -> [String: Any] {
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let json = Data(page[start.upperBound..<end.lowerBound].utf8)
    let object = try JSONSerialization.jsonObject(with: json) as? [String: Any]
    return try #require((object?["runs"] as? [[String: Any]])?.first)
  }

  @Test("The packets before each failure are in the page of a run that is longer than the bounds")
  func packets() throws {
    let first = try Self.picture(Self.long)
    let moments = first.momentsToRecord
    #expect(moments.count == 2 && moments == first.failures.map(\.time))
    let run = try Self.run(ReportPage(Self.picture(Self.long, around: moments)).html)
    let events = try #require(run["events"] as? [[Int]])
    let count = try #require(run["eventCount"] as? Int)
    #expect(events.count <= RunRecording.keptMax && count > RunRecording.keptMax)
    #expect(zip(events, events.dropFirst()).allSatisfy { $0[0] < $1[0] && $0[1] <= $1[1] })
    #expect(events.first?[0] == 0 && events.last?[0] == count - 1)
    let failures = try #require(run["failures"] as? [[Any]])
    #expect(failures.count == 2)
    for failure in failures {
      let (time, number) = (failure[1] as? Int ?? -1, failure[2] as? Int ?? -1)
      let place = try #require(events.firstIndex { $0[0] == number })
      let last = try #require(events.lastIndex { $0[1] <= time + 1 })
      #expect(place <= last && events[place][1] <= time + 1)
      // Without a gap, from long before the moment to after it.
      #expect(last > 1_000 && events[last][0] - events[last - 1_000][0] == 1_000)
      #expect(events[last + 1][0] == events[last][0] + 1)
      let packets = events[(last - 1_000)...last].count { $0[2] == 1 || $0[2] == 3 }
      #expect(packets > 300)
    }
  }

  @Test("The event of a failure that is an event is its note")
  func note() throws {
    let picture = try Self.picture(Self.long)
    let failure = try #require(picture.failures.first)
    let again = try Self.picture(Self.long, around: picture.momentsToRecord)
    let kept = again.recording.recorded
    let number = try #require(failure.event(in: kept))
    let event = try #require(kept.first { $0.event.number == number })
    #expect(event.event.kind == .note && event.event.label == "left" && event.event.from == "ann")
    #expect(event.time >= failure.time && event.time <= failure.time + .microseconds(1))
  }

  @Test(
    "A recording keeps the events around each moment, and never more than its bound",
    arguments: [1, 3, 40, 300])
  func bound(count: Int) throws {
    let moments = (0..<count).map { Duration.seconds(50) * $0 / count + .seconds(5) }
    let recording = try Self.picture(Self.long, around: moments).recording
    #expect(recording.recorded.count <= RunRecording.keptMax)
    #expect(recording.eventCount > RunRecording.keptMax)
    for moment in moments.prefix(100) { #expect(recording.keeps(moment), "\(moment)") }
    let numbers = recording.events.map(\.number)
    #expect(Set(numbers).count == numbers.count && numbers == numbers.sorted())
  }

  @Test("A short run is not repeated for its failures")
  func short() throws {
    let text = Self.long.replacing("count: 5000", with: "count: 50")
    let picture = try Self.picture(text)
    #expect(picture.failures.count == 2 && picture.momentsToRecord.isEmpty)
  }

  @Test("The picture of a run does not take the recording of another run")
  func repetition() throws {
    let picture = try Self.picture(Self.long)
    let other = try Self.picture(Self.long.replacing("at: \"20s\"", with: "at: \"21s\""))
    let same = picture.with(other.recording, of: other.verdict)
    #expect(same.recording === picture.recording)
    let again = try Self.picture(Self.long, around: picture.momentsToRecord)
    #expect(picture.with(again.recording, of: again.verdict).recording === again.recording)
  }

  @Test("Each failed expectation has its explanation and its moment beside it, before what held")
  func explanations() throws {
    let picture = try Self.picture(Self.long)
    let page = ReportPage(picture).html
    #expect(picture.failures.count == 2)
    for (number, failure) in picture.failures.enumerated() {
      let button = try #require(
        page.range(of: "data-run=\"0\" data-failure=\"\(number)\">✗ \(number + 1) at "))
      let end = try #require(page.range(of: "</tr>", range: button.upperBound..<page.endIndex))
      let row = page[button.lowerBound..<end.lowerBound]
      #expect(row.contains(" at \(Quantity.moment(failure.time).dropLast()) s</button>"))
      #expect(row.contains(failure.result.name) && row.contains(failure.result.observed))
      #expect(!failure.result.why.isEmpty && failure.result.why.allSatisfy { row.contains($0) })
      let held = try #require(page.range(of: "✓ held"))
      #expect(end.upperBound < held.lowerBound)
    }
    let times = try #require(Self.run(page)["failures"] as? [[Any]]).map { $0[1] as? Int64 }
    #expect(times == picture.failures.map { $0.time.nanoseconds / 1_000 })
    let good = Self.long.replacing(
      "\"ann sees cid left\", never: true", with: "\"ann sees cid left\""
    )
    .replacing("by: \"30s\"", with: "never: true")
    let held = ReportPage(try Self.picture(good)).html
    #expect(held.contains("<strong class=\"good\">held") && !held.contains("data-failure=\""))
  }

  @Test("Packets that are sent have the names of their frames beside their sequence numbers")
  func frames() throws {
    let run = try Self.run(ReportPage(Self.picture(Self.long)).html)
    let events = try #require(run["events"] as? [[Int]])
    let texts = try #require(run["texts"] as? [String])
    let sent = events.filter { $0[9] >= 0 }
    #expect(sent.count > 1_000 && sent.allSatisfy { $0[2] == 1 })
    let details = sent.map { (frames: texts[$0[9]], detail: texts[$0[7]]) }
    for name in ["HELLO", "INVITE", "MESSAGE", "SYN"] {
      let named = details.filter { $0.frames.contains(name) }
      #expect(!named.isEmpty && named.allSatisfy { $0.detail.contains("seq ") }, "\(name)")
    }
    #expect(details.contains { $0.frames == "a query of mDNS" })
  }

  @Test("A page of 100 peers and 250,000 events has at most 5 MB, the failure's packets included")
  func size() throws {
    let crowd = """
      { name: "crowd", duration: "12s",
        peers: [{ name: "host", count: 10, session: { capacity: 8 } },
          { name: "guest", count: 90, invite: { who: "found", again: "5s" },
            send: { to: "all", count: 20, every: "250ms", start: "5s" } }],
        expect: [{ event: "host1 sees host2 joined", by: "7s", exactly: 50 }] }
      """
    let moments = try Self.picture(crowd).momentsToRecord
    #expect(moments == [.seconds(7)])
    let picture = try Self.picture(crowd, around: moments)
    #expect(picture.recording.eventCount > 250_000 && picture.recording.keeps(.seconds(7)))
    #expect(ReportPage(picture).html.utf8.count <= 5_000_000)
  }

  @Test("Times in a page do not end in zeros")
  func times() throws {
    let page = ReportPage(try Self.picture(Self.long)).html
    let text = try #require(page.components(separatedBy: "<script type=").first)
    #expect(text.contains("events in 60 s</p>") && text.contains("<td>20</td>"))
    #expect(text.firstMatch(of: /[0-9]\.[0-9]{5}0/) == nil)
  }
}

@Suite("The colours of a page")
struct PageColourTests {
  /// The colours by name.
  private static func colours(_ text: some StringProtocol) -> [String: [Int]] {
    var colours: [String: [Int]] = [:]
    for match in String(text).matches(of: /--([a-z]+): #([0-9a-f]{6});/) {
      guard let value = Int(match.2, radix: 16) else { continue }
      colours[String(match.1)] = [value >> 16, value >> 8 & 255, value & 255]
    }
    return colours
  }

  @Test("No two of the marks in the legend have nearly one colour, light or dark")
  func distance() throws {
    let verdict = Verdict.of(Timeline([]), peers: [], seconds: 1)
    let page = ReportPage(RunPicture(verdict, RunRecording(), file: "a")).html
    let parts = page.components(separatedBy: "data-theme=dark] {")
    let (light, dark) = (
      page.components(separatedBy: "@media (prefers-color-scheme: dark)")[0], parts[1]
    )
    let marks = PeerState.allCases.map(\.rawValue) + ["fault", "accent", "bad"]
    for text in [light, dark] {
      let colours = Self.colours(text)
      for (place, left) in marks.enumerated() {
        for right in marks.dropFirst(place + 1) {
          let (one, other) = (try #require(colours[left]), try #require(colours[right]))
          let square = zip(one, other).map { ($0 - $1) * ($0 - $1) }.reduce(0, +)
          #expect(square >= 60 * 60, "\(left) and \(right)")
        }
      }
    }
  }
}
