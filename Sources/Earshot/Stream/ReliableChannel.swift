import EarshotNetwork
import EarshotTLS
import Synchronization

/// The reliable channel of one membership, where senders, consumers and links meet: messages, streams, and what the
/// session itself has to say.
///
/// Senders append under the lock without hopping anywhere; a link drains; consumers give the credit back.
/// Lives as long as the membership does, across its links, and as long as the program holds one of its streams.
final class ReliableChannel: MessageSource, MembershipPart {
  typealias ID = MessageSourceID

  private struct Served {
    let settle: Settle
    let number: Int
  }
  /// What became of an attempt to append a message; those that were appended are numbered from 1.
  enum Outcome: Sendable {
    case appended(Int)
    case full, ended
  }

  let id: ID
  /// The remote peer.
  let remote: PeerID
  /// What takes messages and streams that arrived, in order.
  let sink: Sink
  let state: Mutex<State>
  private let carrier = Carrier()
  let wakeup = Wakeup()
  private let messageBytesMax = Atomic(Int.max)
  /// How much of the window consumers have given back that the machine does not know of.
  private let released = Atomic(0)
  let buggify: Instrumentation?
  let host: any NetworkHost
  private let gauge: QueueGauge?

  /// The memory that its streams may take.
  let budget: StreamReservation
  /// The transfers of resources over it.
  let transfers = TransferList()

  /// What takes what arrived, on the host's executor.
  struct Sink: Sendable {
    /// Takes messages, in order.
    let messages: @Sendable ([SessionActivity]) -> Void
    /// Takes streams that the remote peer has opened, in order.
    let streams: @Sendable ([ByteStream]) -> Void
    /// Takes a stream that carries a resource.
    let resource: @Sendable (ByteStream) -> Void
    /// Whether the session was left.
    let departure: Departure
    /// Takes records of streams and transfers.
    let log: PeerLog
  }

  /// A channel at its beginning in both directions.
  ///
  /// - Parameters:
  ///   - id: Which one it is.
  ///   - remote: The peer at the other end.
  ///   - configuration: Its bounds.
  ///   - budget: The memory that the streams of the session may take.
  ///   - host: Where its links are.
  ///   - sink: What takes what arrived.
  init(
    _ id: ID, with remote: PeerID, _ configuration: ReliableChannelMachine.Configuration,
    _ budget: StreamBudget, on host: any NetworkHost, sink: Sink
  ) {
    (self.id, self.remote, self.sink) = (id, remote, sink)
    (self.host, buggify) = (host, host.buggify)
    self.budget = StreamReservation(from: budget)
    gauge = host.gauge(
      "bytes in the send buffer of a member", atMost: configuration.outboundBytesMax)
    state = Mutex(State(id, with: remote, ReliableChannelMachine(configuration)))
    wakeup.connect(to: host.makeSignal { [carrier] in carrier.link?.flushRequested() })
  }

  /// Messages that are not known to have arrived.
  var undelivered: Int { state.withLock { $0.machine.messages.unacknowledgedMessages } }

  /// Messages sent, received, and sent but not acknowledged.
  var counts: (sent: Int, received: Int, unacknowledged: Int) {
    state.withLock {
      ($0.messagesSent, $0.messagesReceived, $0.machine.messages.unacknowledgedMessages)
    }
  }

  /// How much of the window consumers have given back that the machine does not know of.
  var releasedBytes: Int { released.load(ordering: .relaxed) }

  // MARK: Senders, from anywhere

  /// The largest message that the remote takes, in bytes; without limit until it has said so.
  private(set) var remoteMessageBytesMax: Int {
    get { messageBytesMax.load(ordering: .relaxed) }
    set { messageBytesMax.store(newValue, ordering: .relaxed) }
  }

  /// Appends a message if there is room and no other one waits for it, and has it sent soon.
  func append(_ message: [UInt8]) -> Outcome {
    if let buggify, buggify.occurs(.waitingSend) { return .full }
    let (outcome, wasIdle) = state.withLock { state -> (Outcome, Bool) in
      if state.isClosed { return (.ended, false) }
      var wasIdle = false
      guard state.machine.append(sharing: message, wasIdle: &wasIdle) else {
        return (.full, false)
      }
      if gauge != nil { watch(state) }
      state.messagesSent += 1
      return (.appended(state.messagesSent), wasIdle)
    }
    if wasIdle { wakeup.raiseUrgently() }
    return outcome
  }

  /// Appends a message if there is room for it, and something else goes as well.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - others: Asked under the lock of this stream once there is room; answers whether to append.
  /// - Returns: What became of it, or `nil` when `others` said no.
  func append(_ message: Span<UInt8>, ifAlso others: () -> Bool) -> Outcome? {
    let outcome = state.withLock { state -> Outcome? in
      if state.isClosed { return .ended }
      guard state.machine.hasRoom(forMessageBytes: message.count) else { return .full }
      guard others() else { return nil }
      precondition(state.machine.append(message), "a stream with room takes a message")
      state.messagesSent += 1
      return .appended(state.messagesSent)
    }
    if case .appended = outcome { wakeup.raise() }
    return outcome
  }

  /// Has a message wait for room, behind those that do already.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - settle: Called once, on any thread, when it was appended, when the stream was closed or ended, and when
  ///     it was withdrawn.
  /// - Returns: What withdraws it; `nil` if it is settled.
  func enqueue(
    _ message: [UInt8], settle: @escaping @Sendable (PendingSend.Outcome) -> Void
  ) -> SendQueue.Ticket? {
    let (ticket, outcome) = state.withLock { state -> (SendQueue.Ticket?, PendingSend.Outcome) in
      if state.isClosed { return (nil, .ended) }
      guard !state.machine.append(sharing: message) else {
        state.messagesSent += 1
        return (nil, .appended(state.messagesSent))
      }
      let ticket = state.machine.enqueue(message)
      state.pending[ticket] = settle
      return (ticket, .withdrawn)
    }
    if ticket == nil {
      wakeup.raise()
      settle(outcome)
    }
    return ticket
  }

  /// Takes a message back that waits for room; those behind it move up.
  func withdraw(_ ticket: SendQueue.Ticket) {
    let (withdrawn, served) = state.withLock { state -> (Settle?, [Served]) in
      guard state.machine.withdraw(ticket) else { return (nil, []) }
      return (state.pending.removeValue(forKey: ticket), serve(&state))
    }
    settle(served)
    withdrawn?(.withdrawn)
  }

  /// Appends those that wait, as far as there is room.
  private func serve(_ state: inout State) -> [Served] {
    guard !state.pending.isEmpty else { return [] }
    let served = state.machine.serve()
    watch(state)
    return served.compactMap { ticket in
      state.messagesSent += 1
      let number = state.messagesSent
      return state.pending.removeValue(forKey: ticket).map { Served(settle: $0, number: number) }
    }
  }

  /// Takes in how much waits, unless it is a single message, which may be larger than the buffer.
  private func watch(_ state: borrowing State) {
    guard let gauge, state.machine.messages.unacknowledgedMessages > 1 else { return }
    gauge.note(state.machine.messages.bufferedBytes)
  }

  private func settle(_ served: [Served]) {
    guard !served.isEmpty else { return }
    wakeup.raise()
    for one in served { one.settle(.appended(one.number)) }
  }

  // MARK: Receipts

  /// Gives a promise whether a message has arrived, as soon as that is known.
  ///
  /// - Parameters:
  ///   - promise: Given `true` when the remote peer has acknowledged the message, and `false` when the membership
  ///     ended before.
  ///   - number: The message.
  func tell(_ promise: Promise<Bool?>, whenDelivered number: Int) {
    let known = state.withLock { state -> Bool? in
      if number <= state.acknowledgedCount { return true }
      if state.isEnded { return false }
      let index = state.awaited.firstIndex { number < $0.number } ?? state.awaited.endIndex
      state.awaited.insert(Awaited(number: number, promise: promise), at: index)
      return nil
    }
    if let known { promise.fulfil(known) }
  }

  /// Forgets a promise that is not waited for any longer.
  func forget(_ promise: Promise<Bool?>) {
    state.withLock { $0.awaited.removeAll { $0.promise === promise } }
  }

  /// How many promises are waited for.
  var awaitedCount: Int { state.withLock { $0.awaited.count } }

  // MARK: The session

  /// Sends a frame of the session itself, such as INTRODUCE, before the messages and streams that wait.
  func send(_ payload: some FramePayload & Sendable) {
    let goes = state.withLock { state in
      if !state.isEnded { state.machine.append(control: payload) }
      return !state.isEnded
    }
    if goes { wakeup.raise() }
  }

  /// What ACCEPT, ATTACH or ATTACHED is to state.
  func position() -> (received: UInt64, grant: ChannelGrant) {
    state.withLock { state in
      takeReleased(&state)
      return state.machine.position(backedBy: budget.reserve)
    }
  }

  /// Takes everything that was appended as arrived, since the remote says so in ending the membership.
  func acknowledgeAll() {
    let (delivered, effects) = state.withLock { state in
      state.machine.acknowledgeAll()
      return (state.takeDelivered(), follow(&state))
    }
    for one in delivered { one.promise.fulfil(true) }
    effects.apply()
  }

  /// Goes back to the position of the remote peer, for the next link.
  ///
  /// - Throws: An error if the position contradicts an earlier one, or what was sent.
  func resume(at position: SidePosition) throws(FrameError) {
    remoteMessageBytesMax = position.terms.messageBytesMax
    let (delivered, served, effects) = try state.withLock {
      state throws(FrameError) -> (ArraySlice<Awaited>, [Served], Effects) in
      host.reached(.streamCarriedAgain, if: state.machine.streamTable.count > 0)
      try state.machine.attach(received: position.received, grant: position.grant)
      return (state.takeDelivered(), serve(&state), follow(&state))
    }
    for one in delivered { one.promise.fulfil(true) }
    settle(served)
    effects.apply()
    wakeup.raise()
  }

  func attach(to link: Link) {
    carrier.take(link)
    transfers.note(isLinked: true)
  }

  func detach(from link: Link) {
    if carrier.drop(link) { transfers.note(isLinked: false) }
  }

  /// Has LEAVE follow everything that was sent, and the streams that were finished; the remote reads nothing behind it.
  ///
  /// No message is taken any more, and streams that were not finished end at once; who waits for room is let go.
  ///
  /// - Parameters:
  ///   - leave: The farewell.
  ///   - flushed: Called once, when everything that was appended has arrived.
  func close(_ leave: Leave, whenFlushed flushed: @escaping @Sendable () -> Void) {
    let (waiting, effects) = state.withLock { state in
      state.machine.append(farewell: leave)
      state.machine.abortStreams()
      state.flushed = flushed
      return (close(&state), follow(&state))
    }
    for settle in waiting { settle(.ended) }
    effects.apply()
    wakeup.raise()
  }

  /// Has no message taken any more.
  ///
  /// - Returns: Those who wait for room.
  private func close(_ state: inout State) -> [Settle] {
    state.isClosed = true
    return state.machine.endQueue().compactMap { state.pending.removeValue(forKey: $0) }
  }

  /// Takes nothing more; who waits for room is let go.
  func end() {
    carrier.take(nil)
    let (waiting, undelivered, effects) = state.withLock { state in
      state.isEnded = true
      state.flushed = nil
      defer { state.awaited = [] }
      return (close(&state), state.awaited, endStreams(&state))
    }
    deliver()
    for settle in waiting { settle(.ended) }
    for one in undelivered { one.promise.fulfil(false) }
    effects.apply()
    wakeup.connect(to: nil)
  }

  /// Gives the window back that messages held, now that a consumer has them.
  ///
  /// Waits for no lock, which the link holds while messages arrive: the link takes the window back then.
  func release(messages: Int, bytes: Int, at now: Instant) {
    let bytes = ReceiveWindow.heldBytes(messages: messages, bytes: bytes)
    released.add(bytes, ordering: .acquiringAndReleasing)
    let isDue = state.withLockIfAvailable { state in
      takeReleased(&state)
      return state.machine.isReportDue(at: now)
    }
    if isDue ?? true { wakeup.raise() }
  }

  private func takeReleased(_ state: inout State) {
    state.machine.release(heldBytes: released.exchange(0, ordering: .acquiringAndReleasing))
  }

  // MARK: The link

  /// Fills a buffer with what may go out now: an acknowledgement if one is due or rides along, as much of the log as
  /// there is room for, and credit that is due.
  ///
  /// - Parameters:
  ///   - frames: Where to append it.
  ///   - room: How much of the log.
  ///   - now: The time.
  /// - Returns: What is left of the log.
  func fill(
    _ frames: inout [UInt8], within room: ReliableChannelMachine.Room, at now: Instant
  ) -> ReliableChannelMachine.Rest {
    let room = buggify?.bounds(room) ?? room
    return state.withLock { state in
      takeReleased(&state)
      let acknowledgement = state.machine.takeAcknowledgement(at: now, hasRoom: room.bytesMax > 0) {
        buggify?.occurs(.eagerAcknowledgement) == true
      }
      acknowledgement?.encode(into: &frames)
      let rest = state.machine.fill(&frames, within: room)
      if state.machine.hasNews { state.machine.grantStreams(backedBy: budget.reserve) }
      while let credit = state.machine.takeDueCredit() { credit.encode(into: &frames) }
      return rest
    }
  }

  /// When an acknowledgement has to go out at the latest.
  var acknowledgementDeadline: Instant? {
    state.withLock { $0.machine.inboundLog.acknowledgementDeadline }
  }

  /// Takes in an ACK.
  func acknowledge(_ acknowledgement: Acknowledgement) throws(FrameError) {
    let (delivered, served, effects) = try state.withLock {
      state throws(FrameError) -> (ArraySlice<Awaited>, [Served], Effects) in
      try state.machine.acknowledge(acknowledgement)
      var effects = follow(&state)
      if state.machine.isFlushed { effects.flushed = state.flushed.take() }
      return (state.takeDelivered(), serve(&state), effects)
    }
    for one in delivered { one.promise.fulfil(true) }
    settle(served)
    effects.apply()
  }

  /// Takes in frames that arrived, as many as there are, under one lock.
  ///
  /// - Parameter body: Hands the frames to what the lock guards.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; the frames before it have been taken in.
  func receive<Result>(
    _ body: (inout State) throws(FrameError) -> Result
  ) throws(FrameError) -> Result {
    try state.withLock { state throws(FrameError) in try body(&state) }
  }

  /// Passes on what arrived: messages, streams that the remote peer opened, and bytes for those who wait for them.
  func deliver() {
    let (messages, streams, effects) = state.withLock { state in
      let effects = follow(&state)
      defer { state.opened = [] }
      return (state.takeArrived(), state.opened, effects)
    }
    if !messages.isEmpty { sink.messages(messages) }
    if !streams.isEmpty { pass(on: streams) }
    effects.apply()
  }

  private func pass(on streams: [ByteStream]) {
    for stream in streams where stream.isOfResource {
      taken(stream.number)
      sink.resource(stream)
    }
    let others = streams.filter { !$0.isOfResource }
    if !others.isEmpty { sink.streams(others) }
  }
}

/// The link that carries a membership's stream at the moment.
///
/// Apart from ``ReliableChannel``, to which no weak reference may point: it is retained for every message, and that
/// costs several times more once there has been one.
private final class Carrier: Sendable {
  private let current = Mutex<Link?>(nil)

  var link: Link? { current.withLock { $0 } }

  func take(_ link: Link?) { current.withLock { $0 = link } }

  /// - Returns: Whether it was that one.
  func drop(_ link: Link) -> Bool {
    current.withLock { current in
      guard current === link else { return false }
      current = nil
      return true
    }
  }
}
