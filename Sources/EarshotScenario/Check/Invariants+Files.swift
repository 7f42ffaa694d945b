import EarshotSimulator

extension Invariants {
  /// Transfers whose two ends were told what does not go together.
  var splitTransfers: [Complaint] {
    evidence.record.files.transfers.compactMap { transfer in
      guard let sent = transfer.sender.end?.ending,
        let received = transfer.receiver.end?.ending, !Self.agree(sent, received)
      else { return nil }
      let (sender, receiver) = (transfer.direction.from, transfer.direction.to)
      return Complaint(
        "\(transfer.name) from \(sender) to \(receiver) ended as \(sent.rawValue) for "
          + "\(sender), and as \(received.rawValue) for \(receiver)",
        at: [transfer.sender.end?.time, transfer.receiver.end?.time].compactMap(\.self).max(),
        about: [sender, receiver], isEvent: true)
    }
  }

  /// Whether a transfer may end so for its sender and its receiver.
  ///
  /// A side that gives up, leaves or is left need not know what the other side has done meanwhile.
  private static func agree(
    _ sent: Verdict.File.Ending, _ received: Verdict.File.Ending
  ) -> Bool {
    switch (sent, received) {
    case (.complete, .complete), (.complete, .crashed): true
    case (.complete, _): false
    case (.cancelled, _), (.notConnected, _), (.sessionEnded, _), (.crashed, _): true
    case (_, .notConnected), (_, .sessionEnded), (_, .crashed), (_, .offerEnded): true
    case (.resourceCancelled, .cancelled): true
    // Both found something of their own at one time.
    case (_, .cancelled): senderFailures.contains(sent)
    default:
      sent == received && sent != .resourceCancelled
        || senderFailures.contains(sent) && receiverFailures.contains(received)
    }
  }

  private static let senderFailures: Set<Verdict.File.Ending> = [
    .resourceUnreadable, .resourceChanged, .resourceTooLarge,
  ]
  private static let receiverFailures: Set<Verdict.File.Ending> = [
    .resourceCorrupted, .permissionDenied, .folderUnavailable, .nameTaken, .fileTooLarge,
    .storageFailed,
  ]

  /// Transfers that were accepted and do not go on, though no cause is told, their membership
  /// lasts, and nothing stands in their way.
  var stuckFiles: [Complaint] {
    let transfers = evidence.record.files.transfers
    return transfers.compactMap { transfer in
      let (sender, receiver) = (transfer.direction.from, transfer.direction.to)
      let limit = Evidence.calm * 2 + evidence.messageDelay(from: sender, to: receiver)
      let window = max(.zero, evidence.end - limit)...evidence.end
      guard evidence.end > limit, let accepted = transfer.accepted,
        accepted < window.lowerBound, transfer.goesOn, isFree(transfer, in: window),
        !transfers.contains(where: { other in
          other.direction == transfer.direction && other.hasMoved(in: window)
        })
      else { return nil }
      return Complaint(
        "\(transfer.name) from \(sender) has not reached \(receiver), and no byte of a file "
          + "has since \(Quantity.moment(window.lowerBound))",
        at: window.lowerBound, about: [sender, receiver])
    }
  }

  /// Whether nothing stands in the way of a transfer.
  private func isFree(_ transfer: FileLog.Transfer, in window: ClosedRange<Duration>) -> Bool {
    let (sender, receiver) = (transfer.direction.from, transfer.direction.to)
    let record = evidence.record
    return evidence.isQuiet(sender, receiver, in: window)
      && ![sender, receiver].contains {
        record.disturbances.befallDisk(of: $0, in: window)
          || evidence.pausesFiles($0, in: window)
      }
      && !record.traffic.hasArrival(transfer.direction, in: window)
      && !record.streams.hasRead(transfer.direction, in: window)
      && evidence.spans.all.contains { span in
        span.key.observer == sender && span.key.subject == receiver
          && span.key.session == transfer.session && span.start <= transfer.offered
          && span.covers(window)
      }
  }
}

extension FileLog.Transfer {
  /// Whether it has ended for neither side, and neither is told why it stands still.
  fileprivate var goesOn: Bool {
    sender.end == nil && receiver.end == nil && sender.cause == nil && receiver.cause == nil
  }

  /// Whether any of its bytes were written within a range.
  fileprivate func hasMoved(in range: ClosedRange<Duration>) -> Bool {
    (receiver.steps.last?.time ?? .zero) >= range.lowerBound
  }
}

extension StreamLog {
  /// Whether bytes of a direction were read in a range.
  fileprivate func hasRead(_ direction: Direction, in range: ClosedRange<Duration>) -> Bool {
    flows.contains { flow in
      flow.direction == direction && (flow.reads.last.map { $0.time >= range.lowerBound } ?? false)
    }
  }
}
