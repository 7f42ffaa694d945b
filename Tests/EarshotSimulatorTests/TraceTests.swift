import EarshotSimulator
import Foundation
import Testing

@Suite("The trace")
struct TraceTests {
  /// Two hosts, of which Ann can send datagrams and segments to Bob; what happens is kept.
  private final class Pair {
    let world = World(seed: 1)
    let ann: SimulatedHost
    let bob: SimulatedHost
    private(set) var events: [TraceEvent] = []
    private let socket: any DatagramSocket

    init() throws {
      (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
      let options = DatagramOptions(sharesPort: true)
      socket = try ann.openDatagramSocket(
        on: Endpoint(.anyV4, port: 5), options: options, handler: DatagramLog())
      let member = try bob.openDatagramSocket(
        on: Endpoint(.anyV4, port: 7), options: options, handler: DatagramLog())
      try member.join(Self.group, on: 1)
      world.record { [unowned self] in events.append($0) }
    }

    static let group = IPAddress.v4(0xE000_00FB)

    func send(bytes: Int = 2, toPort port: UInt16 = 7) throws {
      let payload = [UInt8](repeating: 1, count: bytes)
      try socket.send(payload.span, to: Endpoint(bob.address, port: port), on: nil)
    }

    func multicast() throws {
      try socket.send([1].span, to: Endpoint(Self.group, port: 7), on: 1)
    }

    func connect() throws {
      _ = try ann.connect(
        to: Endpoint(bob.address, port: 7100), options: ConnectionOptions(),
        handler: ConnectionLog())
    }

    func setLink(_ conditions: LinkConditions) {
      world.setLink(from: ann, to: bob, conditions)
    }
  }

  /// What makes packets be lost for a reason.
  private static func lose(_ loss: TraceEvent.Loss, _ pair: Pair) throws {
    switch loss {
    case .chance:
      pair.setLink(LinkConditions(loss: .percent(100)))
      try pair.send()
    case .multicast:
      pair.world.setMulticastLoss(.percent(100))
      try pair.multicast()
    case .datagram:
      var conditions = LinkConditions.lan
      conditions.datagramLoss = .percent(100)
      pair.setLink(conditions)
      try pair.send()
    case .queue:
      pair.setLink(LinkConditions(bandwidth: 1_000, queueBytes: 1_500))
      for _ in 0..<3 { try pair.send(bytes: 1_000) }
    case .cut:
      pair.world.cut(pair.ann, to: pair.bob)
      try pair.connect()
    case .partition:
      pair.world.partition([[pair.ann], [pair.bob]])
      try pair.send()
    case .rule:
      pair.world.add(Rule { _, _ in .drop })
      try pair.connect()
    case .down:
      try pair.send()
      try pair.connect()
      pair.world.crash(pair.bob)
    case .unbound: try pair.send(toPort: 8)
    case .buffer:
      pair.world.freeze(pair.bob)
      for _ in 0..<257 { try pair.send() }
    case .backlog:
      _ = try pair.bob.listen(on: Endpoint(.anyV4, port: 7100), handler: ConnectionLog())
      pair.world.freeze(pair.bob)
      for _ in 0..<130 { try pair.connect() }
    case .isolated:
      pair.world.inject(.hosts(["bob"], .isolate(.inbound)))
      try pair.send()
    case .unplugged:
      pair.world.inject(.hosts(["bob"], .unplug))
      try pair.send()
    case .address:
      try pair.send()
      pair.world.inject(.hosts(["bob"], .readdress))
    case .checksum:
      pair.setLink(
        {
          var conditions = LinkConditions()
          conditions.corruption = .percent(100)
          return conditions
        }())
      try pair.connect()
    }
  }

  @Test("Every loss says its reason, and nothing else is lost", arguments: TraceEvent.Loss.allCases)
  func reasons(loss: TraceEvent.Loss) throws {
    let pair = try Pair()
    try Self.lose(loss, pair)
    pair.world.run(for: .milliseconds(500))
    let lost = pair.events.filter { $0.kind == .lost }
    #expect(!lost.isEmpty)
    #expect(lost.allSatisfy { $0.loss == loss })
    #expect(pair.events.allSatisfy { ($0.loss != nil) == ($0.kind == .lost) })
    let line = try #require(lost.first).description.split(separator: "\t")
    #expect(line[1...3] == ["lost", "ann", "bob"])
    #expect(line[5].hasPrefix("\(loss.rawValue): 10.0.0.1:"))
    #expect(lost.count == ([.down, .queue].contains(loss) ? 2 : 1))
    pair.world.finish()
  }

  @Test("Every packet that was sent is delivered or lost")
  func balance() throws {
    let pair = try Pair()
    pair.setLink(LinkConditions(loss: .percent(30), bandwidth: 20_000, queueBytes: 4_000))
    for _ in 0..<200 { try pair.send(bytes: 100) }
    try pair.connect()
    pair.world.run(for: .seconds(60))
    let counts = [TraceEvent.Kind.sent, .delivered, .lost].map { kind in
      pair.events.count { $0.kind == kind }
    }
    #expect(counts[0] == counts[1] + counts[2])
    #expect(Set(pair.events.compactMap(\.loss)) == [.chance, .queue])
    pair.world.finish()
  }

  @Test("Runs that differ only in the reason of a loss differ in their hash")
  func hash() throws {
    let hashes = try [TraceEvent.Loss.rule, .chance].map { loss in
      let pair = try Pair()
      pair.setLink(LinkConditions(loss: .percent(loss == .chance ? 100 : 0)))
      if loss == .rule { pair.world.add(Rule { _, _ in .drop }) }
      try pair.send()
      #expect(pair.events.last?.loss == loss)
      pair.world.finish()
      return pair.world.traceHash
    }
    #expect(hashes[0] != hashes[1])
  }

  @Test("A line has six fields, whatever is noted in it")
  func escaping() throws {
    let pair = try Pair()
    pair.world.note(pair.ann, kind: "mess\tage", "one\ttwo\nthree\r\\ \u{1B}[1m é")
    let line = try #require(pair.events.last).description
    #expect(
      line == "0.000000\tnote\tann\t\tmess\\tage\tone\\ttwo\\nthree\\r\\\\ \\u{1b}[1m é")
    #expect(TraceEvent.header.split(separator: "\t").count == 6)
    pair.world.finish()
  }

  @Test("Every kind of event, every fault and every reason of a loss is documented")
  func documented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let path = "Sources/EarshotScenario/EarshotScenario.docc/ScenarioFormat.md"
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    let chapter = try #require(text.components(separatedBy: "\n## The trace\n").last)
    let words =
      TraceEvent.Kind.allCases.map(\.rawValue) + TraceEvent.Loss.allCases.map(\.rawValue)
      + [
        "partition", "cut", "heal", "crash", "restart", "suspend", "freeze", "resume", "clog",
        "flap",
        "link", "reset", "slow", "leave", "hide", "isolate", "readdress", "unplug", "ports",
        "clock",
        "stale", "reflect", "medium", "ended", "fullDisk", "slowDisk", "failingDisk",
      ]
    for word in words { #expect(chapter.contains("`\(word)`"), "\(word)") }
    #expect(chapter.contains(TraceEvent.header.replacing("\t", with: " ")))
  }
}
