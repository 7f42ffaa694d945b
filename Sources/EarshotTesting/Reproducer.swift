import EarshotSimulator
import Foundation

/// A run of a test with one seed and the faults that a reduction has left, as a file.
struct Reproducer: Codable, Hashable, Sendable {
  /// A fault that is left of a plan.
  struct Fault: Codable, Hashable, Sendable {
    /// Its number in its plan.
    let id: Int
    /// How long it lasts in nanoseconds; `nil` for a fault without an end.
    let lasting: Int64?
  }
  /// The test, as `swift test --filter` takes it.
  let test: String
  let seed: UInt64
  /// The command that repeats the run.
  let replay: String
  /// The failure in words.
  let failure: String
  /// The faults and the choices of the schedule, in words.
  let left: [String]
  /// The faults of each plan that the test carries out.
  let plans: [[Fault]]
  let hosts: [String]
  let schedule: SchedulePolicy
  /// The hash of everything that happens in the run.
  let traceHash: String
  let eventCount: Int

  /// The variable of the environment that names the file of a run to repeat.
  static let variable = "EARSHOT_REPRO"

  /// The run of a plan.
  init(
    _ outcome: SeedRun.Outcome, _ plan: RunPlan, of test: TestName, failure: String, replay: String
  ) {
    (self.test, seed, self.replay, self.failure) = (test.filter, outcome.seed, replay, failure)
    left = "\(plan)".split(separator: "\n").map(String.init)
    plans = plan.plans.map { plan in
      plan.faults.map { Fault(id: $0.id, lasting: $0.lasting?.nanoseconds) }
    }
    (hosts, schedule) = (plan.hosts, plan.schedule)
    (traceHash, eventCount) = ("\(outcome.digest.hash)", outcome.digest.eventCount)
  }

  /// The reproducer that the environment asks for; `nil` for none.
  ///
  /// - Throws: ``ReproducerError`` for a file that cannot be read or is not a reproducer.
  static func requested(
    _ environment: [String: String]
  ) throws(ReproducerError) -> (path: String, run: Reproducer)? {
    guard let path = environment[variable], !path.isEmpty else { return nil }
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      return (path, try JSONDecoder().decode(Reproducer.self, from: data))
    } catch {
      throw ReproducerError(path, "cannot be used: \(error.reason)")
    }
  }

  /// The text of the file.
  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }

  /// The plan of the run.
  ///
  /// - Parameter whole: The plan of the seed's run before the reduction.
  /// - Returns: What is left of it; `nil` when the test carries out other faults today.
  func plan(of whole: RunPlan) -> RunPlan? {
    guard plans.count <= whole.plans.count, Set(hosts).isSubset(of: whole.hosts) else {
      return nil
    }
    let kept = whole.hosts.indices.filter { hosts.contains(whole.hosts[$0]) }
    var plan = whole.keeping(kept, of: .peers)
    plan.schedule = schedule
    plan.plans = zip(plans, plan.plans).map { left, plan in
      FaultPlan(
        left.compactMap { left in
          var fault = plan.faults.first { $0.id == left.id }
          fault?.lasting = left.lasting.map { .nanoseconds($0) }
          return fault
        })
    }
    return "\(plan)".split(separator: "\n").map(String.init) == left ? plan : nil
  }
}

/// A reproducer that does not fit.
struct ReproducerError: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ text: String) {
    description = "\(Reproducer.variable): \(path) \(text)"
  }
}

extension Error {
  /// Why a file could not be read or written, in a few words.
  var reason: String {
    let error = self as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    if let code = (cause as? POSIXError ?? self as? POSIXError)?.code {
      return String(cString: strerror(code.rawValue))
    }
    return self is DecodingError ? "it is not a file of a run (\(self))" : "\(self)"
  }
}
