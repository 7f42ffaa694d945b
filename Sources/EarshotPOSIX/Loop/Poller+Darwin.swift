#if canImport(Darwin)
  import Darwin

  /// Asks the system what is ready: kqueue, level-triggered, with a wake-up among the events.
  final class Poller {
    private let queue: Int32
    private var sources = SourceTable()
    /// How often a source was told that something is the matter.
    private(set) var toldCount = 0
    private var interests: [Int32: Interest] = [:]
    private var ready = [kevent64_s](repeating: kevent64_s(), count: Poller.batchMax)

    private static let batchMax = 256
    private static let wakeUpToken = UInt64.max

    init() throws(SystemFailure) {
      queue = try System.check { kqueue() }
      var event = Self.event(UInt64(0), EVFILT_USER, EV_ADD | EV_CLEAR, Self.wakeUpToken)
      do throws(SystemFailure) {
        try System.check { kevent64(queue, &event, 1, nil, 0, 0, nil) }
      } catch {
        System.close(queue)
        throw error
      }
    }

    deinit { System.close(queue) }

    /// Ends a wait, from any thread.
    func wake() {
      var event = Self.event(UInt64(0), EVFILT_USER, 0, Self.wakeUpToken)
      event.fflags = UInt32(NOTE_TRIGGER)
      kevent64(queue, &event, 1, nil, 0, 0, nil)
    }

    func add(
      _ descriptor: Int32, _ interest: Interest, _ source: any EventSource
    ) throws(SystemFailure) {
      _ = sources.insert(source, at: descriptor)
      interests[descriptor] = []
      do throws(SystemFailure) {
        try apply(interest, to: descriptor)
      } catch {
        sources.remove(descriptor)
        throw error
      }
    }

    func change(_ descriptor: Int32, to interest: Interest) {
      // A descriptor that is there can be changed.
      try? apply(interest, to: descriptor)
    }

    func remove(_ descriptor: Int32) {
      try? apply([], to: descriptor)
      interests[descriptor] = nil
      sources.remove(descriptor)
    }

    func removeAll() { sources.removeAll() }

    /// Tells the sources what is ready, waiting for it up to a time on the loop's clock.
    ///
    /// - Parameter deadline: Until when to wait; `nil` is not at all.
    func poll(until deadline: Int64?) {
      let wait = deadline.map { max(0, min(max(0, $0) - System.now, 1 << 60)) } ?? 0
      var timeout = timespec(
        tv_sec: Int(wait / 1_000_000_000), tv_nsec: Int(wait % 1_000_000_000))
      let isEndless = deadline == .max
      let count = withUnsafePointer(to: &timeout) {
        kevent64(queue, nil, 0, &ready, Int32(Self.batchMax), 0, isEndless ? nil : $0)
      }
      guard count > 0 else { return }  // Nothing, or interrupted by a signal: the loop asks again.
      for index in 0..<Int(count) where ready[index].udata != Self.wakeUpToken {
        toldCount += 1
        sources.source(of: ready[index].udata)?.ready(Self.readiness(ready[index]))
      }
    }

    private func apply(_ interest: Interest, to descriptor: Int32) throws(SystemFailure) {
      let past = interests[descriptor] ?? []
      var changes: [kevent64_s] = []
      let token = sources.token(of: descriptor)
      for (kind, filter) in [(Interest.reading, EVFILT_READ), (.writing, EVFILT_WRITE)]
      where past.contains(kind) != interest.contains(kind) {
        let flags = interest.contains(kind) ? EV_ADD : EV_DELETE
        changes.append(Self.event(UInt64(descriptor), filter, flags, token))
      }
      interests[descriptor] = interest
      guard !changes.isEmpty else { return }
      try System.check { kevent64(queue, changes, Int32(changes.count), nil, 0, 0, nil) }
    }

    private static func event(
      _ identifier: UInt64, _ filter: Int32, _ flags: Int32, _ token: UInt64
    ) -> kevent64_s {
      var event = kevent64_s()
      (event.ident, event.udata) = (identifier, token)
      (event.filter, event.flags) = (Int16(filter), UInt16(flags))
      return event
    }

    private static func readiness(_ event: kevent64_s) -> Readiness {
      var readiness: Readiness = event.filter == Int16(EVFILT_READ) ? .readable : .writable
      let isOver = Int32(event.flags) & (EV_EOF | EV_ERROR) != 0
      if isOver, event.filter == Int16(EVFILT_WRITE) { readiness.insert(.over) }
      return readiness
    }
  }
#endif
