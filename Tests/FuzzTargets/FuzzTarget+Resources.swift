import EarshotCore

extension FuzzTarget {
  /// What a sender says on the stream of a resource, or, after an odd byte, a receiver.
  ///
  /// However the bytes are cut, the outcome is the same. Bytes belong one behind the other, and
  /// there are no more than were offered; nothing is believed to be written that was not sent.
  static let resources = FuzzTarget(
    "resources", bytesMax: 4_096,
    reaching: ["offer", "whole", "refused", "accepted", "declined", "done"]
  ) { bytes in
    var input = InputReader(bytes)
    let (role, step) = (input.byte(), 1 + input.number(below: 64))
    let speech = input.bytes(bytes.count)
    let whole = role % 2 == 0 ? try heard(speech, inSteps: .max) : try told(speech, inSteps: .max)
    let cut = role % 2 == 0 ? try heard(speech, inSteps: step) : try told(speech, inSteps: step)
    try law(whole == cut, "a transfer depends on how its bytes are cut")
    return whole
  }

  /// Has a receiver, which accepts at once, hear a sender.
  private static func heard(
    _ speech: [UInt8], inSteps step: Int
  ) throws -> Set<String> {
    var (machine, goals) = (ResourceReceiveMachine(), Set<String>())
    var (position, limit): (Int64, Int64) = (0, 0)
    do {
      try forEachPart(of: speech, step) { part in
        var steps: [ResourceReceiveMachine.Step] = []
        let failure = Self.failure { () throws(ResourceFailure) in
          try machine.receive(part, into: &steps)
        }
        for step in steps {
          switch step {
          case .offer(let description):
            limit = description.byteCount
            machine.accept()
            goals.insert("offer")
          case .write(let range, let offset):
            try law(offset == position, "bytes do not follow each other")
            position += Int64(range.count)
          case .zeros(let count, let offset):
            try law(offset == position, "zeros do not follow what is before them")
            try law(1...ResourceFrame.pieceBytes ~= count, "zeros reach beyond a piece")
            position += Int64(count)
          case .finish(let byteCount, _):
            try law(byteCount == position, "the end is elsewhere")
            goals.insert("whole")
          case .pause, .check: break
          }
          try law(position <= limit, "there is more than was offered")
        }
        if let failure { throw failure }
        return goals.contains("offer")
      }
    } catch is ResourceFailure {
      goals.insert("refused")
    }
    return goals
  }

  /// Has a sender, which has sent 64 bytes and the end, hear a receiver.
  private static func told(_ speech: [UInt8], inSteps step: Int) throws -> Set<String> {
    var (machine, goals) = (ResourceSendMachine(), Set<String>())
    var written: Int64 = 0
    do {
      try machine.send(64, atMost: 64)
      try forEachPart(of: speech, step) { part in
        var events: [ResourceSendMachine.Event] = []
        let failure = Self.failure { () throws(ResourceFailure) in
          try machine.receive(part, into: &events)
        }
        for event in events {
          switch event {
          case .accepted:
            machine.end()
            goals.insert("accepted")
          case .declined: goals.insert("declined")
          case .written(let count):
            try law(written...64 ~= count, "more is written than was sent, or less than before")
            written = count
          case .done:
            try law(written == 64, "it is done before all is written")
            goals.insert("done")
          case .pause: break
          }
        }
        if let failure { throw failure }
        return goals.contains("accepted")
      }
    } catch is ResourceFailure {
      goals.insert("refused")
    }
    return goals
  }

  /// The failure of a call, which has done what comes before it.
  private static func failure(
    _ body: () throws(ResourceFailure) -> Void
  ) -> ResourceFailure? {
    do throws(ResourceFailure) { try body() } catch { return error }
    return nil
  }

  /// Hands on the bytes: each one alone until the other side has answered, since what follows an
  /// answer in the same part would come too early.
  private static func forEachPart(
    of speech: [UInt8], _ step: Int, _ body: ([UInt8]) throws -> Bool
  ) rethrows {
    var (offset, isAnswered) = (0, false)
    while offset < speech.count {
      let end = min(speech.count, isAnswered ? offset + min(step, speech.count) : offset + 1)
      if try body(Array(speech[offset..<end])) { isAnswered = true }
      offset = end
    }
  }
}
