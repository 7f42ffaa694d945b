import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator
import Synchronization
import Testing

/// The promise of the article “What calls do when”: a call that throws has changed nothing.
///
/// A call that was cancelled, or ended, while it was under way is taken back. Each world is
/// compared with one of the same seed in which the call is not made.
@Suite("A call that throws")
struct RefusedCallTests {
  @Test(
    "A call that throws at once has changed nothing",
    arguments: RefusedCall.all.filter { !$0.isUnderWay })
  func refused(row: RefusedCall) throws {
    let control = try Self.control(of: row)
    let run = try RefusedRun.play(row)
    #expect(run.result == row.code.name, "\(row)")
    for (picture, untouched) in [(run.soon, control.soon), (run.late, control.late)] {
      let differences = picture.differences(from: untouched, but: row.exempt)
      #expect(differences == [], "\(row)")
    }
  }

  @Test(
    "What a call has begun that is ended by something else is taken back, and the other side is told",
    arguments: RefusedCall.all.filter { $0.isUnderWay && $0.code != .cancelled })
  func ended(row: RefusedCall) throws {
    let run = try RefusedRun.play(row)
    #expect(run.result == row.code.name, "\(row)")
    Self.examine(run, row, try Self.control(of: row))
  }

  @Test(
    "What a call has begun is taken back whenever it is cancelled, and the other side is told",
    arguments: RefusedCall.all.filter { $0.code == .cancelled })
  func cancelled(row: RefusedCall) throws {
    let control = try Self.control(of: row)
    var count = 0
    for instant in 0..<Self.instantsMax {
      let run = try RefusedRun.play(row, cancelledAfter: instant)
      if run.hasEndedBefore { break }
      guard run.result == row.code.name else { continue }  // It was too late.
      count += 1
      Self.examine(run, row, control, "cancelled after \(instant) events")
    }
    #expect(count > 1, "\(row)")
  }

  @Test("Each kind of call succeeds afterwards in a world without a call that throws")
  func untouched() throws {
    let row = try #require(RefusedCall.all.first { !$0.isUnderWay && $0.situation == .ordinary })
    let facts = try Self.control(of: row).late.facts.filter { $0.key.hasPrefix("afterwards") }
    #expect(facts.count > 10)
    #expect(Set(facts.values) == ["done", "accepted", "verified", "2", "3", "62"])
  }

  private static func examine(
    _ run: RefusedRun, _ row: RefusedCall, _ control: RefusedRun, _ when: String = ""
  ) {
    for (picture, untouched) in [(run.soon, control.soon), (run.late, control.late)] {
      let remains = picture.remains(since: untouched, but: row.exempt)
      #expect(remains == [], "\(row) \(when)")
    }
  }

  /// A world in which the call is not made.
  private static func control(of row: RefusedCall) throws -> RefusedRun {
    let key = Control(
      situation: row.situation, meanwhile: row.meanwhile, isAccepting: row.isAccepting)
    if let known = controls.withLock({ $0[key] }) { return known }
    let run = try RefusedRun.play(row, isMade: false)
    controls.withLock { $0[key] = run }
    return run
  }

  private struct Control: Hashable {
    let situation: Situation
    let meanwhile: RefusedCall.Meanwhile?
    let isAccepting: Bool
  }
  private static let controls = Mutex<[Control: RefusedRun]>([:])
  private static let instantsMax = 40
}

/// The result of a call, and pictures of its world.
struct RefusedRun: Sendable {
  /// The code of the error of the call, or `returned`; `nil` if it has not ended.
  let result: String?
  /// Whether the call had ended before it was to be cancelled.
  let hasEndedBefore: Bool
  /// The pictures 15 seconds after the call, and after each kind of call was made.
  let soon, late: Picture

  /// Runs a world.
  ///
  /// - Parameters:
  ///   - row: The call, and the state in which it is made.
  ///   - isMade: Whether it is made.
  ///   - instant: The number of events after which it is cancelled; `nil` if it is not.
  /// - Returns: What came of it.
  /// - Throws: That the world could not be brought about.
  static func play(
    _ row: RefusedCall, isMade: Bool = true, cancelledAfter instant: Int? = nil
  ) throws -> RefusedRun {
    var configuration = WorldConfiguration(
      defaultLink: LinkConditions(latency: .milliseconds(5), jitter: .zero))
    configuration.isSecure = row.situation == .secured
    let world = World(seed: 1, configuration: configuration)
    defer { world.finish() }
    let hosts = ["ann", "bob", "cy"].map { world.makeHost($0) }
    func inWorld<Value: Sendable>(
      until instant: Instant, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
      let task = hosts[0].addTask("the script", body)
      world.run(until: instant)
      return try task.value
    }
    let cast = try inWorld(until: .zero + .seconds(20)) {
      let cast = try await Cast(world, hosts, row.situation)
      try await cast.enter(row.situation)
      return cast
    }
    let begun = world.now
    let call = hosts[0].addTask("the call") {
      guard isMade else { return "" }
      return await outcome {
        try await row.make(cast)
        return "returned"
      }
    }
    if let meanwhile = row.meanwhile {
      hosts[0].addTask("meanwhile") { try? await cast.perform(meanwhile) }
    }
    var hasEnded = false
    if let instant {
      var count = 0
      if instant > 0 {
        _ = world.run(
          until: {
            count += 1
            return count >= instant || call.result != nil
          }, within: .seconds(10))
      }
      hasEnded = call.result != nil
      call.cancel()
    }
    world.run(until: begun + .seconds(15))
    let soon = try inWorld(until: world.now) { await cast.picture() }
    hosts[0].addTask("the encore") { try? await cast.encore(isAccepting: row.isAccepting) }
    world.run(until: begun + .seconds(75))
    let late = try inWorld(until: world.now) { await cast.picture() }
    return RefusedRun(
      result: try? call.value, hasEndedBefore: hasEnded, soon: soon, late: late)
  }
}
