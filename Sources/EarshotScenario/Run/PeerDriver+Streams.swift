import Earshot
import EarshotCore
import EarshotNetwork
import EarshotSimulator

/// One direction of a stream of a program.
private struct OpenFlow: Sendable {
  let stream: ByteStream
  /// Its number among those of the run.
  let number: Int
  let name: String
  let peer: PeerID
  let open: OpenSession

  /// The other direction, if the stream has one.
  var answer: OpenFlow {
    OpenFlow(stream: stream, number: number + 1, name: name, peer: peer, open: open)
  }
}

extension PeerDriver {
  // MARK: Opening

  /// Opens the streams of a plan, at its time, and writes them.
  func carryOut(_ plan: StreamPlan) async {
    await wait(until: .zero + plan.start)
    let receivers = await receivers(plan.receivers, in: plan.session)
    guard host.isUp, !isOver, let open = sessions[plan.session] else { return }
    for receiver in receivers {
      for _ in 0..<plan.count {
        addTask("stream") { await $0.carryOut(plan, to: receiver, in: open) }
      }
    }
  }

  private func carryOut(_ plan: StreamPlan, to receiver: PeerID, in open: OpenSession) async {
    let direction = Direction(self.plan.name, name(of: receiver))
    let number = recorder.open(plan, direction, at: host)
    let name = StreamName(number, answer: plan.answer, plan.name).text
    let stream: ByteStream
    do throws(EarshotError) {
      stream = try await calling(.openStream, about: direction.to, limit: nil) {
        () async throws(EarshotError) in
        try await open.session.openStream(
          name, to: receiver, priority: plan.priority, isOneWay: plan.answer == nil)
      }
    } catch {
      return recorder.streams { $0.refuse(number) }
    }
    guard host.isUp else { return }
    note(.streamOpened, receiver, plan.name, in: open)
    let flow = OpenFlow(
      stream: stream, number: number, name: plan.name, peer: receiver, open: open)
    keptStreams.append(stream)
    if plan.answer != nil { addTask("answer") { await $0.read(flow.answer) } }
    if let delay = plan.reset {
      addTask("reset") { await $0.reset(flow, at: $0.host.worldTime + delay) }
    }
    await write(plan, to: flow)
  }

  private func reset(_ flow: OpenFlow, at time: Instant) async {
    await wait(until: time)
    guard host.isUp, !isOver else { return }
    recorder.streams { $0.abort(flow.number, isReset: true) }
    flow.stream.reset(code: UInt32(truncatingIfNeeded: flow.number))
  }

  /// Takes the streams that members open in a session.
  func takeStreams(in open: OpenSession) async {
    for await stream in open.session.streams {
      guard host.isUp else { return }
      let name = StreamName(stream.name)
      let sender = self.name(of: stream.peer)
      let isKnown = recorder.arrived(
        name?.flow, from: sender, isTwoWay: stream.isWritable, at: host)
      guard isKnown, let name else { continue }
      let flow = OpenFlow(
        stream: stream, number: name.flow, name: name.label, peer: stream.peer, open: open)
      keptStreams.append(stream)
      addTask("stream") { await $0.read(flow) }
      guard let bytes = name.answer else { continue }
      addTask("answer") { await $0.write(StreamPlan(bytes: bytes), to: flow.answer) }
    }
  }

  // MARK: Writing

  private func write(_ plan: StreamPlan, to flow: OpenFlow) async {
    let pattern = StreamBytes(flow.number)
    var position = 0
    while position < plan.bytes {
      guard host.isUp, !isOver else { return }
      let bytes = pattern.bytes(min(plan.piece, plan.bytes - position), at: position)
      recorder.streams { $0.offer(bytes.count, on: flow.number) }
      let result = await write(bytes, to: flow, plan)
      guard host.isUp else { return }
      switch result {
      case .success(let count):
        recorder.wrote(count, on: flow.number, at: host)
        position += count
        let rest = !plan.waits && count < bytes.count ? Self.retryTime : .zero
        let pause = max(plan.every, rest)
        if pause > .zero { await wait(until: host.worldTime + pause) }
      case .failure(let error): return end(flow, .writer, Verdict.Stream.Ending(error))
      }
    }
    guard plan.isFinished, host.isUp, !isOver else { return }
    recorder.streams { $0.finish(flow.number) }
    flow.stream.finish()
    do throws(EarshotError) {
      try await calling(.waitForDelivery, about: name(of: flow.peer), limit: nil) {
        () async throws(EarshotError) in try await flow.stream.waitForDelivery()
      }
      end(flow, .writer, .complete)
    } catch { end(flow, .writer, Verdict.Stream.Ending(error)) }
  }

  /// Gives bytes to a call that writes.
  ///
  /// - Returns: How many it took; none if it was cancelled before it took any.
  private func write(
    _ bytes: [UInt8], to flow: OpenFlow, _ plan: StreamPlan
  ) async -> Result<Int, EarshotError> {
    guard plan.waits else {
      return Result { () throws(EarshotError) in try flow.stream.tryWrite(bytes) }
    }
    let result = await attempt(.write, on: flow, cancelledAfter: plan.cancel) {
      () async throws(EarshotError) in try await flow.stream.write(bytes)
    }
    if case .failure(let error) = result, error.code == .cancelled { return .success(0) }
    return result ?? .success(0)
  }

  // MARK: Reading

  private func read(_ flow: OpenFlow) async {
    var reading = plan.streamReading
    var taken = 0
    while host.isUp, !isOver {
      await rest(in: reading.pause)
      if let stop = reading.stop, taken >= stop {
        recorder.streams { $0.abort(flow.number, isReset: false) }
        flow.stream.stopReading(code: UInt32(truncatingIfNeeded: flow.number))
        return end(flow, .reader, .stopped)
      }
      let result = await next(of: flow, reading)
      guard host.isUp else { return }
      switch result {
      case .success(let bytes?):
        recorder.read(bytes, on: flow.number, at: host)
        taken += bytes.count
      case .success(nil): return end(flow, .reader, .complete)
      case .failure(let error) where error.code == .cancelled: break
      case .failure(let error) where error.code == .endOfStream: reading.isExact = false
      case .failure(let error): return end(flow, .reader, Verdict.Stream.Ending(error))
      case nil: return
      }
      if reading.every > .zero { await wait(until: host.worldTime + reading.every) }
    }
  }

  private func next(
    of flow: OpenFlow, _ reading: StreamReading
  ) async -> Result<[UInt8]?, EarshotError>? {
    await attempt(.read, on: flow, cancelledAfter: reading.cancel) {
      () async throws(EarshotError) in
      if reading.isExact, let piece = reading.piece {
        return try await flow.stream.read(exactly: piece)
      }
      return try await flow.stream.read(upTo: reading.piece ?? .max)
    }
  }

  /// Makes a call, and gives it up after a time.
  ///
  /// - Returns: How it ended; `nil` if the program ended before.
  private func attempt<Value: Sendable>(
    _ kind: Call.Kind, on flow: OpenFlow, cancelledAfter delay: Duration?,
    _ call: @escaping @Sendable () async throws(EarshotError) -> Value
  ) async -> Result<Value, EarshotError>? {
    let peer = name(of: flow.peer)
    let limit = delay.map { $0 + Self.cancellationTime }
    return await perform("\(kind)", cancelledAfter: delay) { driver in
      do throws(EarshotError) {
        let value = try await driver.calling(kind, about: peer, limit: limit, call)
        return Result<Value, EarshotError>.success(value)
      } catch { return .failure(error) }
    }
  }

  // MARK: Ending

  private func end(_ flow: OpenFlow, _ side: StreamLog.Side, _ ending: Verdict.Stream.Ending) {
    guard host.isUp else { return }
    recorder.ended(flow.number, side, ending, at: host)
    note(.streamEnded, flow.peer, "\(flow.name), \(side.verb): \(ending.rawValue)", in: flow.open)
    guard side == .writer else { return }
    // An end is final: a later call is told the same; what was finished has nothing to write to any
    // more.
    let isFinished = recorder.streams { $0.flows[flow.number].isFinished }
    let later = Result { () throws(EarshotError) in try flow.stream.tryWrite([0]) }
    guard case .failure(let error) = later,
      [ending, isFinished ? .stopped : ending].contains(Verdict.Stream.Ending(error))
    else {
      return recorder.breach(
        .streams,
        "at \(Quantity.moment(host.elapsed)) \(plan.name) may write to stream \(flow.number) "
          + "after its end (\(ending.rawValue)): \(later)", at: host.elapsed, about: [plan.name])
    }
  }

  /// The wait before bytes are given again to a call that does not wait.
  private static let retryTime: Duration = .milliseconds(20)
}

extension StreamLog.Side {
  /// What the side does.
  fileprivate var verb: String {
    switch self {
    case .writer: "written"
    case .reader: "read"
    }
  }
}

extension Verdict.Stream.Ending {
  /// What a call was told that failed.
  fileprivate init(_ error: EarshotError) {
    self =
      switch error.code {
      case .streamReset: .reset
      case .notConnected: .left
      case .streamFinished: .stopped
      default: .sessionEnded
      }
  }
}
