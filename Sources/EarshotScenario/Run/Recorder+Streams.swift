import EarshotSimulator

extension Recorder {
  /// A stream is opened.
  ///
  /// - Returns: The number of its flow, by which its bytes are known; that of an answer comes next.
  func open(
    _ plan: StreamPlan, _ direction: Direction, at host: SimulatedHost
  ) -> Int {
    streams {
      $0.open(
        plan.name, direction, in: plan.session, planned: plan.bytes, isEndPlanned: plan.isFinished,
        answer: plan.answer, at: host.elapsed)
    }
  }

  /// A program gets a stream.
  ///
  /// - Returns: Whether it is one that was opened to it.
  func arrived(
    _ number: Int?, from: String, isTwoWay: Bool, at host: SimulatedHost
  ) -> Bool {
    guard let number else {
      breach(
        .streams, "\(host.name) received a stream from \(from) with a name of no program",
        at: host.elapsed, about: [host.name, from])
      return false
    }
    return check(at: host) { $0.arrive(number, from: from, to: host.name, isTwoWay: isTwoWay) }
  }

  /// A call that writes has returned.
  func wrote(_ count: Int, on number: Int, at host: SimulatedHost) {
    streams { $0.write(count, on: number) }
    trace(host, kind: "wrote", "\(number): \(count)")
  }

  /// Bytes were read.
  func read(_ bytes: [UInt8], on number: Int, at host: SimulatedHost) {
    trace(host, kind: "read", "\(number): \(bytes.count)")
    check(at: host) { $0.read(bytes, on: number, at: host.elapsed) }
  }

  /// A flow has ended for one side.
  func ended(
    _ number: Int, _ side: StreamLog.Side, _ ending: Verdict.Stream.Ending, at host: SimulatedHost
  ) {
    check(at: host) { $0.end(number, side, ending, at: host.elapsed) }
  }

  @discardableResult
  private func check(at host: SimulatedHost, _ work: (inout StreamLog) -> String?) -> Bool {
    guard let mistake = streams(work) else { return true }
    breach(
      .streams, "at \(Quantity.moment(host.elapsed)) \(mistake)", at: host.elapsed,
      about: [host.name])
    return false
  }
}
