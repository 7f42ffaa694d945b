/// A run, with what a page needs to picture it.
package struct RunPicture {
  package let verdict: Verdict
  package let recording: RunRecording
  let file: String
  /// The command that repeats the run.
  let replayCommand: String
  /// What is known of the hosts of a test; `nil` for the run of a scenario.
  let test: TestLog?
  package let states: PeerStates
  package let faults: [FaultSpan]
  let pairs: [PairOutages]
  /// The failures, in the order of the report.
  package let failures: [RunFailure]

  /// A picture of a run.
  ///
  /// - Parameters:
  ///   - verdict: What came out of it.
  ///   - recording: What happened.
  ///   - file: The scenario's file, for the command that replays the run.
  package init(_ verdict: Verdict, _ recording: RunRecording, file: String) {
    (self.verdict, self.recording, self.file) = (verdict, recording, file)
    (replayCommand, test) = (Replay(file, verdict).command, nil)
    states = PeerStates(verdict, recording.stops)
    faults = FaultSpan.all(verdict)
    pairs = PairOutages.all(verdict, recording.messages)
    failures = RunFailure.all(verdict)
  }

  /// A picture of the run of a test.
  init(
    _ verdict: Verdict, _ recording: RunRecording, of test: TestLog, replay: String,
    states: PeerStates
  ) {
    (self.verdict, self.recording, file, replayCommand) = (verdict, recording, "", replay)
    (self.test, self.states, pairs) = (test, states, [])
    faults = test.faults.spans(until: verdict.virtualDuration)
    failures = RunFailure.all(verdict)
  }

  /// The moments of the failures, if the events around one of them are not kept; else none.
  ///
  /// A recording of a second run, with the same seed, keeps the events around these moments.
  package var momentsToRecord: [Duration] {
    let moments = failures.map(\.time)
    return moments.allSatisfy(recording.keeps) ? [] : moments
  }

  /// The picture with the recording of a repetition; as it is when the repetition was another run.
  package func with(_ recording: RunRecording, of repetition: Verdict?) -> RunPicture {
    guard repetition?.traceHash == verdict.traceHash else { return self }
    return RunPicture(verdict, recording, file: file)
  }

  /// The pairs for which there is room, those that were connected least if there are too many.
  var shownPairs: [PairOutages] {
    guard pairs.count > Self.pairsMax else { return pairs }
    let order = pairs.indices.sorted {
      (pairs[$0].connectedShare, $0) < (pairs[$1].connectedShare, $1)
    }
    return order.prefix(Self.pairsMax).map { pairs[$0] }
  }

  private static let pairsMax = 300
}
