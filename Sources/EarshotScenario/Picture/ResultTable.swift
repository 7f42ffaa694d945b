/// The failures of a run with their explanations, and what held.
struct ResultTable {
  private let index: Int
  private let run: RunPicture

  /// The results of a run.
  ///
  /// - Parameters:
  ///   - index: The place of the run in the page.
  ///   - run: The run.
  init(_ index: Int, _ run: RunPicture) { (self.index, self.run) = (index, run) }

  /// The failures first; what held is folded away beneath them.
  var html: String {
    guard !run.failures.isEmpty else { return held }
    let count = run.verdict.results.count
    let table = PageParts.table(
      "\(run.failures.count) of \(count) did not hold", ["", "what", "what led to it"],
      run.failures.enumerated().map(row), style: "failures")
    guard count > run.failures.count else { return table }
    return "\(table)\n<details><summary>What held</summary>\(held)</details>"
  }

  /// The button shows the moment of the failure in the drawing and in the table of events.
  private func row(_ number: Int, _ failure: RunFailure) -> String {
    let (result, time) = (failure.result, failure.time.plainSecondsText)
    return """
      <tr><td class="bad"><button type="button" class="jump" data-run="\(index)" \
      data-failure="\(number)">✗ \(number + 1) at \(time) s</button></td>\
      <td>\(result.name.escapedForPages)<p>\(result.observed.escapedForPages)</p></td>\
      <td>\(explanation(of: result, isOpen: number == 0))</td></tr>
      """
  }

  /// The events that led to a failure; those of the first failure are open.
  private func explanation(of result: Verdict.Result, isOpen: Bool) -> String {
    guard !result.why.isEmpty else { return "–" }
    let lines = result.why.map(\.escapedForPages).joined(separator: "\n")
    let events = result.why.count == 1 ? "1 event" : "\(result.why.count) events"
    return "<details\(isOpen ? " open" : "")><summary>\(events)</summary>"
      + "<pre class=\"why\" tabindex=\"0\">\(lines)</pre></details>"
  }

  private var held: String {
    let results = run.verdict.results.filter(\.held)
    let rows = results.filter { !$0.isInvariant }.map { result in
      "<tr><td class=\"good\">✓ held</td><td>\(result.name.escapedForPages)</td>"
        + "<td>\(result.observed.escapedForPages)</td></tr>"
    }
    let invariants = results.count(where: \.isInvariant)
    return PageParts.table(
      "What had to hold; \(invariants) invariants held besides", ["", "what", "what was seen"], rows
    )
  }
}
