import EarshotCore
import Testing

extension ChannelPair {
  /// The direction that a side writes, or reads, of a stream.
  func direction(_ number: StreamNumber, of side: Int, isWritten: Bool) -> Direction {
    Direction(
      writer: isWritten ? side : 1 - side, opener: number.isLocal ? side : 1 - side,
      ordinal: number.ordinal)
  }

  mutating func open(
    _ side: Int, _ priority: StreamPriority = .normal, isTwoWay: Bool = true
  ) -> StreamNumber? {
    let number = sides[side].machine.openStream("s", priority, isTwoWay: isTwoWay)
    if let number { sides[side].held.append(number) }
    return number
  }

  /// Opens a stream, which was granted.
  mutating func opened(
    _ side: Int, _ priority: StreamPriority = .normal, isTwoWay: Bool = true
  ) throws -> StreamNumber {
    let number = open(side, priority, isTwoWay: isTwoWay)
    return try #require(number)
  }

  /// Writes as many of so many bytes as there is room for.
  mutating func write(
    _ side: Int, _ count: Int, to number: StreamNumber, isShareable: Bool = false
  ) {
    let direction = direction(number, of: side, isWritten: true)
    let written = accounts[direction, default: Account()].written
    var bytes = Self.bytes(of: direction, at: written, count)
    while bytes.count < count {
      bytes += Self.bytes(of: direction, at: written + bytes.count, count - bytes.count)
    }
    let room = sides[side].machine.room(in: number)
    let taken = sides[side].machine.write(bytes, isShareable: isShareable, to: number)
    let lent = isShareable && room > 0 ? ReliableChannelMachine.lentBytesMax : 0
    #expect(taken == min(max(room, lent), count))
    accounts[direction, default: Account()].written += taken
  }

  mutating func finish(_ side: Int, _ number: StreamNumber) {
    let isOpen = sides[side].machine[number]?.send?.isOpen == true
    sides[side].machine.finish(number)
    guard isOpen else { return }
    accounts[direction(number, of: side, isWritten: true), default: Account()].isFinished = true
  }

  mutating func reset(_ side: Int, _ number: StreamNumber, _ abort: StreamAbort) {
    if sides[side].machine.reset(number, abort) {
      accounts[direction(number, of: side, isWritten: true), default: Account()].reset = abort
    }
    follow(side)
  }

  mutating func stop(_ side: Int, _ number: StreamNumber, _ abort: StreamAbort) {
    noteStop(side, number, abort)
    sides[side].machine.stop(number, abort)
    follow(side)
  }

  private mutating func noteStop(_ side: Int, _ number: StreamNumber, _ abort: StreamAbort) {
    let direction = direction(number, of: side, isWritten: false)
    switch sides[side].machine[number]?.receive?.state {
    case .open: accounts[direction, default: Account()].stop = abort
    case .finished: accounts[direction, default: Account()].isDropped = true
    default: break
    }
  }

  /// Gives the program a stream of the remote.
  mutating func take(_ side: Int) {
    guard !sides[side].offered.isEmpty else { return }
    let number = sides[side].offered.removeFirst()
    sides[side].held.append(number)
    let budget = sides[side].budget
    sides[side].machine.taken(number, backedBy: budget.reserve)
    follow(side)
  }

  mutating func release(_ side: Int, _ number: StreamNumber) {
    let abort = StreamAbort(.dropped)
    if sides[side].machine[number]?.send?.isOpen == true {
      accounts[direction(number, of: side, isWritten: true), default: Account()].reset = abort
    }
    noteStop(side, number, abort)
    let budget = sides[side].budget
    sides[side].machine.release(number, backedBy: budget.reserve)
    sides[side].held.removeAll { $0 == number }
    follow(side)
  }

  /// Reads what is there, up to so many bytes.
  @discardableResult
  mutating func read(_ side: Int, _ number: StreamNumber, upTo count: Int = .max) -> Int {
    let budget = sides[side].budget
    let bytes = sides[side].machine.read(number, upTo: count, backedBy: budget.reserve)
    judge(bytes, side, number)
    return bytes?.count ?? 0
  }

  /// Reads exactly so many bytes, or waits for them.
  mutating func read(_ side: Int, _ number: StreamNumber, exactly count: Int) {
    let budget = sides[side].budget
    let bytes = sides[side].machine.read(number, exactly: count, backedBy: budget.reserve)
    #expect(bytes == nil || bytes?.count == count)
    let direction = direction(number, of: side, isWritten: false)
    accounts[direction, default: Account()].wantedMax = max(
      count, accounts[direction]?.wantedMax ?? 0)
    sides[side].machine.want(bytes == nil ? count : 0, of: number, backedBy: budget.reserve)
    judge(bytes, side, number)
  }

  private mutating func judge(_ bytes: [UInt8]?, _ side: Int, _ number: StreamNumber) {
    follow(side)
    let direction = direction(number, of: side, isWritten: false)
    var account = accounts[direction, default: Account()]
    if let bytes {
      #expect(
        Self.matches(bytes, direction, at: account.read) && (bytes.isEmpty || !account.isEndSeen),
        "\(bytes.count) bytes at \(account.read) of \(direction)")
      account.read += bytes.count
      #expect(account.read <= account.written)
    }
    if let half = sides[side].machine[number]?.receive, half.state == .finished,
      half.unreadBytes == 0
    {
      #expect(account.isFinished && account.read == account.written, "\(direction) ends early")
      account.isEndSeen = true
    }
    accounts[direction] = account
  }

  /// Sends a message, now or when there is room.
  mutating func send(_ side: Int, _ message: [UInt8], isShared: Bool = false) {
    guard !sides[side].isLeaving else { return }
    let isTaken =
      isShared
      ? sides[side].machine.append(sharing: message) : sides[side].machine.append(message.span)
    if isTaken { return sides[side].sent.append(message) }
    sides[side].queued.append((sides[side].machine.enqueue(message), message))
  }

  mutating func sendControl(_ side: Int) {
    guard !sides[side].isLeaving, let peer = PeerID([UInt8](repeating: 1, count: 32)) else {
      return
    }
    sides[side].controlsSent += 1
    let session = SessionID(rawValue: sides[side].controlsSent)
    sides[side].machine.append(control: Retract(peer: peer, session: session))
  }

  /// Gives the window back that the first unreleased message holds.
  mutating func releaseMessage(_ side: Int) {
    guard sides[side].releasedCount < sides[side].delivered.count else { return }
    let bytes = sides[side].delivered[sides[side].releasedCount].count
    sides[side].machine.release(messages: 1, bytes: bytes)
    sides[side].releasedCount += 1
  }

  mutating func leave(_ side: Int) {
    guard !sides[side].isLeaving else { return }
    sides[side].isLeaving = true
    sides[side].machine.append(farewell: Leave(code: .done))
    let abort = StreamAbort(.left)
    for number in sides[side].machine.streamTable.numbers {
      if sides[side].machine[number]?.send?.isOpen == true {
        accounts[direction(number, of: side, isWritten: true), default: Account()].reset = abort
      }
      if sides[side].machine[number]?.receive?.state == .open { noteStop(side, number, abort) }
    }
    sides[side].machine.abortStreams()
    _ = sides[side].machine.endQueue()
    sides[side].queued = []
    follow(side)
  }

  // MARK: Settling
  /// Lets everything happen that can happen while the link stays up.
  mutating func settle(readingStreams isReading: Bool = true, releasingMessages: Bool = true)
    throws
  {
    for side in sides { side.budget.refusalPercent = 0 }
    if !isLinked { try link() }
    for _ in 0..<2_000 {
      var isIdle = true
      now = now + .milliseconds(25)
      for side in sides.indices {
        transmit(side, within: .init(bytesMax: 200_000))
        if !sides[side].wire.isEmpty { isIdle = false }
        try arrive(from: side)
      }
      for side in sides.indices {
        while releasingMessages, sides[side].releasedCount < sides[side].delivered.count {
          releaseMessage(side)
          isIdle = false
        }
        guard isReading else { continue }
        while !sides[side].offered.isEmpty { take(side) }
        for number in sides[side].held { while read(side, number) > 0 { isIdle = false } }
      }
      if isIdle { return }
    }
    Issue.record("the channel does not come to rest")
  }
}
