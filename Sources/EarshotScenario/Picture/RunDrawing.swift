/// A run as an SVG drawing, for pages that run no scripts.
///
/// A lane for each peer shows its state, and a band for each fault its time. A line for each
/// message leads from the sender's lane to the receiver's, and a row for each file shows the bytes
/// written. The first 400 messages and the first six files are drawn. The colours follow the
/// reader's preference for light or dark pages.
package struct RunDrawing {
  private let run: RunPicture
  private let peers: [String]
  private let duration: Duration
  /// The names of the peers as the lanes show them.
  private let labels: [LaneLabel]
  /// The beginning of the lanes, on the right of the labels.
  private let left: Int

  package init(_ run: RunPicture) {
    (self.run, peers) = (run, run.verdict.peers)
    duration = max(.milliseconds(1), run.verdict.virtualDuration)
    labels = peers.map { LaneLabel($0, widthMax: Self.labelWidthMax) }
    left = max(Self.leftMin, 14 + (labels.map(\.width).max() ?? 0))
  }

  /// The drawing as a complete file.
  package var svg: String {
    let parts = [ruler, faults, lanes, messages, files, legend].map { $0.joined(separator: "\n") }
    let (width, height) = (Self.width, legendTop + 24)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-label="\(title.escapedForPages)">
      <style>\(Self.style)</style>
      <rect class="back" width="\(width)" height="\(height)" rx="6"/>
      <text class="title" x="12" y="22">\(title.escapedForPages)</text>
      \(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
      </svg>

      """
  }

  private var title: String {
    let verdict = run.verdict
    let result = verdict.held ? "everything held" : "violated"
    return "\(verdict.scenario), seed \(verdict.seed): \(result)"
  }

  // MARK: Places

  private static let (width, leftMin, right) = (880, 84, 850)
  private static let (lanesTop, laneHeight, fileHeight) = (66, 12, 34)
  private static let (messagesMax, filesMax) = (400, 6)
  private static let labelWidthMax = 290

  private var laneStep: Int { peers.count < 2 ? 0 : max(24, 120 / (peers.count - 1)) }
  private var lanesBottom: Int {
    Self.lanesTop + laneStep * max(0, peers.count - 1) + Self.laneHeight
  }
  private var shownFiles: ArraySlice<Verdict.File> {
    run.verdict.files.prefix(Self.filesMax)
  }
  private var rulerTop: Int { lanesBottom + shownFiles.count * (Self.fileHeight + 10) + 14 }
  private var legendTop: Int { rulerTop + 34 }

  /// Tenths of a unit, so that a drawing does not depend on how numbers are printed.
  private func x(_ time: Duration) -> String {
    let share = min(1, max(0, time / duration))
    let tenths = Int((Double(10 * (Self.right - left)) * share).rounded()) + 10 * left
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func y(of peer: String) -> Int? {
    peers.firstIndex(of: peer).map { Self.lanesTop + laneStep * $0 }
  }

  private func bar(
    _ start: Duration, _ end: Duration, y: Int, height: Int, _ style: String, _ title: String
  ) -> String {
    let (left, right) = (x(start), x(end))
    return """
      <path class="\(style)" d="M\(left) \(y)H\(right)V\(y + height)H\(left)Z">\
      <title>\(title.escapedForPages)</title></path>
      """
  }

  // MARK: Parts

  private var lanes: [String] {
    zip(peers, labels).flatMap { peer, label -> [String] in
      let y = y(of: peer) ?? 0
      let spans = run.states.spans.filter { $0.peer == peer }.map { span in
        let times = "\(span.start.plainSecondsText) s to \(span.end.plainSecondsText) s"
        return bar(
          span.start, span.end, y: y, height: Self.laneHeight, span.state.rawValue,
          "\(peer) \(span.state.rawValue), \(times)")
      }
      return ["<text x=\"12\" y=\"\(y + 10)\">\(label.text.escapedForPages)</text>"] + spans
    }
  }

  private var faults: [String] {
    run.faults.map { fault in
      let band = bar(
        fault.start, fault.end, y: Self.lanesTop - 6, height: rulerTop - Self.lanesTop, "fault",
        fault.phrase)
      return run.faults.count > 4
        ? band
        : band
          + "<text class=\"note\" x=\"\(x(fault.start))\" y=\"\(Self.lanesTop - 12)\">"
          + "\(fault.phrase.escapedForPages)</text>"
    }
  }

  private var messages: [String] {
    run.recording.messages.prefix(Self.messagesMax).compactMap { message in
      guard let arrived = message.arrived, let from = y(of: message.from),
        let to = y(of: message.to), from != to
      else { return nil }
      let height = Self.laneHeight
      let (start, end) = from < to ? (from + height, to) : (from, to + height)
      return "<path class=\"message\" d=\"M\(x(message.sent)) \(start)L\(x(arrived)) \(end)\"/>"
    }
  }

  private var files: [String] {
    shownFiles.enumerated().flatMap { number, file -> [String] in
      let bottom = lanesBottom + (number + 1) * (Self.fileHeight + 10)
      let end = file.ended ?? duration
      let steps = file.steps(inSteps: duration / 400)
      func y(_ position: Int) -> Int {
        bottom - Int(Double(Self.fileHeight) * Double(position) / Double(max(1, file.bytes)))
      }
      // Each step holds until the next one.
      let line = steps.map { "H\(x($0.time))V\(y($0.position))" }.joined() + "H\(x(end))"
      let pauses = file.pauses.filter { $0.side == .receiver }.map { pause in
        bar(
          pause.start, pause.end ?? end, y: bottom - Self.fileHeight, height: Self.fileHeight,
          "pause", pause.cause.words)
      }
      let words = "\(file.name) \(file.from) → \(file.to)"
      let ending = file.ending?.rawValue ?? "goes on"
      return pauses + [
        "<text class=\"note\" x=\"\(x(file.offered))\" y=\"\(bottom - Self.fileHeight + 8)\">"
          + "\(words.escapedForPages): \(ending)</text>",
        "<path class=\"file\" d=\"M\(x(file.offered)) \(bottom)\(line)\"/>",
      ]
    }
  }

  private var ruler: [String] {
    let steps = [1, 2, 5, 10, 20, 60, 120, 300, 600, 1_800, 3_600].map { Duration.seconds($0) }
    let tenth = Duration.milliseconds(100)
    let step =
      duration < .seconds(2) ? tenth : steps.first { duration / $0 <= 16 } ?? duration / 10
    var (marks, time) = ([String](), Duration.zero)
    while time <= duration, marks.count < 32 {
      marks.append(
        """
        <path class="line" d="M\(x(time)) \(Self.lanesTop - 6)V\(rulerTop)"/>\
        <text class="note" text-anchor="middle" x="\(x(time))" y="\(rulerTop + 14)">\
        \(step < .seconds(1) ? time.shortText : "\(time / .seconds(1))".prefix { $0 != "." } + " s")</text>
        """)
      time += step
    }
    return marks
  }

  private var legend: [String] {
    let states = Set(run.states.spans.map(\.state))
    var (place, marks) = (left, [String]())
    for state in PeerState.allCases where states.contains(state) {
      let name = state.rawValue
      marks.append(
        """
        <rect class="\(name)" x="\(place)" y="\(legendTop)" width="10" height="10"/>\
        <text class="note" x="\(place + 14)" y="\(legendTop + 9)">\(name)</text>
        """)
      place += 30 + 7 * name.count
    }
    return marks
  }

  private static let style = """
    svg { \(PageStyle.light) }
    @media (prefers-color-scheme: dark) { svg { \(PageStyle.dark) } }
    .back { fill: var(--back); } text { fill: var(--text); font: 13px system-ui, sans-serif; }
    .title { font-weight: 600; } .note { fill: var(--dim); font-size: 11px; }
    .line { stroke: var(--line); } .fault { fill: var(--fault); fill-opacity: .2; }
    .message { stroke: var(--accent); fill: none; } .pause { fill: var(--interrupted); fill-opacity: .25; }
    .file { stroke: var(--good); stroke-width: 2; fill: none; }
    \(PeerState.allCases.map { ".\($0.rawValue) { fill: var(--\($0.rawValue)); }" }.joined(separator: " "))
    """
}

/// The name of a peer beside its lane, cut in its middle if it is too wide.
private struct LaneLabel {
  let text: String
  let width: Int

  init(_ name: String, widthMax: Int) {
    var (kept, text, width) = (name.count, name, Self.width(of: name))
    while width > widthMax, kept > 2 {
      kept -= 1
      text = name.prefix((kept + 1) / 2) + "…" + name.suffix(kept / 2)
      width = Self.width(of: text)
    }
    (self.text, self.width) = (text, width)
  }

  /// An estimate: 7 units for a Latin letter, twice as many for a character of other scripts.
  private static func width(of text: String) -> Int {
    text.reduce(0) { $0 + ($1.unicodeScalars.allSatisfy { $0.value < 0x2E80 } ? 7 : 14) }
  }
}
