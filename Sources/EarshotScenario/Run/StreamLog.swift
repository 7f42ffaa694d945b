package import EarshotSimulator

/// All streams of a run, and whether their bytes arrive as they must.
///
/// Each direction of a stream is a flow of its own. Its bytes follow from its number and their
/// position, so that the reader knows each of them: they must arrive in order, once and unharmed,
/// and the end behind the last one that the writer's calls have taken.
package struct StreamLog: Sendable {
  /// One direction of a stream.
  package struct Flow: Sendable {
    package let name: String
    package let direction: Direction
    /// The session of the peer that opened the stream.
    package let session: String
    /// Whether it is the direction of the peer that did not open the stream.
    package let isAnswer: Bool
    package let opened: Duration
    /// How many bytes its program wants to write.
    package let planned: Int
    /// Whether its program wants to end it behind them.
    package let isEndPlanned: Bool
    /// How many bytes were given to calls.
    package fileprivate(set) var offered = 0
    /// How many of these they have taken.
    package fileprivate(set) var written = 0
    /// Whether the writer has finished it.
    package fileprivate(set) var isFinished = false
    /// Whether the other side's program has got the stream.
    package fileprivate(set) var hasArrived: Bool
    /// Whether a program has reset the stream, or reads it no more.
    package fileprivate(set) var isAborted = false
    /// Whether the stream could not be opened.
    package fileprivate(set) var isRefused = false
    /// How many bytes had been read at which times, the earliest first.
    package fileprivate(set) var reads: [Read] = []
    /// How it ended for the writer and for the reader; `nil` while it goes on.
    package fileprivate(set) var writerEnd: End?
    package fileprivate(set) var readerEnd: End?

    /// How many bytes have been read.
    package var read: Int { reads.last?.position ?? 0 }

    /// Notes how far it was read; of one instant, only the last counts.
    fileprivate mutating func note(_ read: Read) {
      if reads.last?.time == read.time { reads.removeLast() }
      reads.append(read)
    }

    /// How many bytes had been read by a time.
    package func read(by time: Duration) -> Int {
      reads.last { $0.time <= time }?.position ?? 0
    }
  }

  /// How far a flow was read at a time.
  package struct Read: Hashable, Sendable {
    package let time: Duration
    package var position: Int
  }

  /// How a flow ended for one side, and when.
  package struct End: Hashable, Sendable {
    package let time: Duration
    package let ending: Verdict.Stream.Ending
  }

  /// A side of a flow.
  package enum Side: Hashable, Sendable { case writer, reader }

  package private(set) var flows: [Flow] = []

  package init() {}

  /// A stream is opened.
  ///
  /// - Parameters:
  ///   - name: The name that the scenario gives it.
  ///   - direction: From the peer that opens it.
  ///   - session: The session of that peer.
  ///   - planned: How many bytes it wants to write.
  ///   - isEndPlanned: Whether it wants to end its direction behind them.
  ///   - answer: How many bytes the other side writes; `nil` for a stream in one direction.
  ///   - time: The time.
  /// - Returns: The number of the flow; that of the answer comes next.
  package mutating func open(
    _ name: String, _ direction: Direction, in session: String, planned: Int,
    isEndPlanned: Bool = true, answer: Int? = nil, at time: Duration
  ) -> Int {
    flows.append(
      Flow(
        name: name, direction: direction, session: session, isAnswer: false, opened: time,
        planned: planned, isEndPlanned: isEndPlanned, hasArrived: false))
    let number = flows.count - 1
    if let answer {
      flows.append(
        Flow(
          name: name, direction: Direction(direction.to, direction.from), session: session,
          isAnswer: true, opened: time, planned: answer, isEndPlanned: true, hasArrived: true))
    }
    return number
  }

  /// The stream of a flow could not be opened: nothing of it has ever been.
  package mutating func refuse(_ number: Int) {
    for flow in [number] + answers(of: number) { flows[flow].isRefused = true }
  }

  /// A program gets a stream from another one.
  ///
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func arrive(
    _ number: Int, from: String, to: String, isTwoWay: Bool
  ) -> String? {
    guard flows.indices.contains(number), !flows[number].isAnswer,
      flows[number].direction.from == from, flows[number].direction.to == to
    else { return "\(to) received a stream from \(from) that was never opened" }
    guard !flows[number].hasArrived else {
      return "\(to) received stream \(number) from \(from) twice"
    }
    flows[number].hasArrived = true
    guard isTwoWay == !answers(of: number).isEmpty else {
      return "\(to) received stream \(number) from \(from) with other directions than it has"
    }
    return nil
  }

  /// Bytes are given to a call that writes, from where the last one ended.
  package mutating func offer(_ count: Int, on number: Int) {
    flows[number].offered = max(flows[number].offered, flows[number].written + count)
  }

  /// A call that writes has returned.
  package mutating func write(_ count: Int, on number: Int) { flows[number].written += count }

  /// The writer is about to finish a flow.
  package mutating func finish(_ number: Int) { flows[number].isFinished = true }

  /// A program is about to reset the stream of a flow, or to read the flow no more.
  package mutating func abort(_ number: Int, isReset: Bool) {
    flows[number].isAborted = true
    guard isReset else { return }
    for answer in answers(of: number) { flows[answer].isAborted = true }
  }

  /// Bytes were read.
  ///
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func read(_ bytes: [UInt8], on number: Int, at time: Duration) -> String? {
    let start = flows[number].read
    let end = start + bytes.count
    flows[number].note(Read(time: time, position: end))
    let (direction, offered) = (flows[number].direction, flows[number].offered)
    guard end <= offered else {
      return
        "\(direction.to) read byte \(end - 1) of stream \(number) from \(direction.from), which has written \(offered)"
    }
    return StreamBytes(number).firstHarm(in: bytes, at: start).map {
      "\(direction.to) read another byte \($0) of stream \(number) than \(direction.from) wrote"
    }
  }

  /// A flow has ended for one side.
  ///
  /// - Returns: What is wrong about that, or `nil`.
  package mutating func end(
    _ number: Int, _ side: Side, _ ending: Verdict.Stream.Ending, at time: Duration
  ) -> String? {
    let flow = flows[number]
    let (own, other) =
      side == .reader
      ? (flow.direction.to, flow.direction.from) : (flow.direction.from, flow.direction.to)
    switch side {
    case .writer:
      guard flow.writerEnd == nil else { return "stream \(number) ended twice for \(own)" }
      flows[number].writerEnd = End(time: time, ending: ending)
    case .reader:
      guard flow.readerEnd == nil else { return "stream \(number) ended twice for \(own)" }
      flows[number].readerEnd = End(time: time, ending: ending)
    }
    switch ending {
    case .complete where side == .reader && (!flow.isFinished || flow.read != flow.written):
      return
        "\(own) read stream \(number) from \(other) to its end after \(flow.read) bytes of "
        + "\(flow.written)\(flow.isFinished ? "" : ", which goes on")"
    case .reset where !flow.isAborted:
      return "\(own) was told that stream \(number) with \(other) was reset, and nobody did"
    case .complete, .reset, .stopped, .left, .sessionEnded, .crashed: return nil
    }
  }

  /// The program of a peer has lost its memory.
  package mutating func crash(_ name: String, at time: Duration) {
    for number in flows.indices {
      let direction = flows[number].direction
      if direction.from == name, flows[number].writerEnd == nil {
        flows[number].writerEnd = End(time: time, ending: .crashed)
      }
      if direction.to == name, flows[number].readerEnd == nil {
        flows[number].readerEnd = End(time: time, ending: .crashed)
      }
    }
  }

  private func answers(of number: Int) -> [Int] {
    flows.indices.contains(number + 1) && flows[number + 1].isAnswer && !flows[number].isAnswer
      ? [number + 1] : []
  }

  /// The streams, as reports have them.
  package var streams: [Verdict.Stream] {
    flows.filter { !$0.isRefused }.map(Verdict.Stream.init)
  }
}

/// The bytes of a flow: each follows from the flow's number and its position.
struct StreamBytes {
  private let offset: Int

  init(_ number: Int) { offset = 31 &* number }

  private func byte(at position: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: offset &+ 7 &* position &+ position >> 8)
  }

  /// So many bytes from a position on.
  func bytes(_ count: Int, at position: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      for index in 0..<count {
        bytes.initializeElement(at: index, to: byte(at: position &+ index))
      }
      filled = count
    }
  }

  /// The position of the first byte that is not as it should be.
  func firstHarm(in bytes: [UInt8], at position: Int) -> Int? {
    var difference: UInt8 = 0
    for (index, byte) in bytes.enumerated() {
      difference |= byte ^ self.byte(at: position &+ index)
    }
    guard difference != 0 else { return nil }
    return bytes.indices.first { bytes[$0] != byte(at: position &+ $0) }.map { position + $0 }
  }
}
