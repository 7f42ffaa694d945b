#if os(Linux) || os(Android)
  import CEarshot

  /// Asks the system what is ready: epoll, level-triggered, with a timer and a wake-up among the descriptors.
  final class Poller {
    private let poll: Int32
    private let wakeUp: Int32
    private let alarm: Int32
    private var alarmTime = Int64.max
    // Without the dynamic checks of exclusivity: no access lasts while a source is told.
    @exclusivity(unchecked) private var sources = SourceTable()
    /// How often a source was told that something is the matter.
    private(set) var toldCount = 0
    @exclusivity(unchecked) private var ready = [earshot_readiness](
      repeating: earshot_readiness(), count: Poller.batchMax)

    private static let batchMax = 256
    private static let wakeUpToken = UInt64.max
    private static let alarmToken = UInt64.max - 1

    init() throws(SystemFailure) {
      var opened: [Int32] = []
      do throws(SystemFailure) {
        for open in [earshot_poll_open, earshot_wake_up_open, earshot_alarm_open] {
          opened.append(try System.check(open))
        }
        for (descriptor, token) in [(opened[1], Self.wakeUpToken), (opened[2], Self.alarmToken)] {
          try System.check { earshot_poll_add(opened[0], descriptor, earshot_readable, token) }
        }
      } catch {
        for descriptor in opened { System.close(descriptor) }
        throw error
      }
      (poll, wakeUp, alarm) = (opened[0], opened[1], opened[2])
    }

    deinit { for descriptor in [alarm, wakeUp, poll] { System.close(descriptor) } }

    /// Ends a wait, from any thread.
    func wake() { earshot_wake(wakeUp) }

    func add(
      _ descriptor: Int32, _ interest: Interest, _ source: any EventSource
    ) throws(SystemFailure) {
      let token = sources.insert(source, at: descriptor)
      do throws(SystemFailure) {
        try System.check { earshot_poll_add(poll, descriptor, Self.events(interest), token) }
      } catch {
        sources.remove(descriptor)
        throw error
      }
    }

    func change(_ descriptor: Int32, to interest: Interest) {
      earshot_poll_change(
        poll, descriptor, Self.events(interest), sources.token(of: descriptor))
    }

    func remove(_ descriptor: Int32) {
      sources.remove(descriptor)
      earshot_poll_remove(poll, descriptor)
    }

    func removeAll() { sources.removeAll() }

    /// Tells the sources what is ready, waiting for it up to a time on the loop's clock.
    ///
    /// - Parameter deadline: Until when to wait; `nil` is not at all.
    func poll(until deadline: Int64?) {
      if let deadline, deadline < alarmTime { setAlarm(deadline) }
      let count = earshot_poll_wait(
        poll, &ready, Int32(Self.batchMax), deadline == nil ? 0 : -1)
      guard count > 0 else { return }  // Nothing, or interrupted by a signal: the loop asks again.
      for index in 0..<Int(count) { tell(ready[index]) }
    }

    private func tell(_ entry: earshot_readiness) {
      switch entry.token {
      case Self.wakeUpToken: earshot_quiet(wakeUp)
      case Self.alarmToken:
        earshot_quiet(alarm)
        alarmTime = .max
      default:
        toldCount += 1
        sources.source(of: entry.token)?.ready(Self.readiness(entry.events))
      }
    }

    /// A deadline that moves away leaves the alarm alone: it then comes for nothing.
    private func setAlarm(_ time: Int64) {
      alarmTime = time
      earshot_alarm_set(alarm, time)
    }

    private static func events(_ interest: Interest) -> UInt32 {
      (interest.contains(.reading) ? earshot_readable : 0)
        | (interest.contains(.writing) ? earshot_writable : 0)
    }

    private static func readiness(_ events: UInt32) -> Readiness {
      var readiness: Readiness = []
      if events & earshot_readable != 0 { readiness.insert(.readable) }
      if events & earshot_writable != 0 { readiness.insert(.writable) }
      if events & earshot_over != 0 {
        readiness.insert(.over)
      }
      return readiness
    }
  }
#endif
