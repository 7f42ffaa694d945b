import EarshotCore
import EarshotNetwork
public import Foundation

extension Session {
  /// The resources that members offer, in the order in which they arrive; ends after
  /// ``stop(within:)``.
  ///
  /// Each loop is a consumer of its own, as of ``messages``. An offer goes to every loop, those
  /// included that the configuration's `resourcePolicy` has accepted. Offers that no loop takes are
  /// kept: up to 64 of each member, of which a further one fails with `tooManyResources`.
  public nonisolated var resources: EventStream<ResourceOffer> {
    EventStream(core.resources.offers, of: self)
  }

  /// Offers a file to a member, and sends it when it is accepted.
  ///
  /// Returns as soon as the file is open. It is read while it is sent, in parts of 256 KiB, and
  /// must not change meanwhile. Each mebibyte is hashed as it is read, and again as it is written.
  /// A file that is being sent to the member under the same label already is one transfer with a
  /// further handle.
  ///
  /// The modification time arrives, and whether the owner may execute the file. The owner, extended
  /// attributes and other permissions do not. Holes are not sent.
  ///
  /// - Parameters:
  ///   - url: A regular file; links are followed.
  ///   - label: The label, in 1 through 1,023 bytes of UTF-8; by default the last part of the URL.
  ///   - member: The receiver.
  /// - Returns: The transfer.
  /// - Throws: `unsupportedResource` if the URL is not of a file; `invalidResourceLabel`;
  ///   `resourceUnreadable` if the file cannot be opened; `notConnected`; `sessionEnded`. Nothing
  ///   was offered then.
  @discardableResult
  public nonisolated func sendResource(
    at url: URL, named label: String? = nil, to member: PeerID
  ) async throws(EarshotError) -> ResourceTransfer {
    guard url.isFileURL else {
      throw EarshotError(
        .unsupportedResource, "Unsupported resource type: \(url). Give the URL of a local file.")
    }
    let label = try Self.checked(label ?? url.lastPathComponent)
    let entry = try core.directory.entries(of: .member(member))[0]
    let (host, path) = (core.peer.host, url.path(percentEncoded: false))
    let file: any StorageFile
    let attributes: FileAttributes
    do {
      (file, attributes) = try await host.offload { () throws(StorageError) in
        let file = try host.storage.openFile(at: path)
        return (file, try file.attributes())
      }
    } catch {
      throw EarshotError(
        .resourceUnreadable, "The file \(path) cannot be read.", storageCause: error)
    }
    let description = ResourceDescription(
      token: core.resources.nextToken(), label: label, isFile: true,
      isExecutable: attributes.isExecutable, byteCount: attributes.byteCount,
      storedByteCount: attributes.storedByteCount, modified: attributes.modified)
    let shipment = ResourceRegistry.Shipment(peer: member, label: label, file: attributes)
    return begin(description, from: FileSource(file, attributes), to: entry, shipment)
  }

  /// Offers bytes to a member, and sends them when they are accepted.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes, which are kept until the transfer has ended.
  ///   - label: The label, in 1 through 1,023 bytes of UTF-8.
  ///   - member: The receiver.
  /// - Returns: The transfer.
  /// - Throws: `invalidResourceLabel`; `notConnected`; `sessionEnded`. Nothing was offered then.
  @discardableResult
  public nonisolated func sendResource(
    _ bytes: [UInt8], named label: String, to member: PeerID
  ) throws(EarshotError) -> ResourceTransfer {
    let label = try Self.checked(label)
    let entry = try core.directory.entries(of: .member(member))[0]
    let count = Int64(bytes.count)
    let description = ResourceDescription(
      token: core.resources.nextToken(), label: label, isFile: false, byteCount: count,
      storedByteCount: count)
    return begin(description, from: BytesSource(bytes: bytes), to: entry)
  }

  /// Offers bytes that the program makes one after the other, and asks for them when they are
  /// accepted.
  ///
  /// - Parameters:
  ///   - bytes: Arrays of any number of bytes, iterated by one task on the host's executor. An
  ///     error of theirs ends the transfer as `resourceUnreadable`.
  ///   - byteCountLimit: The most bytes; the receiver is told, and more fail with
  ///     `resourceTooLarge`. A negative number counts as 0.
  ///   - label: The label, in 1 through 1,023 bytes of UTF-8.
  ///   - member: The receiver.
  /// - Returns: The transfer.
  /// - Throws: `invalidResourceLabel`; `notConnected`; `sessionEnded`. Nothing was offered then.
  @discardableResult
  public nonisolated func sendResource<Bytes: AsyncSequence & Sendable>(
    reading bytes: Bytes, upTo byteCountLimit: Int64 = .max, named label: String,
    to member: PeerID
  ) throws(EarshotError) -> ResourceTransfer where Bytes.Element == [UInt8] {
    let label = try Self.checked(label)
    let entry = try core.directory.entries(of: .member(member))[0]
    let description = ResourceDescription(
      token: core.resources.nextToken(), label: label, isFile: false, byteCount: byteCountLimit,
      isCountExact: false, storedByteCount: 0)
    return begin(description, from: SequenceSource(sequence: bytes), to: entry)
  }

  private nonisolated func begin(
    _ description: ResourceDescription, from source: any ResourceSource,
    to entry: SessionDirectory.Entry, _ shipment: ResourceRegistry.Shipment? = nil
  ) -> ResourceTransfer {
    let (registry, channel) = (core.resources, entry.reliable)
    let transfer = Transfer(
      of: description.label, with: entry.id,
      byteCount: description.isCountExact ? description.byteCount : nil, on: core.peer.host,
      log: core.peer.log)
    let handle = transfer.makeHandle()
    if let shipment, let shared = registry.share(shipment, orBegin: transfer) { return shared }
    channel.transfers.add(transfer)
    core.peer.log.noteBegun(.resourceSent, with: entry.id, byteCount: transfer.progress.totalBytes)
    let outbound = OutboundResource(description, from: source, as: transfer, over: channel)
    transfer.start {
      await outbound.run()
      if let shipment { registry.ended(shipment, transfer) }
    }
    return handle
  }

  private static func checked(_ label: String) throws(EarshotError) -> String {
    let count = label.utf8.count
    guard 1...ResourceFrame.labelBytesMax ~= count else {
      throw EarshotError(
        .invalidResourceLabel,
        "The label of the resource has \(count) bytes; it may have 1 through "
          + "\(ResourceFrame.labelBytesMax).")
    }
    return label
  }
}
