/// What watches a world, and stops it when something does not hold.
///
/// The scheduler asks it after every event.
final class WorldWatch {
  /// What the code of hosts states, and what is checked from outside of them.
  let instrumentation: Instrumentation
  /// How full the queues of the kernels are.
  let gauges: KernelGauges
  /// The errors that have ended tasks.
  var taskErrors = TaskErrors()
  // Without the dynamic checks of exclusivity: what is called during an access adds no checks.
  @exclusivity(unchecked) private var checks: [Check] = []

  /// Something that is looked at after every so many events.
  private struct Check {
    let name: String
    let every: Int
    var left: Int
    let holds: () -> Bool
    let details: () -> String
  }

  init(_ scheduler: Scheduler, _ trace: TraceRecorder) {
    instrumentation = Instrumentation { [unowned scheduler] in
      (scheduler.runningHost?.name, scheduler.instant)
    } record: { [unowned scheduler, unowned trace] hash, make in
      trace.record(hash, of: scheduler.runningHost?.index, make)
    }
    gauges = KernelGauges(instrumentation)
  }

  var isViolated: Bool { instrumentation.isViolated }

  func add(
    _ name: String, every: Int, _ holds: @escaping () -> Bool, _ details: @escaping () -> String
  ) {
    instrumentation.declare(.always, name)
    checks.append(Check(name: name, every: every, left: 1, holds: holds, details: details))
  }

  /// Takes nothing more in.
  func close() {
    checks = []
    instrumentation.isOpen = false
  }

  /// Looks at what it is time to look at.
  ///
  /// - Returns: Whether something does not hold, or has not held before.
  func mustStop() -> Bool {
    if !checks.isEmpty && !isViolated { look() }
    return isViolated
  }

  private func look() {
    for index in checks.indices {
      checks[index].left -= 1
      guard checks[index].left == 0 else { continue }
      checks[index].left = checks[index].every
      let check = checks[index]
      instrumentation.always(check.holds(), check.name, check.details)
    }
  }
}

/// What watches the queues that kernels keep.
struct KernelGauges {
  let sendBuffer: QueueGauge
  let receiveBuffer: QueueGauge
  let backlog: QueueGauge

  init(_ instrumentation: Instrumentation) {
    sendBuffer = instrumentation.gauge(
      "bytes in the send buffer of a connection", atMost: OutboundStream.bufferBytesMax)
    receiveBuffer = instrumentation.gauge(
      "bytes in the receive buffer of a connection", atMost: InboundStream.bufferBytesMax)
    backlog = instrumentation.gauge(
      "connections that a listener has not handed over", atMost: SimulatedListener.pendingMax)
  }
}
