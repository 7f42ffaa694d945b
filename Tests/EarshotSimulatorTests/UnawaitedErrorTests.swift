import EarshotSimulator
import Testing

/// Errors of tasks that nobody asks for.
@Suite("Errors that nobody awaits")
struct UnawaitedErrorTests {
  private struct Refusal: Error, Equatable { var number = 0 }

  /// The ways in which a program treats a task that fails after a second.
  enum Way: CaseIterable {
    case dropped, kept, looksTooEarly
    case asksForValue, asksForResult, waits, waitsLate
    case cancels, crashes

    var isReported: Bool { [.dropped, .kept, .looksTooEarly].contains(self) }
  }

  @Test(
    "An error is reported unless someone asks for it, at any time, or the task was cancelled, or its host is gone",
    arguments: Way.allCases)
  func ways(way: Way) throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let task = ann.addTask("send") { () async throws -> Int in
      do { try await ann.sleep(for: .seconds(1)) } catch { throw Refusal(number: 2) }
      throw Refusal(number: 1)
    }
    if way == .waits { ann.addTask("wait") { _ = try? await task.wait() } }
    if way == .looksTooEarly {
      #expect(task.result == nil)
      #expect(throws: UnfinishedTask.self) { try task.value }
    }
    world.run(for: .milliseconds(500))
    if way == .cancels { task.cancel() }
    if way == .crashes { world.crash(ann) }
    world.run(for: .seconds(1))
    if way == .waitsLate {
      let before = world.unawaitedErrors.count
      ann.addTask("wait") { _ = try? await task.wait() }
      world.run(for: .seconds(1))
      #expect(before == 1)
    }
    if way == .asksForValue { #expect(throws: Refusal(number: 1)) { try task.value } }
    if way == .asksForResult { #expect(task.result != nil) }
    let errors = world.unawaitedErrors
    guard way.isReported else { return #expect(errors.isEmpty) }
    let error = try #require(errors.first)
    #expect(errors.count == 1 && error.task == "send" && error.host == "ann")
    #expect(error.time == .zero + .seconds(1) && error.error as? Refusal == Refusal(number: 1))
    #expect("\(error)".hasPrefix("task 'send' of host 'ann' ended at 1.000000 with an error"))
  }

  @Test("The errors are in the order of their ends, and the first hundred that nobody asked for")
  func bounded() {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let tasks = (0..<250).map { number in
      ann.addTask("\(number)") { () async throws -> Int in
        try await ann.sleep(for: .milliseconds(number))
        throw Refusal(number: number)
      }
    }
    world.run(for: .milliseconds(50))
    for task in tasks.prefix(40) { _ = task.result }
    world.run(for: .seconds(1))
    let numbers = world.unawaitedErrors.compactMap { ($0.error as? Refusal)?.number }
    #expect(numbers == Array(40..<140))
  }

  @Test("A task that has no result says what ended another one")
  func cause() throws {
    let world = World(seed: 1)
    defer { world.finish() }
    let ann = world.makeHost("ann")
    let waiting = ann.addTask("wait") { try await ann.sleep(for: .seconds(100)) }
    ann.addTask("send") { throw Refusal() }
    world.run(for: .seconds(1))
    let error = #expect(throws: UnfinishedTask.self) { try waiting.value }
    #expect(error?.unawaitedErrors.map(\.task) == ["send"])
    #expect(try #require(error).description.contains("; task 'send' of host 'ann' ended at"))
  }

  @Test("The end of the world writes the errors to the standard error, with the seed")
  func endOfWorld() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let world = World(seed: 4_711)
      let ann = world.makeHost("ann")
      for name in ["send", "read"] { ann.addTask(name) { throw Refusal() } }
      ann.addTask("sleep") { try await ann.sleep(for: .seconds(100)) }
      let awaited = ann.addTask("awaited") { throw Refusal() }
      world.run(for: .seconds(1))
      _ = awaited.result
      world.finish()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n")
    try #require(lines.count == 3)
    #expect(lines[0].hasPrefix("task 'send' of host 'ann' ended"))
    #expect(lines[1].hasPrefix("task 'read' of host 'ann' ended"))
    #expect(lines[2].contains("4711"))
  }

  @Test("A run over seeds fails by an error that nobody awaits")
  func seeds() {
    let failure = #expect(throws: SeedFailure.self) {
      try World.run(seeds: 0..<10) { world in
        let ann = world.makeHost("ann")
        ann.addTask("fail") { if world.seed == 3 { throw Refusal() } }
        world.run(for: .seconds(1))
      }
    }
    #expect(failure?.seed == 3 && (failure?.error as? UnawaitedError)?.task == "fail")
  }
}
