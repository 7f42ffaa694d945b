import EarshotCore
import EarshotSimulator

/// An event of a run in words.
struct StoryEvent: Hashable {
  let number: Int
  let cause: Int?
  let time: Duration
  let kind: TraceEvent.Kind
  let from: String
  let to: String
  /// What a packet carries, or what is done or noted.
  let what: String
  /// How many that had become ready earlier the schedule passed over for it.
  let overtaken: Int

  init(_ event: TraceEvent, _ what: String, overtaking overtaken: Int = 0) {
    self.overtaken = overtaken
    (number, cause, time) = (event.number, event.cause, event.time - .zero)
    (kind, from, to, self.what) = (event.kind, event.from, event.to, what)
  }

  /// The host that it happens on; empty for the network.
  var host: String { kind == .delivered ? to : from }

  /// When, where and what, in one line.
  var line: String {
    let text =
      switch kind {
      case .sent: "sends \(what) to \(to.isEmpty ? "all" : to)"
      case .delivered: "hears \(what) from \(from)"
      case .lost: "loses \(what) to \(to.isEmpty ? "all" : to)"
      case .timer: "a timer is due"
      case .fault: "fault: \(what)"
      case .note: "notes: \(what)"
      }
    let choice = overtaken == 0 ? "" : " (chosen before \(overtaken) that could be next for longer)"
    return "\(Quantity.moment(time))  \(host.isEmpty ? "network" : host)  \(text)\(choice)"
  }
}
