import EarshotScenario
import EarshotSimulator

/// The files that a run is written to.
struct RunOutputs {
  /// What can be written.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    case trace = "--trace"
    case capture = "--pcap"
    case perfetto = "--perfetto"
    case report = "--report"
    case drawing = "--drawing"

    /// What is written, for people.
    var noun: String {
      switch self {
      case .trace: "trace"
      case .capture: "capture"
      case .perfetto: "Perfetto trace"
      case .report: "report"
      case .drawing: "drawing"
      }
    }
  }

  private let files: [Kind: OutputFile]
  private let console: Console

  /// Opens the files.
  ///
  /// - Parameters:
  ///   - paths: Where each kind that is wanted goes.
  ///   - console: Where the log goes, if the environment asks for it.
  ///   - isJSON: Whether each record of it is a JSON object.
  /// - Throws: That a file cannot be opened, or what is wrong with the environment.
  init(_ paths: [Kind: String], on console: Console, logAsJSON isJSON: Bool) throws(UsageError) {
    self.console = try console.logging(asJSON: isJSON)
    var files: [Kind: OutputFile] = [:]
    for kind in Kind.allCases {
      guard let path = paths[kind] else { continue }
      do throws(OutputFile.Failure) { files[kind] = try OutputFile(path) } catch {
        throw Self.mistake(kind, error)
      }
    }
    self.files = files
  }

  /// Runs an order, and writes what happens.
  ///
  /// - Parameters:
  ///   - order: The order; it is told of everything.
  ///   - rival: The run that the report compares it with, if any.
  ///   - engine: What runs it.
  /// - Returns: What the engine says of the order.
  func run(_ order: RunOrder, against rival: RunOrder? = nil, with engine: Engine) -> RunResult {
    var order = order
    if let trace = files[.trace] { order.trace = { trace.write(line: $0) } }
    let capture = files[.capture].map { file in PacketCapture { file.write($0) } }
    let perfetto = files[.perfetto].map { file in PerfettoTrace { file.write($0) } }
    let recording = (files[.report] ?? files[.drawing]).map { _ in RunRecording() }
    var stops: [HostStop] = []
    let verdict = VerdictBox()
    let log = console.log
    if capture != nil || perfetto != nil || recording != nil || log != nil {
      order.events = { [console] event in
        if let line = log?.line(of: event) { console.err(line + "\n") }
        capture?.add(event)
        perfetto?.add(event)
        recording?.add(event)
        if let stop = HostStop(event) { stops.append(stop) }
      }
      order.verdict = { verdict.value = $0 }
    }
    let result = engine.run(order)
    capture?.finish()
    if let verdict = verdict.value {
      perfetto?.add(PeerStates(verdict, stops), FaultSpan.all(verdict))
      let picture = recording.map { RunPicture(verdict, $0, file: order.file) }
      if let picture { write(picture, of: order, against: rival, with: engine) }
    }
    perfetto?.finish()
    return result
  }

  private func write(
    _ picture: RunPicture, of order: RunOrder, against rival: RunOrder?, with engine: Engine
  ) {
    files[.drawing]?.write(RunDrawing(picture).svg.utf8)
    guard let report = files[.report] else { return }
    let run = focused(picture, of: order, with: engine)
    let other = rival.flatMap { self.picture(of: $0, with: engine) }
    report.write(ReportPage(run, against: other).html.utf8)
  }

  private func picture(of order: RunOrder, with engine: Engine) -> RunPicture? {
    let (recording, verdict) = (RunRecording(), VerdictBox())
    var order = order
    order.events = recording.add
    order.verdict = { verdict.value = $0 }
    _ = engine.run(order)
    return verdict.value.map { verdict in
      focused(RunPicture(verdict, recording, file: order.file), of: order, with: engine)
    }
  }

  /// A picture with the events around its failures.
  ///
  /// The moments of failures are known only at the end of a run. When the events around them are not
  /// kept, the run is repeated with a recording that keeps these.
  private func focused(
    _ picture: RunPicture, of order: RunOrder, with engine: Engine
  ) -> RunPicture {
    let moments = picture.momentsToRecord
    guard !moments.isEmpty else { return picture }
    let (recording, verdict) = (RunRecording(around: moments), VerdictBox())
    var order = order
    (order.isRepeated, order.form, order.trace) = (false, .none, nil)
    (order.events, order.verdict) = (recording.add, { verdict.value = $0 })
    _ = engine.run(order)
    return picture.with(recording, of: verdict.value)
  }

  /// Writes what is left.
  ///
  /// - Returns: The mistakes of files that are not complete.
  func close() -> [UsageError] {
    Kind.allCases.compactMap { kind in
      do throws(OutputFile.Failure) { try files[kind]?.close() } catch {
        return Self.mistake(kind, error)
      }
      return nil
    }
  }

  private static func mistake(_ kind: Kind, _ failure: OutputFile.Failure) -> UsageError {
    UsageError(
      "the \(kind.noun) cannot be written to \"\(failure.path.escapedForTerminals)\": \(failure)",
      command: SimulateCommand.plan.name)
  }
}

/// The verdict of a run, once there is one.
private final class VerdictBox {
  var value: Verdict?
}
