import EarshotCore
import EarshotNetwork

/// Why a transfer fails, before it is put into words.
enum TransferFailure: Error, Sendable {
  /// This side has found it, perhaps by an error of its storage.
  case local(ResourceFailure, StorageError? = nil)
  /// The other side's word.
  case remote(ResourceFailure)
  /// The receiver's program has declined.
  case declined(reason: String)
  /// The sequence that makes the bytes has failed.
  case source(any Error)
  /// The stream or its membership has ended.
  case stream(EarshotError)
  /// The task was cancelled.
  case cancelled

  /// The failure behind any error of a transfer.
  init(_ error: any Error) {
    switch error {
    case let failure as TransferFailure: self = failure
    case let failure as ResourceFailure: self = .local(failure)
    case let error as EarshotError:
      if error.code == .streamReset {
        // A side that let go of its stream, or broke its rules, gives no code.
        self = .remote(error.resetCode.flatMap(ResourceFailure.init) ?? .violation)
      } else {
        self = error.code == .cancelled ? .cancelled : .stream(error)
      }
    case let error as StorageError: self = .local(ResourceFailure(error), error)
    default: self = .cancelled
    }
  }

  /// The code with which this side resets the stream; `nil` if the other side knows, or cannot hear
  /// it.
  var resetCode: UInt32? {
    switch self {
    case .local(let failure, _): failure.rawValue
    case .source: ResourceFailure.sourceUnreadable.rawValue
    case .cancelled: ResourceFailure.cancelled.rawValue
    case .remote, .declined, .stream: nil
    }
  }

  /// The error for the program.
  func error(of transfer: Transfer) -> EarshotError {
    let (label, peer) = (transfer.label.debugDescription, transfer.peer)
    func error(
      _ code: EarshotError.Code, _ message: String, _ cause: StorageError? = nil
    ) -> EarshotError {
      EarshotError(code, message, storageCause: cause, peers: [peer])
    }
    switch self {
    case .local(let failure, let cause):
      return error(failure.code, "\(label): " + failure.words("this side"), cause)
    case .remote(let failure):
      let code = failure == .cancelled ? .resourceCancelled : failure.code
      return error(code, "\(label): " + failure.words(peer.short))
    case .declined(let reason):
      let words = reason.isEmpty ? "." : ": \(reason)"
      return EarshotError(
        .resourceDeclined, "\(peer.short) has declined \(label)\(words)", peers: [peer],
        declineReason: reason)
    case .source(let failure):
      return error(.resourceUnreadable, "\(label): the bytes cannot be read: \(failure)")
    case .stream(let error): return error
    case .cancelled: return transfer.cancelled
    }
  }
}

extension ResourceFailure {
  /// The failure of the receiver's storage.
  init(_ error: StorageError) {
    self =
      switch error.code {
      case .permissionDenied: .permissionDenied
      case .readOnly: .readOnly
      case .notFound, .notFolder: .folderGone
      case .fileTooLarge: .fileTooLarge
      case .exists, .isFolder: .nameTaken
      default: .storageFailed
      }
  }

  fileprivate var code: EarshotError.Code {
    switch self {
    case .cancelled: .cancelled
    case .sourceChanged: .resourceChanged
    case .sourceUnreadable: .resourceUnreadable
    case .permissionDenied, .readOnly: .permissionDenied
    case .folderGone: .folderUnavailable
    case .storageFailed: .storageFailed
    case .corrupted: .resourceCorrupted
    case .violation: .protocolViolation
    case .tooMany: .tooManyResources
    case .unanswered: .resourceDeclined
    case .tooLarge: .resourceTooLarge
    case .fileTooLarge: .fileTooLarge
    case .nameTaken: .nameTaken
    }
  }

  fileprivate func words(_ side: String) -> String {
    switch self {
    case .cancelled: "\(side) has cancelled the transfer."
    case .sourceChanged: "the file was changed while it was read (\(side))."
    case .sourceUnreadable: "\(side) cannot read on."
    case .permissionDenied: "the system does not allow \(side) to write there."
    case .folderGone: "the folder is gone, or another one is in its place (\(side))."
    case .readOnly: "the file system of \(side) can only be read."
    case .storageFailed: "the disk of \(side) has failed."
    case .corrupted: "the bytes that \(side) has got are not those that were read."
    case .violation: "the transfer broke the rules of the protocol, says \(side)."
    case .tooMany: "\(side) takes no more resources at once."
    case .unanswered: "the program of \(side) has let go of the offer without an answer."
    case .tooLarge: "there are more bytes than were offered, says \(side)."
    case .fileTooLarge: "the file system of \(side) takes no file of that size."
    case .nameTaken: "all names like that are taken (\(side))."
    }
  }
}
