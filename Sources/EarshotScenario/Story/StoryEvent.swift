import EarshotCore
import EarshotSimulator

/// An event of a run, with what its packet carries.
struct StoryEvent: Hashable {
  let number: Int
  let cause: Int?
  let time: Duration
  let kind: TraceEvent.Kind
  let from: String
  let to: String
  /// `udp` or `tcp`, the kind of a note, or the name of a fault.
  let label: String
  /// What is noted, or done to the world; empty for a packet.
  let detail: String
  /// What a packet carries, in the words of the protocol; empty for what is no packet.
  let carried: String
  let loss: TraceEvent.Loss?
  /// The level of a record of a log; `nil` for other events.
  let logLevel: LogRecord.Level?
  /// How many that had become ready earlier the schedule passed over for it.
  let overtaken: Int

  init(_ event: TraceEvent, carrying carried: String, overtaking overtaken: Int = 0) {
    (number, cause, time) = (event.number, event.cause, event.time - .zero)
    (kind, from, to, label) = (event.kind, event.from, event.to, event.label)
    logLevel = event.record?.level
    // The description of a packet is long, and not needed.
    detail = event.packet == nil ? event.detail : ""
    (self.carried, loss, self.overtaken) = (carried, event.loss, overtaken)
  }

  /// The host that it happens on; empty for the network.
  var host: String { kind == .delivered ? to : from }

  /// Whether it is a packet of discovery.
  var isDiscovery: Bool { FrameNames.isDiscovery(carried) }

  /// When, where and what, in one line.
  var line: String {
    let text =
      switch kind {
      case .sent: "sends \(carried) to \(to.isEmpty ? "all" : to)"
      case .delivered: "hears \(carried) from \(from)"
      case .lost: "loses \(carried) (\(loss?.rawValue ?? "")) to \(to.isEmpty ? "all" : to)"
      case .timer: "a timer is due"
      case .fault: "fault: \(words)"
      case .note: logLevel == nil ? "notes: \(words)" : "logs: \(detail)"
      }
    let choice = overtaken == 0 ? "" : " (chosen before \(overtaken) that could be next for longer)"
    return "\(Quantity.moment(time))  \(host.isEmpty ? "network" : host)  \(text)\(choice)"
  }

  private var words: String { [label, to, detail].filter { !$0.isEmpty }.joined(separator: " ") }
}
