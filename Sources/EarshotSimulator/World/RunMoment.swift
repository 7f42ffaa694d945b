/// A moment of a run, between two of its events.
package struct RunMoment: Hashable, Sendable {
  /// The virtual time.
  package var time: Instant
  /// The number of events before it.
  package let eventCount: Int
  /// The number of the event that is being handled; `nil` outside of events.
  package let handledEvent: Int?
  /// The host whose code runs; `nil` outside of hosts.
  package var host: String?

  /// A moment.
  package init(
    time: Instant, eventCount: Int, handledEvent: Int? = nil, host: String? = nil
  ) {
    (self.time, self.eventCount) = (time, eventCount)
    (self.handledEvent, self.host) = (handledEvent, host)
  }
}

extension World {
  /// The present moment; `nil` on a thread that does not drive the world while another one does.
  package var moment: RunMoment? {
    guard scheduler.isReadable else { return nil }
    return RunMoment(
      time: now, eventCount: eventCount, handledEvent: scheduler.isOpen ? handledEvent : nil,
      host: scheduler.runningHost?.name)
  }
}
