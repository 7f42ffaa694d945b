extension ReliableChannelMachine {
  /// How much of the log may go out.
  package struct Room: Hashable, Sendable {
    /// About how many bytes in all.
    package var bytesMax: Int
    /// The most bytes of a message in one frame.
    package var partBytesMax: Int
    /// About how many bytes until streams have to wait.
    package var bulkBytesMax: Int
    /// The most bytes of a stream in one frame.
    package var bulkPartBytesMax: Int
    /// How many bytes may be under way in the log until streams have to wait.
    package var bytesUnderWayMax: Int

    /// Room for so much.
    package init(
      bytesMax: Int, partBytesMax: Int = MessagePart.partBytesMax, bulkBytesMax: Int = .max,
      bulkPartBytesMax: Int = StreamData.bytesMax, bytesUnderWayMax: Int = .max
    ) {
      (self.bytesMax, self.partBytesMax, self.bulkBytesMax) = (bytesMax, partBytesMax, bulkBytesMax)
      (self.bulkPartBytesMax, self.bytesUnderWayMax) = (bulkPartBytesMax, bytesUnderWayMax)
    }
  }
  /// What is left that is granted.
  package enum Rest: Hashable, Sendable {
    /// Nothing.
    case none
    /// Streams alone, for which there is room again when the remote has acknowledged something.
    case unacknowledged
    /// Streams alone.
    case bulk
    /// Messages or control frames, and perhaps streams.
    case urgent
  }

  /// Appends the frames that go next, which count as sent then.
  ///
  /// - Parameters:
  ///   - wire: Where to append them.
  ///   - room: How much.
  /// - Returns: What is left.
  package mutating func fill(_ wire: inout [UInt8], within room: Room) -> Rest {
    let start = wire.count
    let bulkMax = min(
      room.bulkBytesMax, room.bytesUnderWayMax - min(room.bytesUnderWayMax, log.bytesUnderWay))
    if !scheduler.isUnused, messages.hasUnsent, !scheduler.isReady(Self.messageSource),
      messages.hasSendable(limit: messageLimit)
    {
      scheduler.setReady(Self.messageSource, Self.messageShare)
    }
    var isFull = room.bytesMax <= 0
    while !isFull, hasUnsentControl {
      let bytes = control.send(
        max: room.bytesMax - (wire.count - start), isFirst: wire.count == start
      ) { wire.append(copying: $0) }
      if bytes > 0 { log.append(.control, frameBytes: bytes) }
      isFull = bytes == 0 || wire.count - start >= room.bytesMax
    }
    // Messages alone need no order. When a stream comes, both begin as newcomers.
    while !isFull, scheduler.isUnused, messages.hasSendable(limit: messageLimit) {
      let left = room.bytesMax - (wire.count - start)
      let bytes = sendMessages(&wire, max: left, isFirst: left == room.bytesMax, room)
      isFull = wire.count - start >= room.bytesMax || bytes == 0
    }
    while !isFull, !scheduler.isUnused {
      let isBulk = wire.count - start < bulkMax
      guard let pick = scheduler.next(upTo: isBulk ? .resources : .messages) else { break }
      let left = room.bytesMax - (wire.count - start)
      let bytes =
        pick.source == Self.messageSource
        ? sendMessages(
          &wire, max: pick.isAlone ? left : min(left, Self.turnBytes),
          isFirst: left == room.bytesMax, room)
        : sendStream(StreamNumber(rawValue: pick.source), &wire, max: left, room)
      scheduler.charge(pick.source, bytes: bytes)
      isFull = wire.count - start >= room.bytesMax || bytes == 0 && scheduler.isReady(pick.source)
    }
    if !isFull { sendFarewell(&wire) }
    if isFarewellDue { return .urgent }
    let hasMessages =
      scheduler.isUnused
      ? messages.hasSendable(limit: messageLimit) : scheduler.next(upTo: .messages) != nil
    if hasUnsentControl || hasMessages { return .urgent }
    if scheduler.isEmpty { return .none }
    return log.bytesUnderWay >= room.bytesUnderWayMax ? .unacknowledged : .bulk
  }

  /// - Returns: How many bytes went out; 0 if none did, though some may if there is more room.
  private mutating func sendMessages(
    _ wire: inout [UInt8], max: Int, isFirst: Bool, _ room: Room
  ) -> Int {
    let bytes = messages.send(
      max: max, isFirst: isFirst, limit: messageLimit, partBytesMax: room.partBytesMax
    ) { wire.append(copying: $0) }
    if bytes > 0 { log.append(.messages, frameBytes: bytes) }
    if !scheduler.isUnused, !messages.hasSendable(limit: messageLimit) {
      scheduler.setIdle(Self.messageSource)
    }
    return bytes
  }

  private mutating func sendStream(
    _ number: StreamNumber, _ wire: inout [UInt8], max: Int, _ room: Room
  ) -> Int {
    // A frame that would hardly fit is no better than two small ones.
    let bytesMax = min(
      room.bulkPartBytesMax, StreamData.bytesMax, Swift.max(max, Self.frameBytesMin))
    let sent = streams.update(number) { $0.send?.send(as: number, bytesMax: bytesMax, to: &wire) }
    guard let frame = sent ?? nil else {
      scheduler.setIdle(number.rawValue)
      return 0
    }
    log.append(
      number, frameBytes: frame.frameBytes, streamBytes: frame.streamBytes, isFinal: frame.isFinal)
    if streams.sendable(number) == nil { scheduler.setIdle(number.rawValue) }
    return frame.frameBytes
  }

  /// Whether control frames wait that may go out: none does behind the farewell.
  var hasUnsentControl: Bool {
    if case .sent = farewell { false } else { control.hasUnsent }
  }

  /// Whether the farewell may go out, since nothing is left that goes before it.
  var isFarewellDue: Bool {
    guard case .waiting = farewell else { return false }
    return !control.hasUnsent && !messages.hasUnsent && streams.isDrained
  }

  private mutating func sendFarewell(_ wire: inout [UInt8]) {
    guard isFarewellDue, case .waiting(let leave) = farewell else { return }
    let start = wire.count
    leave.encode(into: &wire)
    log.appendFarewell(frameBytes: wire.count - start)
    farewell = .sent(leave)
  }

  /// Has a stream take no part in the order any more.
  mutating func forget(_ number: StreamNumber) {
    scheduler.forget(number.rawValue)
    if scheduler.knowsOnly(Self.messageSource) { scheduler.forget(Self.messageSource) }
  }

  private static let messageSource = StreamNumber.messages.rawValue
  private static let messageShare = StreamScheduler.Share(tier: .messages, weight: 4)
  private static let turnBytes = 16_384  // Of messages, while others are ready.
  private static let frameBytesMin = 1_024
}
