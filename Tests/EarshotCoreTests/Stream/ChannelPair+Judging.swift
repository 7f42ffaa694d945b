import EarshotCore
import Testing

extension ChannelPair {
  /// Judges what holds at any time.
  func judge() {
    for side in sides.indices {
      let (machine, table) = (sides[side].machine, sides[side].machine.streamTable)
      var (buffered, remoteCount) = (0, 0)
      for number in table.numbers {
        guard let stream = machine[number] else { continue }
        if !number.isLocal, !stream.isOver { remoteCount += 1 }
        if let half = stream.send {
          buffered += half.bufferedBytes
          #expect(half.isOver || half.acknowledged <= half.sent && half.sent <= half.end)
          #expect(half.sent <= half.limit)
          judge(half, direction(number, of: side, isWritten: true))
        }
        if let half = stream.receive { judge(half, direction(number, of: side, isWritten: false)) }
      }
      #expect(table.bufferedBytes == buffered)
      #expect(table.remoteCount == remoteCount && remoteCount <= 1_024)
      #expect(table.remoteOpenedCount <= table.grantedCount)
      #expect(sides[side].delivered.count <= sides[1 - side].sent.count)
      #expect(sides[side].budget.reservedBytes >= 0)
      let received = sides[1 - side].machine.inboundLog.received
      #expect(machine.log.acknowledged <= received)
    }
  }

  private func judge(_ half: StreamSendHalf, _ direction: Direction) {
    let account = accounts[direction] ?? Account()
    #expect(half.end == UInt64(account.written))
    switch half.state {
    case .open: #expect(!account.isFinished && account.reset == nil)
    case .finished: #expect(account.isFinished)
    case .delivered: #expect(account.isFinished && half.acknowledged == half.end)
    case .aborted(let abort, let byRemote):
      #expect(abort == (byRemote ? account.stop : account.reset))
    }
  }

  private func judge(_ half: StreamReceiveHalf, _ direction: Direction) {
    let account = accounts[direction] ?? Account()
    #expect(half.unreadBytes <= max(half.windowBytes, account.wantedMax))
    #expect(half.received <= half.limit && half.taken <= half.received)
    #expect(half.taken == UInt64(account.read))
    switch half.state {
    case .open: break
    case .finished: #expect(account.isFinished && half.received == UInt64(account.written))
    case .stopped(let abort): #expect(account.stop == abort)
    case .aborted(let abort): #expect(account.reset == abort)
    case .closed: #expect(account.stop != nil || account.isDropped)
    }
  }

  /// Judges that everything has arrived, after all was read.
  func judgeArrival() {
    judge()
    for side in sides.indices {
      let (machine, remote) = (sides[side].machine, sides[1 - side])
      #expect(remote.delivered == sides[side].sent)
      #expect(remote.controlsReceived == sides[side].controlsSent)
      #expect(machine.log.isEmpty && !machine.hasSendable && machine.messages.isEmpty)
      for number in sides[side].machine.streamTable.numbers {
        let written = direction(number, of: side, isWritten: true)
        if let half = machine[number]?.send, let account = accounts[written] {
          if account.isFinished || account.stop != nil { #expect(half.isOver, "\(written)") }
        }
        let read = direction(number, of: side, isWritten: false)
        if let half = machine[number]?.receive, let account = accounts[read] {
          judgeArrival(of: half, account, read)
        }
      }
    }
  }

  private func judgeArrival(
    of half: StreamReceiveHalf, _ account: Account, _ direction: Direction
  ) {
    if account.stop != nil {
      #expect(half.state == .closed, "\(direction)")
    } else if let reset = account.reset {
      #expect(half.state == .aborted(reset) || account.isFinished, "\(direction)")
    } else if !account.isDropped {
      #expect(account.read == account.written, "\(direction)")
      #expect(account.isEndSeen == account.isFinished, "\(direction)")
    }
  }

  /// Releases all streams, and judges that nothing is left of them.
  mutating func finishAll() throws {
    for side in sides.indices {
      while !sides[side].offered.isEmpty { take(side) }
      for number in sides[side].held { release(side, number) }
    }
    try settle()
    for side in sides.indices {
      let table = sides[side].machine.streamTable
      #expect(table.count == 0 && table.remoteCount == 0 && table.bufferedBytes == 0)
      #expect(scheduledCount(side) <= 1, "the messages alone are known to the scheduler")
      sides[side].machine.endStreams()
      follow(side)
      #expect(sides[side].budget.reservedBytes == 0)
    }
  }

  /// How many sources the scheduler of a side remembers.
  func scheduledCount(_ side: Int) -> Int {
    let indices = Mirror(reflecting: sides[side].machine).descendant("scheduler", "indices")
    return (indices as? [UInt64: Int])?.count ?? .max
  }

  /// What of a stream is of interest to the calls of its program that wait.
  struct Progress: Hashable {
    let unreadBytes: Int?
    let receiveState: StreamReceiveHalf.State?
    let acknowledged: UInt64?
    let sendState: StreamSendHalf.State?
  }

  func progress(of side: Int) -> [StreamNumber: Progress] {
    let machine = sides[side].machine
    let pairs = machine.streamTable.numbers.map { number in
      let (send, receive) = (machine[number]?.send, machine[number]?.receive)
      let progress = Progress(
        unreadBytes: receive?.unreadBytes, receiveState: receive?.state,
        acknowledged: send?.acknowledged, sendState: send?.state)
      return (number, progress)
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Judges that the program learns of all that the remote peer has changed.
  func judgeChanges(of side: Int, since before: [StreamNumber: Progress]) {
    var machine = sides[side].machine
    let changes = Set(machine.takeChanges())
    for (number, progress) in progress(of: side) where before[number] != progress {
      let isKnown = changes.contains(.changed(number)) || changes.contains(.opened(number))
      #expect(isKnown, "\(number) has changed")
    }
  }
}
