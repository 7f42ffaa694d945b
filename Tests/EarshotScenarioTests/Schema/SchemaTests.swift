import EarshotScenario
import Testing

@Suite("The schema of scenarios")
struct SchemaTests {
  @Test("Every scenario is valid", arguments: SimulationFile.all)
  func valid(file: SimulationFile) throws {
    let document = try JSON5Parser.parse(file.text).json
    #expect(try SchemaValidator(ScenarioSchema.text).accepts(document))
  }

  @Test(
    "What the reader refuses by its form is not valid",
    arguments: [
      "peers: ['ann'], colour: 1", "peers: 'ann'", "peers: [{ count: 2 }]",
      "peers: [{ name: 'ann', send: { every: '5' } }]", "peers: [{ name: 'ann', echo: 'yes' }]",
      "peers: ['ann'], faults: [{ at: '1s' }]", "peers: [{ name: 'ann', advertise: 7 }]",
      "peers: [{ name: 'ann', update: { info: {} } }]", "peers: [{ name: 'ann', browse: ['a b'] }]",
      "peers: ['ann'], faults: [{ at: '1s', kind: 'fire' }]",
      "peers: ['ann'], links: { loss: '3' }", "peers: ['ann'], links: { profile: 'tin can' }",
      "peers: ['ann'], randomFaults: {}", "peers: ['ann'], schedule: 'fast'",
      "peers: ['ann'], expect: { connected: 'ann', when: '3s' }", "groups: {}",
      "peers: ['ann'], variables: 7", "peers: ['ann'], include: 7",
      "peers: [{ name: 'ann', file: { bytes: 'much' } }]",
      "peers: [{ name: 'ann', receiveFiles: { answer: 'perhaps' } }]",
      "peers: ['ann'], expect: { files: { ends: 'well' } }",
      "peers: ['ann'], expect: { traffic: { atMost: 1, when: '1s' } }",
    ])
  func invalid(text: String) throws {
    let text = "{ name: 'x', duration: '9s', \(text) }"
    #expect(throws: ScenarioError.self) { try Scenario(json5: text, file: "x") }
    let document = try JSON5Parser.parse(text).json
    #expect(try !SchemaValidator(ScenarioSchema.text).accepts(document))
  }

  @Test(
    "Variables and repetitions are valid wherever a value is",
    arguments: [
      "peers: [{ name: '$n', count: '$n', send: '$send', start: '${2 * t}' }]",
      "peers: [{ repeat: { i: '1...3' }, name: 'p${i}' }], links: '$links'",
      "peers: ['ann'], faults: { repeat: { t: ['1s'] }, at: '$t', kind: 'heal' }",
      "peers: ['ann'], expect: [{ connected: 'ann', by: '$t' }], seed: '$seed'",
      "peers: [{ name: 'ann', echo: '$echo', info: { a: '$n' } }], links: { loss: '$loss' }",
    ])
  func variables(text: String) throws {
    let text = "{ name: 'x', duration: '9s', variables: { n: 3 }, \(text) }"
    let document = try JSON5Parser.parse(text).json
    #expect(try SchemaValidator(ScenarioSchema.text).accepts(document))
  }

  /// The keys that the reader knows of an object, as it lists them about one that it does not know.
  private static func keys(_ text: String) -> Set<String> {
    let text = "{ name: 'x', duration: '9s', \(text) }"
    do throws(ScenarioError) {
      _ = try Scenario(json5: text, file: "x")
      return []
    } catch {
      let lists = error.mistakes.compactMap {
        $0.reason.split(separator: "the keys are ").dropFirst().first
      }
      return Set(lists.joined(separator: ", ").split(separator: ", ").map(String.init))
    }
  }

  private static let unknown = "zzzzzzzzzzzzzzzzzzzzzzzz: 1"

  @Test("The schema and the reader know the same keys of every object")
  func keys() throws {
    let schema = try SchemaValidator(ScenarioSchema.text)
    let (key, ann) = (Self.unknown, "peers: ['ann', 'bob']")
    #expect(schema.properties() == Self.keys("\(ann), \(key)"))
    let objects = [
      "peer": "peers: [{ name: 'ann', \(key) }]",
      "session": "peers: [{ name: 'ann', session: { \(key) } }]",
      "workload": "peers: [{ name: 'ann', send: { \(key) } }]",
      "stream": "peers: [{ name: 'ann', stream: { \(key) } }]",
      "streamReading": "peers: [{ name: 'ann', readStreams: { \(key) } }]",
      "streams": "\(ann), expect: { streams: { \(key) } }",
      "file": "peers: [{ name: 'ann', file: { \(key) } }]",
      "fileReceiving": "peers: [{ name: 'ann', receiveFiles: { \(key) } }]",
      "files": "\(ann), expect: { files: { \(key) } }",
      "traffic":
        "\(ann), expect: { traffic: { between: ['ann', 'bob'], from: 'ann', atMost: 1, \(key) } }",
      "reading": "peers: [{ name: 'ann', read: { every: '1s', \(key) } }]",
      "service": "peers: [{ name: 'ann', advertise: { service: 'a', \(key) } }]",
      "update": "peers: [{ name: 'ann', update: { at: '1s', \(key) } }]",
      "rename": "peers: [{ name: 'ann', rename: { at: '1s', to: 'Annie', \(key) } }]",
      "invitation": "peers: [{ name: 'ann', invite: { who: 'found', \(key) } }]",
      "links": "\(ann), links: { \(key) }",
      "exception": "\(ann), links: { exceptions: { between: ['ann', 'bob'], \(key) } }",
      "randomFaults": "\(ann), randomFaults: { count: 1, \(key) }",
      "messages": "\(ann), expect: { messages: { \(key) } }",
      "latency": "\(ann), expect: { messages: { latency: { max: '1s', \(key) } } }",
      "bounds": "\(ann), expect: { members: { ann: { atMost: 1, \(key) } } }",
    ]
    for (name, text) in objects {
      var known = Self.keys(text)
      // One of two ways to name links hides the other.
      if name == "exception" { known.formUnion(["from", "to", "between"]) }
      #expect(schema.properties(name) == known, "\(name)")
    }
    let accepts = ["after: '1s'", "chance: 1"].map {
      Self.keys("peers: [{ name: 'ann', accept: { \($0), \(key) } }]")
    }
    #expect(schema.properties("accept") == accepts.reduce([]) { $0.union($1) })
    let times = ["disconnect", "rejoin", "remove", "stop"].map {
      Self.keys("peers: [{ name: 'ann', \($0): { at: '1s', \(key) } }]")
    }
    #expect(schema.properties("time") == times.reduce([]) { $0.union($1) })
    let bursts = ["share: 0.1", "enter: 0.1, leave: 0.1"].map {
      Self.keys("\(ann), links: { burst: { \($0), \(key) } }")
    }
    #expect(schema.properties("burst") == bursts.reduce([]) { $0.union($1) })
  }

  @Test("The schema and the reader know the same keys of all faults and all expectations")
  func kinds() throws {
    let schema = try SchemaValidator(ScenarioSchema.text)
    let (key, ann) = (Self.unknown, "peers: ['ann', 'bob']")
    let faults = [
      "partition", "cut", "clog", "flap", "link", "medium", "reset", "heal", "crash", "restart",
      "suspend", "slow", "leave", "isolate", "clock", "stale", "reflect", "slowDisk",
    ].flatMap { kind in
      ["from: 'ann', to: 'bob'", "between: ['ann', 'bob']"].map {
        Self.keys(
          "\(ann), faults: { at: '1s', kind: '\(kind)', groups: ['ann', 'bob'], peer: 'ann', every: '1s', after: '1s', bandwidth: '1Mbit/s', \($0), \(key) }"
        )
      }
    }
    #expect(schema.properties("fault") == faults.reduce([]) { $0.union($1) })
    let expectations = [
      "connected: 'all'", "disconnected: 'all'", "members: 1", "event: 'ann sees bob joined'",
      "outcome: 'ann -> bob', is: 'accepted'", "messages: {}", "streams: {}", "files: {}",
      "traffic: { atMost: 1 }",
      "interrupted: 'all', total: '1s'",
      "order: ['ann sees bob found', 'ann sees bob joined']",
      "event: 'ann sees bob found'",
      "event: 'ann sees bob joined', within: '1s', after: 'ann sees bob found'",
    ].flatMap { subject in
      ["at: '1s'", "by: '1s'", "throughout: ['1s', '2s']"].map {
        Self.keys("\(ann), expect: { \(subject), \($0), \(key) }")
      }
    }
    #expect(schema.properties("expectation") == expectations.reduce([]) { $0.union($1) })
  }
}
