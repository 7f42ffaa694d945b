import EarshotCore
package import EarshotSimulator

/// The events of a run that are kept to picture it.
///
/// Of a long run 20,000 events are kept: the first and the last 10,000, or the first and the last
/// 5,000 and windows around given moments. The first 100,000 messages are kept.
package final class RunRecording {
  /// A message of a run.
  package struct Message: Hashable, Sendable {
    package let from: String
    package let sent: Duration
    /// The events of its sending and its arrival.
    package let sentEvent: Int
    package var to = ""
    package var arrived: Duration?
    package var arrivedEvent: Int?

    package init(from: String, sent: Duration, sentEvent: Int) {
      (self.from, self.sent, self.sentEvent) = (from, sent, sentEvent)
    }
  }
  /// Whether hosts run.
  package private(set) var stops: [HostStop] = []
  /// The messages in the order of their sending.
  package private(set) var messages: [Message] = []
  /// How many events there were.
  package private(set) var eventCount = 0
  package private(set) var series = TrafficSeries()
  private var places: [String: Int] = [:]
  private var names = FrameNames()
  private let firstMax: Int
  private var first: [RecordedEvent] = []
  private var windows: EventWindows
  private var last: RecentEvents

  /// A recording that is empty.
  ///
  /// - Parameter moments: The moments around which events are kept: those of the failures of an
  ///   earlier run with the same seed.
  package init(around moments: [Duration] = []) {
    let windowsMax = moments.isEmpty ? 0 : Self.keptMax / 2
    firstMax = (Self.keptMax - windowsMax) / 2
    windows = EventWindows(around: moments, atMost: windowsMax)
    last = RecentEvents(atMost: firstMax)
  }

  /// The events that are kept, each once, in their order.
  package var recorded: [RecordedEvent] {
    let end = last.all
    let (from, to) = (first.count, end.first?.event.number ?? 0)
    return first + windows.events.filter { (from..<max(from, to)).contains($0.event.number) } + end
  }

  /// The events that are kept, without the frames of packets.
  package var events: [TraceEvent] { recorded.map(\.event) }

  /// Whether the events just before a moment, and the next one, are kept.
  package func keeps(_ moment: Duration) -> Bool {
    let all = recorded
    let end = all.firstIndex { $0.time > moment + .microseconds(1) } ?? all.count
    let start = max(0, end - Self.contextMin)
    guard start < end else { return true }
    let (oldest, latest) = (all[start].event.number, all[end - 1].event.number)
    let next = end < all.count ? all[end].event.number : eventCount
    return latest - oldest == end - 1 - start && next == latest + 1
  }

  /// Takes in an event.
  package func add(_ event: TraceEvent) {
    eventCount += 1
    keep(event)
    series.add(event)
    if let stop = HostStop(event) { stops.append(stop) }
    if event.kind == .note { note(event) }
  }

  private func keep(_ event: TraceEvent) {
    let frames = event.kind == .sent ? names.name(of: event) : ""
    let kept = RecordedEvent(event, frames: frames)
    if first.count < firstMax { first.append(kept) } else { last.append(kept) }
    windows.add(kept)
  }

  /// Takes in what the programs of a scenario note of messages: their stream and number.
  private func note(_ event: TraceEvent) {
    let time = event.time - Instant.zero
    switch event.label {
    case "sent" where messages.count < Self.messagesMax:
      places[event.detail] = messages.count
      messages.append(Message(from: event.from, sent: time, sentEvent: event.number))
    case "received":
      guard let place = places.removeValue(forKey: event.detail) else { return }
      messages[place].to = event.from
      messages[place].arrived = time
      messages[place].arrivedEvent = event.number
    default: break
    }
  }

  /// The most events that are kept.
  package static let keptMax = 20_000
  private static let contextMin = 60
  private static let messagesMax = 100_000
}
