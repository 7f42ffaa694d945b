/// The streams of one membership, those of both sides, as this side numbers them.
///
/// A stream is *over* when both halves are, and the program has read what it gets of it. Its place
/// is free then. It is forgotten when the program has let go of it as well. Since streams are
/// opened in the order of their numbers, a number that was opened and is not in the table is of one
/// that was forgotten.
package struct StreamTable: Hashable, Sendable {
  /// One stream.
  package struct Stream: Hashable, Sendable {
    /// What the program that opened it calls it.
    package let name: String
    /// Who goes first.
    package var priority: StreamPriority
    /// What this side writes, if it may.
    package internal(set) var send: StreamSendHalf?
    /// What the other side writes, if it may.
    package internal(set) var receive: StreamReceiveHalf?
    /// How many bytes the program waits for at once.
    package internal(set) var wantedBytes = 0
    /// Whether the program has been given it, as it has all that it opened.
    var isTaken: Bool
    /// Whether the program has let go of it.
    var isReleased = false
    /// Whether its place is free.
    package internal(set) var isOver = false
    var isCreditQueued = false
    var backedBytes = 0  // Beyond the first window.

    var hasNothingLeft: Bool {
      isTaken && send?.isOver != false && receive.map { $0.isOver && $0.isRead } != false
    }
  }
  /// What is new to the program.
  package enum Change: Hashable, Sendable {
    /// The remote has opened a stream.
    case opened(StreamNumber)
    /// There may be more room, bytes or an end in a stream.
    case changed(StreamNumber)
    /// More streams may be opened.
    case mayOpen
  }

  /// How many bytes may be sent before anything is granted.
  package static let firstWindowBytes = 16_384
  /// The most unread bytes of one stream.
  package static let windowBytesMax = 1 << 20
  /// How many streams the remote may open ahead, at least.
  package static let countAhead: UInt64 = 16

  /// How many streams this side may open, from the beginning.
  package private(set) var openLimit: UInt64 = 0
  /// How many streams this side has opened.
  package private(set) var openedCount: UInt64 = 0
  /// How many streams the remote may open, as far as it was told.
  package private(set) var grantedCount: UInt64 = 0
  /// How many streams the remote has opened.
  package private(set) var remoteOpenedCount: UInt64 = 0
  /// How many streams of the remote are not over.
  package private(set) var remoteCount = 0
  /// How many bytes wait in all streams to be sent or acknowledged.
  package private(set) var bufferedBytes = 0

  private(set) var streams: [StreamNumber: Stream] = [:]
  private var grantableCount: UInt64 = 0
  private var creditQueue: [StreamNumber] = []
  private var changes: [Change] = []
  private var freedBytes = 0
  private var unbackedCount = 0  // Of streams that were granted without backing and are not over.
  private var hasEnded = false
  private var (resetCount, stopCount): (UInt64, UInt64) = (0, 0)

  /// No streams.
  package init() {}

  /// A stream that is not forgotten.
  package subscript(number: StreamNumber) -> Stream? { streams[number] }

  /// How many streams are not forgotten.
  package var count: Int { streams.count }

  /// How many streams are not over.
  package var openCount: Int { streams.values.count { !$0.isOver } }

  /// How many bytes of all streams wait for the program.
  package var unreadBytes: Int { streams.values.reduce(0) { $0 + ($1.receive?.unreadBytes ?? 0) } }

  /// The numbers of the streams that are not forgotten, in ascending order.
  package var numbers: [StreamNumber] { streams.keys.sorted { $0.rawValue < $1.rawValue } }

  /// Whether all that was written to streams that were finished has gone out.
  var isDrained: Bool {
    streams.values.allSatisfy { $0.send.map { $0.state == .open || $0.isDrained } != false }
  }

  /// Takes out what is new to the program, in order.
  package mutating func takeChanges() -> [Change] {
    defer { changes = [] }
    return changes
  }

  /// Whether something is new to the program.
  var hasChanges: Bool { !changes.isEmpty }

  /// Whether bytes that were backed need that no longer.
  var hasFreedBytes: Bool { freedBytes > 0 }

  /// Takes out how many bytes that were backed need that no longer.
  package mutating func takeFreedBytes() -> Int {
    defer { freedBytes = 0 }
    return freedBytes
  }

  // MARK: Opening

  /// Opens a stream, if the remote has granted one more.
  ///
  /// - Returns: Its number and the frame that says so; `nil` when the remote allows no more.
  mutating func open(
    _ name: String, _ priority: StreamPriority, isTwoWay: Bool
  ) -> (StreamNumber, StreamOpening)? {
    guard openedCount < min(openLimit, StreamNumber.ordinalMax) else { return nil }
    openedCount += 1
    let number = StreamNumber(opened: openedCount, byLocal: true)
    let first = Self.firstWindowBytes
    streams[number] = Stream(
      name: name, priority: priority, send: StreamSendHalf(limit: UInt64(first)),
      receive: isTwoWay ? StreamReceiveHalf(windowBytes: first) : nil, isTaken: true)
    let opening = StreamOpening(
      place: openedCount, priority: priority, isTwoWay: isTwoWay, name: name)
    return (number, opening)
  }

  /// Takes in OPEN.
  ///
  /// - Returns: The number of the stream.
  /// - Throws: That it is not the next one, or that it was not granted.
  mutating func receive(_ opening: StreamOpening) throws(FrameError) -> StreamNumber {
    guard opening.place == remoteOpenedCount + 1 else {
      throw FrameError(.contradictory, type: .open, payloadBytes: 0)
    }
    guard opening.place <= grantedCount else {
      throw FrameError(.overrun, type: .open, payloadBytes: 0)
    }
    remoteOpenedCount += 1
    remoteCount += 1
    let number = StreamNumber(opened: opening.place, byLocal: false)
    let first = Self.firstWindowBytes
    streams[number] = Stream(
      name: opening.name, priority: opening.priority,
      send: opening.isTwoWay ? StreamSendHalf(limit: UInt64(first)) : nil,
      receive: StreamReceiveHalf(windowBytes: first), isTaken: false)
    changes.append(.opened(number))
    return number
  }

  /// Takes in how many streams this side may open.
  mutating func extendOpenLimit(to limit: UInt64) {
    guard openLimit < limit else { return }
    openLimit = limit
    changes.append(.mayOpen)
  }

  /// Grants the remote more streams, while it uses those that it may open.
  ///
  /// As many ahead as there are, so that a thousand take a few steps; the first one needs no
  /// backing.
  mutating func grantMore(upTo countMax: Int, backedBy backing: (Int) -> Bool) {
    guard isGrantDue(upTo: countMax) else { return }
    let target = grantTarget(upTo: countMax)
    while grantableCount < target {
      if !backing(Self.firstWindowBytes) {
        // One at least, so that no stream waits for memory that others of its member do not give
        // back.
        guard grantableCount == remoteOpenedCount, remoteCount == 0, unbackedCount == 0 else {
          return
        }
        unbackedCount = 1
      }
      grantableCount += 1
    }
  }

  /// Whether more streams are to be granted, as far as there is memory for them.
  func isGrantDue(upTo countMax: Int) -> Bool {
    !hasEnded && grantableCount - remoteOpenedCount <= countAhead / 2
      && grantableCount < grantTarget(upTo: countMax)
  }

  private func grantTarget(upTo countMax: Int) -> UInt64 {
    remoteOpenedCount + min(countAhead, UInt64(max(0, countMax - remoteCount)))
  }

  private var countAhead: UInt64 { max(Self.countAhead, UInt64(remoteCount)) }

  /// How many streams the remote may open; it is to be told at once.
  mutating func takeGrantedCount() -> UInt64 {
    grantedCount = grantableCount
    return grantedCount
  }

  // MARK: Changing

  /// Changes a stream in its place, or looks at it there: a copy would retain each of its parts.
  ///
  /// - Returns: What `body` returns; `nil` for a stream that is forgotten.
  mutating func update<Result>(
    _ number: StreamNumber, _ body: (inout Stream) -> Result
  ) -> Result? {
    streams.index(forKey: number).map { update(at: $0, body) }
  }

  private mutating func update<Result>(
    at index: Dictionary<StreamNumber, Stream>.Index, _ body: (inout Stream) -> Result
  ) -> Result {
    func change(_ stream: inout Stream) -> (Result, more: Int) {
      let before = stream.send?.bufferedBytes ?? 0
      let result = body(&stream)
      return (result, (stream.send?.bufferedBytes ?? 0) - before)
    }
    let (result, more) = change(&streams.values[index])
    bufferedBytes += more
    return result
  }

  /// The class and the weight of a stream that has something to send now.
  mutating func sendable(_ number: StreamNumber) -> StreamScheduler.Share? {
    update(number) { $0.send?.isSendable == true ? $0.priority.share : nil } ?? nil
  }

  /// Notes that something may be new to the program in a stream.
  mutating func noteChange(of number: StreamNumber) {
    if changes.last != .changed(number) { changes.append(.changed(number)) }
  }

  /// Frees the place of a stream with which nothing is left to be done, and forgets it if the
  /// program has let go of it.
  ///
  /// - Returns: Whether its place is free.
  @discardableResult
  mutating func settle(_ number: StreamNumber) -> Bool {
    guard let index = streams.index(forKey: number) else { return true }
    let hasEnded = hasEnded
    let (wasOver, isOver, isForgotten, backed) = update(at: index) { stream in
      let wasOver = stream.isOver
      let isSettled = stream.hasNothingLeft || hasEnded && stream.isReleased
      if isSettled { stream.isOver = true }
      return (wasOver, stream.isOver, isSettled && stream.isReleased, stream.backedBytes)
    }
    if isOver, !wasOver {
      freedBytes += backed
      if !number.isLocal {
        remoteCount -= 1
        freeFirstWindows(1)
      }
    }
    if isForgotten { streams.remove(at: index) }
    return isOver
  }

  /// Frees what streams are promised that were never opened, since none will be; what the others
  /// are promised is freed when the program lets go of them.
  mutating func end() {
    guard !hasEnded else { return }
    hasEnded = true
    freeFirstWindows(Int(grantableCount - remoteOpenedCount))
    grantableCount = remoteOpenedCount
    for number in numbers { settle(number) }
  }

  private mutating func freeFirstWindows(_ count: Int) {
    let unbacked = min(unbackedCount, count)
    unbackedCount -= unbacked
    freedBytes += (count - unbacked) * Self.firstWindowBytes
  }

  /// Whether a number is of a stream that was opened, and is forgotten.
  func wasForgotten(_ number: StreamNumber) -> Bool {
    streams[number] == nil && number.ordinal > 0
      && number.ordinal <= (number.isLocal ? openedCount : remoteOpenedCount)
  }

  /// Takes in one more RESET or STOP; a stream has at most one of each.
  ///
  /// - Returns: Whether there can be so many.
  mutating func count(_ type: FrameType) -> Bool {
    if type == .reset { resetCount += 1 } else { stopCount += 1 }
    return max(resetCount, stopCount) <= openedCount + remoteOpenedCount
  }

  // MARK: The link

  /// Has all streams take back what is not acknowledged.
  mutating func takeBack(ready: (StreamNumber, StreamScheduler.Share) -> Void) {
    for number in numbers {
      _ = update(number) { $0.send?.takeBack() }
      if let share = sendable(number) { ready(number, share) }
    }
  }

  /// Forgets what went in one frame and was received.
  ///
  /// - Returns: Whether that was the last of the stream, and its place is free.
  @discardableResult
  mutating func delivered(_ bytes: Int, isFinal: Bool, of number: StreamNumber) -> Bool {
    _ = update(number) { $0.send?.forget(bytes, isFinal: isFinal) }
    noteChange(of: number)
    return isFinal && settle(number)
  }

  /// Takes everything as received that was written to streams that were finished.
  mutating func deliveredAll() {
    for number in numbers {
      guard let half = streams[number]?.send, half.state == .finished else { continue }
      delivered(half.bufferedBytes, isFinal: true, of: number)
    }
  }

  // MARK: Credit

  /// Whether the remote is to be told of more credit.
  var isCreditDue: Bool { !creditQueue.isEmpty || grantedCount < grantableCount }

  /// Looks at whether more can be granted in a stream, and how large its window is to be.
  mutating func considerCredit(of number: StreamNumber, backedBy backing: (Int) -> Bool) {
    let isNewlyDue = update(number) { stream in
      guard !stream.isCreditQueued, let half = stream.receive,
        half.isCreditDue(wanting: stream.wantedBytes)
      else { return false }
      // What the remote used up soon may be larger, while the memory lasts.
      let window = half.windowBytes
      if window < Self.windowBytesMax, half.received > 0, backing(window) {
        stream.receive?.widen(to: 2 * window)
        stream.backedBytes += window
      }
      stream.isCreditQueued = true
      return true
    }
    if isNewlyDue == true { creditQueue.append(number) }
  }

  /// Grants what is due, and adds it to a frame.
  mutating func takeDueLimits(into limits: inout [Credit.Limit], upTo countMax: Int) {
    let count = min(creditQueue.count, countMax - limits.count)
    for number in creditQueue.prefix(count) {
      let bytes = update(number) { stream in
        stream.isCreditQueued = false
        return stream.receive?.takeCredit(wanting: stream.wantedBytes)
      }
      if let bytes = bytes ?? nil { limits.append(Credit.Limit(number, bytes)) }
    }
    creditQueue.removeFirst(count)
  }

  /// Has the credit of all open streams stated anew, since the last link may have lost it.
  mutating func restateCredit() {
    creditQueue = numbers.filter { streams[$0]?.receive?.state == .open }
    for number in creditQueue {
      _ = update(number) { $0.isCreditQueued = true }
    }
  }
}

extension StreamPriority {
  /// The class and the weight of a stream of the priority.
  package var share: StreamScheduler.Share {
    switch self {
    case .urgent: StreamScheduler.Share(tier: .messages, weight: 1)
    case .high: StreamScheduler.Share(tier: .streams, weight: 16)
    case .normal: StreamScheduler.Share(tier: .streams, weight: 4)
    case .low: StreamScheduler.Share(tier: .streams, weight: 1)
    case .resource: StreamScheduler.Share(tier: .resources, weight: 1)
    }
  }
}
