import Earshot
import EarshotScenario

extension EarshotError {
  /// The sentence about a transfer that has failed, safe to print.
  ///
  /// - Parameters:
  ///   - file: The name of the file, safe to print.
  ///   - end: The other end.
  ///   - progress: How far the transfer came.
  /// - Returns: The sentence, without its full stop.
  func sentence(
    of file: String, with end: TransferEnd, _ progress: ResourceProgress
  ) -> String {
    switch code {
    case .resourceDeclined:
      let reason = declineReason ?? ""
      return "\(end.name) declined \(file)"
        + (reason.isEmpty ? "" : ": \(reason.escapedForTerminals)")
    case .resourceCancelled: return "\(end.name) cancelled \(file): \(progress.amount)"
    case .cancelled, .sessionEnded: return "interrupted: \(file), \(progress.amount)"
    case .notConnected: return "\(end.name) left before the end of \(file): \(progress.amount)"
    default: return description.escapedForTerminals
    }
  }

  /// The members of its JSON object.
  func members(_ number: Int) -> [(String, String)] {
    [
      ("number", "\(number)"), ("code", code.name.quotedForJSON),
      ("reason", (declineReason ?? message).quotedForJSON),
    ]
  }

  /// How a command ends whose transfer has failed so.
  var exitCode: ExitCode {
    switch code {
    case .cancelled: .interrupted
    case .permissionDenied, .folderUnavailable, .storageFailed, .fileTooLarge, .nameTaken:
      .unwritten
    default: .violated
    }
  }
}
