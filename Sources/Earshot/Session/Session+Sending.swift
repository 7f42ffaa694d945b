extension Session {
  /// Sends a message reliably: in order, exactly once, also across a link that breaks and comes back.
  ///
  /// Returns when the message is in the send buffer of every member that it goes to. A member whose buffer is full
  /// is waited for, the first caller first, whatever the size of its message; the other members get the message
  /// without waiting for it. A buffer that is smaller than the message takes it when nothing else is in it.
  ///
  /// May be called from anywhere; messages of one caller keep their order. Cancelling the task takes the message
  /// back from the buffers that it still waits for; if there are none, the call succeeds.
  ///
  /// - Parameters:
  ///   - message: Any number of bytes up to the configuration's `maximumMessageBytes`, and up to what each of the
  ///     members takes.
  ///   - members: The members that it is for; all by default, also if there are none.
  /// - Returns: Who gets the message, and a way to wait until it has arrived.
  /// - Throws: `messageTooLarge`, `sessionEnded` or `notConnected` before anything was sent. `notConnected` also
  ///   names members that left, were removed, or whose session was left here, before there was room for the message,
  ///   and `cancelled` those for which it was taken back or that left: all others get it.
  @discardableResult
  public nonisolated func send(
    _ message: [UInt8], to members: [PeerID]? = nil
  ) async throws(EarshotError) -> SendReceipt {
    let entries = try core.directory.entries(of: members)
    try check(message.count, for: entries)
    var (receipt, gone) = (SendReceipt(for: entries), [PeerID]())
    var pending: PendingSend?
    for index in entries.indices {
      switch entries[index].stream.append(message) {
      case .appended(let number): receipt.note(number, at: index)
      case .ended: gone.append(entries[index].id)
      case .full:
        core.peer.host.reached(.sendBufferFull)
        let send = pending ?? PendingSend()
        send.wait(for: entries[index], toTake: message)
        pending = send
      }
    }
    if let pending {
      defer { withExtendedLifetime(self) {} }
      defer { core.peer.host.reached(.sendWithdrawn, if: Task.isCancelled) }
      gone += try await Self.settle(pending, into: &receipt)
    }
    if !gone.isEmpty, members != nil { throw SessionDirectory.notConnected(gone) }
    return receipt
  }

  /// Sends a message of any bytes, such as `Data`; in all else as ``send(_:to:)-([UInt8],_)``.
  @discardableResult
  public nonisolated func send(
    _ message: some Collection<UInt8> & Sendable, to members: [PeerID]? = nil
  ) async throws(EarshotError) -> SendReceipt {
    try await send([UInt8](message), to: members)
  }

  /// Sends a message if there is room for it now, without waiting.
  ///
  /// All of the members get the message, or none does. Messages keep their order with those of ``send(_:to:)``:
  /// while one of them waits for room, there is none.
  ///
  /// - Parameters:
  ///   - message: As for ``send(_:to:)``; copied before the call returns.
  ///   - members: The members that it is for; all by default, also if there are none.
  /// - Returns: Who gets the message, and a way to wait until it has arrived.
  /// - Throws: `sendBufferFull` with a member that has no room; `messageTooLarge`, `sessionEnded`, `notConnected`.
  ///   Nothing was sent then.
  @discardableResult
  public nonisolated func trySend(
    _ message: Span<UInt8>, to members: [PeerID]? = nil
  ) throws(EarshotError) -> SendReceipt {
    let entries = try core.directory.entries(of: members)
    try check(message.count, for: entries)
    var receipt = SendReceipt(for: entries)
    if let refusal = Self.append(message, to: entries[...], into: &receipt) {
      if refusal.isGone { throw SessionDirectory.notConnected([refusal.peer]) }
      throw EarshotError(
        .sendBufferFull, "There is no room for the message to \(refusal.peer.short) now.",
        peers: [refusal.peer])
    }
    return receipt
  }

  /// Sends a message if there is room for it now; as ``trySend(_:to:)-(Span<UInt8>,_)``.
  @discardableResult
  public nonisolated func trySend(
    _ message: [UInt8], to members: [PeerID]? = nil
  ) throws(EarshotError) -> SendReceipt {
    try trySend(message.span, to: members)
  }

  private struct Refusal {
    let peer: PeerID
    let isGone: Bool
  }

  /// Appends a message to all streams or to none, in the order of the members, which is that of all callers.
  private static func append(
    _ message: Span<UInt8>, to entries: ArraySlice<SessionDirectory.Entry>,
    into receipt: inout SendReceipt
  ) -> Refusal? {
    guard let entry = entries.first else { return nil }
    var refusal: Refusal?
    let outcome = entry.stream.append(message) {
      refusal = append(message, to: entries.dropFirst(), into: &receipt)
      return refusal == nil
    }
    switch outcome {
    case .appended(let number): receipt.note(number, at: entries.startIndex)
    case .full: refusal = Refusal(peer: entry.id, isGone: false)
    case .ended: refusal = Refusal(peer: entry.id, isGone: true)
    case nil: break
    }
    return refusal
  }

  nonisolated func check(
    _ messageBytes: Int, for entries: [SessionDirectory.Entry]
  ) throws(EarshotError) {
    guard messageBytes <= configuration.maximumMessageBytes else {
      throw EarshotError(
        .messageTooLarge,
        "The message has \(messageBytes) bytes; this session takes "
          + "\(configuration.maximumMessageBytes).")
    }
    for index in entries.indices {
      let bytesMax = entries[index].stream.remoteMessageBytesMax
      guard messageBytes > bytesMax else { continue }
      let id = entries[index].id
      throw EarshotError(
        .messageTooLarge, "The message has \(messageBytes) bytes; \(id.short) takes \(bytesMax).",
        peers: [id])
    }
  }

  /// Waits for room in all send buffers; answers who was a member no longer.
  private static func settle(
    _ pending: PendingSend, into receipt: inout SendReceipt
  ) async throws(EarshotError) -> [PeerID] {
    let (sent, gone, withdrawn) = await pending.settled()
    for part in sent { receipt.note(part) }
    guard withdrawn.isEmpty else {
      let missing = (withdrawn + gone).sorted()
      let names = missing.map(\.short).joined(separator: ", ")
      throw EarshotError(
        .cancelled,
        "Sending was cancelled while the send buffer was full: \(names) does not get it.",
        peers: missing)
    }
    return gone
  }
}
