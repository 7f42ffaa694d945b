/// Both directions of the reliable channel of one membership: the messages, the control frames and
/// the streams, each in order and exactly once, also across links.
///
/// The story: a membership begins with two empty logs. Each link begins by stating how much of the
/// other side's log was received and what is granted (``position(backedBy:)``), and by taking back
/// what the other side does not have (``attach(received:grant:)``). While a link is up, frames go
/// out in the order that the scheduler decides, as far as the remote grants and the link has room
/// (``fill(_:within:)``). Acknowledgements come back and free them. When the link breaks nothing is
/// to be done: the next one carries on.
///
/// Plain functions rather than one event enum: every message takes this path.
package struct ReliableChannelMachine: Hashable, Sendable {
  /// The bounds of one membership.
  package struct Configuration: Hashable, Sendable {
    /// The largest message taken, in bytes.
    package var messageBytesMax = MessagePart.messageBytesMaxDefault
    /// How many bytes of messages, and how many of streams, may wait to be sent and acknowledged.
    package var outboundBytesMax = FrameQueue.bytesMaxDefault
    /// How far the messages of the remote may run ahead of the application, in bytes.
    package var windowBytes = ReceiveWindow.windowBytesDefault
    /// How many streams of the remote there may be at a time.
    package var streamCountMax = 1_024
    /// How long an acknowledgement waits for company.
    package var acknowledgementDelay = InboundLog.acknowledgementDelayDefault

    /// The bounds by default.
    package init() {}
  }
  /// Asked whether so many more bytes of memory may be promised to the remote peer.
  package typealias Backing = (Int) -> Bool

  /// The messages that wait to be sent or acknowledged.
  package internal(set) var messages: FrameQueue
  /// What was received of the remote's messages.
  package internal(set) var inbound: ReceiveWindow
  /// What was received of the remote's log.
  package internal(set) var inboundLog: InboundLog
  /// What is under way.
  package internal(set) var log = OutboundLog()
  var control = FrameQueue()
  var streams = StreamTable()
  var scheduler = StreamScheduler()
  /// How far the remote grants messages.
  var messageLimit: UInt64 = 0
  var farewell = Farewell.none
  private var queue = SendQueue()
  private var assembler: MessageAssembler
  let configuration: Configuration

  /// Where LEAVE is, behind which nothing comes.
  enum Farewell: Hashable { case none, waiting(Leave), sent(Leave) }

  /// A membership whose logs are at position 0.
  package init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    messages = FrameQueue(bytesMax: configuration.outboundBytesMax)
    inbound = ReceiveWindow(windowBytes: configuration.windowBytes)
    inboundLog = InboundLog(
      batchBytes: min(configuration.windowBytes / 4, Self.acknowledgedBytesMax),
      acknowledgementDelay: configuration.acknowledgementDelay)
    assembler = MessageAssembler(messageBytesMax: configuration.messageBytesMax)
  }

  // MARK: Sending messages

  /// Appends a message if there is room, and none waits for it.
  ///
  /// - Returns: Whether it was appended.
  package mutating func append(_ message: Span<UInt8>) -> Bool {
    queue.isEmpty && messages.append(message: message)
  }

  /// Appends a message, as ``append(_:)``; a large one is not copied.
  package mutating func append(sharing message: [UInt8]) -> Bool {
    queue.isEmpty && messages.append(sharing: message)
  }

  /// Appends a message, as ``append(sharing:)``, and says whether no other one waited to be sent.
  package mutating func append(sharing message: [UInt8], wasIdle: inout Bool) -> Bool {
    wasIdle = !messages.hasUnsent
    return append(sharing: message)
  }

  /// Whether something is granted that has not gone out.
  package var hasSendable: Bool {
    hasUnsentControl || !scheduler.isEmpty || messages.hasSendable(limit: messageLimit)
      || isFarewellDue
  }

  /// Whether a message of so many bytes would be appended now.
  package func hasRoom(forMessageBytes count: Int) -> Bool {
    queue.isEmpty && messages.hasRoom(forBytes: MessagePart.wireBytes(messageBytes: count))
  }

  /// Has a message wait for room, behind those that do already; ``serve()`` appends it.
  package mutating func enqueue(_ message: [UInt8]) -> SendQueue.Ticket { queue.add(message) }

  /// Takes a message back that waits for room, after which others may be served.
  ///
  /// - Returns: Whether it still waited.
  package mutating func withdraw(_ ticket: SendQueue.Ticket) -> Bool { queue.withdraw(ticket) }

  /// Appends messages that waited, the first ones first, up to one for which there is no room.
  ///
  /// - Returns: Their tickets.
  package mutating func serve() -> [SendQueue.Ticket] {
    var served: [SendQueue.Ticket] = []
    while let ticket = queue.serve({ messages.append(sharing: $0) }) { served.append(ticket) }
    return served
  }

  /// Takes all messages back that wait for room.
  ///
  /// - Returns: Their tickets, in order.
  package mutating func endQueue() -> [SendQueue.Ticket] { queue.removeAll() }

  /// Appends a frame of the group, which goes before all messages and streams.
  package mutating func append(control payload: some FramePayload) { control.append(payload) }

  /// Has LEAVE follow everything that was sent before, and the streams that were finished.
  package mutating func append(farewell leave: Leave) { farewell = .waiting(leave) }

  /// Whether the farewell has arrived, and so everything before it.
  package var isFlushed: Bool {
    mutating get { if case .sent = farewell { log.isEmpty } else { false } }
  }

  // MARK: Links

  /// What ACCEPT, ATTACH or ATTACHED is to state of the remote's log; it must be sent then.
  ///
  /// - Parameter backing: Asked for the memory that streams are promised.
  /// - Returns: How many bytes were received, and what is granted.
  package mutating func position(
    backedBy backing: Backing
  ) -> (received: UInt64, grant: ChannelGrant) {
    let received = inboundLog.takeAcknowledgement().received
    streams.grantMore(upTo: configuration.streamCountMax, backedBy: backing)
    return (
      received,
      ChannelGrant(messageLimit: inbound.takeCredit(), streams: streams.takeGrantedCount())
    )
  }

  /// Takes back what the remote does not have, to send it over a new link.
  ///
  /// - Parameters:
  ///   - received: How many bytes of the own log the remote has, as its ACCEPT, ATTACH or ATTACHED
  ///     states.
  ///   - grant: What it grants.
  /// - Throws: That the remote contradicts what it stated or what was sent. Nothing has changed
  ///   then.
  package mutating func attach(received: UInt64, grant: ChannelGrant) throws(FrameError) {
    guard messageLimit <= grant.messageLimit, streams.openLimit <= grant.streams,
      forget(before: received)
    else { throw FrameError(.contradictory, type: .attach, payloadBytes: 0) }
    messageLimit = grant.messageLimit
    streams.extendOpenLimit(to: grant.streams)
    log.takeBack()
    control.takeBack()
    messages.takeBack()
    if case .sent(let leave) = farewell { farewell = .waiting(leave) }
    scheduler = StreamScheduler()
    streams.takeBack { scheduler.setReady($0.rawValue, $1) }
    streams.restateCredit()
  }

  /// Takes in an ACK of the current link.
  ///
  /// - Throws: That the remote contradicts what it stated or what was sent.
  package mutating func acknowledge(_ acknowledgement: Acknowledgement) throws(FrameError) {
    guard forget(before: acknowledgement.received) else {
      throw FrameError(.contradictory, type: .acknowledgement, payloadBytes: 0)
    }
  }

  /// - Returns: Whether the position can be; nothing has changed if it cannot.
  private mutating func forget(before received: UInt64) -> Bool {
    var log = OutboundLog()
    swap(&log, &self.log)
    defer { swap(&log, &self.log) }
    return log.acknowledge(received) { source, bytes in
      source == .control ? control.forget(bytes) : messages.forget(bytes)
    } streamed: { entry in
      guard case .stream(let stream) = entry.source else { return }
      if streams.delivered(entry.streamBytes, isFinal: entry.isFinal, of: stream) {
        forget(stream)
      }
    }
  }

  /// Takes everything as received.
  package mutating func acknowledgeAll() {
    log.takeBack()
    control.removeAll()
    messages.removeAll()
    streams.deliveredAll()
  }

  // MARK: Receiving

  /// Takes in the payload of a MESSAGE.
  ///
  /// - Parameters:
  ///   - payload: The payload, lent.
  ///   - frameBytes: The length of the frame, header included.
  ///   - now: The time.
  /// - Returns: The message, when this was its last part. It counts against the window until it is
  ///   released.
  /// - Throws: That the remote sent more than granted, a payload that is none, or too large a
  ///   message.
  package mutating func receiveMessage(
    _ payload: Span<UInt8>, frameBytes: Int, at now: Instant
  ) throws(FrameError) -> [UInt8]? {
    inboundLog.receive(frameBytes: frameBytes, at: now)
    if payload.count > 0 {
      try inbound.receive(partBytes: payload.count - 1, isLast: payload[0] == 1)
    }
    let message = try assembler.take(payload)
    if let message { inbound.hold(messageBytes: message.count) }
    return message
  }

  /// Counts another reliable frame, also one that is skipped.
  ///
  /// - Parameters:
  ///   - frameBytes: The length of the frame, header included.
  ///   - now: The time.
  package mutating func receive(frameBytes: Int, at now: Instant) {
    inboundLog.receive(frameBytes: frameBytes, at: now)
  }

  /// Gives the window back that messages held, once the application has taken them.
  package mutating func release(messages: Int, bytes: Int) {
    release(heldBytes: ReceiveWindow.heldBytes(messages: messages, bytes: bytes))
  }

  /// Gives the window back, in bytes as ``ReceiveWindow/heldBytes(messages:bytes:)`` counts them.
  package mutating func release(heldBytes: Int) { inbound.release(heldBytes: heldBytes) }

  /// Whether the remote should be told something now that nothing else says.
  package mutating func isReportDue(at now: Instant) -> Bool {
    inboundLog.isAcknowledgementDue(at: now) || isCreditDue
  }

  /// Takes out the acknowledgement of everything up to now, if it is due or can ride along.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - hasRoom: Whether there is room for other frames.
  ///   - isEager: Asked of one that is not due and has no company: whether it goes all the same.
  /// - Returns: The acknowledgement; `nil` if it waits on, or nothing is to be acknowledged.
  package mutating func takeAcknowledgement(
    at now: Instant, hasRoom: Bool = false, isEager: () -> Bool = { false }
  ) -> Acknowledgement? {
    let goesAlong =
      inboundLog.acknowledgementDeadline != nil && (hasRoom && hasSendable || isEager())
    guard goesAlong || inboundLog.isAcknowledgementDue(at: now) else { return nil }
    return inboundLog.takeAcknowledgement()
  }

  /// Whether credit should be granted now.
  // For a getter that mutates nothing, a caller in another module copies the whole machine.
  package var isCreditDue: Bool { mutating get { inbound.isCreditDue || streams.isCreditDue } }

  /// The credit that is to be granted now, at most that of one frame; `nil` when none is.
  ///
  /// It has to follow what ``fill(_:within:)`` appends, and waits for all control frames to go out:
  /// the remote knows only then of the streams that this side has opened.
  package mutating func takeDueCredit() -> Credit? {
    guard isCreditDue, !hasUnsentControl else { return nil }
    var credit = Credit(streams: streams.takeGrantedCount(), limits: [])
    if inbound.isCreditDue { credit.limits.append(Credit.Limit(.messages, inbound.takeCredit())) }
    streams.takeDueLimits(into: &credit.limits, upTo: Credit.limitsMax)
    return credit
  }

  // With less, half of what it costs to send a stream would be acknowledgements; with more, a
  // message would wait longer behind what is not acknowledged.
  private static let acknowledgedBytesMax = 65_536
}
