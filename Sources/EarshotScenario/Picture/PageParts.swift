import EarshotSimulator

/// Parts of a page that stand in it several times, and those that its script fills.
enum PageParts {
  /// A table whose rows are written already.
  static func table(
    _ caption: String, _ heads: [String], _ rows: [String], style: String = ""
  ) -> String {
    let heads = heads.map { "<th scope=\"col\">\($0.escapedForPages)</th>" }.joined()
    return """
      <div class="scroll"><table\(style.isEmpty ? "" : " class=\"\(style)\"")><caption>\(caption.escapedForPages)</caption>
      <thead><tr>\(heads)</tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
      """
  }

  /// A row of a table.
  static func row(_ cells: [String]) -> String {
    "<tr>\(cells.map { "<td>\($0.escapedForPages)</td>" }.joined())</tr>"
  }

  /// What a peer saw, or what befell the network.
  static func sentence(_ entry: Timeline.Entry) -> String {
    let session = entry.session == SessionPlan.nameOfFirst ? "" : "in \(entry.session)"
    let words = [entry.kind.rawValue, entry.subject ?? "", session, entry.detail]
    return words.filter { !$0.isEmpty }.map(\.escapedForPages).joined(separator: " ")
  }

  /// What a peer saw, and when.
  static func moment(_ entry: Timeline.Entry) -> String {
    "\(entry.time.plainSecondsText) s: \(sentence(entry))"
  }

  /// The drawings of runs, and what steers them.
  static func timeline(count: Int) -> String {
    let figures = (0..<count).map { index in
      """
      <figure><figcaption id="caption\(index)"></figcaption>
      <canvas id="lanes\(index)" tabindex="0" role="application" aria-describedby="keys" \
      aria-labelledby="caption\(index)"></canvas></figure>
      """
    }
    return """
      <section id="timeline"><h2>Timeline</h2>
      <div id="tools" role="toolbar" aria-label="Timeline">
      <button type="button" id="in">Zoom in</button>
      <button type="button" id="out">Zoom out</button>
      <button type="button" id="left">Earlier</button>
      <button type="button" id="right">Later</button>
      <button type="button" id="all">Whole run</button>
      <fieldset id="filters"><legend>Show</legend></fieldset>
      <label>Search <input id="search" type="search" autocomplete="off"></label>
      <button type="button" id="previous">Previous</button>
      <button type="button" id="next">Next</button>
      <output id="found"></output>
      </div>
      <p id="keys">Drag or use the arrow keys to move, Ctrl and the wheel or + and − to zoom, 0 for the whole run,
      n and p for the next and the previous event; click an event to see what led to it.</p>
      <div id="legend"></div>
      <div id="stage"><div>\(figures.joined(separator: "\n"))</div>
      <aside id="details" aria-live="polite" aria-label="The selected event"></aside></div>
      <details id="eventTable"><summary>The events as a table</summary><div id="events"></div></details>
      <noscript><p>The drawings need a script; the tables do not.</p></noscript>
      <output id="selftest" hidden></output>
      </section>
      """
  }
}

/// How well every two peers were connected.
struct PairTable {
  private let run: RunPicture

  init(_ run: RunPicture) { self.run = run }

  var html: String {
    let (shown, count) = (run.shownPairs, run.pairs.count)
    let caption =
      shown.count < count ? "The \(shown.count) of \(count) that were connected least" : "All pairs"
    return PageParts.table(
      caption,
      [
        "pair", "connected", "interruptions", "longest", "messages", "delivery p50", "p95", "max",
      ], shown.map(row))
  }

  private func row(_ pair: PairOutages) -> String {
    let share = Int((pair.connectedShare * 1_000).rounded())
    let cells = [
      "\(pair.left) ↔ \(pair.right)", "\(share / 10).\(share % 10) %", "\(pair.interruptions)",
      pair.interruptions > 0 ? pair.longestInterruption.shortText : "–",
      "\(pair.arrived) of \(pair.sent)",
    ]
    let delays = [50, 95, 100].map { percentile in
      pair.delay(percentile: percentile)?.shortText ?? "–"
    }
    return PageParts.row(cells + delays)
  }
}

/// What became of streams.
struct StreamTable {
  private let streams: [Verdict.Stream]

  init(_ run: RunPicture) { streams = run.verdict.streams }

  /// The table; empty without streams.
  var html: String {
    guard !streams.isEmpty else { return "" }
    let shown = streams.prefix(Self.rowsMax)
    let caption =
      shown.count < streams.count
      ? "The first \(shown.count) of \(streams.count) directions" : "All directions"
    return PageParts.table(
      caption,
      ["stream", "from → to", "opened", "written", "read", "ended", "how", "bytes a second"],
      shown.map(row))
  }

  private func row(_ stream: Verdict.Stream) -> String {
    let time = stream.ended.map { $0 - stream.opened }
    let rate = time.flatMap { time in
      time > .zero ? Quantity.size(Int(Double(stream.read) / (time / .seconds(1)))) : nil
    }
    let cells = [
      stream.name, "\(stream.from) → \(stream.to)", stream.opened.plainSecondsText,
      Quantity.size(stream.written), Quantity.size(stream.read),
      stream.ended?.plainSecondsText ?? "–", stream.ending?.rawValue ?? "goes on", rate ?? "–",
    ]
    return PageParts.row(cells)
  }

  private static let rowsMax = 300
}

/// What became of files.
struct FileTable {
  private let files: [Verdict.File]
  private let end: Duration

  init(_ run: RunPicture) { (files, end) = (run.verdict.files, run.verdict.virtualDuration) }

  /// The table; empty without files.
  var html: String {
    guard !files.isEmpty else { return "" }
    let shown = files.prefix(Self.rowsMax)
    let caption =
      shown.count < files.count ? "The first \(shown.count) of \(files.count)" : "All files"
    return PageParts.table(
      caption,
      [
        "file", "from → to", "offered", "accepted", "bytes", "written", "ended", "for the sender",
        "for the receiver", "in its place as", "standstills of the sender", "of the receiver",
      ], shown.map(row))
  }

  private func row(_ file: Verdict.File) -> String {
    let cells = [
      file.name, "\(file.from) → \(file.to)", file.offered.plainSecondsText,
      file.accepted?.plainSecondsText ?? "–", Quantity.size(file.bytes),
      Quantity.size(file.written),
      file.ended?.plainSecondsText ?? "–", file.ending?.rawValue ?? "goes on",
      file.receiverEnding?.rawValue ?? (file.accepted == nil ? "–" : "goes on"),
      file.place ?? "–", standstills(of: file, .sender), standstills(of: file, .receiver),
    ]
    return PageParts.row(cells)
  }

  /// The causes, each with how long it held the transfer up in all.
  private func standstills(of file: Verdict.File, _ side: Verdict.File.Side) -> String {
    let own = file.pauses.filter { $0.side == side }
    let words = Verdict.File.Pause.Cause.allCases.compactMap { cause -> String? in
      let times = own.filter { $0.cause == cause }.map { ($0.end ?? end) - $0.start }
      return times.isEmpty ? nil : "\(cause.words): \(times.reduce(.zero, +).shortText)"
    }
    return words.isEmpty ? "–" : words.joined(separator: ", ")
  }

  private static let rowsMax = 300
}
