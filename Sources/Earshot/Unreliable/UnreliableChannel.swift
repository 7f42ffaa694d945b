import EarshotNetwork
import EarshotTLS
import Synchronization

/// What two members send each other unreliably: in datagrams, or over their link while those do not get through.
///
/// Does nothing until one of the two sends. Then each tells the other, on the link, where it takes datagrams; a
/// ``DatagramPathMachine`` finds out whether they arrive. Another link begins anew, with other keys.
actor UnreliableChannel: MessageSource {
  nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let id: MessageSourceID
  private nonisolated let port: DatagramPort
  private nonisolated let outbox = UnreliableOutbox()
  /// What the messages cost that the program has not taken.
  private nonisolated let unread = Atomic(0)
  private nonisolated let ends: (local: PeerID, remote: PeerID)
  private nonisolated let messageBytesMax: Int
  private let sink: @Sendable ([SessionActivity]) -> Void

  private var link: Link?
  /// Whether the program has sent something, so that the next link is told at once.
  private var isWanted = false
  private var offers = Offers()
  private var protection: DatagramProtection?
  private var protectedSince = Instant.zero
  private var openedCount: UInt64 = 0  // Since then.
  private var window = CongestionWindow()
  private var path: MachineDriver<DatagramPathMachine>?
  private var timer: (any NetworkTimer)?
  private var assembler = FragmentAssembler()
  private var counts = UnreliableStatistics()
  private var lastCut: UInt64 = 0  // The number of the last message that was cut into fragments.
  private var batch = UnreliableOutbox.Batch()
  private var wire = DatagramBatch()
  private var contents: [UInt8] = []
  private var arrived: [SessionActivity] = []  // Messages that the program was not given yet.

  /// What both sides have said on the link.
  private struct Offers {
    var connection: UInt64?  // This side's, as long as the link lasts.
    var isMade = false  // Of the port as it is.
    var remote: DatagramOffer?
    var receivedCount = 0
  }

  /// A channel that no link carries yet.
  ///
  /// - Parameters:
  ///   - id: Which source of the session's messages it is.
  ///   - port: Where datagrams come and go.
  ///   - ends: The two peers.
  ///   - messageBytesMax: The largest message that is taken.
  ///   - sink: Takes messages that arrived, on the host's executor.
  init(
    _ id: MessageSourceID, over port: DatagramPort, between ends: (local: PeerID, remote: PeerID),
    messageBytesMax: Int, sink: @escaping @Sendable ([SessionActivity]) -> Void
  ) {
    unownedExecutor = port.unownedExecutor
    (self.id, self.port, self.ends, self.sink) = (id, port, ends, sink)
    self.messageBytesMax = messageBytesMax
  }

  /// What the messages cost that the program has not taken.
  nonisolated var unreadBytes: Int { unread.load(ordering: .relaxed) }

  private var now: Instant { port.host.now }

  /// The counts up to now.
  var statistics: UnreliableStatistics {
    var counts = counts
    let (sent, dropped) = outbox.counts
    counts.messagesSent = sent
    counts.drop(.queueFull, dropped)
    counts.drop(.incomplete, assembler.incompleteCount(at: now))
    counts.usesDatagrams = endpoint != nil
    return counts
  }

  // MARK: From any thread

  /// Sends a message soon, or drops it.
  nonisolated func append(_ message: Span<UInt8>) {
    if outbox.append(message) { port.flushSoon(self) }
  }

  nonisolated func release(messages: Int, bytes: Int, at now: Instant) {
    let cost = messages * UnreliableOutbox.messageCost + bytes
    unread.subtract(cost, ordering: .relaxed)
  }

  // MARK: Links

  private func begin(over link: Link) {
    drop()
    self.link = link
    if isWanted { offer() }
  }

  private func stop() {
    drop()
    timer = nil
    isWanted = false
  }

  private func drop() {
    link = nil
    if let connection = offers.connection { port.assumeIsolated { $0.unregister(connection) } }
    (offers, protection, openedCount) = (Offers(), nil, 0)
    window = CongestionWindow()
    handle(.withdrawn)
  }

  /// The port was closed by the system: it is opened and told of again when something is to be sent.
  func portLost() {
    offers.isMade = false
    handle(.withdrawn)
  }

  // MARK: Offers

  /// Tells the remote peer where this one takes datagrams.
  private func offer() {
    guard !offers.isMade, let link else { return }
    offers.isMade = true
    let connection = offers.connection ?? port.assumeIsolated { $0.register(self) }
    offers.connection = connection
    let near = link.assumeIsolated { $0.context.greeting.port }
    let number = port.assumeIsolated { $0.open(near: near) }
    link.assumeIsolated { $0.send(DatagramOffer(connection: connection, port: number)) }
    beginProbing()
  }

  /// Takes in what the remote peer says on the link.
  func received(_ frame: DatagramFrame, on link: Link) {
    guard link === self.link else { return }  // It carried the membership before.
    switch frame {
    case .offer(let remote): received(remote, on: link)
    case .message(let message):
      deliver(message.bytes)
      handOver()
    }
  }

  private func received(_ remote: DatagramOffer, on link: Link) {
    offers.receivedCount += 1
    let isSame = offers.remote.map { $0.connection == remote.connection } ?? true
    guard isSame, offers.receivedCount <= Self.offersMax else {
      return link.assumeIsolated { $0.violateByFrame() }
    }
    offers.remote = remote
    offer()
    if protection == nil { protect(remote.connection, on: link) }
    beginProbing()
  }

  private func protect(_ remoteConnection: UInt64, on link: Link) {
    guard let localConnection = offers.connection else { return }
    let ends = DatagramProtection.Ends(
      local: (ends.local, localConnection), remote: (ends.remote, remoteConnection),
      isDialler: link.isDialled)
    let secret = link.assumeIsolated {
      $0.exportSecret(
        label: DatagramProtection.exportLabel, context: ends.context,
        count: DatagramProtection.secretBytes)
    }
    protection = secret.map { DatagramProtection($0, between: ends, at: now) }
    protectedSince = now
  }

  /// Looks for a way to where the remote peer takes datagrams, if both sides do.
  private func beginProbing() {
    guard protection != nil, let remote = offers.remote, let link,
      let address = link.assumeIsolated({ $0.remoteAddress })
    else { return }
    if remote.port == 0 || port.assumeIsolated({ $0.number }) == 0 {
      handle(.withdrawn)
    } else {
      handle(.offered(Endpoint(address, port: remote.port)))
    }
  }

  // MARK: The path

  private var endpoint: Endpoint? { path?.machine.endpoint }

  private func handle(_ event: DatagramPathMachine.Event) {
    if path == nil {
      guard event != .withdrawn else { return }
      let random = port.assumeIsolated { $0.makePathRandom() }
      path = MachineDriver(DatagramPathMachine(random: random))
    }
    path?.handle(event, at: now) { perform($0) }
  }

  private func perform(_ action: DatagramPathMachine.Action) {
    switch action {
    case .challenge(let token, let endpoint, let isPadded):
      send(DatagramContents.challenge(token, isPadded: isPadded), to: endpoint)
    case .wake(let deadline):
      if timer == nil {
        timer = port.host.makeTimer { [weak self] in
          self?.assumeIsolated { $0.handle(.deadlineReached) }
        }
      }
      timer?.arm(at: deadline)
    case .cancelWake: timer?.disarm()
    case .reportOpen:
      window.restart()
      port.host.reached(.datagramsGetThrough)
    case .reportClosed: port.host.reached(.datagramsLost, if: link != nil)
    }
  }

  /// Whether the link has messages under way, in the queues that datagrams wait in, too.
  private var isLinkBusy: Bool { link?.assumeIsolated { $0.isBusy } ?? false }

  // MARK: Sending

  /// Sends what waits in the outbox.
  func flush() {
    outbox.take(in: &batch)
    defer { batch.removeAll() }
    guard !batch.isEmpty else { return }
    isWanted = true
    guard let link else { return counts.drop(.notLinked, batch.ends.count) }
    offer()
    handle(.used)
    if let endpoint { sendDatagrams(to: endpoint) } else { sendMessages(over: link) }
  }

  private func sendMessages(over link: Link) {
    let batch = batch
    let sent = link.assumeIsolated { $0.sendUnreliably(batch) }
    counts.messagesSentOverLink += sent
    counts.drop(.linkBusy, batch.ends.count - sent)
  }

  private func sendDatagrams(to endpoint: Endpoint) {
    let now = now
    var start = 0
    probe(at: now, to: endpoint)
    for end in batch.ends {
      defer { start = end }
      defer { probe(at: now, to: endpoint) }
      guard window.admits() else {
        counts.drop(.congested)
        continue
      }
      if end - start <= DatagramContents.bytesMax {
        seal(batch.bytes.span.extracting(start..<end), at: now, to: endpoint)
      } else {
        lastCut += 1
        let message = batch.bytes.span.extracting(start + 1..<end)
        DatagramContents.cut(message, number: lastCut) { seal($0, at: now, to: endpoint) }
      }
    }
    sendSealed(to: endpoint)
  }

  private func seal(
    _ contents: Span<UInt8>, at now: Instant, to endpoint: Endpoint, isMessage: Bool = true
  ) {
    let size = contents.count + DatagramProtection.overheadBytes
    if !wire.hasRoom(for: size) { sendSealed(to: endpoint) }
    wire.append(size) { protection?.seal(contents, at: now, into: &$0) }
    window.noteSent(isMessage ? size : 0)
  }

  /// Asks how many datagrams have come, behind what is sealed, if that is due.
  private func probe(at now: Instant, to endpoint: Endpoint) {
    guard let number = window.probe(at: now) else { return }
    seal(DatagramContents.probe(number).span, at: now, to: endpoint, isMessage: false)
  }

  /// Sends a datagram of the path itself.
  private func send(_ contents: [UInt8], to endpoint: Endpoint) {
    sendSealed(to: endpoint)
    seal(contents.span, at: now, to: endpoint, isMessage: false)
    sendSealed(to: endpoint)
  }

  private func sendSealed(to endpoint: Endpoint) {
    guard !wire.isEmpty else { return }
    let (bytes, size) = (wire.bytes, wire.size)
    let sent = port.assumeIsolated { $0.send(bytes, inDatagramsOf: size, to: endpoint) }
    counts.drop(.refused, wire.count - (sent + size - 1) / size)
    wire.removeAll()
  }

  // MARK: Receiving

  /// Takes in a datagram for this channel's connection.
  ///
  /// - Returns: Whether there are messages now to be handed over, and were none before.
  func received(_ datagram: Span<UInt8>, from source: Endpoint) -> Bool {
    let hadNone = arrived.isEmpty
    open(datagram, from: source)
    return hadNone && !arrived.isEmpty
  }

  /// Gives the program what has arrived.
  func handOver() {
    guard !arrived.isEmpty else { return }
    let messages = arrived
    arrived.removeAll(keepingCapacity: true)
    sink(messages)
  }

  private func open(_ datagram: Span<UInt8>, from source: Endpoint) {
    do throws(DatagramProtection.Refusal) {
      guard let opened = try protection?.open(datagram, at: now, into: &contents) else {
        return counts.drop(.early)
      }
      openedCount += 1
      if opened.isNewest { handle(.heard(from: source)) }
      received(from: source)
      // Who only receives asks as well, so that its keys grow no older.
      if protection?.isEpochOld(at: now) == true { handle(.used) }
    } catch {
      switch error {
      case .malformed: counts.drop(.malformed)
      case .replayed: counts.drop(.replayed)
      case .forged: counts.drop(.forged)
      }
    }
  }

  private func received(from source: Endpoint) {
    guard let parsed = DatagramContents.parse(contents.span) else {
      return counts.drop(.malformed)
    }
    switch parsed {
    case .challenge(let token): send(DatagramContents.answer(token), to: source)
    case .answer(let token): answered(token)
    case .probe(let number):
      let receipt = CongestionWindow.Receipt(
        probe: number, receivedCount: openedCount,
        nanoseconds: UInt64(bitPattern: (now - protectedSince).nanoseconds))
      send(DatagramContents.receipt(receipt), to: source)
    case .receipt(let receipt): window.take(receipt, at: now, isShared: isLinkBusy)
    case .message: deliver(Array(contents[parsed.payloadStart...]))
    case .fragment(let fragment):
      let payload = contents.span.extracting(parsed.payloadStart...)
      if let message = assembler.take(fragment, payload, at: now) { deliver(message) }
    }
  }

  private func answered(_ token: UInt64) {
    let confirmed = path?.machine.confirmed
    handle(.answered(token))
    // Challenges are answered within seconds: the answer is to one of the present epoch.
    if path?.machine.confirmed != confirmed { protection?.noteOpenedByRemote(at: now) }
  }

  private func deliver(_ message: [UInt8]) {
    guard message.count <= messageBytesMax else { return counts.drop(.malformed) }
    let cost = message.count + UnreliableOutbox.messageCost
    guard unread.load(ordering: .relaxed) + cost <= Self.unreadMax else {
      return counts.drop(.unread)
    }
    unread.add(cost, ordering: .relaxed)
    counts.messagesReceived += 1
    arrived.append(
      .message(Message(sender: ends.remote, bytes: message, isReliable: false, from: id)))
  }

  private static let offersMax = 16
  /// More than one turn of the loop brings.
  private static let unreadMax = 1_048_576
}

extension UnreliableChannel: MembershipPart {
  /// Begins anew over the link, with other keys.
  nonisolated func attach(to link: Link) { assumeIsolated { $0.begin(over: link) } }

  nonisolated func detach(from link: Link) {
    assumeIsolated { if $0.link === link { $0.drop() } }
  }

  nonisolated func end() { assumeIsolated { $0.stop() } }
}
