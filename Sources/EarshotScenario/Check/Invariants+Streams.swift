import EarshotSimulator

extension Invariants {
  /// Streams whose bytes wait though their membership goes on, nothing stands in their way, and
  /// nothing has arrived for long.
  ///
  /// A message counts, too: messages go before streams.
  var stuckStreams: [Complaint] {
    let flows = evidence.record.streams.flows
    return Dictionary(grouping: flows.indices) { flows[$0].direction }.values
      .compactMap { stuck(flows, $0) }.sorted { $0.text < $1.text }
  }

  private func stuck(_ flows: [StreamLog.Flow], _ numbers: [Int]) -> Complaint? {
    let (sender, receiver) = (
      flows[numbers[0]].direction.from, flows[numbers[0]].direction.to
    )
    let reading = evidence.streamReading(of: receiver)
    let limit = Evidence.calm * 2 + evidence.messageDelay(from: sender, to: receiver)
    let window = max(.zero, evidence.end - limit)...evidence.end
    guard evidence.end > limit, evidence.isQuiet(sender, receiver, in: window),
      reading.isPrompt(in: window),
      let waiting = numbers.first(where: { number in
        flows[number].isWaiting(for: reading.awaitedBytes)
          && flows[number].opened < window.lowerBound
          && areMembers(flows[number], in: window)
      }),
      !numbers.contains(where: { (flows[$0].reads.last?.time ?? .zero) >= window.lowerBound }),
      !evidence.record.traffic.hasArrival(flows[waiting].direction, in: window)
    else { return nil }
    return Complaint(
      "bytes of stream \(waiting) from \(sender) have not reached \(receiver), and none of any has "
        + "since \(Quantity.moment(window.lowerBound))",
      at: window.lowerBound, about: [sender, receiver])
  }

  private func areMembers(_ flow: StreamLog.Flow, in window: ClosedRange<Duration>) -> Bool {
    let direction = flow.direction
    let opener = flow.isAnswer ? direction.to : direction.from
    let other = flow.isAnswer ? direction.from : direction.to
    return evidence.spans.all.contains { span in
      span.key.observer == opener && span.key.subject == other && span.key.session == flow.session
        && span.start <= flow.opened && span.covers(window)
    }
  }

  /// Streams that ended for their writer as complete, and otherwise for their reader, though
  /// neither program had reset them, and the reader's had not left the writer.
  var torn: [Complaint] {
    let record = evidence.record
    return record.streams.flows.enumerated().compactMap { number, flow in
      guard let end = flow.writerEnd, end.ending == .complete, !flow.isAborted,
        let readerEnd = flow.readerEnd, !hasReaderLeft(flow, by: readerEnd.time)
      else { return nil }
      let ending = readerEnd.ending
      switch ending {
      case .complete, .crashed, .stopped: return nil
      case .reset, .left, .sessionEnded:
        return Complaint(
          "stream \(number) from \(flow.direction.from) to \(flow.direction.to) was acknowledged whole at "
            + "\(Quantity.moment(end.time)), and ended for its reader as \(ending.rawValue) after \(flow.read) of "
            + "\(flow.written) bytes",
          at: max(end.time, readerEnd.time), about: [flow.direction.from, flow.direction.to],
          isEvent: true)
      }
    }
  }

  /// Whether the program of a flow's reader had left the session, or removed the writer.
  ///
  /// A host acknowledges until its session has ended, and the program there reads no more.
  private func hasReaderLeft(_ flow: StreamLog.Flow, by time: Duration) -> Bool {
    let (reader, writer) = (flow.direction.to, flow.direction.from)
    let span = evidence.spans.all.last { span in
      span.key.observer == reader && span.key.subject == writer
        && span.key.session == flow.session && span.start <= time
    }
    guard let span else { return false }
    let range = span.start...time
    return evidence.ended(reader, flow.session, range)
      || evidence.did(.removed, reader, to: writer, in: flow.session, range)
  }
}

extension StreamLog.Flow {
  /// Whether its reader, which takes pieces of a size, could take one more, and both sides go on.
  fileprivate func isWaiting(for piece: Int) -> Bool {
    writerEnd == nil && readerEnd == nil && !isAborted && !isRefused
      && (offered - read >= piece || isFinished)
  }
}
