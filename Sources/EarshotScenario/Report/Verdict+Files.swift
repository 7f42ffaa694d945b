import EarshotSimulator

extension Verdict {
  /// A file that one peer sent to another, and what became of it.
  public struct File: Hashable, Sendable {
    /// How a transfer ended for one side: complete, with an error, or by the end of a program.
    ///
    /// The errors have the names of their codes.
    public enum Ending: String, Hashable, Sendable, CaseIterable {
      /// The file is verified and in its place on the receiver's disk.
      case complete
      /// This side's program has cancelled it; the other side's program has.
      case cancelled, resourceCancelled
      /// The receiver has declined it, or let go of the offer.
      case resourceDeclined
      /// The sender cannot read the file, or it was changed meanwhile, or has more bytes.
      case resourceUnreadable, resourceChanged, resourceTooLarge
      /// The bytes that were written are not those that were read.
      case resourceCorrupted
      /// The receiver's file system refuses the file.
      case permissionDenied, folderUnavailable, nameTaken, fileTooLarge, storageFailed
      /// The receiver has too many unfinished resources of the sender.
      case tooManyResources
      /// One side has broken the rules of the protocol.
      case protocolViolation
      /// The offer was answered or withdrawn before the receiver could accept it.
      case offerEnded
      /// The member has left; this side's session ended.
      case notConnected, sessionEnded
      /// The program lost its memory.
      case crashed
    }

    /// A side of a transfer.
    public enum Side: String, Hashable, Sendable, CaseIterable {
      /// The peer that sends the file.
      case sender
      /// The peer that receives it.
      case receiver
    }

    /// A time in which a transfer stood still for one side.
    public struct Pause: Hashable, Sendable {
      /// The cause of a standstill.
      public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The link to the member is interrupted.
        case linkInterrupted
        /// The receiver has not answered the offer.
        case unanswered
        /// The receiver's disk is full.
        case diskFull
        /// This side's program has paused the transfer; the other side's program has.
        case paused, pausedByRemote
      }
      /// The side that was told.
      public let side: Side
      /// The cause.
      public let cause: Cause
      /// When it began, since the start of the run.
      public let start: Duration
      /// When it was over; `nil` when it went on to the end of the run.
      public internal(set) var end: Duration?

      init(_ side: Side, _ cause: Cause, from start: Duration) {
        (self.side, self.cause, self.start) = (side, cause, start)
      }
    }

    /// The name that the scenario gives it, which is its label.
    public let name: String
    /// The sender's name.
    public let from: String
    /// The receiver's name.
    public let to: String
    /// How many bytes it has.
    public let bytes: Int
    /// When it was offered, since the start of the run.
    public let offered: Duration
    /// When it was accepted; `nil` when it never was.
    public let accepted: Duration?
    /// How many bytes the receiver has written.
    public let written: Int
    /// How the transfer ended for its sender; `nil` when it went on to the end of the run.
    public let ending: Ending?
    /// How it ended for its receiver; `nil` when it went on to the end, or was never accepted.
    public let receiverEnding: Ending?
    /// When it ended for its receiver; for its sender, if it was never accepted.
    public let ended: Duration?
    /// The name of the file in the receiver's folder; `nil` when it did not arrive.
    public let place: String?
    /// When the transfer stood still for either side, the earliest first.
    public let pauses: [Pause]

    /// How many bytes had been written at which times, the earliest first.
    private let steps: [StreamLog.Read]

    init(_ transfer: FileLog.Transfer) {
      (name, from, to) = (transfer.name, transfer.direction.from, transfer.direction.to)
      (bytes, offered, accepted) = (transfer.bytes, transfer.offered, transfer.accepted)
      (written, place) = (transfer.receiver.completed, transfer.place)
      (ending, receiverEnding) = (transfer.sender.end?.ending, transfer.receiver.end?.ending)
      ended = transfer.accepted == nil ? transfer.sender.end?.time : transfer.receiver.end?.time
      pauses = (transfer.sender.pauses + transfer.receiver.pauses).enumerated()
        .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
      steps = transfer.receiver.steps
    }

    /// How many bytes had been written at which times; of each step, the first and the last.
    func steps(inSteps width: Duration) -> [StreamLog.Read] { steps.thinned(inSteps: width) }
  }
}
