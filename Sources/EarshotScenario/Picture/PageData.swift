import EarshotCore
import EarshotSimulator

/// A run as JSON, as the script of a page reads it; times are in microseconds.
struct PageData {
  private var names: PageTable
  private var texts = PageTable()
  private var payloads = PagePayloads()
  private let picture: RunPicture

  init(_ picture: RunPicture) {
    self.picture = picture
    names = PageTable(picture.verdict.peers)
  }

  /// The run as an object.
  ///
  /// - Parameter title: The name of the scenario, and what tells the run from the other one.
  /// - Returns: The text of the object.
  mutating func json(title: String) -> String {
    let verdict = picture.verdict
    // These fill the tables that come behind them.
    let states = states()
    let pairs = pairs()
    let messages = messages()
    let recorded = picture.recording.recorded
    let events = events(recorded)
    return JSONText.object([
      ("name", verdict.scenario.quotedForScripts), ("file", picture.file.quotedForScripts),
      ("seed", "\(verdict.seed)".quotedForScripts), ("title", title.quotedForScripts),
      ("held", "\(verdict.held)"), ("duration", "\(verdict.virtualDuration.microseconds)"),
      ("eventCount", "\(picture.recording.eventCount)"), ("states", states), ("faults", faults),
      ("failures", failures(recorded)),
      ("pairs", pairs), ("messages", messages), ("events", events), ("series", series),
      ("streams", streams), ("files", files),
      ("names", names.json), ("texts", texts.json), ("payloads", payloads.json),
    ])
  }

  private mutating func states() -> String {
    list(picture.states.spans) { data, span in
      let peer = data.names.place(of: span.peer)
      let state = data.texts.place(of: span.state.rawValue)
      return "[\(peer),\(state),\(span.start.microseconds),\(span.end.microseconds)]"
    }
  }

  private var faults: String {
    JSONText.array(
      picture.faults.map { fault in
        "[\(fault.start.microseconds),\(fault.end.microseconds),\(fault.phrase.quotedForScripts)]"
      })
  }

  private mutating func pairs() -> String {
    list(picture.shownPairs) { data, pair in
      let spans = pair.connected.map {
        "[\($0.lowerBound.microseconds),\($0.upperBound.microseconds)]"
      }
      let (left, right) = (data.names.place(of: pair.left), data.names.place(of: pair.right))
      return "[\(left),\(right),\(JSONText.array(spans))]"
    }
  }

  private mutating func messages() -> String {
    list(picture.recording.messages.prefix(Self.messagesMax)) { data, message in
      let from = data.names.place(of: message.from)
      let to = message.to.isEmpty ? -1 : data.names.place(of: message.to)
      let arrival = message.arrived?.microseconds ?? -1
      return "[\(from),\(to),\(message.sent.microseconds),\(arrival),"
        + "\(message.sentEvent),\(message.arrivedEvent ?? -1)]"
    }
  }

  /// Of each failure its name, its time, and the event to select, -1 for none.
  private func failures(_ recorded: [RecordedEvent]) -> String {
    JSONText.array(
      picture.failures.map { failure in
        let event = failure.event(in: recorded) ?? -1
        return "[\(failure.result.name.quotedForScripts),\(failure.time.microseconds),\(event)]"
      })
  }

  /// Number, time, kind, from, to, cause, label and detail, payload, frames.
  private mutating func events(_ recorded: [RecordedEvent]) -> String {
    list(recorded) { data, recorded in
      let event = recorded.event
      let kind = TraceEvent.Kind.allCases.firstIndex(of: event.kind) ?? 0
      let (from, to) = (data.place(of: event.from), data.place(of: event.to))
      let label = data.texts.place(of: event.loss.map { "\(event.label) \($0)" } ?? event.label)
      let detail = data.texts.place(of: event.detail)
      let payload = data.payloads.place(of: event.payload)
      let frames = recorded.frames.isEmpty ? -1 : data.texts.place(of: recorded.frames)
      return "[\(event.number),\(recorded.time.microseconds),\(kind),\(from),\(to),"
        + "\(event.cause ?? -1),\(label),\(detail),\(payload),\(frames)]"
    }
  }

  private var series: String {
    let series = picture.recording.series
    func all(_ value: (TrafficSeries.Step) -> Int) -> String {
      JSONText.array(series.steps.map { "\(value($0))" })
    }
    return JSONText.object([
      ("width", "\(series.width.microseconds)"), ("sent", all(\.sent)),
      ("arrived", all(\.arrived)), ("lost", all(\.lost)), ("inFlight", all(\.inFlight)),
    ])
  }

  /// Of those of which most was read: name, end, and how much was read at which times.
  private var streams: String {
    let streams = picture.verdict.streams.filter { $0.read > 0 }
    let order = streams.indices.sorted { (-streams[$0].read, $0) < (-streams[$1].read, $1) }
    let shown = order.prefix(Self.streamsMax).sorted().map { streams[$0] }
    return JSONText.array(
      shown.map { stream in
        let name = "\(stream.name), \(stream.from) → \(stream.to)".quotedForScripts
        let reads = stream.reads(inSteps: picture.verdict.virtualDuration / Self.stepsMax)
        let points = reads.map { "[\($0.time.microseconds),\($0.position)]" }
        return "[\(name),\(stream.ended?.microseconds ?? -1),"
          + "\(JSONText.array(["[\(stream.opened.microseconds),0]"] + points))]"
      })
  }

  /// Of those of which most was written: name, end, size, how much was written at which times, and
  /// the standstills, each with its cause and the side that was told.
  private var files: String {
    let files = picture.verdict.files
    let order = files.indices.sorted { (-files[$0].written, $0) < (-files[$1].written, $1) }
    let shown = order.prefix(Self.streamsMax).sorted().map { files[$0] }
    let end = picture.verdict.virtualDuration
    return JSONText.array(
      shown.map { file in
        let name = "\(file.name), \(file.from) → \(file.to)".quotedForScripts
        let steps = file.steps(inSteps: end / Self.stepsMax)
        let points = steps.map { "[\($0.time.microseconds),\($0.position)]" }
        let pauses = file.pauses.prefix(Self.pausesMax).map { pause in
          "[\(pause.start.microseconds),\((pause.end ?? end).microseconds),"
            + "\(pause.cause.words.quotedForScripts),\(pause.side.rawValue.quotedForScripts)]"
        }
        return "[\(name),\(file.ended?.microseconds ?? -1),\(file.bytes),"
          + "\(JSONText.array(["[\(file.offered.microseconds),0]"] + points)),"
          + "\(JSONText.array(pauses))]"
      })
  }

  private mutating func place(of host: String) -> Int {
    host.isEmpty ? -1 : names.place(of: host)
  }

  private mutating func list<Elements: Sequence>(
    _ elements: Elements, _ text: (inout PageData, Elements.Element) -> String
  ) -> String {
    var list = "["
    for element in elements {
      if list.utf8.count > 1 { list += "," }
      list += text(&self, element)
    }
    return list + "]"
  }

  private static let messagesMax = 20_000
  private static let streamsMax = 6
  private static let stepsMax = 250
  private static let pausesMax = 200
}

extension Verdict.File.Pause.Cause {
  /// The cause, for people.
  var words: String {
    switch self {
    case .linkInterrupted: "link interrupted"
    case .unanswered: "waiting for an answer"
    case .diskFull: "disk full"
    case .paused: "paused"
    case .pausedByRemote: "paused by the other side"
    }
  }
}

/// Texts that are written once, and have numbers.
struct PageTable {
  private var places: [String: Int] = [:]
  private(set) var all: [String] = []

  init(_ texts: [String] = []) { for text in texts { _ = place(of: text) } }

  /// The number of a text, from 0.
  mutating func place(of text: String) -> Int {
    if let place = places[text] { return place }
    places[text] = all.count
    all.append(text)
    return all.count - 1
  }

  var json: String { JSONText.array(all.map(\.quotedForScripts)) }
}

/// Payloads that are written once, as far as there is room: the size and the first bytes.
struct PagePayloads {
  private var places: [[UInt8]: Int] = [:]
  private var all: [String] = []
  private var room = 600_000

  /// The number of a payload, -1 for none, -2 for one that has no room.
  mutating func place(of payload: [UInt8]) -> Int {
    guard !payload.isEmpty else { return -1 }
    if let place = places[payload] { return place }
    let head = Array(payload.prefix(Self.headBytesMax))
    guard room >= head.count else { return -2 }
    room -= head.count
    places[payload] = all.count
    all.append("[\(payload.count),\"\(head.base64)\"]")
    return all.count - 1
  }

  var json: String { JSONText.array(all) }

  private static let headBytesMax = 512
}

extension Duration {
  var microseconds: Int64 { nanoseconds / 1_000 }
}
