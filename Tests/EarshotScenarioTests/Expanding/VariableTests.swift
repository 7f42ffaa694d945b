import EarshotScenario
import EarshotSimulator
import Testing

@Suite("Variables and repetitions")
struct VariableTests {
  /// A scenario of ten seconds.
  private static func scenario(
    _ text: String, _ settings: [(name: String, value: String)] = []
  ) throws -> Scenario {
    let file = "{ name: 'v', duration: '10s', \(text) }"
    return try ScenarioSource(json5: file, file: "v.json5", settings: settings).scenario()
  }

  private static func mistakes(
    _ text: String, _ settings: [(name: String, value: String)] = []
  ) -> [ScenarioError.Mistake] {
    do {
      _ = try scenario(text, settings)
      return []
    } catch {
      return (error as? ScenarioError)?.mistakes ?? []
    }
  }

  @Test(
    "Stand for what they are written out as",
    arguments: [
      (
        "variables: { n: 4 }, peers: [{ name: 'p', count: '$n' }]",
        "peers: [{ name: 'p', count: 4 }]"
      ),
      (
        "variables: { n: 4 }, peers: [{ name: 'p', count: '${n}' }]",
        "peers: [{ name: 'p', count: 4 }]"
      ),
      (
        "variables: { n: 4, m: '${2 * n + 1}' }, peers: [{ name: 'p${m}', count: '${m - n - n}' }]",
        "peers: [{ name: 'p9', count: 1 }]"
      ),
      (
        "variables: { step: '1500ms', k: 3 }, peers: [{ name: 'p', start: '${500ms + k * step}' }]",
        "peers: [{ name: 'p', start: '5s' }]"
      ),
      (
        "variables: { who: ['a', 'b'] }, peers: ['a', 'b', 'c'], expect: { connected: '$who' }",
        "peers: ['a', 'b', 'c'], expect: { connected: ['a', 'b'] }"
      ),
      (
        "variables: { s: { patience: '5s' } }, peers: [{ name: 'a', session: '$s' }]",
        "peers: [{ name: 'a', session: { patience: '5s' } }]"
      ),
      (
        "variables: { yes: true, l: 0.5 }, peers: [{ name: 'a', echo: '$yes' }], links: { loss: '$l' }",
        "peers: [{ name: 'a', echo: true }], links: { loss: 0.5 }"
      ),
      (
        "variables: { n: 'a' }, peers: ['a'], expect: { members: { '$n': 0 } }, groups: { '${n}s': 'a' }",
        "peers: ['a'], expect: { members: { a: 0 } }, groups: { as: 'a' }"
      ),
      // A dollar is one.
      (
        "variables: {}, description: 'costs $5, $n, $${n}, $$', peers: ['a']",
        "description: 'costs $5, $n, ${n}, $', peers: ['a']"
      ),
      ("description: '$n ${n} $$', peers: ['a']", "description: '$n ${n} $$', peers: ['a']"),
      // Repetitions.
      (
        "peers: [{ repeat: { i: '1...3' }, name: 'p${i}', start: '${i * 1s}' }, 'x']",
        "peers: [{ name: 'p1', start: '1s' }, { name: 'p2', start: '2s' }, { name: 'p3', start: '3s' }, 'x']"
      ),
      (
        "peers: ['a', 'b'], faults: { repeat: { t: '0...2', who: ['a', 'b'] }, at: '${1s + 2s * t}', kind: 'crash', peer: '$who' }",
        """
        peers: ['a', 'b'], faults: [{ at: '1s', kind: 'crash', peer: 'a' },
          { at: '1s', kind: 'crash', peer: 'b' }, { at: '3s', kind: 'crash', peer: 'a' },
          { at: '3s', kind: 'crash', peer: 'b' }, { at: '5s', kind: 'crash', peer: 'a' },
          { at: '5s', kind: 'crash', peer: 'b' }]
        """
      ),
      (
        "variables: { n: 2 }, peers: [{ name: 'p', count: 4 }], groups: { even: [{ repeat: { i: '1...${n}' }, value: 'p${2 * i}' }] }",
        "peers: [{ name: 'p', count: 4 }], groups: { even: ['p2', 'p4'] }"
      ),
      (
        "peers: [{ repeat: { i: '1...2' }, name: 'p${i}', send: { repeat: { j: '1...${i}' }, count: '$j', start: '${j * 1s}' } }]",
        """
        peers: [{ name: 'p1', send: [{ count: 1, start: '1s' }] },
          { name: 'p2', send: [{ count: 1, start: '1s' }, { count: 2, start: '2s' }] }]
        """
      ),
      (
        "peers: ['a', { repeat: { i: [] }, name: 'p${i}' }], faults: [{ repeat: { i: ['1s'] }, at: '$i', kind: 'heal' }]",
        "peers: ['a'], faults: [{ at: '1s', kind: 'heal' }]"
      ),
    ])
  func same(written: String, plain: String) throws {
    #expect(try Self.scenario(written) == Self.scenario(plain))
  }

  @Test("Are set from outside, as JSON5 or as they stand")
  func settings() throws {
    let text =
      "variables: { n: 4, t: '1s', w: 'a' }, peers: ['a', { name: 'p', count: '$n', start: '$t' }], expect: { connected: '$w' }"
    let plain =
      "peers: ['a', { name: 'p', count: 2, start: '3s' }], expect: { connected: ['a', 'p1'] }"
    let settings = [("n", "8"), ("t", "3s"), ("n", "2"), ("w", "['a', \"p1\"]")]
    var set = try Self.scenario(text, settings)
    #expect(set.origin.settings == ["n=8", "t=3s", "n=2", "w=['a', \"p1\"]"])
    set.origin.settings = []
    #expect(set == (try Self.scenario(plain)))
    let unknown = Self.mistakes(text, [("m", "8")])
    #expect(unknown.map(\.reason) == ["there is no variable \"m\" to set; did you mean \"n\"?"])
    #expect(Self.mistakes("peers: ['a']", [("m", "8")]).count == 1)
    #expect(Self.mistakes(text, [("n", "many")]).map(\.path) == ["peers[1].count"])
  }

  @Test(
    "A mistake is named by its place and path",
    arguments: [
      ("variables: 7, peers: ['a']", "variables", "expected an object"),
      ("variables: { '1a': 1 }, peers: ['a']", "variables.1a", "a name of letters"),
      (
        "variables: { n: 4 }, peers: ['$m']", "peers[0]",
        "no variable \"m\" here; did you mean \"n\"?"
      ),
      ("variables: { n: '$m', m: 1 }, peers: ['a']", "variables.n", "no variable \"m\""),
      ("variables: { n: 4 }, peers: ['a${n']", "peers[0]", "without \"}\""),
      ("variables: { n: 4 }, peers: ['a${n +}']", "peers[0]", "no sum of products"),
      ("variables: { n: 4 }, peers: ['a${}']", "peers[0]", "no sum of products"),
      ("variables: { n: 4 }, peers: ['a${n / 2}']", "peers[0]", "no sum of products"),
      ("variables: { n: [1] }, peers: ['a${n}']", "peers[0]", "a list cannot stand within a text"),
      (
        "variables: { n: 'x' }, peers: ['a${n + 1}']", "peers[0]", "no whole number and no duration"
      ),
      ("variables: { n: '1s' }, peers: ['a${n + 1}']", "peers[0]", "cannot be added"),
      ("variables: { n: '1s' }, peers: ['a${n * n}']", "peers[0]", "no sum of products"),
      ("variables: { n: 9223372036854775807 }, peers: ['a${n + n}']", "peers[0]", "too large"),
      (
        "variables: { n: 'a' }, peers: ['a'], groups: { a1: 'a', '${n}1': 'a' }", "groups.${n}1",
        "twice"
      ),
      (
        "peers: [{ repeat: { i: '3...1' }, name: 'p${i}' }]", "peers[0].repeat.i",
        "a range of at most"
      ),
      ("peers: [{ repeat: { i: 3 }, name: 'p${i}' }]", "peers[0].repeat.i", "found 3"),
      (
        "peers: [{ repeat: { i: '1...9999999999' }, name: 'p' }]", "peers[0].repeat.i",
        "at most 100000"
      ),
      ("peers: [{ repeat: { '': [1] }, name: 'p' }]", "peers[0].repeat.", "a name of letters"),
      ("peers: [{ repeat: { i: '1...2' }, name: 'p' }]", "peers[1]", "a peer \"p\" already"),
      ("peers: [{ repeat: { i: '1...2' }, name: 'p${j}' }]", "peers[0].name", "no variable \"j\""),
      ("variabels: { n: 4 }, peers: ['a']", "variabels", "did you mean \"variables\"?"),
      (
        "variables: { t: '20s' }, peers: ['a'], faults: [{ at: '$t', kind: 'heal' }]",
        "faults[0].at", "later"
      ),
    ])
  func slips(text: String, path: String, reason: String) throws {
    let mistakes = Self.mistakes(text)
    let mistake = try #require(mistakes.first)
    #expect(mistakes.count == 1, "\(mistakes)")
    #expect(mistake.path == path && mistake.reason.contains(reason), "\(mistake)")
    #expect(mistake.line == 1 && (mistake.column ?? 0) > 20)
  }

  @Test(
    "What grows without bound is refused",
    arguments: [
      // The billion laughs.
      "variables: { a: ['lol', 'lol'], \((1...40).map { "v\($0): ['$\($0 == 1 ? "a" : "v\($0 - 1)")', '$\($0 == 1 ? "a" : "v\($0 - 1)")']" }.joined(separator: ", ")) }, peers: ['a']",
      "variables: { a: 'lol', \((1...40).map { "v\($0): '${\($0 == 1 ? "a" : "v\($0 - 1)")}${\($0 == 1 ? "a" : "v\($0 - 1)")}'" }.joined(separator: ", ")) }, peers: ['a']",
      // Deep, not wide.
      "variables: { a: 1, \((1...200).map { "v\($0): [['$\($0 == 1 ? "a" : "v\($0 - 1)")']]" }.joined(separator: ", ")) }, peers: ['$v200']",
      // Wide.
      "peers: [{ repeat: { i: '1...1000', j: '1...1000' }, name: 'p${i}-${j}' }]",
      "peers: [{ repeat: { i: '1...1000', j: '1...1000', k: [] }, name: 'p' }]",
      "peers: [{ repeat: { i: '1...50000' }, name: 'p${i}', info: { a: '\(String(repeating: "x", count: 200))' } }]",
      "peers: ['a'], description: '\(String(repeating: "x", count: 1000))', faults: [{ repeat: { i: '1...40000' }, at: '1s', kind: 'cut', between: ['aaaaaaaa', 'aaaaaaaa'] }]",
    ])
  func bounds(text: String) throws {
    let mistakes = Self.mistakes(text)
    #expect(mistakes.count == 1)
    #expect(
      mistakes[0].reason.contains("larger than 4MiB") || mistakes[0].reason == "too long",
      "\(mistakes)")
  }

  @Test("A file without them is taken as it is", arguments: SimulationFile.all)
  func untouched(file: SimulationFile) throws {
    let source = try ScenarioSource(json5: file.text, file: file.name)
    if !file.text.contains("variables:"), !file.text.contains("repeat:") {
      #expect(try !source.isExpanded && source.root == JSON5Parser.parse(file.text))
    }
    let again = try ScenarioSource(json5: source.root.json, file: file.name)
    #expect(try !again.isExpanded && again.scenario() == source.scenario())
  }
}
