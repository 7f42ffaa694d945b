import EarshotCore

extension Session {
  /// The streams that members open, in the order in which they arrive; ends after
  /// ``stop(within:)``.
  ///
  /// Each loop is a consumer of its own, as of ``messages``. A stream goes to every loop; bytes
  /// that one of them reads, the others do not get. Streams that no loop takes are kept, up to the
  /// configuration's `maximumStreamCount` of each member, which then waits in `openStream`.
  public nonisolated var streams: EventStream<ByteStream> { EventStream(core.streams, of: self) }

  /// Opens a stream to a member.
  ///
  /// Costs no round trip: the stream can be written at once, and is there when the member's program
  /// gets it from ``streams``. Waits while the member allows no more; there are as many at a time
  /// as its configuration's `maximumStreamCount` and its memory permit.
  ///
  /// - Parameters:
  ///   - name: What it is for, in at most 255 bytes of UTF-8; several streams may have the same.
  ///   - member: The member at the other end.
  ///   - priority: The order in which it is sent.
  ///   - isOneWay: Whether only this side writes.
  /// - Returns: The stream.
  /// - Throws: `invalidStreamName`; `notConnected` if the peer is not a member, or left before
  ///   there was room; `sessionEnded`; `cancelled`. No stream was opened then.
  public nonisolated func openStream(
    _ name: String, to member: PeerID, priority: ByteStream.Priority = .normal,
    isOneWay: Bool = false
  ) async throws(EarshotError) -> ByteStream {
    let bytes = name.utf8.count
    guard bytes <= FrameBounds.streamNameBytesMax else {
      throw EarshotError(
        .invalidStreamName,
        "The name of the stream has \(bytes) bytes; it may have "
          + "\(FrameBounds.streamNameBytesMax).")
    }
    let entries = try core.directory.entries(of: .member(member))
    let channel = entries[0].reliable
    defer { withExtendedLifetime(self) {} }
    let stream = try await channel.openStream(name, priority.wire, isTwoWay: !isOneWay)
    channel.sink.log.noteOpened(stream, byRemote: false)
    return stream
  }
}

extension ReliableChannel {
  /// Opens a stream, as soon as the remote peer has granted one more.
  ///
  /// - Throws: `cancelled`, `sessionEnded` or `notConnected`.
  func openStream(
    _ name: String, _ priority: StreamPriority, isTwoWay: Bool
  ) async throws(EarshotError) -> ByteStream {
    do {
      return try await open(name, priority, isTwoWay: isTwoWay)
    } catch {
      switch error {
      case .cancelled:
        throw EarshotError(.cancelled, "Opening the stream was cancelled.", peers: [remote])
      case .sessionEnded: throw EarshotError(.sessionEnded, "The session was left.")
      case .notConnected, .finished, .short, .aborted:
        throw EarshotError(
          .notConnected, "The member \(remote.short) has left. No stream was opened.",
          peers: [remote])
      }
    }
  }
}
