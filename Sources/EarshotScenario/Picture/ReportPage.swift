import EarshotCore
import EarshotSimulator

/// A run as a page of its own for a browser: one file that asks the network for nothing.
///
/// What is in tables can be read without scripts; the drawings are the work of the page's script.
package struct ReportPage {
  private let runs: [RunPicture]
  /// The words that tell the runs from each other, one for each run.
  private let labels: [String]
  private let difference: RunDifference?

  /// A page about a run, and about where another one parts from it.
  package init(_ run: RunPicture, against rival: RunPicture? = nil) {
    runs = [run] + (rival.map { [$0] } ?? [])
    labels = Self.labels(of: runs)
    difference = rival.map { RunDifference(run, $0) }
  }

  /// The page.
  package var html: String {
    let name = runs[0].verdict.scenario.escapedForPages
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; script-src 'unsafe-inline'">
      <title>\(name), seed \(runs[0].verdict.seed)</title>
      <style>\(PageStyle.text)</style>
      </head>
      <body>
      <header>
      <h1>\(name)</h1>
      <button id="theme" type="button">Light or dark</button>
      </header>
      <main>
      \(zip(runs, labels).enumerated().map { heading($0, $1.0, $1.1) }.joined(separator: "\n"))
      \(difference.map(section) ?? "")
      \(PageParts.timeline(count: runs.count))
      \(runs.enumerated().map { tables($0, $1) }.joined(separator: "\n"))
      </main>
      <script type="application/json" id="data">\(data)</script>
      <script>\(PageScript.text)</script>
      </body>
      </html>

      """
  }

  private var data: String {
    let runs = zip(runs, labels).map { picture, label in
      var data = PageData(picture)
      return data.json(title: title(of: picture, label))
    }
    let time = difference?.time?.microseconds ?? -1
    return JSONText.object([("runs", JSONText.array(runs)), ("parting", "\(time)")])
  }

  /// The words that tell the runs from each other.
  ///
  /// Each label has the seed, and the scenario or the file if these differ. Two runs of one file
  /// with one seed are the first and the second run.
  private static func labels(of runs: [RunPicture]) -> [String] {
    let (names, files) = (Set(runs.map(\.verdict.scenario)), Set(runs.map(\.file)))
    let labels = runs.map { run in
      let seed = "seed \(run.verdict.seed)"
      if names.count > 1 { return "\(run.verdict.scenario), \(seed)" }
      return files.count > 1 ? "\(run.file), \(seed)" : seed
    }
    guard Set(labels).count < labels.count else { return labels }
    return zip(["first run", "second run"], labels).map { "\($0), \($1)" }
  }

  /// The label with the name of the scenario.
  private func title(of run: RunPicture, _ label: String) -> String {
    let name = run.verdict.scenario
    return Set(runs.map(\.verdict.scenario)).count > 1 ? label : "\(name), \(label)"
  }

  // MARK: What came out

  private func heading(_ index: Int, _ run: RunPicture, _ label: String) -> String {
    let verdict = run.verdict
    let (word, style) = verdict.held ? ("held", "good") : ("did not hold", "bad")
    let summary = verdict.summary.isEmpty ? "" : "<p>\(verdict.summary.escapedForPages)</p>"
    let warnings = verdict.warnings.map { "<p>warning: \($0.escapedForPages)</p>" }
      .joined(separator: "\n")
    return """
      <section class="verdict">
      <p><strong class="\(style)">\(word)</strong> \(label.escapedForPages), trace \(verdict.traceHash), \
      \(run.recording.eventCount) events in \(verdict.virtualDuration.plainSecondsText) s</p>
      \(summary)
      \(warnings)
      <p><code>\(run.replayCommand.escapedForPages)</code></p>
      \(ResultTable(index, run).html)
      </section>
      """
  }

  private func section(_ difference: RunDifference) -> String {
    let events = zip(labels, difference.events).map { label, event in
      let text = event.map { "event \($0.number): \($0.words)" } ?? "nothing any more"
      return "<li>\(label.escapedForPages): <code>\(text.escapedForPages)</code></li>"
    }
    let stories = difference.stories.map { story in
      let cells = story.entries.map { entry in
        "<td>\(entry.map { PageParts.moment($0) } ?? "nothing any more")</td>"
      }
      return "<tr><td>\(story.peer.escapedForPages)</td>\(cells.joined())</tr>"
    }
    let first =
      events.isEmpty
      ? "<p>All events that are kept of both runs are the same.</p>"
      : "<ul>\(events.joined(separator: "\n"))</ul>"
    return """
      <section><h2>Where the runs part</h2>
      \(first)
      \(PageParts.table(
        "What each peer saw first that it did not see in the other run",
        ["peer"] + labels.map(\.escapedForPages), stories))
      </section>
      """
  }

  // MARK: Tables

  private func tables(_ index: Int, _ run: RunPicture) -> String {
    let title = runs.count > 1 ? " of \(labels[index].escapedForPages)" : ""
    let plots =
      "<section><h2>Plots\(title)</h2><div class=\"plots\" id=\"plots\(index)\"></div></section>"
    if let test = run.test {
      let faults = TestFaultTable(run).html
      return "<section><h2>Hosts\(title)</h2>\(TestHostTable(run, test).html)</section>\n"
        + (faults.isEmpty ? "" : "<section><h2>Faults\(title)</h2>\(faults)</section>\n") + plots
    }
    let entries = run.verdict.timeline.entries
    let story = entries.prefix(Self.entriesMax).map { entry in
      "<tr><td>\(entry.time.plainSecondsText)</td><td>\((entry.observer ?? "").escapedForPages)</td>"
        + "<td>\(PageParts.sentence(entry))</td></tr>"
    }
    let left = entries.count - story.count
    let rest = left > 0 ? "<p>\(left) more are left out.</p>" : ""
    let (streams, files) = (StreamTable(run).html, FileTable(run).html)
    return """
      <section><h2>Pairs\(title)</h2>
      \(PairTable(run).html)
      </section>
      \(streams.isEmpty ? "" : "<section><h2>Streams\(title)</h2>\(streams)</section>")
      \(files.isEmpty ? "" : "<section><h2>Files\(title)</h2>\(files)</section>")
      \(plots)
      <section><details><summary>What the peers saw\(title)</summary>
      \(PageParts.table("What the peers saw", ["seconds", "peer", "what"], Array(story)))\(rest)
      </details></section>
      """
  }

  private static let entriesMax = 2_000
}

extension TraceEvent {
  /// The event in one line, without its tabs.
  fileprivate var words: String {
    description.split(separator: "\t").joined(separator: " ")
  }
}
