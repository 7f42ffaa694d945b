/// What the engine knows of a timer.
///
/// A deadline that moves away leaves the timer's one event where it is; the event finds the new deadline
/// when it comes, and goes on to it.
struct TimerRecord {
  /// Not retained: a timer takes its record away when it is released.
  var timer: Unmanaged<EngineTimer>?
  var deadline = Int64.max
  /// The place among events of the same instant, taken when the timer was armed.
  var armSequence: UInt64 = 0
  /// The event that is under way for this timer, 0 for none.
  var eventSequence: UInt64 = 0
  var eventTime = Int64.max
  var isArmed = false
}

/// Whoever has a timer record: a host's timer, or a kernel's.
///
/// Sendable as its engine is: one thread drives both.
class EngineTimer: @unchecked Sendable {
  let engine: Engine
  private var index = 0

  init(_ engine: Engine) {
    self.engine = engine
    index = engine.addTimer(self)
  }

  deinit { engine.removeTimer(index) }

  final func setDeadline(_ time: Int64) { engine.arm(index, at: time) }

  final func clearDeadline() { engine.disarm(index) }

  /// The deadline has come.
  func fall() { preconditionFailure("a timer that does nothing") }
}

/// A timer of a host's kernel, which goes on while the host's code stands still.
final class KernelTimer: EngineTimer, @unchecked Sendable {
  private let fire: () -> Void

  init(_ engine: Engine, _ fire: @escaping () -> Void) {
    self.fire = fire
    super.init(engine)
  }

  func arm(at time: Int64) { setDeadline(time) }

  func disarm() { clearDeadline() }

  override func fall() { fire() }
}

extension Engine {
  func addTimer(_ timer: EngineTimer) -> Int {
    let index = timers.take(orAppend: TimerRecord())
    timers[index] = TimerRecord(timer: .passUnretained(timer))
    return index
  }

  func removeTimer(_ index: Int) {
    timers[index] = TimerRecord()
    timers.recycle(index)
  }

  func arm(_ index: Int, at deadline: Int64) {
    let time = max(deadline, now)
    let sequence = takeSequence()
    timers[index].deadline = time
    timers[index].armSequence = sequence
    timers[index].isArmed = true
    if timers[index].eventSequence == 0 || timers[index].eventTime > time {
      pushTimer(index)
    }
  }

  func disarm(_ index: Int) { timers[index].isArmed = false }

  func fireTimer(_ index: Int, _ key: EventKey) {
    guard timers[index].eventSequence == key.sequence else { return }
    timers[index].eventSequence = 0
    guard timers[index].isArmed, let timer = timers[index].timer else { return }
    guard timers[index].armSequence == key.sequence else { return pushTimer(index) }
    now = key.time
    timers[index].isArmed = false
    timer.takeUnretainedValue().fall()
  }

  private func pushTimer(_ index: Int) {
    let (time, sequence) = (timers[index].deadline, timers[index].armSequence)
    timers[index].eventSequence = sequence
    timers[index].eventTime = time
    queue.push(
      EventKey(time: time, sequence: sequence, slot: EventSlot(.timer, index)))
  }
}
