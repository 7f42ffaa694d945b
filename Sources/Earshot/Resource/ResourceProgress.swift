public import Foundation

/// The state of a transfer at one time.
public struct ResourceProgress: Hashable, Sendable {
  /// The cause of a standstill.
  public enum Standstill: Hashable, Sendable, CaseIterable {
    /// The link to the member is interrupted; the transfer goes on when it is back.
    case linkInterrupted
    /// The receiver has not answered the offer.
    case unanswered
    /// The receiver's disk is full; the transfer goes on within two seconds of room being made.
    case diskFull
    /// This side's program has paused the transfer.
    case paused
    /// The other side's program has paused it.
    case pausedByRemote
  }

  /// The bytes that the receiver has written to its disk; on the sender, as far as it knows.
  public let completedBytes: Int64
  /// The bytes in all; `nil` until the end if the sender did not know.
  public let totalBytes: Int64?
  /// The average of the last three seconds; 0 while the transfer stands still and after its end.
  public let bytesPerSecond: Double
  /// The reason why nothing moves; `nil` if bytes may move, and after the end.
  public let standstill: Standstill?
  /// Whether the transfer has ended, with or without success.
  public let isEnded: Bool

  package init(
    completedBytes: Int64, totalBytes: Int64?, bytesPerSecond: Double, standstill: Standstill?,
    isEnded: Bool
  ) {
    (self.completedBytes, self.totalBytes) = (completedBytes, totalBytes)
    (self.bytesPerSecond, self.standstill, self.isEnded) = (bytesPerSecond, standstill, isEnded)
  }

  /// The part that is done, from 0 to 1; `nil` if the total is unknown.
  ///
  /// It is 1 for a resource of no bytes.
  public var fraction: Double? {
    totalBytes.map { $0 > 0 ? Double(completedBytes) / Double($0) : 1 }
  }

  /// The time that the rest takes at the present rate; `nil` if that cannot be said.
  public var timeLeft: Duration? {
    guard let totalBytes, bytesPerSecond > 0 else { return nil }
    let seconds = Double(totalBytes - completedBytes) / bytesPerSecond
    return .seconds(min(seconds, 315_360_000))  // Ten years.
  }
}

/// The result of a transfer that has succeeded.
public struct ResourceOutcome: Hashable, Sendable {
  /// The bytes in all.
  public let byteCount: Int64
  /// The SHA-256 over the SHA-256 digests of all pieces of 1 MiB, of which the last one may be
  /// shorter.
  public let digest: [UInt8]
  /// The place of the file; `nil` on the sender.
  public let file: URL?
}
