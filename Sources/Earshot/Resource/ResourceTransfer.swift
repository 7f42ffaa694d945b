public import Foundation
import Synchronization

/// The sending or the receiving of a resource.
///
/// Comes from ``Session/sendResource(at:named:to:)`` and its siblings, or from
/// ``ResourceOffer/accept(into:as:replacing:evenIfFull:)``. A link that breaks and comes back, or a
/// suspension of either peer, costs it time and nothing else. It goes on when it is released, and
/// ends with the membership. It does not hold its session. All calls may be made from anywhere.
///
/// A transfer that fails leaves nothing on the receiver, unless that was done before it heard of
/// the failure. It ends with one of these errors on both sides:
///
/// | code | cause |
/// |---|---|
/// | `cancelled`, `resourceCancelled` | this side has cancelled it; the other side has |
/// | `resourceDeclined` | the receiver's program has declined it, or let go of the offer |
/// | `resourceChanged`, `resourceUnreadable` | the sender's file was changed while it was read, or cannot be read |
/// | `resourceTooLarge` | there are more bytes than were offered |
/// | `resourceCorrupted` | the bytes that were written are not those that were read |
/// | `permissionDenied`, `folderUnavailable`, `nameTaken`, `fileTooLarge`, `storageFailed` | the receiver's file system refuses the file |
/// | `tooManyResources` | the receiver has 64 unfinished resources of the sender |
/// | `protocolViolation` | one side has broken the rules of the protocol |
/// | `notConnected`, `sessionEnded` | the member has left; this side has left the session |
public final class ResourceTransfer: Sendable {
  private let transfer: Transfer
  private let conclusion = Conclusion<Transfer.Outcome>()
  private let bridge = Mutex<ProgressBridge?>(nil)

  init(_ transfer: Transfer) { self.transfer = transfer }

  /// The label of the resource, verbatim as the sender gave it; never a path.
  public var label: String { transfer.label }

  /// The member at the other end.
  public var peer: PeerID { transfer.peer }

  /// The states of the transfer: the present one, and the latest one after each change.
  ///
  /// A loop ends after the state in which the transfer has ended.
  public var progress: SnapshotStream<ResourceProgress> { transfer.states }

  /// The present state.
  public var currentProgress: ResourceProgress { transfer.progress }

  /// Waits until the resource is received, verified, and in its place on the receiver.
  ///
  /// May be awaited by several tasks, and again later: the result stays.
  ///
  /// - Returns: The number of bytes, the digest, and on the receiver the place of the file.
  /// - Throws: `cancelled` if this side has cancelled the transfer, or the waiting task was
  ///   cancelled, which changes nothing for the transfer; `notConnected` or `sessionEnded` if the
  ///   membership ended before; the other errors of the table above.
  @discardableResult
  public func completed() async throws(EarshotError) -> ResourceOutcome {
    guard let outcome = await conclusion.wait() else {
      throw EarshotError(
        .cancelled, "Waiting for the transfer of \(label.debugDescription) was cancelled.",
        peers: [peer])
    }
    return try outcome.get()
  }

  /// Cancels the transfer at once, also while the link is interrupted.
  ///
  /// The other side's call fails with `resourceCancelled`; partial files are removed. Has no effect
  /// on a transfer that has ended, or on the receiver while the file gets its name. If the same
  /// file was offered several times at once, the others go on.
  public func cancel() { transfer.cancel(self) }

  /// Pauses the transfer until ``resume()``: the sender reads no more, or the receiver writes no
  /// more.
  ///
  /// The other side is told, and shows it. Has no effect while the disk is full.
  public func pause() { transfer.pause(true) }

  /// Has a paused transfer go on.
  public func resume() { transfer.pause(false) }

  /// Foundation's view of the transfer: bytes as units, and the same object each time.
  ///
  /// Cancelling, pausing or resuming the object, or a parent of it, does so with the transfer
  /// within a tenth of a second. It is changed by one task of the peer's host at a time;
  /// Foundation's own objects may be read from anywhere.
  public var foundationProgress: Progress {
    bridge.withLock { bridge in
      if let bridge { return bridge.progress }
      let new = ProgressBridge(transfer.progress)
      bridge = new
      new.watch(self, on: transfer.host)
      return new.progress
    }
  }

  /// Ends it for this handle.
  func end(_ outcome: Transfer.Outcome) {
    bridge.withLock { $0 }?.update(transfer.progress)
    conclusion.end(outcome)
  }

  /// Whether it has ended for this handle.
  var isEnded: Bool { conclusion.ending != nil }
}
