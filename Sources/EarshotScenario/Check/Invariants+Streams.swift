import EarshotSimulator

extension Invariants {
  /// Streams whose bytes wait though their membership goes on, nothing stands in their way, and
  /// nothing has arrived for long.
  ///
  /// A message counts, too: messages go before streams.
  var stuckStreams: [String] {
    let flows = evidence.record.streams.flows
    return Dictionary(grouping: flows.indices) { flows[$0].direction }.values
      .compactMap { stuck(flows, $0) }.sorted()
  }

  private func stuck(_ flows: [StreamLog.Flow], _ numbers: [Int]) -> String? {
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
    return
      "bytes of stream \(waiting) from \(sender) have not reached \(receiver), and none of any has "
      + "since \(Quantity.moment(window.lowerBound))"
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

  /// Streams that ended for their writer as complete, and otherwise for their reader, though no
  /// program had them end so.
  var torn: [String] {
    let record = evidence.record
    return record.streams.flows.enumerated().compactMap { number, flow in
      guard let end = flow.writerEnd, end.ending == .complete, !flow.isAborted,
        let ending = flow.readerEnd?.ending
      else { return nil }
      switch ending {
      case .complete, .crashed, .stopped: return nil
      case .reset, .left, .sessionEnded:
        return
          "stream \(number) from \(flow.direction.from) to \(flow.direction.to) was acknowledged whole at "
          + "\(Quantity.moment(end.time)), and ended for its reader as \(ending.rawValue) after \(flow.read) of "
          + "\(flow.written) bytes"
      }
    }
  }
}

extension StreamLog.Flow {
  /// Whether its reader, which takes pieces of a size, could take one more, and both sides go on.
  fileprivate func isWaiting(for piece: Int) -> Bool {
    writerEnd == nil && readerEnd == nil && !isAborted && !isRefused
      && (offered - read >= piece || isFinished)
  }
}
