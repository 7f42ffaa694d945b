import EarshotCore

/// What has to hold in every run, whatever the scenario says.
package struct Invariants {
  let evidence: Evidence

  /// The invariants of one run.
  ///
  /// - Parameters:
  ///   - scenario: What was run.
  ///   - record: What was recorded of the run.
  ///   - end: The time up to which the run has gone; the scenario's end by default.
  package init(_ scenario: Scenario, _ record: Recorder.Record, until end: Duration? = nil) {
    evidence = Evidence(scenario, record, until: end ?? scenario.duration)
  }

  /// Whether one of them is violated in a run that goes on.
  ///
  /// As for one that ends now, but for calls that need not have returned: a scenario may be of any length.
  package var isViolatedSoFar: Bool {
    let record = evidence.record
    return !record.breaches.isEmpty || !evidence.spans.disorder.isEmpty
      || !record.calls.complaints(at: evidence.end, record.disturbances).isEmpty
      || !stuckStreams.isEmpty || !torn.isEmpty || !stuckFiles.isEmpty || !splitTransfers.isEmpty
      || !lostMessages.isEmpty || !wrongCounts.isEmpty
      || !wrongAnswers.isEmpty
      || !disagreements.isEmpty || !holes.isEmpty || !causeless.isEmpty
      || !brokenGuarantees.isEmpty
  }

  /// What came of each of them.
  package var results: [Verdict.Result] {
    [
      result("messages arrive in order, once and unharmed", breaches(.messages)),
      result("no message is lost while its membership lasts", lostMessages),
      result("what counts as undelivered did not arrive", wrongCounts),
      result("bytes of streams arrive in order, once and unharmed", breaches(.streams)),
      result("no stream stands still while its membership lasts", stuckStreams),
      result("what a stream has acknowledged is read to the end", torn),
      result(
        "files are whole and in their place, or absent",
        breaches(.files) + evidence.record.files.misplaced),
      result("a transfer of a file never goes back, and has one end", breaches(.transfers)),
      result("both ends of a transfer are told the same", splitTransfers),
      result("no file stands still while its membership lasts", stuckFiles),
      result("nothing is left of a transfer that has ended", evidence.record.files.leftovers),
      result("no program fails", breaches(.programs)),
      result("every call returns in time", breaches(.calls) + unended),
      result("both ends of an invitation are told the same", wrongAnswers),
      result("events of a membership follow each other", evidence.spans.disorder),
      result("both ends agree about a membership", disagreements),
      result("who is in one session is linked with all in it", holes),
      result("two members of a session have one link", breaches(.links)),
      result("nobody is interrupted or leaves without a cause", causeless),
      result("no fault breaks what its plan leaves whole", brokenGuarantees),
    ]
  }

  private func result(_ name: String, _ complaints: [Complaint]) -> Verdict.Result {
    Verdict.Result(name, complaints, end: evidence.end)
  }

  private func breaches(_ law: Recorder.Breach.Law) -> [Complaint] {
    evidence.record.breaches.filter { $0.law == law }.map(\.complaint)
  }

  private var unended: [Complaint] {
    let open = evidence.record.calls.open
    guard let first = open.min(by: { $0.key < $1.key })?.value else { return [] }
    return [
      Complaint(
        "\(open.count) of \(evidence.record.calls.count) had not when the world had",
        about: [first.caller] + [first.subject].compactMap(\.self))
    ]
  }
}
