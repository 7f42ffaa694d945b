import EarshotNetwork
import EarshotTLS

/// An open connection with the channel on it: what arrives, and what waits to be written.
///
/// What is written is gathered once a turn: the bytes of the channel itself, then the link's own frames, then
/// as much of the reliable channel as is granted and may be under way.
final class LinkTransport {
  /// What is left of the reliable channel when some of it has been gathered.
  enum Rest {
    /// Nothing that could go out.
    case none
    /// Something that may, once what was gathered is written.
    case some
    /// Something that is granted, but too much is under way.
    case blocked
  }

  let connection: any Connection
  // Without the dynamic checks of exclusivity, which every frame would pay for: no access to what has none calls out
  // while it lasts, but to append bytes.
  @exclusivity(unchecked) private(set) var bytesReceived = 0
  @exclusivity(unchecked) private(set) var bytesSent = 0
  /// Whether the remote peer has closed its direction.
  var hasRemoteEnded = false
  /// Whether the connection is gone, so that nothing can be written or waited for.
  var hasFailed = false
  /// What it calls while it decodes knows nothing of the transport.
  @exclusivity(unchecked) private(set) var decoder = FrameDecoder()
  private let channel: SecureChannel
  /// Whether the channel takes plaintext: asked for each time that something is gathered.
  private var isReady: Bool
  /// What makes secrets that both ends have, once the channel is ready.
  private(set) var exporter: SecretExporter?
  /// How what is written is encrypted, once the channel is ready; `nil` if it is not.
  private(set) var cipherSuite: String?
  @exclusivity(unchecked) private var channelBytes: [UInt8] = []  // Of the channel itself.
  @exclusivity(unchecked) private var frames: [UInt8] = []  // Of the link itself, in plaintext.
  @exclusivity(unchecked) private var wire: [UInt8] = []  // What is being written.
  @exclusivity(unchecked) private var written = 0
  @exclusivity(unchecked) private var budget = FlightBudget()
  /// What of it streams may take.
  @exclusivity(unchecked) private var bulk = BulkBudget()
  /// Where in all that is written the last PING ends; beyond any place until it is being written.
  @exclusivity(unchecked) private var questionEnd = 0
  @exclusivity(unchecked) private var lastWritten: Instant
  /// How many writes came without a pause before them.
  @exclusivity(unchecked) private var writesInARow = 0
  /// When the keys of both sides have grown old.
  @exclusivity(unchecked) private var keysEnd: Instant
  private var isFinished = false
  private let buggify: Instrumentation?

  /// The transport of a connection that is open.
  init(
    _ connection: any Connection, _ channel: SecureChannel, at now: Instant,
    buggify: Instrumentation?
  ) {
    (self.connection, self.channel, lastWritten) = (connection, channel, now)
    keysEnd = now + Self.keyLifetime
    (isReady, self.buggify) = (channel.isReady, buggify)
    if let more = buggify?.draw(.firstFlight, below: 64 << 10) {
      budget = FlightBudget(bytesAtFirst: FlightBudget.bytesMin + more)
    }
    self.channel.start(into: &channelBytes)
  }

  /// The remote peer, once the channel has found out.
  var remote: PeerID? { channel.remote }

  // MARK: Reading

  /// Takes in bytes and lends the plaintext in them.
  func receive(
    _ bytes: Span<UInt8>, lending body: (Span<UInt8>) -> Void
  ) throws(SecureChannelError) {
    bytesReceived += bytes.count
    var own: [UInt8] = []
    swap(&own, &channelBytes)
    defer {
      swap(&own, &channelBytes)
      if !isReady {
        (isReady, exporter) = (channel.isReady, channel.exporter)
        cipherSuite = isReady ? channel.cipherSuite : nil
      }
    }
    try channel.receive(bytes, into: &own, lending: body)
  }

  /// Finds frames in plaintext; as ``FrameDecoder/decode(_:_:)``.
  func decode(
    _ plaintext: Span<UInt8>, _ body: FrameDecoder.Body
  ) throws(FrameError) -> Int {
    try decoder.decode(plaintext, body)
  }

  /// Whether the remote peer has said that nothing more comes, though its connection may go on.
  var hasChannelEnded: Bool { channel.hasEnded }

  /// The remote peer has closed its direction.
  ///
  /// - Throws: That the channel was cut short: what the remote peer sent last may be missing.
  func receiveEnd() throws(SecureChannelError) {
    hasRemoteEnded = true
    try channel.receiveEnd()
  }

  // MARK: Writing

  /// Adds a frame of the link itself.
  func append(_ payload: some FramePayload) { payload.encode(into: &frames) }

  /// Adds PING, whose way through the transport is watched.
  func append(question: Ping) {
    question.encode(into: &frames)
    questionEnd = .max
  }

  /// Adds PONG.
  func append(answer: Ping) { answer.encodePong(into: &frames) }

  /// Adds messages that may be lost, up to the first one that would have to wait.
  ///
  /// - Returns: How many it took.
  func append(_ messages: UnreliableOutbox.Batch, at now: Instant) -> Int {
    guard isReady, isWritten else { return 0 }
    if budget.room(written: bytesSent) <= 0 {
      budget.observe(written: bytesSent, connection.progress, at: now)
    }
    var (start, count) = (0, 0)
    for end in messages.ends {
      guard budget.room(written: bytesSent + frames.count) > 0 else { break }
      let message = messages.bytes.span.extracting(start + 1..<end)
      FrameEncoder.append(.unreliable, payload: message, to: &frames)
      (start, count) = (end, count + 1)
    }
    return count
  }

  /// Whether everything that was gathered is written, so that more can be.
  var isWritten: Bool { written == wire.count }

  /// Whether more of the channel and of the link itself waits behind what was gathered than any peer that reads lets
  /// wait.
  var isUnread: Bool { !isWritten && channelBytes.count + frames.count > Self.unreadBytesMax }

  /// Gathers what is to be written next.
  ///
  /// - Parameters:
  ///   - reliable: The reliable channel that the link carries, if it does.
  ///   - now: The time.
  /// - Returns: What is left.
  func gather(from reliable: ReliableChannel?, at now: Instant) -> Rest {
    if !wire.isEmpty { wire.removeAll(keepingCapacity: true) }
    written = 0
    if !channelBytes.isEmpty {
      wire += channelBytes
      channelBytes = []
    }
    guard isReady else { return .none }
    let rest = reliable.map { fill(from: $0, at: now) } ?? .none
    if !frames.isEmpty {
      writesInARow = now - lastWritten < Self.pause ? writesInARow + 1 : 0
      channel.setBusy(writesInARow >= Self.busyWritesMin)
      channel.seal(&frames, into: &wire)
      lastWritten = now
      if questionEnd == .max { questionEnd = bytesSent + wire.count }
    }
    // The budget is looked at as soon as it is used up.
    let isUsedUp = reliable != nil && budget.room(written: bytesSent + wire.count) <= 0
    return rest == .none && isUsedUp ? .some : rest
  }

  /// Has both sides change their keys, if they are an hour old, with what is gathered next.
  ///
  /// - Returns: Whether they do.
  func updateOldKeys(at now: Instant) -> Bool {
    guard isReady, now >= keysEnd else { return false }
    keysEnd = now + Self.keyLifetime
    return channel.updateKeys()
  }

  private func fill(from reliable: ReliableChannel, at now: Instant) -> Rest {
    // No budget is looked at before it is used up: in between, what arrives in bursts would seem to be faster.
    if budget.room(written: bytesSent) <= 0 {
      budget.observe(written: bytesSent, connection.progress, at: now)
    }
    bulk.rest(written: bytesSent, lastWritten: lastWritten, at: now)
    let left = budget.room(written: bytesSent)
    var rest = reliable.fill(&frames, within: room(left), at: now)
    if case .bulk = rest, bulk.room(written: bytesSent) <= 0 {
      bulk.observe(written: bytesSent, connection.progress, at: now)
      // What has become free is used at once: nothing else asks again if nothing was gathered.
      if bulk.room(written: bytesSent) > 0 {
        rest = reliable.fill(&frames, within: room(left - frames.count), at: now)
      }
    }
    switch rest {
    case .none, .unacknowledged: return .none
    case .urgent: return left > 0 ? .some : .blocked
    case .bulk: return left > 0 && bulk.room(written: bytesSent) > 0 ? .some : .blocked
    }
  }

  private func room(_ left: Int) -> ReliableChannelMachine.Room {
    ReliableChannelMachine.Room(
      bytesMax: min(left, Self.writeBytesMax), partBytesMax: budget.partBytesMax,
      bulkBytesMax: bulk.room(written: bytesSent), bulkPartBytesMax: bulk.partBytesMax,
      bytesUnderWayMax: bulk.bytesUnderWayMax)
  }

  /// Whether at least half of what may be under way is.
  func isBusy(at now: Instant) -> Bool {
    budget.observe(written: bytesSent, connection.progress, at: now)
    return budget.room(written: bytesSent) * 2 <= budget.bytes
  }

  /// How long to wait until it is worth asking whether less is under way.
  func nextWait() -> Duration {
    bulk.room(written: bytesSent) > 0 || budget.room(written: bytesSent) <= 0
      ? budget.nextWait() : Self.bulkWait
  }

  /// Hands what was gathered to the system, as much as it takes.
  ///
  /// - Returns: Whether it takes anything.
  func write() -> Bool {
    let wire = wire
    do throws(NetworkError) {
      let end = buggify?.draw(.shortWrite, below: wire.count - written).map { written + $0 + 1 }
      let count = try connection.write(wire.span.extracting(written..<(end ?? wire.count)))
      written += count
      bytesSent += count
      return count > 0
    } catch {
      return false  // The handler hears of the failure.
    }
  }

  /// Has the channel say, once, that nothing more will come, behind everything that was gathered.
  ///
  /// - Returns: Whether that takes bytes, which are to be written before the connection is closed.
  func finish() -> Bool {
    guard !isFinished else { return false }
    isFinished = true
    channel.finish(into: &channelBytes)
    return !channelBytes.isEmpty
  }

  // MARK: Watching

  /// What there is to see of the transport, beside the bytes that it handed over.
  var signs: LivenessMachine.Signs {
    let progress = hasFailed ? TransportProgress() : connection.progress
    return LivenessMachine.Signs(
      transport: progress,
      isQuestionUnderWay: bytesSent - progress.unacknowledgedBytes < questionEnd,
      unansweredSince: decoder.bufferedBytes > 0 ? lastWritten : nil)
  }

  /// A fourth of what streams may have under way beside a round trip.
  private static let bulkWait = Duration.milliseconds(5)
  /// Several times the largest request, and the answers to some thousand questions.
  private static let unreadBytesMax = 65_536
  /// OpenSSL changes none by itself.
  private static let keyLifetime = Duration.seconds(3_600)
  // A link that rests writes less often, and one that begins less in all.
  private static let pause = Duration.seconds(1)
  private static let busyWritesMin = 64
  // With 64 KiB, the end of a message of 64 KiB would go alone.
  private static let writeBytesMax = 131_072
}
