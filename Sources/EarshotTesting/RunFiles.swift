import EarshotScenario
import EarshotSimulator
import Foundation
import Synchronization

/// The files of a failing run: a page, a capture, a trace for Perfetto, and what repeats the run.
final class RunFiles: RunObserver {
  private struct State {
    let recording: RunRecording
    var log = TestLog()
    let capture: PacketCapture
    let perfetto: PerfettoTrace
    let outputs: [OutputFile]
    var failures: [RecordedFailure] = []

    init(in folder: URL, around moments: [Duration]) throws {
      let packets = try OutputFile(folder.appending(path: RunFiles.captureName).path)
      let trace = try OutputFile(folder.appending(path: RunFiles.perfettoName).path)
      outputs = [packets, trace]
      recording = RunRecording(around: moments)
      capture = PacketCapture { packets.write($0) }
      perfetto = PerfettoTrace { trace.write($0) }
    }
  }
  let folder: URL
  private let state: Mutex<State>

  /// Opens the files in a folder, which is made if it does not exist.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - moments: The moments of an earlier run with the same plan whose events the page has to
  ///     keep.
  /// - Throws: ``FilesError``.
  init(in folder: URL, around moments: [Duration] = []) throws(FilesError) {
    self.folder = folder
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      state = Mutex(try State(in: folder, around: moments))
    } catch { throw FilesError(folder, error) }
  }

  func add(_ event: TraceEvent, in world: World) {
    state.withLock { state in
      state.recording.add(event)
      state.log.add(event)
      state.capture.add(event)
      state.perfetto.add(event)
    }
  }

  func noteFailure(_ failure: RecordedFailure) {
    state.withLock { $0.failures.append(failure) }
  }

  /// The moments of failures whose events are not kept; the run has to be repeated for these.
  func missingMoments(_ run: FinishedRun) -> [Duration] {
    state.withLock { run.picture($0.recording, $0.log, $0.failures).momentsToRecord }
  }

  /// Writes what is left.
  ///
  /// - Parameter run: The run, which is over.
  /// - Returns: The paths of all files.
  /// - Throws: ``FilesError``.
  func write(_ run: FinishedRun) throws(FilesError) -> [URL] {
    do {
      try state.withLock { state in
        let picture = run.picture(state.recording, state.log, state.failures)
        state.capture.finish()
        state.perfetto.add(picture.states, picture.faults)
        state.perfetto.finish()
        for output in state.outputs { try output.close() }
        let page = Data(ReportPage(picture).html.utf8)
        try page.write(to: folder.appending(path: Self.pageName))
      }
      try run.reproducer.json.write(to: folder.appending(path: Self.reproducerName))
      return Self.names.map { folder.appending(path: $0) }
    } catch { throw FilesError(folder, error) }
  }

  static let pageName = "report.html"
  static let captureName = "packets.pcapng"
  static let perfettoName = "trace.perfetto"
  static let reproducerName = "repro.json"
  static let names = [pageName, captureName, perfettoName, reproducerName]
}

/// A run that is over, with what its files say about it.
struct FinishedRun {
  let name: TestName
  let outcome: SeedRun.Outcome
  let summary: String
  let events: [String]
  let reproducer: Reproducer

  /// The picture of the run; the first failure has the events that led to it.
  func picture(
    _ recording: RunRecording, _ log: TestLog, _ failures: [RecordedFailure]
  ) -> RunPicture {
    TestRun(
      of: name.filter, seed: outcome.seed, replay: reproducer.replay, summary: summary,
      digest: outcome.digest, duration: outcome.duration, hosts: outcome.hosts,
      failures: failures.enumerated().map { number, failure in
        TestRun.Failure(
          failure.text, at: failure.place,
          failure.moment.map { $0.time - .zero } ?? outcome.duration, on: failure.moment?.host,
          why: number == 0 ? events : [])
      }
    ).picture(recording, log)
  }
}

/// A folder for the files of a failing run that cannot be written.
struct FilesError: Error, CustomStringConvertible {
  let description: String

  init(_ folder: URL, _ cause: any Error) {
    description =
      "the files of the failing run are not written, since \(folder.path) cannot be written: "
      + "\(cause.reason). Set \(ReportFolder.variable) to a folder that can."
  }
}
