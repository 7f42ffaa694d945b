/// Both directions of the reliable stream of one membership: in order and exactly once, also across links.
///
/// The story: a membership begins with two empty streams. Each link begins by saying how much was
/// received of the other's stream (``position``) and by taking up the own one there (``attach(received:window:)``).
/// While a link is up, frames go out as far as the remote grants, acknowledgements come back and free
/// them. When the link breaks nothing is to be done: the next one carries on.
///
/// Plain functions rather than one event enum: every message takes this path.
package struct ReliableChannelMachine: Hashable, Sendable {
  /// The bounds of one membership.
  package struct Configuration: Hashable, Sendable {
    /// The largest message taken, in bytes.
    package var messageBytesMax = MessagePart.messageBytesMaxDefault
    /// How many bytes may wait to be sent and acknowledged.
    package var outboundBytesMax = SendBuffer.bytesMaxDefault
    /// How far the remote may run ahead of the application, in bytes.
    package var windowBytes = ReceiveWindow.windowBytesDefault
    /// How long an acknowledgement waits for company.
    package var acknowledgementDelay = ReceiveWindow.acknowledgementDelayDefault

    /// The bounds by default.
    package init() {}
  }

  /// The own stream: append here, send from here.
  package var outbound: SendBuffer
  /// What was received of the remote's stream.
  package private(set) var inbound: ReceiveWindow
  private var queue = SendQueue()
  private var assembler: MessageAssembler

  /// A membership whose streams are at position 0.
  package init(_ configuration: Configuration = Configuration()) {
    outbound = SendBuffer(bytesMax: configuration.outboundBytesMax)
    inbound = ReceiveWindow(
      windowBytes: configuration.windowBytes,
      acknowledgementDelay: configuration.acknowledgementDelay)
    assembler = MessageAssembler(messageBytesMax: configuration.messageBytesMax)
  }

  // MARK: Sending

  /// Appends a message to the own stream if there is room, and none waits for it.
  ///
  /// - Returns: Whether it was appended.
  package mutating func append(_ message: Span<UInt8>) -> Bool {
    queue.isEmpty && outbound.append(message: message)
  }

  /// Appends a message, as ``append(_:)``; a large one is not copied.
  package mutating func append(sharing message: [UInt8]) -> Bool {
    queue.isEmpty && outbound.append(sharing: message)
  }

  /// Appends a message, as ``append(sharing:)``, and says whether nothing else waited to be sent.
  package mutating func append(sharing message: [UInt8], wasIdle: inout Bool) -> Bool {
    wasIdle = !outbound.hasUnsent
    return append(sharing: message)
  }

  /// Whether a message of so many bytes would be appended now.
  package func hasRoom(forMessageBytes count: Int) -> Bool {
    queue.isEmpty && outbound.hasRoom(forBytes: MessagePart.wireBytes(messageBytes: count))
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
    while let ticket = queue.serve({ outbound.append(sharing: $0) }) { served.append(ticket) }
    return served
  }

  /// Takes all messages back that wait for room.
  ///
  /// - Returns: Their tickets, in order.
  package mutating func endQueue() -> [SendQueue.Ticket] { queue.removeAll() }

  // MARK: Links

  /// What ACCEPT, ATTACH or ATTACHED is to say of the remote's stream; it must be sent then.
  ///
  /// - Returns: How many bytes were received, and how far beyond that the remote may send.
  package mutating func position() -> (received: UInt64, window: UInt64) {
    let acknowledgement = inbound.takeAcknowledgement()
    return (acknowledgement.received, acknowledgement.limit - acknowledgement.received)
  }

  /// Takes up the own stream on a new link, where the remote's ACCEPT, ATTACH or ATTACHED says.
  ///
  /// - Throws: That the remote contradicts what it said or what was sent.
  package mutating func attach(received: UInt64, window: UInt64) throws(FrameError) {
    try outbound.rewind(to: received, window: window)
  }

  /// Takes in an ACK of the current link.
  ///
  /// - Throws: That the remote contradicts what it said or what was sent.
  package mutating func acknowledge(_ acknowledgement: Acknowledgement) throws(FrameError) {
    try outbound.acknowledge(acknowledgement)
  }

  /// Takes in the payload of a MESSAGE.
  ///
  /// - Parameters:
  ///   - payload: The payload, lent.
  ///   - frameBytes: The length of the frame, header included.
  ///   - now: The time.
  /// - Returns: The message, when this was its last part. It counts against the window until it is
  ///   released.
  /// - Throws: That the remote sent more than granted, a payload that is none, or too large a message.
  package mutating func receiveMessage(
    _ payload: Span<UInt8>, frameBytes: Int, at now: Instant
  ) throws(FrameError) -> [UInt8]? {
    try inbound.receive(FrameNumber(.message), frameBytes: frameBytes, at: now)
    let message = try assembler.take(payload)
    if let message { inbound.hold(messageBytes: message.count) }
    return message
  }

  /// Counts another reliable frame, also one that is skipped.
  ///
  /// - Parameters:
  ///   - number: The frame's number.
  ///   - frameBytes: The length of the frame, header included.
  ///   - now: The time.
  /// - Throws: That the remote sent more than granted.
  package mutating func receive(
    _ number: FrameNumber, frameBytes: Int, at now: Instant
  ) throws(FrameError) {
    try inbound.receive(number, frameBytes: frameBytes, at: now)
  }

  /// Gives the window back that messages held, once the application has taken them.
  package mutating func release(messages: Int, bytes: Int) {
    release(heldBytes: ReceiveWindow.heldBytes(messages: messages, bytes: bytes))
  }

  /// Gives the window back, in bytes as ``ReceiveWindow/heldBytes(messages:bytes:)`` counts them.
  package mutating func release(heldBytes: Int) { inbound.release(heldBytes: heldBytes) }

  /// The acknowledgement that is due now, or `nil` when none is.
  package mutating func takeDueAcknowledgement(at now: Instant) -> Acknowledgement? {
    inbound.isAcknowledgementDue(at: now) ? inbound.takeAcknowledgement() : nil
  }

  /// The acknowledgement of everything up to now, to ride along with other frames.
  package mutating func takeAcknowledgement() -> Acknowledgement { inbound.takeAcknowledgement() }
}
