extension Session {
  /// The treatment of members whose send buffer has no room for a message.
  public enum FullBufferPolicy: Hashable, Sendable, CaseIterable {
    /// The call waits until there is room, or until the member has left. `trySend` throws
    /// `sendBufferFull` instead.
    case wait
    /// The member does not get the message, and the receipt names it.
    case skip
  }

  /// Sends a message reliably: in order, exactly once, also across a link that breaks and comes back.
  ///
  /// Returns when the message is in the send buffer of every member that it goes to. The call waits
  /// for members whose buffer is full, unless they are to be skipped; the other members get the
  /// message at once. Waiting calls are served in the order of their beginning, whatever the size of
  /// their messages. A buffer that is smaller than the message takes it when nothing else is in it.
  ///
  /// May be called from anywhere; messages of one caller keep their order. Cancelling the task takes the message
  /// back from the buffers that it still waits for. The call returns if at least one member gets the message, and the
  /// receipt names the others. It throws if no member gets it.
  ///
  /// - Parameters:
  ///   - message: Any number of bytes up to the configuration's `maximumMessageBytes`, and up to what each of the
  ///     members takes.
  ///   - recipients: The members that it is for.
  ///   - policy: The treatment of members whose send buffer has no room.
  /// - Returns: The members that get the message, those that do not, and a way to wait until it has arrived.
  /// - Throws: `messageTooLarge`; `sessionEnded`; `notConnected` with chosen peers that are no members, if there is no
  ///   member, or if all of them left before there was room; `sendBufferFull` if all were skipped; `cancelled`. No
  ///   member gets the message then.
  @discardableResult
  public nonisolated func send(
    _ message: [UInt8], to recipients: Recipients = .all,
    whenFull policy: FullBufferPolicy = .wait
  ) async throws(EarshotError) -> SendReceipt {
    let entries = try core.directory.entries(of: recipients)
    try check(message.count, for: entries)
    var (receipt, pending) = (SendReceipt(for: entries), PendingSend?.none)
    var refusal = Refusal.gone
    for index in entries.indices {
      switch entries[index].reliable.append(message) {
      case .appended(let number): receipt.note(number, at: index)
      case .ended: break
      case .full:
        core.peer.host.reached(.sendBufferFull)
        refusal = .full
        guard policy == .wait else { continue }
        let send = pending ?? PendingSend()
        send.wait(for: entries[index], toTake: message)
        pending = send
      }
    }
    if let pending {
      defer { withExtendedLifetime(self) {} }
      defer { core.peer.host.reached(.sendWithdrawn, if: Task.isCancelled) }
      let (sent, isWithdrawn) = await pending.settled()
      for part in sent { receipt.note(part) }
      refusal = isWithdrawn ? .cancelled : .gone
    }
    return try Self.check(receipt, for: recipients, refusal)
  }

  /// Sends a message of any bytes, such as `Data`; in all else as ``send(_:to:whenFull:)-([UInt8],_,_)``.
  @discardableResult
  public nonisolated func send(
    _ message: some Collection<UInt8> & Sendable, to recipients: Recipients = .all,
    whenFull policy: FullBufferPolicy = .wait
  ) async throws(EarshotError) -> SendReceipt {
    try await send([UInt8](message), to: recipients, whenFull: policy)
  }

  /// Sends the bytes of a span, which are copied first; in all else as ``send(_:to:whenFull:)-([UInt8],_,_)``.
  @discardableResult
  public nonisolated func send(
    _ message: Span<UInt8>, to recipients: Recipients = .all,
    whenFull policy: FullBufferPolicy = .wait
  ) async throws(EarshotError) -> SendReceipt {
    try await send([UInt8](copying: message), to: recipients, whenFull: policy)
  }

  /// Sends a message as `send` does, but throws where `send` would wait.
  ///
  /// All of the members get the message, or none does, unless full ones are to be skipped. Messages keep their order
  /// with those of ``send(_:to:whenFull:)-([UInt8],_,_)``: while one of them waits for room, there is none.
  ///
  /// - Parameters:
  ///   - message: As for `send`; copied before the call returns.
  ///   - recipients: The members that it is for.
  ///   - policy: The treatment of members whose send buffer has no room.
  /// - Returns: The members that get the message, those that do not, and a way to wait until it has arrived.
  /// - Throws: `sendBufferFull` with a member that has no room, or if all were skipped; `messageTooLarge`,
  ///   `sessionEnded`, `notConnected`. Nothing was sent then.
  @discardableResult
  public nonisolated func trySend(
    _ message: Span<UInt8>, to recipients: Recipients = .all,
    whenFull policy: FullBufferPolicy = .wait
  ) throws(EarshotError) -> SendReceipt {
    let entries = try core.directory.entries(of: recipients)
    try check(message.count, for: entries)
    var receipt = SendReceipt(for: entries)
    guard policy == .skip else {
      if let refusal = Self.append(message, to: entries[...], recipients, into: &receipt) {
        throw refusal
      }
      return try Self.check(receipt, for: recipients, .gone)
    }
    var refusal = Refusal.gone
    for index in entries.indices {
      switch entries[index].reliable.append(message, ifAlso: { true }) {
      case .appended(let number)?: receipt.note(number, at: index)
      case .full?: refusal = .full
      case .ended?, nil: break
      }
    }
    return try Self.check(receipt, for: recipients, refusal)
  }

  /// Sends a message if there is room for it now; as ``trySend(_:to:whenFull:)-(Span<UInt8>,_,_)``.
  @discardableResult
  public nonisolated func trySend(
    _ message: [UInt8], to recipients: Recipients = .all,
    whenFull policy: FullBufferPolicy = .wait
  ) throws(EarshotError) -> SendReceipt {
    try trySend(message.span, to: recipients, whenFull: policy)
  }

  /// Sends a message of any bytes, such as `Data`, if there is room for it now; as
  /// ``trySend(_:to:whenFull:)-(Span<UInt8>,_,_)``.
  @discardableResult
  public nonisolated func trySend(
    _ message: some Collection<UInt8>, to recipients: Recipients = .all,
    whenFull policy: FullBufferPolicy = .wait
  ) throws(EarshotError) -> SendReceipt {
    try trySend([UInt8](message).span, to: recipients, whenFull: policy)
  }

  /// The reason why members do not get a message.
  private enum Refusal { case gone, full, cancelled }

  /// Refuses a message that no member gets, unless it is for those that are present and none is.
  private static func check(
    _ receipt: SendReceipt, for recipients: Recipients, _ refusal: Refusal
  ) throws(EarshotError) -> SendReceipt {
    guard receipt.isEmpty else { return receipt }
    let missing = receipt.omitted
    switch refusal {
    case .gone where recipients == .present: return receipt
    case .gone: throw SessionDirectory.notConnected(missing)
    case .full: throw full(missing)
    case .cancelled:
      throw EarshotError(
        .cancelled, "Sending was cancelled while the send buffer was full. No member gets it.",
        peers: missing)
    }
  }

  private static func full(_ members: [PeerID]) -> EarshotError {
    let names = members.map(\.short).joined(separator: ", ")
    return EarshotError(
      .sendBufferFull, "There is no room for the message to \(names) now.", peers: members)
  }

  /// Appends a message to all streams or to none, in the order of the members, which is that of all callers.
  private static func append(
    _ message: Span<UInt8>, to entries: ArraySlice<SessionDirectory.Entry>,
    _ recipients: Recipients, into receipt: inout SendReceipt
  ) -> EarshotError? {
    guard let entry = entries.first else { return nil }
    var refusal: EarshotError?
    let outcome = entry.reliable.append(message) {
      refusal = append(message, to: entries.dropFirst(), recipients, into: &receipt)
      return refusal == nil
    }
    switch outcome {
    case .appended(let number): receipt.note(number, at: entries.startIndex)
    case .full: return full([entry.id])
    case .ended where recipients.names(entry.id): return SessionDirectory.notConnected([entry.id])
    case .ended: return append(message, to: entries.dropFirst(), recipients, into: &receipt)
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
      let bytesMax = entries[index].reliable.remoteMessageBytesMax
      guard messageBytes > bytesMax else { continue }
      let id = entries[index].id
      throw EarshotError(
        .messageTooLarge, "The message has \(messageBytes) bytes; \(id.short) takes \(bytesMax).",
        peers: [id])
    }
  }
}
