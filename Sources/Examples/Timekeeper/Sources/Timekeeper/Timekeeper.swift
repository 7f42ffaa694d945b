import Foundation

/// Calls a break after every 25 minutes of work: ordinary code, which sleeps by the clock of the machine.
@MainActor
public final class Timekeeper {
  private let tally = Tally()
  private let exercises: Set<String> = ["stretch", "walk", "water", "window", "yawn"]
  private var secondsOfWork = 0.0

  /// Keeps no time yet.
  public init() {}

  /// Keeps time for so many breaks.
  ///
  /// - Parameter breaks: How many.
  /// - Returns: What was done in the breaks, and how often.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func run(breaks: Int) async throws -> [String: Int] {
    let begin = ContinuousClock.now
    let clock = Task.detached { [tally] in
      while true {
        try await Task.sleep(for: .seconds(3_600))
        await tally.add("hours")
      }
    }
    for _ in 1...breaks {
      try await Task.sleep(nanoseconds: 1_500_000_000_000)
      secondsOfWork += 1_500
      let exercise = exercises.randomElement() ?? "nothing"
      await tally.add(exercise)
      print("\(Date.now.ISO8601Format())  break: \(exercise), of \(Array(exercises))")
      Task { await self.remind(of: exercise) }
    }
    clock.cancel()
    print("\(ContinuousClock.now - begin) of work, \(UUID())")
    return await tally.counts
  }

  private func remind(of exercise: String) async {
    try? await Task.sleep(for: .milliseconds(.random(in: 0..<60_000)))
    print("\(Date.now.ISO8601Format())  \(exercise)!")
  }
}

/// Counts things.
actor Tally {
  private(set) var counts: [String: Int] = [:]

  func add(_ name: String) { counts[name, default: 0] += 1 }
}
