import EarshotCore
public import Foundation

/// A resource that a member offers.
///
/// Comes from ``Session/resources``. The sender waits until it is accepted or declined; both may be
/// done by any task, and the first answer counts. An offer that is released without an answer is
/// declined.
public final class ResourceOffer: Sendable {
  /// The kind of a resource.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A file of the sender's.
    case file
    /// Bytes that the sender's program has made.
    case data
  }

  /// The way in which an offer ended.
  public enum Ending: Hashable, Sendable, CaseIterable {
    /// It was accepted, by the session's policy or by a call.
    case accepted
    /// It was declined.
    case declined
    /// The sender has cancelled it before it was answered, or has left.
    case withdrawn
  }

  private let inbound: InboundResource
  private let description: ResourceDescription

  init(_ inbound: InboundResource, _ description: ResourceDescription) {
    (self.inbound, self.description) = (inbound, description)
  }

  deinit { inbound.decline(.unanswered) }

  /// The label, verbatim as the sender gave it: any UTF-8 of 1 through 1,023 bytes.
  ///
  /// It is never used as a path, and must not be: it may be `../../.ssh/authorized_keys`.
  public var label: String { description.label }

  /// A name for the file, made from the label.
  ///
  /// It is safe on all file systems: one path component in NFC, of at most 255 bytes, that begins
  /// neither with a dot nor with a space and ends with neither.
  public var fileName: String { FileName(of: label).text }

  /// The member that offers it.
  public var sender: PeerID { inbound.sender }

  /// Whether it is a file or bytes of a program.
  public var kind: Kind { description.isFile ? .file : .data }

  /// The exact number of bytes; `nil` if the sender does not know it.
  public var byteCount: Int64? { description.isCountExact ? description.byteCount : nil }

  /// The most bytes that it may have; those of ``byteCount`` if that is known.
  public var byteCountLimit: Int64 { description.byteCount }

  /// When the file was modified last, by the sender's clock; `nil` if the sender does not know.
  public var modified: Date? {
    description.modified.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
  }

  /// The transfer, if the offer was accepted, by the session's policy or by a call.
  public var transfer: ResourceTransfer? { inbound.accepted }

  /// The way in which the offer ended; `nil` while it awaits an answer.
  public var ending: Ending? { inbound.conclusion.ending }

  /// Waits until the offer is answered or withdrawn.
  ///
  /// - Returns: The way in which it ended, at once if it has already; `nil` if the task was
  ///   cancelled before.
  public func waitForEnd() async -> Ending? {
    defer { withExtendedLifetime(self) {} }
    return await inbound.conclusion.wait()
  }

  /// Accepts the offer, and begins to receive.
  ///
  /// The file is written under a temporary name in the folder, which begins with `.earshot-`. Its
  /// owner alone may read and write it. When it is whole and verified, it gets its name at one
  /// instant. Its modification time and whether its owner may execute it are the sender's; its
  /// owner, extended attributes and other permissions are not. Holes stay holes.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists and is not a link. Nothing outside of it is created, read or
  ///     changed.
  ///   - name: The name of the file; by default ``fileName``.
  ///   - replacing: Whether a file of that name gives way. By default the new one is called
  ///     `name (2)`.
  ///   - evenIfFull: Whether to begin even if there is too little room now.
  /// - Returns: The transfer.
  /// - Throws: `offerEnded` if it was answered or withdrawn before, or its sender has left;
  ///   `unsupportedResource` if the folder's URL is not one of a file; `invalidFileName` for a name
  ///   that is not one path component which is safe everywhere; `insufficientStorage`;
  ///   `folderUnavailable`, `permissionDenied` and `storageFailed` for the folder; `cancelled`.
  ///   Nothing has changed then, and another call may accept.
  @discardableResult
  public func accept(
    into folder: URL, as name: String? = nil, replacing: Bool = false, evenIfFull: Bool = false
  ) async throws(EarshotError) -> ResourceTransfer {
    guard folder.isFileURL else {
      throw EarshotError(
        .unsupportedResource, "\(folder) is not a folder of this system; give a file URL.")
    }
    let fileName = FileName(of: name ?? label)
    if let name, name != fileName.text {
      throw EarshotError(
        .invalidFileName,
        "\(name.debugDescription) is not a name for a file; \(fileName.text.debugDescription) is.")
    }
    let destination = InboundFile.Destination(
      folder: folder.path(percentEncoded: false), name: fileName, replacing: replacing)
    return try await inbound.accept(into: destination, evenIfFull: evenIfFull)
  }

  /// Declines the offer; has no effect if it was answered or withdrawn before.
  ///
  /// - Parameter reason: A text for the sender's program; of more than 255 bytes, as many whole
  ///   characters as fit.
  public func decline(_ reason: String = "") { inbound.decline(reason: reason) }
}
