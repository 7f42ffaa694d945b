import EarshotCore

extension ReliableChannel {
  typealias Settle = @Sendable (PendingSend.Outcome) -> Void

  struct Awaited {
    let number: Int
    let promise: Promise<Bool?>
  }

  /// All that the lock of the stream guards.
  // A copy would retain each of its parts.
  struct State: ~Copyable {
    let id: ID
    let remote: PeerID
    var machine: ReliableChannelMachine
    var pending: [SendQueue.Ticket: Settle] = [:]
    var isClosed = false  // What was sent now would stand behind LEAVE.
    var isEnded = false
    var flushed: (@Sendable () -> Void)?
    var messagesSent = 0
    var messagesReceived = 0
    /// Messages that have arrived and are not passed on yet, in order.
    private(set) var arrived: [SessionActivity] = []
    /// Streams that the remote peer has opened and that are not passed on yet, in order.
    var opened: [ByteStream] = []
    /// The calls that wait for something of a stream.
    var waits = StreamWaits()
    var awaited: [Awaited] = []  // In ascending order.

    init(_ id: ID, with remote: PeerID, _ machine: ReliableChannelMachine) {
      (self.id, self.remote, self.machine) = (id, remote, machine)
    }

    var acknowledgedCount: Int { messagesSent - machine.messages.unacknowledgedMessages }

    /// Takes out the calls that wait for messages which have arrived.
    mutating func takeDelivered() -> ArraySlice<Awaited> {
      guard !awaited.isEmpty else { return [] }
      let count = awaited.prefix { $0.number <= acknowledgedCount }.count
      defer { awaited.removeFirst(count) }
      return awaited.prefix(count)
    }

    // MARK: Receiving

    /// Takes in the payload of a MESSAGE, and keeps the message that is complete with it.
    ///
    /// - Throws: An error if the remote peer breaks the rules of the stream.
    mutating func receiveMessage(
      _ payload: Span<UInt8>, frameBytes: Int, at now: Instant
    ) throws(FrameError) {
      let bytes = try machine.receiveMessage(payload, frameBytes: frameBytes, at: now)
      if let bytes { arrived.append(.message(Message(sender: remote, bytes: bytes, from: id))) }
    }

    /// How much has arrived that is not passed on.
    mutating func countArrivals() -> Int {
      arrived.count + opened.count + (machine.hasChanges ? 1 : 0)
    }

    /// Takes out the messages that arrived, to pass them on.
    mutating func takeArrived() -> [SessionActivity] {
      messagesReceived += arrived.count
      defer { arrived = [] }
      return arrived
    }
  }
}
