import EarshotSimulator
import EarshotTesting
import Foundation
import Synchronization
import Testing

@Suite("Files of a failing run")
final class RunFilesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs a body as a test with some seeds.
  private func issues(
    _ environment: [String: String], seeds: [UInt64] = [3, 4],
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> [Issue] {
    let trait = SimulatedTrait(
      SeedChoice(seeds, environment: environment), WorldConfiguration(), jobs: 1)
    return try await trait.issues(of: body)
  }

  private var reports: [String: String] { ["EARSHOT_REPORT": folder.path] }

  /// A test in which ann misses two words when her power fails, whatever else befalls the world.
  private static func talk(in world: World) async throws {
    let (ann, bob) = (world.makeHost("ann"), world.makeHost("b<b"))
    bob.addTask("talk") {
      for word in 0..<9 {
        try await bob.sleep(for: .seconds(1))
        world.note(bob, kind: "word", "\(word)")
      }
    }
    world.execute(
      FaultPlan([
        Fault(at: .milliseconds(1_500), .cut(.between("ann", and: "b<b")), lasting: .seconds(2)),
        Fault(at: .seconds(2), .crash("ann"), lasting: .seconds(30)),
        Fault(at: .seconds(3), .hosts(["b<b"], .slow(every: .milliseconds(10)))),
      ]))
    world.run(for: .seconds(6))
    #expect(ann.isUp || world.seed == 3)
    world.run(for: .seconds(4))
  }

  /// The folder of the run that has failed.
  private func place(of function: String = #function) -> URL {
    folder.appending(path: "RunFilesTests.\(function.prefix { $0 != "(" })-seed-4")
  }

  private func text(_ name: String, of function: String = #function) throws -> String {
    try String(contentsOf: place(of: function).appending(path: name), encoding: .utf8)
  }

  @Test("A page shows the failure, what led to it, the hosts and the faults of the reduced run")
  func page() async throws {
    let issues = try await issues(reports) { try await Self.talk(in: $0) }
    try #require(issues.count == 1)
    let page = try text("report.html")
    #expect(page.contains("<h1>EarshotTestingTests.RunFilesTests/page</h1>"))
    #expect(page.contains("did not hold</strong> seed 4"))
    #expect(page.contains("<p>Reduced to 1 of 3 faults.</p>"))
    #expect(page.contains("✗ 1 at 6 s") && page.contains("RunFilesTests.swift:"))
    #expect(page.contains("1s  b&lt;b  notes: word 0\n") && page.contains("2s  ann  fault: crash"))
    let words = "<td>0</td><td>0</td><td>0</td><td>9</td><td>9</td><td>9</td>"
    #expect(page.contains("<td>b&lt;b</td><td>running</td>\(words)"))
    #expect(page.contains("<td>2</td><td>2.001</td><td>crash of ann</td>"))
    #expect(!page.contains("slowness") && !page.contains("<h2>Pairs"))
    #expect(page.contains("EARSHOT_REPRO="))
  }

  /// Hears what comes, and does nothing.
  private final class Listener: DatagramHandler {
    func datagramSocket(
      _ socket: any DatagramSocket, received bytes: Span<UInt8>, _ header: DatagramHeader
    ) {}

    func datagramSocket(_ socket: any DatagramSocket, failed error: NetworkError) {}
  }

  @Test("The page counts the packets that each host sent, received, and was not to receive")
  func counts() async throws {
    _ = try await issues(reports, seeds: [4]) { world in
      let (ann, bob) = (world.makeHost("ann"), world.makeHost("bob"))
      let (from, to) = (Endpoint(.anyV4, port: 7_000), Endpoint(.anyV4, port: 7_100))
      let options = DatagramOptions()
      let socket = try ann.openDatagramSocket(on: from, options: options, handler: Listener())
      let other = try bob.openDatagramSocket(on: to, options: options, handler: Listener())
      for number in 0..<5 {
        if number == 3 { world.cut(ann, to: bob) }
        try socket.send([1].span, to: Endpoint(bob.address, port: to.port), on: nil)
        world.run(for: .seconds(1))
      }
      withExtendedLifetime(other) { #expect(world.seed != 4) }
    }
    let page = try text("report.html")
    #expect(page.contains("<td>ann</td><td>running</td><td>5</td><td>0</td><td>0</td>"))
    #expect(page.contains("<td>bob</td><td>running</td><td>0</td><td>3</td><td>2</td>"))
  }

  @Test("A capture and a trace for Perfetto are there, and the comment has all paths")
  func others() async throws {
    let issues = try await issues(reports) { try await Self.talk(in: $0) }
    let comment = try #require(issues.first?.comments.last?.rawValue)
    #expect(
      comment.hasPrefix(
        "Files of the run in \(place().path): report.html, packets.pcapng, trace.perfetto, repro.json."
      ))
    let packets = try Data(contentsOf: place().appending(path: "packets.pcapng"))
    #expect(packets.prefix(4) == Data([0x0A, 0x0D, 0x0D, 0x0A]))
    let trace = try Data(contentsOf: place().appending(path: "trace.perfetto"))
    #expect(trace.contains(Data("crash of ann".utf8)) || trace.contains(Data("crashed".utf8)))
  }

  @Test("The file of a run repeats it: the same faults, and the same trace")
  func repeated() async throws {
    _ = try await issues(reports) { try await Self.talk(in: $0) }
    let plans = Mutex<[[Fault]]>([])
    let seeds = Mutex<[UInt64]>([])
    let repro = place().appending(path: "repro.json").path
    let issues = try await issues(["EARSHOT_REPRO": repro]) { world in
      seeds.withLock { $0.append(world.seed) }
      try await Self.talk(in: world)
      plans.withLock { $0.append(world.executedPlans.flatMap(\.faults)) }
    }
    let comments = issues.flatMap { $0.comments.map(\.rawValue) }
    #expect(seeds.withLock(\.self) == [4, 4])
    let last = plans.withLock { $0.last }
    #expect(last?.map(\.kind.description) == ["crash of ann"])
    #expect(last?.first?.lasting?.nanoseconds ?? 0 < 10_000_000_000)
    #expect(issues.count == 1 && comments.contains("This is the run of \(repro)."), "\(comments)")
    #expect(comments.contains { $0.contains("fault: crash") })
  }

  @Test("The file of a run without some hosts repeats it without them")
  func fewerHosts() async throws {
    let made = Mutex<[[String]]>([])
    let body: @Sendable (World) async throws -> Void = { world in
      let hosts = world.makeHosts(["ann", "bob", "cy", "dee"], atLeast: 1)
      made.withLock { $0.append(hosts.map(\.name)) }
      world.execute(
        FaultPlan([
          Fault(at: .seconds(1), .hosts(["bob", "cy"], .freeze)),
          Fault(at: .seconds(2), .crash("cy", "dee")),
        ]))
      world.run(for: .seconds(3))
      #expect(world.hosts.allSatisfy { $0.isUp || $0.name != "cy" })
    }
    _ = try await issues(reports, body)
    made.withLock { $0 = [] }
    let place = folder.appending(path: "RunFilesTests.fewerHosts-seed-3")
    let repro = place.appending(path: "repro.json").path
    let issues = try await issues(["EARSHOT_REPRO": repro], body)
    let comments = issues.flatMap { $0.comments.map(\.rawValue) }
    #expect(made.withLock { $0.last } == ["cy"])
    #expect(issues.count == 1 && comments.contains("This is the run of \(repro)."), "\(comments)")
  }

  @Test("A run that has changed since says so, and passes with a warning where it does not fail")
  func changed() async throws {
    _ = try await issues(reports) { try await Self.talk(in: $0) }
    let repro = ["EARSHOT_REPRO": place().appending(path: "repro.json").path]
    let failing = try await issues(repro) { world in
      world.note(nil, kind: "new", "line")
      try await Self.talk(in: world)
    }
    let comment = failing.first?.comments.map(\.rawValue).first { $0.hasPrefix("This is another") }
    #expect(failing.count == 1 && comment?.contains("the test or its code has changed") == true)
    let passing = try await issues(repro) { world in
      let ann = world.makeHost("ann")
      world.makeHost("b<b")
      world.execute(
        FaultPlan([
          Fault(at: .milliseconds(1_500), .heal), Fault(at: .seconds(2), .crash("ann")),
        ]))
      world.run(for: .seconds(1))
      #expect(ann.isUp)
    }
    #expect(passing.map(\.severity) == [.warning])
    #expect(passing.first?.comments.first?.rawValue.hasPrefix("This is another run") == true)
  }

  @Test("The file of a run whose faults the test no longer has is an issue that says so")
  func otherFaults() async throws {
    _ = try await issues(reports) { try await Self.talk(in: $0) }
    let repro = place().appending(path: "repro.json").path
    let issues = try await issues(["EARSHOT_REPRO": repro]) { world in
      world.makeHost("ann")
      world.execute(FaultPlan([Fault(at: .seconds(9), .crash("ann"))]))
    }
    let error = issues.first?.error.map { "\($0)" } ?? ""
    #expect(error.hasPrefix("EARSHOT_REPRO: \(repro) has faults that the test does not carry out"))
    #expect(error.contains("EARSHOT_SEED=4 swift test"))
  }

  @Test("The file of another test runs nothing, and the issue has the command of that test")
  func otherTest() async throws {
    _ = try await issues(reports) { try await Self.talk(in: $0) }
    let file = place().appending(path: "repro.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let other = text.replacing("RunFilesTests/otherTest", with: "RunFilesTests/another")
    try other.write(to: file, atomically: true, encoding: .utf8)
    let issues = try await issues(["EARSHOT_REPRO": file.path]) { _ in
      Issue.record("runs")
    }
    let error = issues.first?.error.map { "\($0)" } ?? ""
    #expect(
      issues.count == 1
        && error.contains("is of the test EarshotTestingTests.RunFilesTests/another"))
    #expect(error.contains("swift test --filter 'EarshotTestingTests.RunFilesTests/another'"))
  }

  @Test(
    "A file that is missing or none of a run is an error that names it", arguments: [true, false])
  func badFile(isMissing: Bool) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "repro.json")
    if !isMissing { try "[]".write(to: file, atomically: true, encoding: .utf8) }
    let error = await #expect(throws: (any Error).self) {
      try await issues(["EARSHOT_REPRO": file.path]) { _ in Issue.record("runs") }
    }
    let reason = isMissing ? "No such file or directory" : "it is not a file of a run"
    let text = String(describing: error)
    #expect(text.contains("EARSHOT_REPRO: \(file.path) cannot be used: \(reason)"), "\(text)")
  }

  @Test("A folder that cannot be written is an issue, and the failure is reported all the same")
  func unwritable() async throws {
    try "a file".write(to: folder, atomically: true, encoding: .utf8)
    let issues = try await issues(reports) { try await Self.talk(in: $0) }
    let texts = issues.map { "\($0.error.map { "\($0)" } ?? "expectation")" }
    #expect(texts.count == 2 && texts.contains("expectation"))
    let text = texts.first { $0 != "expectation" } ?? ""
    #expect(text.contains("Set EARSHOT_REPORT to a folder that can."), "\(text)")
    #expect(text.contains(folder.path) && text.contains("Not a directory"), "\(text)")
  }

  @Test(
    "Without a folder nothing is written, and no further run is made",
    .disabled(
      if: CommandLine.arguments.contains("--attachments-path"),
      "attachments are kept, which need a run"))
  func noFolder() async throws {
    let runs = Mutex(0)
    _ = try await issues([:], seeds: [3]) { world in
      runs.withLock { $0 += 1 }
      #expect(world.seed != 3)
    }
    #expect(runs.withLock { $0 } == 2)
  }

  @Test("Cases of one test that fail with one seed have folders of their own")
  func cases() async throws {
    for _ in 0..<2 { _ = try await issues(reports) { try await Self.talk(in: $0) } }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["RunFilesTests.cases-seed-4", "RunFilesTests.cases-seed-4-2"])
  }

  @Test("The events around a failure in the middle of a long run are on its page")
  func longRun() async throws {
    _ = try await issues(reports) { world in
      world.makeHost("ann")
      for event in 0..<60_000 {
        world.at(.zero + .milliseconds(event)) { world.note(nil, kind: "tick", "\(event)") }
      }
      world.run(for: .seconds(30))
      #expect(world.seed != 4)
      world.run(for: .seconds(40))
    }
    let page = try text("report.html")
    #expect(page.contains("\"29999\"") && page.contains("\"59999\""))
    #expect(!page.contains("\"45000\""))
  }
}
