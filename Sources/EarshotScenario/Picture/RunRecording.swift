import EarshotCore
package import EarshotSimulator

/// What is kept of the events of a run to picture it.
///
/// Of a long run the first and the last 12,000 events are kept, and the first 100,000 messages.
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
  private var first: [TraceEvent] = []
  /// The last events, from ``lastStart`` on and around.
  private var last: [TraceEvent] = []
  private var lastStart = 0

  package init() {}

  /// The events that are kept, in their order.
  package var events: [TraceEvent] { first + last[lastStart...] + last[..<lastStart] }

  /// Takes in an event.
  package func add(_ event: TraceEvent) {
    eventCount += 1
    keep(event)
    series.add(event)
    if let stop = HostStop(event) { stops.append(stop) }
    if event.kind == .note { note(event) }
  }

  private func keep(_ event: TraceEvent) {
    if first.count < Self.keptMax {
      first.append(event)
    } else if last.count < Self.keptMax {
      last.append(event)
    } else {
      last[lastStart] = event
      lastStart = (lastStart + 1) % Self.keptMax
    }
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

  private static let keptMax = 12_000
  private static let messagesMax = 100_000
}
