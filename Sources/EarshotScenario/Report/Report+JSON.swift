import EarshotCore
import EarshotSimulator

extension Report {
  /// The verdict as one JSON object on one line.
  ///
  /// Its keys are `scenario`, `seed` (a text, since the numbers of most programs cannot hold every
  /// seed), `traceHash` (a text of 16 hexadecimal digits), `held`, `exitCode`, `nothingChecked`
  /// (why nothing was; only when so), `warnings` (only when there are any), `stoppedAt` (the second
  /// at which something happened that never must; only when so), `deterministic` (`null` when it
  /// was not checked), `difference` (only when not), `events`, `virtualSeconds`, `cpuSeconds`,
  /// `expectations`, `invariants`, `faults`, `idleFaults` (those of `faults` that struck nothing,
  /// with `fault` and `reason`; only when there are any), `guarantees` (what survives the faults;
  /// only when there are any), `buggify` (the points that took effect), `messages`, `streams` (the
  /// directions of streams, with `name`, `from`, `to`, `opened` and `ended` in seconds, `written`
  /// and `read` in bytes, and `ending`; `null` for what goes on), `files` (with `name`, `from`,
  /// `to`, `offered`, `accepted` and `ended` in seconds, `bytes` and `written`, `ending`,
  /// `receiverEnding`, `place`, and `pauses` with `side`, `cause`, `from` and `to`; `null` for what
  /// is not) and `timeline`. An expectation or an invariant that was violated has `moment` (the
  /// second at which that became certain), `manner`, `peers`, `messages` (the first that it is
  /// about, with `from`, `to`, `number`, `sent` and `arrived`; only when it is about messages) and
  /// `why`, the lines beneath it in a report for people.
  public var json: String {
    JSONText.object(
      [
        ("scenario", verdict.scenario.quotedForJSON),
        ("seed", "\(verdict.seed)".quotedForJSON),
        ("traceHash", verdict.traceHash.description.quotedForJSON),
        ("held", "\(verdict.held)"), ("exitCode", "\(verdict.exitCode)"),
      ] + gap + warnings + stop + determinism + [
        ("events", "\(verdict.eventCount)"),
        ("virtualSeconds", verdict.virtualDuration.secondsText),
        ("cpuSeconds", Self.decimal(verdict.cpuSeconds)),
        ("expectations", results(where: { !$0.isInvariant })),
        ("invariants", results(where: \.isInvariant)),
        ("faults", JSONText.array(verdict.drawnFaults.map(\.quotedForJSON))),
      ] + idleFaults + guarantees + [
        ("buggify", JSONText.array(verdict.buggified.map(\.quotedForJSON))),
        ("messages", JSONText.array(verdict.messages.map(Self.json))),
        ("streams", JSONText.array(verdict.streams.map(Self.json))),
        ("files", JSONText.array(verdict.files.map(Self.json))),
        ("timeline", JSONText.array(verdict.timeline.entries.map(Self.json))),
      ])
  }

  private var gap: [(String, String)] {
    verdict.gap.map { [("nothingChecked", $0.quotedForJSON)] } ?? []
  }

  private var stop: [(String, String)] {
    verdict.stopped.map { [("stoppedAt", $0.secondsText)] } ?? []
  }

  private var idleFaults: [(String, String)] {
    let idle = verdict.faults.idleness.sorted { $0.key < $1.key }.map { place, reason in
      JSONText.object([
        ("fault", verdict.drawnFaults[place].quotedForJSON), ("reason", reason.quotedForJSON),
      ])
    }
    return idle.isEmpty ? [] : [("idleFaults", JSONText.array(idle))]
  }

  private var guarantees: [(String, String)] {
    guard let guarantees = verdict.guarantees else { return [] }
    return [("guarantees", JSONText.array(guarantees.map(\.rawValue.quotedForJSON)))]
  }

  private var warnings: [(String, String)] {
    let all = verdict.warnings
    return all.isEmpty ? [] : [("warnings", JSONText.array(all.map(\.quotedForJSON)))]
  }

  private var determinism: [(String, String)] {
    switch verdict.determinism {
    case .unchecked: [("deterministic", "null")]
    case .same: [("deterministic", "true")]
    case .different(let difference):
      [("deterministic", "false"), ("difference", difference.quotedForJSON)]
    }
  }

  private func results(where isWanted: (Verdict.Result) -> Bool) -> String {
    JSONText.array(
      verdict.results.filter(isWanted).map { result in
        JSONText.object(
          [
            ("name", result.name.quotedForJSON), ("held", "\(result.held)"),
            ("observed", result.observed.quotedForJSON),
          ] + (result.held ? [] : focus(result))
            + (result.held ? [] : [("why", JSONText.array(result.why.map(\.quotedForJSON)))]))
      })
  }

  /// When it became certain that something did not hold, and the peers and messages concerned.
  private func focus(_ result: Verdict.Result) -> [(String, String)] {
    guard let focus = result.focus else { return [] }
    let messages = focus.messages.map { message in
      JSONText.object([
        ("from", message.from.quotedForJSON), ("to", message.to.quotedForJSON),
        ("number", "\(message.number)"), ("sent", message.sent.secondsText),
        ("arrived", message.arrived?.secondsText ?? "null"),
      ])
    }
    return [
      ("moment", focus.time.secondsText), ("manner", focus.manner.rawValue.quotedForJSON),
      ("peers", JSONText.array(focus.peers.map(\.quotedForJSON))),
    ] + (messages.isEmpty ? [] : [("messages", JSONText.array(messages))])
  }

  private static func json(_ direction: Verdict.Messages) -> String {
    JSONText.object([
      ("from", direction.from.quotedForJSON), ("to", direction.to.quotedForJSON),
      ("sent", "\(direction.sent)"),
      ("delivered", "\(direction.delivered)"),
    ])
  }

  private static func json(_ stream: Verdict.Stream) -> String {
    JSONText.object([
      ("name", stream.name.quotedForJSON), ("from", stream.from.quotedForJSON),
      ("to", stream.to.quotedForJSON), ("opened", stream.opened.secondsText),
      ("ended", stream.ended?.secondsText ?? "null"), ("written", "\(stream.written)"),
      ("read", "\(stream.read)"), ("ending", stream.ending?.rawValue.quotedForJSON ?? "null"),
    ])
  }

  private static func json(_ file: Verdict.File) -> String {
    JSONText.object([
      ("name", file.name.quotedForJSON), ("from", file.from.quotedForJSON),
      ("to", file.to.quotedForJSON), ("offered", file.offered.secondsText),
      ("accepted", file.accepted?.secondsText ?? "null"),
      ("ended", file.ended?.secondsText ?? "null"), ("bytes", "\(file.bytes)"),
      ("written", "\(file.written)"), ("ending", file.ending?.rawValue.quotedForJSON ?? "null"),
      ("receiverEnding", file.receiverEnding?.rawValue.quotedForJSON ?? "null"),
      ("place", file.place?.quotedForJSON ?? "null"),
      ("pauses", JSONText.array(file.pauses.map(json))),
    ])
  }

  private static func json(_ pause: Verdict.File.Pause) -> String {
    JSONText.object([
      ("side", pause.side.rawValue.quotedForJSON), ("cause", pause.cause.rawValue.quotedForJSON),
      ("from", pause.start.secondsText), ("to", pause.end?.secondsText ?? "null"),
    ])
  }

  private static func json(_ entry: Timeline.Entry) -> String {
    var members = [("time", entry.time.secondsText), ("kind", entry.kind.rawValue.quotedForJSON)]
    if let observer = entry.observer { members.append(("peer", observer.quotedForJSON)) }
    if let subject = entry.subject { members.append(("subject", subject.quotedForJSON)) }
    if !entry.detail.isEmpty { members.append(("detail", entry.detail.quotedForJSON)) }
    return JSONText.object(members)
  }

  /// A number with three decimals.
  static func decimal(_ value: Double) -> String {
    let thousandths = Int((max(0, value) * 1_000).rounded())
    return "\(thousandths / 1_000).\(String(1_000 + thousandths % 1_000).dropFirst())"
  }
}

/// JSON put together from parts that are JSON already.
package enum JSONText {
  /// An object of members in the given order.
  package static func object(_ members: [(String, String)]) -> String {
    "{\(members.map { "\($0.0.quotedForJSON):\($0.1)" }.joined(separator: ","))}"
  }

  /// An array.
  package static func array(_ elements: [String]) -> String {
    "[\(elements.joined(separator: ","))]"
  }
}

extension Duration {
  /// Seconds with six decimals.
  var secondsText: String { (Instant.zero + self).description }
}
