import EarshotCore
import EarshotScenario
import EarshotSimulator
import Foundation
import Testing

@Suite("The page of a run")
struct ReportPageTests {
  private static let scenario = """
    { name: "</script><script>alert(1)</script>", description: "a & b <i>\u{202E}",
      duration: "5s",
      peers: ["ann", { name: "bob", invite: { who: "ann", context: "<o>" }, send: { count: 3 } }],
      faults: [{ at: "2s", kind: "cut", between: ["ann", "bob"], for: "1s" }],
      expect: [{ event: "bob sees ann joined", by: "2s" }] }
    """

  private static func picture(
    _ text: String = scenario, seed: UInt64 = 1, file: String = "a'<b>.json5"
  ) throws -> RunPicture {
    let recording = RunRecording()
    let verdict = ScenarioRun.run(
      try Scenario(json5: text, file: file), seed: seed, events: recording.add)
    return RunPicture(verdict, recording, file: file)
  }

  /// What the page's script reads.
  private static func data(_ page: String) throws -> [String: Any] {
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let json = Data(page[start.upperBound..<end.lowerBound].utf8)
    let object = try JSONSerialization.jsonObject(with: json) as? [String: Any]
    return try #require(object)
  }

  @Test("What a scenario says is text in the page, and nothing else")
  func hostile() throws {
    let page = ReportPage(try Self.picture()).html
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(!page.contains("alert(1)<") && !page.contains("<i>") && !page.contains("<o>"))
    #expect(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"))
    #expect(page.contains("a &amp; b &lt;i&gt;\\u{202E}"))
    #expect(page.unicodeScalars.allSatisfy { !$0.properties.isBidiControl })
  }

  @Test("A page asks the network for nothing, and forbids its own script to")
  func alone() throws {
    let page = ReportPage(try Self.picture()).html
    #expect(page.contains("default-src 'none'"))
    let links = page.components(separatedBy: "http").dropFirst().filter { link in
      !link.hasPrefix("-equiv") && !link.hasPrefix("://www.w3.org/2000/svg")
    }
    #expect(links.isEmpty)
    for word in ["src=", "@import", "url(", "fetch(", "XMLHttp"] { #expect(!page.contains(word)) }
  }

  @Test("The data has every event with its cause, and the bytes of packets")
  func data() throws {
    let picture = try Self.picture()
    let data = try Self.data(ReportPage(picture).html)
    let run = try #require((data["runs"] as? [[String: Any]])?.first)
    let events = try #require(run["events"] as? [[Int]])
    #expect(events.count == run["eventCount"] as? Int && events.count > 100)
    #expect(
      events.enumerated().allSatisfy { $0.element[0] == $0.offset && $0.element[5] < $0.offset })
    let payloads = try #require(run["payloads"] as? [[Any]])
    for payload in payloads {
      let (count, text) = (payload[0] as? Int ?? 0, payload[1] as? String ?? "")
      #expect(Data(base64Encoded: text)?.count == min(512, count))
    }
    #expect(events.contains { $0[8] >= 0 } && payloads.count > 5)
    let names = try #require(run["names"] as? [String])
    #expect(names == ["ann", "bob"])
    #expect((run["messages"] as? [[Int]])?.count == 3)
    #expect((run["faults"] as? [[Any]])?.count == 1)
    #expect((run["states"] as? [[Int]])?.isEmpty == false)
    #expect((run["seed"] as? String) == "1")
  }

  @Test("Tables say without a script what held, and how well the pairs were connected")
  func tables() throws {
    let page = ReportPage(try Self.picture()).html
    #expect(page.contains("<strong class=\"good\">held</strong>"))
    #expect(page.contains("✓ held"))
    #expect(page.contains("<td>ann ↔ bob</td>"))
    #expect(page.contains("<td>3 of 3</td>"))
    #expect(page.contains("earshot simulate &#39;a&#39;\\&#39;&#39;&lt;b&gt;.json5&#39; --seed 1"))
  }

  @Test("A stream's line says how much was read when, and that nothing was during a cut")
  func streams() throws {
    let scenario = """
      { name: "cut", duration: "30s", peers: ["bob", { name: "ann", invite: "bob", stream: {
          to: "bob", name: "log", bytes: "2MiB", piece: "2KiB", every: "10ms", start: "4s" } }],
        faults: [{ at: "6s", kind: "cut", between: ["ann", "bob"], for: "4s" }] }
      """
    let page = ReportPage(try Self.picture(scenario, file: "a")).html
    let run = try #require((Self.data(page)["runs"] as? [[String: Any]])?.first)
    let streams = try #require(run["streams"] as? [[Any]])
    #expect(streams.count == 1 && streams.first?.first as? String == "log, ann → bob")
    let points = try #require(streams.first?.last as? [[Int]])
    #expect(points.first?.last == 0 && points.last?.last == 2 << 20)
    #expect(points.count > 50 && points.count <= 200)
    let steps = Array(zip(points, points.dropFirst()))
    #expect(steps.allSatisfy { $0[0] <= $1[0] && $0[1] < $1[1] })
    let pauses = steps.filter { $1[0] - $0[0] > 1_000_000 }
    let pause = try #require(pauses.first)
    #expect(pauses.count == 1 && (5_900_000...6_100_000).contains(pause.0[0]))
    #expect(pause.1[0] >= 10_000_000)
    let quiet = try Self.data(ReportPage(Self.picture()).html)
    #expect(((quiet["runs"] as? [[String: Any]])?.first?["streams"] as? [Any])?.isEmpty == true)
  }

  @Test("A file's line says how much was written when, and its bars why it stood still")
  func files() throws {
    let scenario = """
      { name: "full", duration: "30s", links: { bandwidth: "4Mbit/s" },
        peers: [{ name: "bob", receiveFiles: { after: "1s" } }, { name: "ann", invite: "bob", file: {
          to: "bob", name: "log", bytes: "4MiB", start: "4s", pause: ["18s", "20s"] } }],
        faults: [{ at: "6s", kind: "fullDisk", peer: "bob", for: "4s" },
          { at: "12s", kind: "reset", between: ["ann", "bob"] }] }
      """
    let page = ReportPage(try Self.picture(scenario, file: "a")).html
    let run = try #require((Self.data(page)["runs"] as? [[String: Any]])?.first)
    let file = try #require((run["files"] as? [[Any]])?.first)
    #expect(file[0] as? String == "log, ann → bob" && file[2] as? Int == 4 << 20)
    let points = try #require(file[3] as? [[Int]])
    #expect(points.first?.last == 0 && points.last?.last == 4 << 20)
    let steps = Array(zip(points, points.dropFirst()))
    #expect(steps.allSatisfy { $0[0] <= $1[0] && $0[1] < $1[1] })
    let pauses = try #require(file[4] as? [[Any]])
    let causes = pauses.map { "\($0[2]), \($0[3])" }
    #expect(causes.first == "waiting for an answer, sender")
    for cause in ["disk full", "link interrupted"] {
      for side in ["sender", "receiver"] { #expect(causes.contains("\(cause), \(side)")) }
    }
    let full = try #require(pauses.first { $0[2] as? String == "disk full" })
    let (start, end) = (full[0] as? Int ?? 0, full[1] as? Int ?? 0)
    #expect((5_900_000...6_600_000).contains(start) && (10_000_000...12_000_000).contains(end))
    let quiet = try Self.data(ReportPage(Self.picture()).html)
    #expect(((quiet["runs"] as? [[String: Any]])?.first?["files"] as? [Any])?.isEmpty == true)
  }

  @Test("The plot has the six streams of which most was read")
  func mostRead() throws {
    let scenario = """
      { name: "many", duration: "20s", peers: ["bob", { name: "ann", invite: "bob", stream: [
          { to: "bob", name: "small", bytes: "1KiB", start: "4s" },
          { to: "bob", name: "large", bytes: "20KiB", count: 6, start: "4s" }] }] }
      """
    let page = ReportPage(try Self.picture(scenario, file: "a")).html
    let run = try #require((Self.data(page)["runs"] as? [[String: Any]])?.first)
    let names = try #require(run["streams"] as? [[Any]]).map { $0.first as? String }
    #expect(names == [String?](repeating: "large, ann → bob", count: 6))
    #expect(page.contains("<td>small</td>"), "the table has all of them")
  }

  @Test("Two runs of one seed part nowhere; those of two scenarios where the fault is")
  func parting() throws {
    let (run, same) = (try Self.picture(), try Self.picture())
    let none = RunDifference(run, same)
    #expect(none.events.isEmpty && none.time == nil && none.stories.isEmpty)
    let healthy = try Self.picture(Self.scenario.replacing("at: \"2s\"", with: "at: \"4s\""))
    let difference = RunDifference(run, healthy)
    #expect(difference.time == .seconds(2))
    #expect(difference.events.first??.kind == .fault)
    #expect(difference.stories.allSatisfy { $0.entries.count == 2 })
    let page = ReportPage(run, against: healthy).html
    let data = try Self.data(page)
    #expect(data["parting"] as? Int == 2_000_000 && (data["runs"] as? [Any])?.count == 2)
    #expect(page.contains("id=\"lanes1\"") && page.contains("Where the runs part"))
  }

  @Test("The labels of two runs differ, also those of one file and one seed")
  func labels() throws {
    let text = "{ name: 'meeting', duration: '1s', peers: ['ann'] }"
    func picture(_ name: String = "meeting", seed: UInt64 = 1, file: String = "a") throws
      -> RunPicture
    {
      try Self.picture(text.replacing("meeting", with: name), seed: seed, file: file)
    }
    for (rival, labels, titles) in [
      (
        try picture(), ["first run, seed 1", "second run, seed 1"],
        ["meeting, first run, seed 1", "meeting, second run, seed 1"]
      ),
      (try picture(seed: 2), ["seed 1", "seed 2"], ["meeting, seed 1", "meeting, seed 2"]),
      (
        try picture(file: "b"), ["a, seed 1", "b, seed 1"],
        ["meeting, a, seed 1", "meeting, b, seed 1"]
      ),
      (
        try picture("parting"), ["meeting, seed 1", "parting, seed 1"],
        ["meeting, seed 1", "parting, seed 1"]
      ),
    ] {
      let page = ReportPage(try picture(), against: rival).html
      let runs = try #require(Self.data(page)["runs"] as? [[String: Any]])
      #expect(runs.compactMap { $0["title"] as? String } == titles)
      for label in labels {
        #expect(
          page.contains("<h2>Pairs of \(label)</h2>") && page.contains("</strong> \(label), "))
      }
    }
  }

  @Test("Of many pairs, messages and entries there are as many as a page can take, and it says so")
  func bounds() throws {
    let peers = (0..<40).map { "p\($0)" }
    let entries = peers.flatMap { observer in
      peers.filter { $0 != observer }.map { Timeline.Entry(.zero, observer, .joined, $0) }
    }
    let late = Timeline.Entry(.seconds(1), "p0", .left, "p39")
    let verdict = Verdict.of(
      Timeline(entries + entries + [late]), peers: peers, seconds: 2)
    let (world, recording) = (World(seed: 1), RunRecording())
    world.record(into: recording.add)
    for number in 0..<20_001 { world.note(nil, kind: "sent", "0:\(number)") }
    world.finish()
    let page = ReportPage(RunPicture(verdict, recording, file: "a")).html
    #expect(page.contains("The 300 of 780 that were connected least"))
    #expect(page.components(separatedBy: " ↔ ").count > 300 && page.contains("<td>p0 ↔ p39</td>"))
    #expect(page.contains("<p>\(2 * entries.count + 1 - 2_000) more are left out.</p>"))
    let data = try Self.data(page)
    let run = try #require((data["runs"] as? [[String: Any]])?.first)
    #expect((run["messages"] as? [Any])?.count == 20_000)
    #expect((run["pairs"] as? [Any])?.count == 300)
  }

  @Test("Every state and every option of pictures is documented")
  func documented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let path = "Sources/EarshotScenario/EarshotScenario.docc/ScenarioFormat.md"
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    let start = try #require(text.range(of: "\n## Pictures\n"))
    let end = try #require(text.range(of: "\n## The trace\n"))
    let chapter = text[start.upperBound..<end.lowerBound]
    for state in PeerState.allCases { #expect(chapter.contains("| `\(state.rawValue)` |")) }
    for option in [
      "--report FILE", "--against SEED\\|FILE", "--pcap FILE", "--perfetto FILE", "--drawing FILE",
      "--watch",
    ] {
      #expect(chapter.contains("| `\(option)` |"), "\(option)")
    }
  }

  @Test("Every state has a colour in the page, light and dark")
  func states() {
    let verdict = Verdict.of(Timeline([]), peers: [], seconds: 1)
    let page = ReportPage(RunPicture(verdict, RunRecording(), file: "a")).html
    for state in PeerState.allCases {
      #expect(page.components(separatedBy: "--\(state.rawValue): #").count == 4)
    }
  }
}
