import EarshotCommandLine
import EarshotScenario
import Foundation
import Testing

@Suite("Processes that run scenarios", .timeLimit(.minutes(30)))
struct RunProcessTests {
  private static let text = """
    { name: "hello", duration: "3s",
      peers: ["ann", { name: "bob", invite: "ann", send: { count: 3 } }],
      expect: [{ event: "bob sees ann joined", by: "2s" }] }
    """

  /// The program beside the tests.
  private static let program = (Bundle.main.executableURL ?? URL(fileURLWithPath: "."))
    .deletingLastPathComponent().appendingPathComponent("earshot")

  private func order(_ seed: UInt64, as form: ReportForm = .plain) throws -> RunOrder {
    RunOrder(
      scenario: try Scenario(json5: Self.text, file: "a.json5"), file: "a.json5", text: Self.text,
      seed: seed, isRepeated: true, form: form)
  }

  @Test(
    "Find what a run in this process finds", arguments: [ReportForm.none, .plain, .coloured, .json])
  func same(form: ReportForm) throws {
    let engine = Engine.processes(of: Self.program)
    for seed in [1, 2, .max] as [UInt64] {
      let timeless = { (result: RunResult) in
        var result = result
        result.report.replace(/in [0-9.]+ s of processor/, with: "")
        result.report.replace(/"cpuSeconds":[0-9.]+/, with: "")
        return result
      }
      let (there, here) = (
        engine.run(try order(seed, as: form)), Engine.simulated.run(try order(seed, as: form))
      )
      #expect(timeless(there) == timeless(here))
      #expect(here.ending == .held)
    }
  }

  /// A program of a few lines of shell that takes the place of `earshot`.
  private func engine(_ script: String, in folder: Folder) throws -> Engine {
    let path = try folder.file("program", "#!/bin/sh\n\(script)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return .processes(of: URL(fileURLWithPath: path))
  }

  @Test("A crash is the end of one run, and says why")
  func crash() throws {
    let folder = try Folder()
    let engine = try engine(
      "read order; echo Core/Machine.swift:7: Fatal error: no such state >&2; echo more", in: folder
    )
    for seed in [3, 4] as [UInt64] {
      let result = engine.run(try order(seed))
      #expect(result.ending == .crashed)
      #expect(
        result.violations.map(\.text) == [
          "the program crashed: Core/Machine.swift:7: Fatal error: no such state"
        ])
      #expect(result.report.hasPrefix("hello\n\n✗ the program crashed: Core/"))
      #expect(result.report.hasSuffix("\nreplay: earshot simulate a.json5 --seed \(seed)\n"))
    }
    let object = try JSONSerialization.jsonObject(
      with: Data(engine.run(try order(5, as: .json)).report.utf8))
    let crash = try #require(object as? [String: Any])
    #expect(crash["seed"] as? String == "5")
    #expect(crash["exitCode"] as? Int == 3)
    #expect(crash["crash"] as? String == "Core/Machine.swift:7: Fatal error: no such state")
    #expect(engine.run(try order(5, as: .none)).report.isEmpty)
  }

  @Test("A process that ends without a word, or never begins, is a crash as well")
  func silence() throws {
    let folder = try Folder()
    let silent = try engine("read order", in: folder).run(try order(1))
    #expect(
      silent.violations.map(\.observed) == [
        "it ended without a message; a debug build reports more"
      ])
    let deaf = try engine("exec 0<&-; sleep 0.2", in: folder)
    #expect(deaf.run(try order(1)).ending == .crashed)
    let missing = Engine.processes(of: URL(fileURLWithPath: "\(folder.path)/none"))
    let result = missing.run(try order(1))
    #expect(result.ending == .crashed)
    #expect(result.violations[0].observed.hasPrefix("no process can be started: "))
  }

  @Test("What is cancelled ends, also a run that begins afterwards")
  func cancel() async throws {
    let folder = try Folder()
    let engine = try engine("read order; touch '\(folder.path)/busy'; exec sleep 600", in: folder)
    let order = try order(1)
    let busy = "\(folder.path)/busy"
    let thread = Thread {
      while !FileManager.default.fileExists(atPath: busy) {
        Thread.sleep(forTimeInterval: 0.01)
      }
      engine.cancel()
    }
    thread.start()
    #expect(engine.run(order).ending == .crashed)
    #expect(engine.run(order).ending == .crashed)
  }

  @Test("One that serves runs each order by the text that comes with it")
  func serving() throws {
    let (orders, results) = (Pipe(), Pipe())
    let hungUp = StopSignal()
    let other = Self.text.replacing("bob sees ann joined", with: "bob sees ann left")
    let input = orders.fileHandleForReading.fileDescriptor
    let output = results.fileHandleForWriting
    Thread {
      var server = RunServer(.simulated)
      server.serve(from: input, to: output.fileDescriptor) { hungUp.give() }
      try? output.close()
    }.start()
    var lines = DescriptorLines(results.fileHandleForReading.fileDescriptor)
    for (seed, text) in [(7, Self.text), (8, Self.text), (8, other)] {
      let order = """
        {"file":"a.json5","text":\(text.quotedForJSON),"seed":\(seed),"isRepeated":false,"form":"none","isBuggified":false,\
        "settings":[]}
        """
      let line = Array("\u{1E}\(order.replacing("\n", with: " "))\n".utf8)
      #expect(line.write(to: orders.fileHandleForWriting.fileDescriptor) == 0)
      let next = lines.next()
      let answer = try #require(next)
      let result = try JSONDecoder().decode(RunResult.self, from: Data(answer.dropFirst()))
      #expect(result.ending == (text == other ? .violated : .held))
      #expect(result.violations.map(\.observed) == (text == other ? ["never"] : []))
    }
    #expect(!hungUp.isGiven)
    try orders.fileHandleForWriting.close()
    let end = lines.next()
    #expect(end == nil)
    withExtendedLifetime((orders, results)) {}
  }

  @Test("One that serves ends when nobody is left to order, and refuses what is no order")
  func server() throws {
    let (orders, results) = (Pipe(), Pipe())
    try orders.fileHandleForWriting.write(contentsOf: Data("nonsense\n".utf8))
    let hangUp = DispatchSemaphore(value: 0)
    var server = RunServer(.simulated)
    server.serve(
      from: orders.fileHandleForReading.fileDescriptor,
      to: results.fileHandleForWriting.fileDescriptor
    ) { hangUp.signal() }
    try orders.fileHandleForWriting.close()
    hangUp.wait()
    try results.fileHandleForWriting.close()
    #expect(try results.fileHandleForReading.readToEnd()?.isEmpty ?? true)
  }
}
