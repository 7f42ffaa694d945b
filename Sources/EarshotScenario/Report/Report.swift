import EarshotCore
import EarshotSimulator

/// A verdict, written for people or for programs.
public struct Report: Sendable {
  let verdict: Verdict
  let file: String

  /// A report about a run.
  ///
  /// - Parameters:
  ///   - verdict: What came out.
  ///   - file: The scenario's file, for the command that replays the run.
  public init(_ verdict: Verdict, file: String) { (self.verdict, self.file) = (verdict, file) }

  /// The command that runs the same again.
  public var replayCommand: String { Replay(file, verdict).command }

  /// What happened, what held, and how to see it again, for a terminal.
  ///
  /// - Parameter inColour: Whether the terminal shows colours.
  /// - Returns: Lines, the last one ended too. Nothing in them steers the terminal but the colours.
  public func text(inColour: Bool = false) -> String {
    let paint = Paint(isOn: inColour)
    let sections = [
      title(paint), timeline(paint), messages, streams, files, faults, buggified, results(paint),
      summary(paint),
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n") + "\n"
  }

  private func title(_ paint: Paint) -> [String] {
    let name = paint.bold(verdict.scenario.escapedForTerminals)
    return verdict.summary.isEmpty ? [name] : [name, verdict.summary.escapedForTerminals]
  }

  // MARK: What happened

  private func timeline(_ paint: Paint) -> [String] {
    let entries = verdict.timeline.entries
    let width = entries.map { $0.observer?.count ?? 0 }.max() ?? 0
    let line = { (entry: Timeline.Entry) in Self.line(entry, width, paint) }
    guard entries.count > Self.entriesMax else { return entries.map(line) }
    let half = Self.entriesMax / 2
    let left = "  … \(entries.count - 2 * half) more; --trace writes all of them …"
    return entries.prefix(half).map(line) + [paint.dim(left)] + entries.suffix(half).map(line)
  }

  private static func line(_ entry: Timeline.Entry, _ width: Int, _ paint: Paint) -> String {
    let time = entry.time.secondsText.padded(to: 12, atStart: true)
    let observer = (entry.observer ?? "").escapedForTerminals.padded(to: width)
    return "\(paint.dim(time))  \(observer)  \(phrase(entry, paint))"
  }

  private static func phrase(_ entry: Timeline.Entry, _ paint: Paint) -> String {
    let subject = entry.subject?.escapedForTerminals ?? ""
    let detail = entry.detail.escapedForTerminals
    let reason = detail.isEmpty ? "" : " (\(detail))"
    switch entry.kind {
    case .found, .updated, .lost: return "\(entry.kind.rawValue) \(subject)\(reason)"
    case .invited: return "invited by \(subject)\(reason)"
    case .answered: return "answered \(subject): \(detail)"
    case .outcome: return "inviting \(subject): \(detail)"
    case .joined: return paint.green("\(subject) joined")
    case .resumed: return paint.green("\(subject) resumed")
    case .interrupted: return paint.yellow("\(subject) interrupted\(reason)")
    case .left: return paint.yellow("\(subject) left\(reason)")
    case .streamOpened: return "opened a stream to \(subject)\(reason)"
    case .streamEnded: return "ended a stream with \(subject)\(reason)"
    case .fileOffered: return "offered a file to \(subject)\(reason)"
    case .fileAccepted: return "accepted a file from \(subject)\(reason)"
    case .filePaused: return paint.yellow("a file with \(subject) stands still\(reason)")
    case .fileContinued: return "a file with \(subject) goes on\(reason)"
    case .fileEnded: return "ended a file with \(subject)\(reason)"
    case .removed: return "removed \(subject)\(reason)"
    case .started, .suspended, .awoke, .disconnected, .rejoined, .stopped, .crashed:
      return "\(entry.kind.rawValue)\(reason)"
    case .failed: return paint.red("failed\(reason)")
    case .fault: return paint.yellow("fault \(detail)")
    case .faultEnded: return paint.yellow("end of \(detail)")
    }
  }

  private var messages: [String] {
    let directions = verdict.messages
    guard !directions.isEmpty else { return [] }
    let total =
      "messages: \(directions.reduce(0) { $0 + $1.delivered }) delivered of "
      + "\(directions.reduce(0) { $0 + $1.sent }) sent"
    guard directions.count <= Self.directionsMax else {
      return ["\(total), in \(directions.count) directions"]
    }
    return [total]
      + directions.map { direction in
        let ends = "\(direction.from.escapedForTerminals) → \(direction.to.escapedForTerminals)"
        return "  \(ends): \(direction.delivered) of \(direction.sent)"
      }
  }

  private var streams: [String] {
    let all = verdict.streams
    guard !all.isEmpty else { return [] }
    let total =
      "streams: \(Self.bytes(all)) read, \(all.count { $0.ending == .complete }) of \(all.count) "
      + "complete"
    let shown = all.prefix(all.count == Self.streamsMax + 1 ? all.count : Self.streamsMax)
    let more = all.count > shown.count ? ["  and \(all.count - shown.count) more"] : []
    return [total]
      + shown.map { stream in
        let ends = "\(stream.from.escapedForTerminals) → \(stream.to.escapedForTerminals)"
        let ending = stream.ending.map { $0 == .complete ? "" : ", \($0.rawValue)" } ?? ", goes on"
        let name = stream.name.escapedForTerminals
        return "  \(ends): \(name), \(Self.bytes([stream]))\(ending)"
      } + more
  }

  private var files: [String] {
    let all = verdict.files
    guard !all.isEmpty else { return [] }
    let written = all.reduce(0) { $0 + $1.written }
    let total =
      "files: \(Quantity.size(written)) written, \(all.count { $0.place != nil }) of "
      + "\(all.count) in their place"
    let shown = all.prefix(all.count == Self.streamsMax + 1 ? all.count : Self.streamsMax)
    let more = all.count > shown.count ? ["  and \(all.count - shown.count) more"] : []
    return [total] + shown.map(Self.line) + more
  }

  private static func line(_ file: Verdict.File) -> String {
    let ends = "\(file.from.escapedForTerminals) → \(file.to.escapedForTerminals)"
    let size =
      file.place == nil
      ? "\(Quantity.size(file.written)) of \(Quantity.size(file.bytes))"
      : Quantity.size(file.bytes)
    let ending = file.ending.map { $0 == .complete ? "" : ", \($0.rawValue)" } ?? ", goes on"
    let place = file.place.map { $0 == file.name ? "" : ", as \($0.escapedForTerminals)" } ?? ""
    let causes = Verdict.File.Pause.Cause.allCases.filter { cause in
      cause != .unanswered && file.pauses.contains { $0.cause == cause }
    }
    let pauses =
      causes.isEmpty ? "" : "; stood still: \(causes.map(\.rawValue).joined(separator: ", "))"
    return "  \(ends): \(file.name.escapedForTerminals), \(size)\(place)\(ending)\(pauses)"
  }

  /// How many bytes were read of those that were written.
  private static func bytes(_ streams: [Verdict.Stream]) -> String {
    let (read, written) = streams.reduce((0, 0)) { ($0.0 + $1.read, $0.1 + $1.written) }
    return read == written
      ? Quantity.size(read) : "\(Quantity.size(read)) of \(Quantity.size(written))"
  }

  private var faults: [String] {
    let drawn = verdict.drawnFaults.enumerated().map { place, fault in
      let mark = verdict.faults.idleness[place].map { "  // struck nothing: \($0)" } ?? ""
      return "  \(fault.escapedForTerminals),\(mark.escapedForTerminals)"
    }
    let kept = verdict.guarantees.map { "survives all faults: \($0.phrase)" }
    return (drawn.isEmpty ? [] : ["faults drawn from the seed:"] + drawn)
      + [kept].compactMap { $0 }
  }

  private var buggified: [String] {
    let points = verdict.buggified
    return points.isEmpty ? [] : ["buggify: \(points.joined(separator: ", "))"]
  }

  // MARK: What held

  private func results(_ paint: Paint) -> [String] {
    let shown = verdict.results.filter { !$0.isInvariant || !$0.held }
    let names = shown.map { $0.name.escapedForTerminals }
    let width = min(names.map(\.count).max() ?? 0, 60)
    let hidden = verdict.results.count - shown.count
    let invariants = "✓ \(hidden) invariants"
    return zip(shown, names).flatMap { result, name in
      let mark = result.held ? paint.green("✓") : paint.red("✗")
      return ["\(mark) \(name.padded(to: width))  \(result.observed.escapedForTerminals)"]
        + result.why.map { paint.dim("    \($0.escapedForTerminals)") }
    } + (hidden > 0 ? [paint.green(String(invariants.prefix(1))) + invariants.dropFirst()] : [])
  }

  private func summary(_ paint: Paint) -> [String] {
    var lines = warnings(paint) + [conclusion(paint)]
    let virtual = Quantity.moment(verdict.virtualDuration).dropLast()
    if let stopped = verdict.stopped {
      lines.append(
        paint.red(
          "stopped at \(Quantity.moment(stopped)), where something happened that never must;")
          + paint.red(" what the scenario expects was not checked"))
    }
    lines.append(
      "\(virtual) s of virtual time in \(Self.decimal(verdict.cpuSeconds)) s of processor")
    if case .different(let difference) = verdict.determinism {
      lines.append(paint.red("not deterministic: a second run of the same seed differed"))
      lines += difference.split(separator: "\n").map { "  \(String($0).escapedForTerminals)" }
    }
    lines.append("replay: \(replayCommand)")
    lines.append("seed \(verdict.seed)  trace \(verdict.traceHash)  events \(verdict.eventCount)")
    return lines
  }

  private func warnings(_ paint: Paint) -> [String] {
    let all = verdict.warnings
    let shown = all.prefix(all.count == Self.warningsMax + 1 ? all.count : Self.warningsMax)
    let more = all.count > shown.count ? ["and \(all.count - shown.count) more"] : []
    return (shown + more).map { paint.yellow("warning:") + " \($0.escapedForTerminals)" }
  }

  private func conclusion(_ paint: Paint) -> String {
    let violated = verdict.results.count { !$0.held }
    guard violated == 0 else {
      return paint.red("violated: \(violated) of \(verdict.results.count)")
    }
    if let gap = verdict.gap { return paint.yellow("nothing was checked: \(gap)") }
    return paint.green("held")
  }

  private static let entriesMax = 200
  private static let directionsMax = 12
  private static let streamsMax = 12
  private static let warningsMax = 8
}

/// Colours, if there are any.
package struct Paint: Hashable, Sendable {
  private let isOn: Bool

  /// Colours for a terminal that shows them.
  package init(isOn: Bool) { self.isOn = isOn }

  package func bold(_ text: String) -> String { wrap(text, 1) }
  package func dim(_ text: String) -> String { wrap(text, 2) }
  package func red(_ text: String) -> String { wrap(text, 31) }
  package func green(_ text: String) -> String { wrap(text, 32) }
  package func yellow(_ text: String) -> String { wrap(text, 33) }

  private func wrap(_ text: String, _ code: Int) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text, filled up with spaces.
  fileprivate func padded(to width: Int, atStart: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return atStart ? spaces + self : self + spaces
  }
}
