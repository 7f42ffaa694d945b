extension ReliableChannelMachine {
  /// A stream that is not forgotten.
  package subscript(stream: StreamNumber) -> StreamTable.Stream? { streams[stream] }

  /// The counts of all streams.
  package var streamTable: StreamTable { _read { yield streams } }

  /// Whether something of the streams is new to the program.
  package var hasChanges: Bool { mutating get { streams.hasChanges } }

  /// Whether anything follows from what has become of the streams: for the program, or because
  /// bytes were freed, credit is due or more streams may be granted.
  package var hasNews: Bool {
    mutating get {
      streams.hasChanges || streams.hasFreedBytes || isCreditDue
        || farewell == .none && streams.isGrantDue(upTo: configuration.streamCountMax)
    }
  }

  /// Where what this side writes is in its life; `nil` if it is forgotten or never was.
  package mutating func sendState(of number: StreamNumber) -> StreamSendHalf.State? {
    streams.update(number) { $0.send?.state } ?? nil
  }

  /// Where what the other side writes is in its life, and how much of it waits for the program;
  /// `nil` if it is forgotten or never was.
  package mutating func receiveState(
    of number: StreamNumber
  ) -> (state: StreamReceiveHalf.State, unreadBytes: Int)? {
    let found = streams.update(number) { stream in
      stream.receive.map { ($0.state, $0.unreadBytes) }
    }
    return found ?? nil
  }

  /// Takes out what is new to the program, in order.
  package mutating func takeChanges() -> [StreamTable.Change] { streams.takeChanges() }

  /// Takes out how many bytes that were backed need that no longer.
  package mutating func takeFreedBytes() -> Int { streams.takeFreedBytes() }

  /// Notes that something may be new to the program in a stream.
  package mutating func noteChange(of number: StreamNumber) { streams.noteChange(of: number) }

  // MARK: The program

  /// Opens a stream, if the remote has granted one more.
  ///
  /// - Parameters:
  ///   - name: What the program calls it.
  ///   - priority: Who goes first.
  ///   - isTwoWay: Whether both sides write.
  /// - Returns: Its number; `nil` when the remote has granted none.
  package mutating func openStream(
    _ name: String, _ priority: StreamPriority, isTwoWay: Bool
  ) -> StreamNumber? {
    guard farewell == .none,
      let (number, opening) = streams.open(name, priority, isTwoWay: isTwoWay)
    else { return nil }
    control.append(opening)
    return number
  }

  /// How many bytes a stream takes now.
  ///
  /// Its share of what all streams together may keep; so much in any case that no stream stands
  /// still for another one.
  package mutating func room(in number: StreamNumber) -> Int {
    guard let kept = bufferedBytes(of: number, ifOpen: true) else { return 0 }
    return max(0, share(whereKept: kept) - kept)
  }

  /// Whether a stream keeps more than its share, so that the call that wrote it has to wait.
  package mutating func isOverfull(_ number: StreamNumber) -> Bool {
    guard bytesLeft < 0, let kept = bufferedBytes(of: number) else { return false }
    return kept > Self.streamBytesMin
  }

  /// Whether half of a stream's share is free, so that a call that waited may go on.
  ///
  /// Otherwise each acknowledgement would wake a task. Linux has who writes to TCP wait for a third
  /// (`sk_stream_is_writeable`).
  package mutating func hasDrained(_ number: StreamNumber) -> Bool {
    guard let kept = bufferedBytes(of: number) else { return true }
    return kept <= max(Self.streamBytesMin, share(whereKept: kept) / 2)
  }

  /// How many bytes of this side a stream keeps; `nil` if this side does not write to it.
  private mutating func bufferedBytes(of number: StreamNumber, ifOpen: Bool = false) -> Int? {
    let kept = streams.update(number) {
      ifOpen && $0.send?.isOpen != true ? nil : $0.send?.bufferedBytes
    }
    return kept ?? nil
  }

  private func share(whereKept kept: Int) -> Int {
    max(Self.streamBytesMin, min(Self.streamBytesMax, kept + max(0, bytesLeft) / 2))
  }

  private var bytesLeft: Int { configuration.outboundBytesMax - streams.bufferedBytes }

  /// Takes bytes of the program, as many as there is room for.
  ///
  /// While there is any, a piece of ``lentBytesMax`` is taken whole if it need not be copied. It
  /// takes no memory while the call that lends it waits. Without that, a thousand streams go
  /// forward in steps of 16 KiB, and carry a quarter less.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - isShareable: Whether a large part need not be copied.
  ///   - number: The stream.
  /// - Returns: How many were taken. The call has to wait while the stream ``isOverfull(_:)``.
  package mutating func write(
    _ bytes: ArraySlice<UInt8>, isShareable: Bool, to number: StreamNumber
  ) -> Int {
    let room = room(in: number)
    guard room > 0 else { return 0 }
    let count = min(bytes.count, isShareable ? max(room, Self.lentBytesMax) : room)
    guard count > 0 else { return 0 }
    _ = streams.update(number) { $0.send?.write(bytes.prefix(count), isShareable: isShareable) }
    ready(number)
    return count
  }

  /// Ends what this side writes, behind everything that was written.
  package mutating func finish(_ number: StreamNumber) {
    _ = streams.update(number) { $0.send?.finish() }
    ready(number)
  }

  /// Ends what this side writes at once.
  ///
  /// - Returns: Whether it had not ended.
  @discardableResult
  package mutating func reset(_ number: StreamNumber, _ abort: StreamAbort) -> Bool {
    let isNew = streams.update(number) { $0.send?.abort(abort, byRemote: false) == true }
    guard isNew == true else { return false }
    control.append(StreamReset(number, abort))
    ended(number)
    return true
  }

  /// Reads no more of a stream.
  package mutating func stop(_ number: StreamNumber, _ abort: StreamAbort) {
    let isTold = streams.update(number) { $0.receive?.stop(abort) == true }
    if isTold == true { control.append(StreamStop(number, abort)) }
    ended(number)
  }

  /// Takes out bytes that were received.
  ///
  /// - Parameters:
  ///   - number: The stream.
  ///   - bytesMax: The most bytes.
  ///   - backing: Asked for memory that the window may grow by.
  /// - Returns: The bytes; `nil` when none wait.
  package mutating func read(
    _ number: StreamNumber, upTo bytesMax: Int, backedBy backing: Backing
  ) -> [UInt8]? {
    take(number, backedBy: backing) { $0.receive?.read(upTo: bytesMax) }
  }

  /// Takes out so many bytes that were received.
  ///
  /// - Parameters:
  ///   - number: The stream.
  ///   - count: How many bytes.
  ///   - backing: Asked for memory that the window may grow by.
  /// - Returns: The bytes; `nil` when fewer wait.
  package mutating func read(
    _ number: StreamNumber, exactly count: Int, backedBy backing: Backing
  ) -> [UInt8]? {
    take(number, backedBy: backing) { $0.receive?.read(exactly: count) }
  }

  private mutating func take(
    _ number: StreamNumber, backedBy backing: Backing,
    _ read: (inout StreamTable.Stream) -> [UInt8]?
  ) -> [UInt8]? {
    guard let bytes = streams.update(number, read) ?? nil else { return nil }
    streams.considerCredit(of: number, backedBy: backing)
    settle(number, backedBy: backing)
    return bytes
  }

  /// Has so many bytes granted at once, whatever the window, since the program waits for them.
  package mutating func want(_ bytes: Int, of number: StreamNumber, backedBy backing: Backing) {
    _ = streams.update(number) { $0.wantedBytes = bytes }
    streams.considerCredit(of: number, backedBy: backing)
  }

  /// Changes who goes first.
  package mutating func setPriority(_ priority: StreamPriority, of number: StreamNumber) {
    _ = streams.update(number) { $0.priority = priority }
    guard scheduler.isReady(number.rawValue) else { return }
    scheduler.forget(number.rawValue)
    ready(number)
  }

  /// The program has been given a stream of the remote.
  package mutating func taken(_ number: StreamNumber, backedBy backing: Backing) {
    _ = streams.update(number) { $0.isTaken = true }
    settle(number, backedBy: backing)
  }

  /// The program has let go of a stream: what it has not finished is reset, and nothing is read any
  /// more.
  package mutating func release(_ number: StreamNumber, backedBy backing: Backing) {
    if streams[number]?.send?.state == .open { reset(number, StreamAbort(.dropped)) }
    stop(number, StreamAbort(.dropped))
    _ = streams.update(number) { ($0.isTaken, $0.isReleased) = (true, true) }
    settle(number, backedBy: backing)
  }

  /// Whether something of a stream is known to wait for the link.
  package func isReady(_ number: StreamNumber) -> Bool { scheduler.isReady(number.rawValue) }

  private mutating func ready(_ number: StreamNumber) {
    if let share = streams.sendable(number) { scheduler.setReady(number.rawValue, share) }
  }

  private mutating func ended(_ number: StreamNumber) {
    if streams.sendable(number) == nil { scheduler.setIdle(number.rawValue) }
    streams.noteChange(of: number)
    settle(number)
  }

  private mutating func settle(_ number: StreamNumber) {
    if streams.settle(number) { forget(number) }
  }

  private mutating func settle(_ number: StreamNumber, backedBy backing: Backing) {
    settle(number)
    grantStreams(backedBy: backing)
  }

  /// Grants the remote more streams, if it needs them and there is room.
  package mutating func grantStreams(backedBy backing: Backing) {
    guard farewell == .none else { return }
    streams.grantMore(upTo: configuration.streamCountMax, backedBy: backing)
  }

  /// Ends all that is not finished, since the session is being left.
  package mutating func abortStreams() {
    for number in streams.numbers {
      if streams[number]?.send?.state == .open { reset(number, StreamAbort(.left)) }
      if streams[number]?.receive?.state == .open { stop(number, StreamAbort(.left)) }
    }
  }

  /// Promises nothing more, since the membership has ended.
  package mutating func endStreams() { streams.end() }

  // MARK: The remote

  /// Takes in the payload of DATA.
  ///
  /// - Parameters:
  ///   - payload: The payload, lent.
  ///   - frameBytes: The length of the frame, header included.
  ///   - now: The time.
  /// - Throws: An error if the payload is malformed, or if no bytes of the stream can come.
  package mutating func receiveData(
    _ payload: Span<UInt8>, frameBytes: Int, at now: Instant
  ) throws(FrameError) {
    let data = try StreamData(payload: payload)
    inboundLog.receive(streamFrameBytes: frameBytes, isFinal: data.isFinal, at: now)
    let number = data.stream.mirrored
    var violation: StreamReceiveHalf.Violation?
    let isTaken = streams.update(number) { stream in
      guard stream.receive != nil else { return false }
      do throws(StreamReceiveHalf.Violation) {
        try stream.receive?.receive(payload.extracting(data.start...), isFinal: data.isFinal)
      } catch {
        violation = error
      }
      return true
    }
    guard isTaken == true, violation != .afterEnd else {
      throw FrameError(.contradictory, type: .data, payloadBytes: payload.count)
    }
    if violation == .beyondCredit {
      let abort = StreamAbort(.violation)
      reset(number, abort)
      stop(number, abort)
    }
    streams.noteChange(of: number)
    if data.isFinal { settle(number) }
  }

  /// Takes in another frame of a stream.
  ///
  /// - Throws: That it contradicts what was stated or opened before, or goes beyond what was
  ///   granted.
  package mutating func receive(
    _ frame: StreamFrame, backedBy backing: Backing
  ) throws(FrameError) {
    switch frame {
    case .open(let opening):
      let number = try streams.receive(opening)
      guard farewell == .none else {
        reset(number, StreamAbort(.left))
        stop(number, StreamAbort(.left))
        return
      }
      grantStreams(backedBy: backing)
    case .reset(let reset):
      let number = try ending(reset.stream, .reset) { $0.receive != nil }
      _ = streams.update(number) { $0.receive?.abort(reset.abort) }
      ended(number)
    case .stop(let stop):
      let number = try ending(stop.stream, .stop) { $0.send != nil }
      let isNew = streams.update(number) { $0.send?.abort(stop.abort, byRemote: true) == true }
      if isNew == true { control.append(StreamReset(number, stop.abort)) }
      ended(number)
    }
  }

  /// The stream of a frame that ends one half, if it can be one of that.
  private mutating func ending(
    _ stated: StreamNumber, _ type: FrameType, _ hasHalf: (StreamTable.Stream) -> Bool
  ) throws(FrameError) -> StreamNumber {
    let number = stated.mirrored
    guard streams.count(type), streams[number].map(hasHalf) ?? streams.wasForgotten(number) else {
      throw FrameError(.contradictory, type: type, payloadBytes: 0)
    }
    return number
  }

  /// Takes in CREDIT.
  ///
  /// - Throws: That it takes something back, or speaks of a stream that was never opened.
  package mutating func receive(_ credit: Credit) throws(FrameError) {
    let contradiction = FrameError(.contradictory, type: .credit, payloadBytes: 0)
    guard streams.openLimit <= credit.streams else { throw contradiction }
    streams.extendOpenLimit(to: credit.streams)
    for limit in credit.limits {
      let number = limit.stream.mirrored
      if number == .messages {
        guard messageLimit <= limit.bytes else { throw contradiction }
        messageLimit = limit.bytes
      } else {
        let isGranted = streams.update(number) { $0.send?.grant(limit.bytes) == true }
        guard isGranted ?? streams.wasForgotten(number) else { throw contradiction }
        ready(number)
      }
    }
  }

  /// How many bytes a call lends a stream that has room for fewer.
  package static let lentBytesMax = 65_536
  private static let streamBytesMin = 16_384
  private static let streamBytesMax = 1 << 20
}
