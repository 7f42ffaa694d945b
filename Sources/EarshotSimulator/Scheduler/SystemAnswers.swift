import CEarshotSimulator
import EarshotCore

/// Time and chance of the system, as the world answers for them on the thread that drives it.
///
/// What code reads there of the clocks and of the random numbers of the system (`Date()`, `ContinuousClock`, `Int.random`,
/// `UUID()`) is a function of the seed. Other threads get what the system says.
enum SystemAnswers {
  private static let installation: Void = {
    var answers = earshot_system_answers(
      now: { context in scheduler(context) { $0.systemTime } ?? 0 },
      draw: { context, start, count in
        let bytes = UnsafeMutableBufferPointer(start: start, count: Int(clamping: count))
        scheduler(context) { $0.drawForSystem(into: bytes) }
      },
      stuck: { context in scheduler(context) { $0.trapSpinning() } })
    earshot_system_install(&answers)
  }()

  private static func scheduler<Result>(
    _ context: UnsafeRawPointer?, _ body: (Scheduler) -> Result
  ) -> Result? {
    guard let context else { return nil }
    return Unmanaged<Scheduler>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
  }

  /// Has the calling thread get its answers from a world.
  ///
  /// - Returns: What it had before, for ``end(_:)``.
  static func begin(with scheduler: Scheduler) -> UnsafeRawPointer? {
    installation
    return earshot_system_answer(Unmanaged.passUnretained(scheduler).toOpaque())
  }

  /// Has the calling thread get its answers from the system.
  ///
  /// - Returns: What it had before, for ``end(_:)``.
  static func pause() -> UnsafeRawPointer? { earshot_system_answer(nil) }

  /// Ends what has begun.
  static func end(_ outer: UnsafeRawPointer?) { _ = earshot_system_answer(outer) }
}

/// The random numbers that code of a host, or of the world itself, draws from the system.
final class SystemChance {
  private var stream: RandomStream

  init(_ stream: RandomStream) { self.stream = stream }

  func fill(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    var start = 0
    while start < bytes.count {
      var word = stream.next()
      for index in start..<min(start + 8, bytes.count) {
        bytes[index] = UInt8(truncatingIfNeeded: word)
        word >>= 8
      }
      start += 8
    }
  }
}

extension Scheduler {
  /// The nanoseconds that clocks of the system show: those of the clock of the host whose code runs.
  var systemTime: Int64 { systemHost?.now ?? now }

  /// Draws random numbers as the system would: each host has its own, and so has the world.
  func drawForSystem(into bytes: UnsafeMutableBufferPointer<UInt8>) {
    (systemHost?.chance ?? chance).fill(bytes)
  }
}
