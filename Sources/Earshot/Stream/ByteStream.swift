import EarshotCore

/// A stream of bytes between two members of a session, in one direction or in both.
///
/// One side opens it with ``Session/openStream(_:to:priority:isOneWay:)``, the other one gets it
/// from ``Session/streams``. The bytes arrive in order and exactly once, also across a link that
/// breaks and comes back, or while either peer is suspended: that costs time and nothing else. A
/// stream that its reader leaves unread holds up no other stream, and no message.
///
/// The directions end independently. ``finish()`` ends what this side writes: the other side reads
/// to the end and then gets `nil`. ``reset(code:)`` ends both directions at once. When the member
/// leaves, directions that have not ended do so with `notConnected`, and with `sessionEnded` when
/// this side's session is left. What was received before can still be read, and a direction that
/// was finished and has arrived stays complete.
///
/// A stream that is released is let go: what it wrote is reset unless it was finished, and what it
/// has not read is dropped. It does not hold its session. All calls may be made from anywhere and
/// by several tasks at once: each write is in one piece, and calls that wait are served in the
/// order in which they began.
public final class ByteStream: Sendable {
  /// The order in which streams of one member are sent when there is not room for all.
  ///
  /// Each gets its share, and none waits for ever.
  public enum Priority: Hashable, Sendable, CaseIterable {
    /// Shares with messages, which get four parts of the bytes for each one of such a stream.
    case urgent
    /// Sixteen parts of what urgent streams and messages leave.
    case high
    /// Four parts.
    case normal
    /// One part.
    case low
  }

  /// The name that the opener gave it; several streams may have the same.
  public let name: String
  /// The member at the other end.
  public let peer: PeerID
  /// Whether the other side writes to it.
  public let isReadable: Bool
  /// Whether this side writes to it.
  public let isWritable: Bool
  let number: StreamNumber
  let channel: ReliableChannel
  /// Whether it carries a resource, so that no program gets it.
  let isOfResource: Bool

  init(_ number: StreamNumber, _ stream: StreamTable.Stream, of channel: ReliableChannel) {
    (name, peer, isOfResource) = (stream.name, channel.remote, stream.priority == .resource)
    (isReadable, isWritable) = (stream.receive != nil, stream.send != nil)
    (self.number, self.channel) = (number, channel)
  }

  deinit {
    if !isOfResource { channel.sink.log.noteReleased(number, with: peer, statistics) }
    channel.release(number)
  }

  /// The order in which this side sends it; that of the opener until it is changed.
  public var priority: Priority {
    get { channel.priority(of: number).map(Priority.init) ?? .normal }
    set { channel.setPriority(newValue.wire, of: number) }
  }

  /// The counts of the stream.
  public var statistics: StreamStatistics { channel.statistics(of: number) }

  // MARK: Writing

  /// Writes bytes, and waits until all of them are in the stream's buffer.
  ///
  /// The buffer takes up to 1 MiB of what is not acknowledged; with many streams less, but at least
  /// 16 KiB. A call that has to wait returns when no more than half of that, or 16 KiB, is left.
  /// Small writes that come soon after each other travel together. The bytes of one call follow
  /// each other, whatever other tasks write.
  ///
  /// - Parameter bytes: Any number of bytes.
  /// - Returns: The number of bytes that were taken: all of them, unless the task was cancelled.
  /// - Throws: `cancelled` if the task was cancelled before any byte was taken; `streamFinished` if
  ///   this side has ended or never had the direction; `streamReset` if either side has reset it;
  ///   `notConnected` or `sessionEnded`. Of the last three, a part of the bytes may have been sent.
  @discardableResult
  public func write(_ bytes: [UInt8]) async throws(EarshotError) -> Int {
    do {
      return try await channel.write(bytes, to: number)
    } catch {
      throw self.error(error, "Writing")
    }
  }

  /// Writes bytes of any collection, such as `Data`; in all else as ``write(_:)-([UInt8])``.
  @discardableResult
  public func write(
    _ bytes: some Collection<UInt8> & Sendable
  ) async throws(EarshotError) -> Int {
    try await write([UInt8](bytes))
  }

  /// Writes as many bytes as there is room for now.
  ///
  /// - Parameter bytes: Any number of bytes; those that are taken are copied.
  /// - Returns: The number of bytes that were taken, from the first on; 0 if there is no room, or
  ///   if a call of `write` waits.
  /// - Throws: `streamFinished` if this side has ended or never had the direction; `streamReset` if
  ///   either side has reset it; `notConnected` or `sessionEnded`. Nothing was taken then.
  public func tryWrite(_ bytes: Span<UInt8>) throws(EarshotError) -> Int {
    do {
      return try channel.tryWrite(bytes, to: number)
    } catch {
      throw self.error(error, "Writing")
    }
  }

  /// Writes as many bytes of an array as there is room for now; as ``tryWrite(_:)-(Span<UInt8>)``.
  public func tryWrite(_ bytes: [UInt8]) throws(EarshotError) -> Int { try tryWrite(bytes.span) }

  /// Ends what this side writes, after everything that was written, calls that wait included.
  ///
  /// Returns at once. The other side gets all of it, and then the end. Has no effect on a direction
  /// that has ended.
  public func finish() { channel.finish(number) }

  /// Waits until the other side's host has acknowledged everything that was written, and the end if
  /// it was finished.
  ///
  /// The program there may not have read it yet.
  ///
  /// - Throws: `cancelled`; `streamFinished` if this side never wrote; `streamReset`,
  ///   `notConnected` or `sessionEnded` if the direction ended before.
  public func waitForDelivery() async throws(EarshotError) {
    do {
      try await channel.waitForDelivery(of: number)
    } catch {
      throw self.error(error, "Waiting for the delivery")
    }
  }

  /// Ends both directions at once.
  ///
  /// What was written and has not arrived may be dropped, what was not read is. The other side's
  /// calls fail with `streamReset` and the code, unless its direction had ended.
  ///
  /// - Parameter code: A number for the other program.
  public func reset(code: UInt32 = 0) {
    channel.reset(number, StreamAbort(.program, code: UInt64(code)))
  }

  // MARK: Reading

  /// Reads the next bytes, as they came.
  ///
  /// - Parameter count: The most bytes; less than 1 counts as 1.
  /// - Returns: At least one byte; `nil` when the other side has finished and everything was read.
  /// - Throws: `cancelled`; `streamFinished` if this side reads no more or never did; `streamReset`
  ///   if the stream was reset; `notConnected` or `sessionEnded`. Nothing was taken then.
  public func read(upTo count: Int) async throws(EarshotError) -> [UInt8]? {
    do {
      return try await channel.read(.upTo(max(1, count)), of: number)
    } catch {
      throw self.error(error, "Reading")
    }
  }

  /// Reads so many bytes, and waits until they are there.
  ///
  /// - Parameter count: The number of bytes; a negative one counts as 0. As many are kept in memory
  ///   until they are complete.
  /// - Returns: Exactly as many bytes.
  /// - Throws: `endOfStream` if the other side has finished before; `cancelled`, `streamFinished`,
  ///   `streamReset`, `notConnected` and `sessionEnded` as ``read(upTo:)``. Nothing was taken then:
  ///   what is there can be read by other calls.
  public func read(exactly count: Int) async throws(EarshotError) -> [UInt8] {
    do {
      return try await channel.read(.exactly(max(0, count)), of: number) ?? []
    } catch {
      throw self.error(error, "Reading")
    }
  }

  /// The bytes, in pieces as they come, until the other side has finished.
  ///
  /// A loop takes what no other call has read. It throws as ``read(upTo:)``; when its task is
  /// cancelled, `cancelled`.
  public var chunks: Chunks { Chunks(self) }

  /// Reads no more: what was not read, and what comes, is dropped.
  ///
  /// The other side's writing ends with `streamReset` and the code. Has no effect on a direction
  /// that has ended.
  ///
  /// - Parameter code: A number for the other program.
  public func stopReading(code: UInt32 = 0) {
    channel.stopReading(number, StreamAbort(.program, code: UInt64(code)))
  }

  // MARK: Errors

  func error(_ failure: StreamFailure, _ call: String) -> EarshotError {
    let stream = "stream \(name.debugDescription) with \(peer.short)"
    switch failure {
    case .cancelled:
      return EarshotError(.cancelled, "\(call) was cancelled.", peers: [peer])
    case .finished:
      return EarshotError(
        .streamFinished, "\(call) is over: this side has ended that direction of the \(stream).",
        peers: [peer])
    case .short(let count):
      return EarshotError(
        .endOfStream, "The \(stream) ended \(count) bytes after the last that was read.",
        peers: [peer])
    case .aborted(let abort, let byRemote):
      let side = byRemote ? "The other side" : "This side"
      let verb =
        switch abort.reason {
        case .program: "reset the \(stream) with code \(abort.code)."
        case .dropped: "has let go of the \(stream)."
        case .left: "has left."
        case .violation: "ended the \(stream), since the other one broke its rules."
        }
      return EarshotError(
        .streamReset, "\(side) \(verb)", peers: [peer],
        resetCode: abort.reason == .program ? UInt32(truncatingIfNeeded: abort.code) : nil)
    case .sessionEnded: return EarshotError(.sessionEnded, "The session was left.", peers: [peer])
    case .notConnected:
      return EarshotError(
        .notConnected, "The member at the other end of the \(stream) has left.", peers: [peer])
    }
  }
}

extension ByteStream {
  /// The bytes of a stream, in pieces of at least one byte.
  public struct Chunks: AsyncSequence, Sendable {
    private let stream: ByteStream

    init(_ stream: ByteStream) { self.stream = stream }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(stream) }

    /// One reader of the bytes.
    public struct Iterator: AsyncIteratorProtocol {
      private let stream: ByteStream

      fileprivate init(_ stream: ByteStream) { self.stream = stream }

      /// The next bytes; `nil` when the other side has finished.
      ///
      /// - Throws: `cancelled`, `streamFinished`, `streamReset`, `notConnected` and `sessionEnded`
      ///   as ``ByteStream/read(upTo:)``.
      public func next() async throws(EarshotError) -> [UInt8]? {
        try await stream.read(upTo: .max)
      }

      /// The next bytes; `nil` when the other side has finished.
      ///
      /// - Throws: As ``next()``.
      public func next(
        isolation actor: isolated (any Actor)?
      ) async throws(EarshotError) -> [UInt8]? {
        try await stream.read(upTo: .max)
      }
    }
  }
}

/// Counts of one stream since it was opened.
public struct StreamStatistics: Hashable, Sendable {
  /// Bytes that this side has written.
  public let bytesWritten: Int
  /// Bytes that this side has written and that are known to have arrived.
  public let bytesAcknowledged: Int
  /// Bytes that have arrived from the other side.
  public let bytesReceived: Int
  /// Bytes of those that the program has read.
  public let bytesRead: Int
}

extension ByteStream.Priority {
  init(_ wire: StreamPriority) {
    self =
      switch wire {
      case .urgent: .urgent
      case .high: .high
      case .normal: .normal
      case .low, .resource: .low
      }
  }

  var wire: StreamPriority {
    switch self {
    case .urgent: .urgent
    case .high: .high
    case .normal: .normal
    case .low: .low
    }
  }
}
