import EarshotScenario
import Testing

@Suite("Files that a scenario includes")
struct InclusionTests {
  /// What a scenario with these files is.
  private static func source(
    _ text: String, file: String = "room.json5", _ files: [String: String]
  ) throws(ScenarioError) -> ScenarioSource {
    try ScenarioSource(json5: text, file: file) { path throws(ScenarioError) in
      guard let text = files[path] else {
        throw ScenarioError(file: path, reason: "there is no such file")
      }
      return text
    }
  }

  private static func error(
    _ text: String, file: String = "room.json5", _ files: [String: String]
  ) -> String {
    do throws(ScenarioError) {
      _ = try source(text, file: file, files).scenario()
      return ""
    } catch { return error.description }
  }

  @Test("Bring peers, faults, expectations, links, groups and variables; what includes them wins")
  func merging() throws {
    let source = try Self.source(
      """
      { include: ["lan.json5", "crowd.json5"], name: "own", duration: "9s", seed: 4,
        variables: { n: 3 }, peers: ["host"], groups: { b: "host" },
        links: { loss: "2%", exceptions: { between: ["host", "p1"], mtu: 1400 } },
        expect: { connected: "all" } }
      """,
      [
        "lan.json5":
          "{ links: { latency: '5ms', loss: '1%', exceptions: [{ between: ['p1', 'p2'], mtu: 1300 }] }, seed: 9 }",
        "crowd.json5":
          "{ name: 'theirs', variables: { n: 2, t: '1s' }, peers: [{ name: 'p', count: '$n', start: '$t' }], groups: { a: 'p', b: 'p' }, faults: { at: '1s', kind: 'heal' }, expect: [{ members: 3 }] }",
      ])
    #expect(source.isExpanded)
    let plain = """
      { name: "own", duration: "9s", seed: 4, peers: [{ name: "p", count: 3, start: "1s" }, "host"],
        groups: { a: "p", b: "host" }, faults: { at: "1s", kind: "heal" },
        links: { latency: "5ms", loss: "2%",
          exceptions: [{ between: ["p1", "p2"], mtu: 1300 }, { between: ["host", "p1"], mtu: 1400 }] },
        expect: [{ members: 3 }, { connected: "all" }] }
      """
    #expect(try source.scenario() == Scenario(json5: plain, file: "plain"))
    #expect(try Scenario(json5: source.root.json, file: "again") == source.scenario())
  }

  @Test("Are named as seen from the file that includes them, and count once")
  func paths() throws {
    let files = [
      "sub/dir/a.json5": "{ include: ['../b.json5', './c.json5'], name: 'x', duration: '1s' }",
      "sub/b.json5": "{ include: 'dir/c.json5', peers: ['b'] }",
      "sub/dir/c.json5": "{ peers: ['c'] }",
    ]
    let source = try Self.source("{ include: 'dir/a.json5' }", file: "sub/main.json5", files)
    #expect(try source.scenario().peerNames == ["c", "b"])
    let outside = try Self.source(
      "{ include: '../d.json5', name: 'x', duration: '1s' }", ["../d.json5": "{ peers: ['d'] }"])
    #expect(try outside.scenario().peerNames == ["d"])
  }

  @Test("A mistake in one is told with that file, its line and column")
  func places() {
    let main = "{ name: 'x', duration: '5s',\n  include: ['a.json5'],\n  peers: ['ann'], seed: -1 }"
    #expect(
      Self.error(main, ["a.json5": "{\n  faults: [\n    { at: '9s', kind: 'heal' } ] }"]) == """
        room.json5:3:25: seed: expected a whole number from 0 to 18446744073709551615, found -1
        a.json5:3:11: faults[0].at: later than the scenario's end
        """)
    #expect(
      Self.error(main, ["a.json5": "{\n  faults: [ }"]).hasPrefix("a.json5:2:13: expected"),
      "\(Self.error(main, ["a.json5": "{\n  faults: [ }"]))")
    #expect(
      Self.error(main, ["a.json5": " 7"]) == "a.json5:1:2: expected an object { … }, found 7")
    #expect(
      Self.error(main, ["a.json5": "{ variables: {},\n peers: ['$n'] }"])
        == "a.json5:2:10: peers[0]: there is no variable \"n\" here")
    #expect(
      Self.error(main, [:]) == "room.json5:2:13: include[0]: a.json5: there is no such file")
  }

  @Test(
    "What includes itself, or is no path, is refused",
    arguments: [
      ("'room.json5'", "room.json5 includes itself: room.json5, room.json5"),
      ("'a.json5'", "a.json5 includes itself: a.json5, b.json5, a.json5"),
      ("'/etc/passwd'", "the path of a file"),
      ("''", "the path of a file"), ("7", "found 7"), ("['a\\u0000']", "the path of a file"),
      ("'deep/0'", "more than 8 within each other"), ("'wide'", "more than 64 files"),
      ("'large'", "with this file larger than 4MiB"),
    ])
  func refused(include: String, reason: String) {
    var files = [
      "a.json5": "{ include: ['x/../b.json5'] }", "b.json5": "{ include: './a.json5' }",
      "wide": "{ include: [\((0..<70).map { "'w\($0)'" }.joined(separator: ", "))] }",
      "large": "{ description: '\(String(repeating: "x", count: 4 << 20))' }",
    ]
    for index in 0..<20 { files["deep/\(index)"] = "{ include: '\(index + 1)' }" }
    for index in 0..<70 { files["w\(index)"] = "{}" }
    let error = Self.error(
      "{ name: 'x', duration: '5s', peers: ['ann'], include: \(include) }", files)
    #expect(error.contains(reason), "\(error)")
  }

  @Test("A text by itself includes none")
  func none() {
    #expect {
      try Scenario(json5: "{ name: 'x', duration: '1s', peers: ['a'], include: 'b' }", file: "x")
    } throws: { "\($0)" == "x:1:53: include: files are included by the command line alone" }
  }
}
