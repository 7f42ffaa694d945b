/// The trace of a world, and the sink that hears of every event.
final class TraceRecorder {
  private let scheduler: Scheduler
  private let hosts: HostTable
  @exclusivity(unchecked) private var trace = Trace()
  private var sink: ((TraceEvent) -> Void)?

  init(_ scheduler: Scheduler, _ hosts: HostTable) {
    (self.scheduler, self.hosts) = (scheduler, hosts)
  }

  var digest: TraceDigest {
    TraceDigest(
      hash: trace.hash, eventCount: trace.eventCount, checkpoints: trace.checkpoints)
  }

  /// How many events there have been.
  var eventCount: Int { trace.eventCount }

  /// Hands every event from now on to a sink; `nil` ends that.
  func setSink(_ sink: ((TraceEvent) -> Void)?) { self.sink = sink }

  /// Takes in that a packet is sent, or that it arrives.
  ///
  /// - Returns: The number of the event.
  @discardableResult
  func record(
    _ kind: TraceEvent.Kind, from: Int, to: Int, bytes: Int, hash: UInt64 = 0,
    _ packet: @autoclosure () -> PacketHeader, _ payload: @autoclosure () -> [UInt8] = [],
    cause: Int? = nil
  ) -> Int {
    guard scheduler.isOpen else { return EventCause.none }
    trace.add(kind, scheduler.now, from, to, bytes, hash)
    if let sink {
      tell(
        sink, kind, from, to, packet(), cause: cause ?? scheduler.cause.handled, payload())
    }
    return trace.eventCount - 1
  }

  /// Takes in that a packet arrives, which is handled from now on.
  func recordDelivery(
    of event: Int, from: Int, to: Int, bytes: Int, _ packet: @autoclosure () -> PacketHeader
  ) {
    let number = record(.delivered, from: from, to: to, bytes: bytes, packet(), cause: event)
    scheduler.cause.handle(number)
  }

  /// Takes the loss of a packet into the trace.
  func recordLoss(
    _ loss: TraceEvent.Loss, of event: Int, from: Int, to: Int, bytes: Int,
    _ packet: @autoclosure () -> PacketHeader
  ) {
    guard scheduler.isOpen else { return }
    trace.add(.lost, scheduler.now, from, to, bytes, loss.number << 32)
    if let sink { tell(sink, .lost, from, to, packet(), cause: event, loss: loss) }
  }

  /// Takes in that a timer of a host fired.
  func recordTimer(_ host: Int) {
    guard scheduler.isOpen else { return }
    trace.add(.timer, scheduler.now, host, 0, 0, 0)
    if let sink { tell(sink, .timer, host, nil, "", "", cause: scheduler.cause.handled) }
    scheduler.cause.handle(trace.eventCount - 1)
  }

  /// Takes in that the world did something to one host, or to the direction from it to another.
  func recordFault(
    _ fault: FaultEvent, _ host: Int? = nil, _ other: Int? = nil, _ detail: String = ""
  ) {
    guard scheduler.isOpen else { return }
    var hash = RollingHash()
    hash.combine(text: detail)
    trace.add(
      .fault, scheduler.now, host.map { $0 + 1 } ?? 0, other.map { $0 + 1 } ?? 0, fault.number,
      hash.value)
    let cause = scheduler.cause.origin
    scheduler.cause.disturb(trace.eventCount - 1)
    if let sink { tell(sink, .fault, host, other, fault.rawValue, detail, cause: cause) }
  }

  /// Takes in a record of the log of a peer on a host, which is made for a sink alone.
  func record(_ hash: UInt64, of host: Int?, _ make: () -> LogRecord) {
    guard scheduler.isOpen else { return }
    trace.add(.note, scheduler.now, host.map { $0 + 1 } ?? 0, 0, Self.logLabel.utf8.count, hash)
    guard let sink else { return }
    let record = make()
    tell(
      sink, .note, host, nil, Self.logLabel, record.line, cause: scheduler.cause.handled,
      record: record)
  }

  /// Takes in what the code above wants to be known, and what event it follows from if not the one that is handled.
  func recordNote(_ host: Int?, _ kind: String, _ text: String, cause: Int? = nil) {
    guard scheduler.isOpen else { return }
    var hash = RollingHash()
    hash.combine(text: kind)
    hash.combine(kind.utf8.count)
    hash.combine(text: text)
    trace.add(.note, scheduler.now, host.map { $0 + 1 } ?? 0, 0, text.utf8.count, hash.value)
    if let sink {
      let cause = cause.map { min($0, trace.eventCount - 2) }  // An event before the note.
      tell(sink, .note, host, nil, kind, text, cause: cause ?? scheduler.cause.handled)
    }
  }

  private func tell(
    _ sink: (TraceEvent) -> Void, _ kind: TraceEvent.Kind, _ from: Int, _ to: Int,
    _ packet: PacketHeader, cause: Int, _ payload: [UInt8] = [], loss: TraceEvent.Loss? = nil
  ) {
    let event = TraceEvent(
      number: trace.eventCount - 1, cause: cause < 0 ? nil : cause, time: scheduler.instant,
      kind: kind, from: hosts.name(of: from), to: hosts.name(of: to),
      label: packet.kind.rawValue, loss: loss, payload: payload, packet: packet, text: "")
    WorldThread.leaving { sink(event) }
  }

  private func tell(
    _ sink: (TraceEvent) -> Void, _ kind: TraceEvent.Kind, _ from: Int?, _ to: Int?,
    _ label: String, _ text: String, cause: Int, record: LogRecord? = nil
  ) {
    let event = TraceEvent(
      number: trace.eventCount - 1, cause: cause < 0 ? nil : cause, time: scheduler.instant,
      kind: kind, from: from.map(hosts.name(of:)) ?? "", to: to.map(hosts.name(of:)) ?? "",
      label: label, loss: nil, payload: [], packet: nil, text: text, record: record)
    WorldThread.leaving { sink(event) }
  }

  /// The label of the notes that are records of logs.
  private static let logLabel = "log"
}

/// What a world does to its hosts and to the network between them, as the trace calls it.
enum FaultEvent: String, CaseIterable {
  case partition, cut, heal, crash, restart, suspend, freeze, resume
  case clog, flap, link, reset, slow, leave, hide, isolate, readdress, unplug, ports, clock, stale
  case reflect, medium, ended
  // Their numbers are part of the hash, and so stand behind all others.
  case fullDisk, slowDisk, failingDisk

  /// What the trace calls the beginning of a fault.
  init(_ kind: Fault.Kind) {
    guard let event = FaultEvent(rawValue: kind.word) else {
      preconditionFailure("the trace has no word for a \(kind.word)")
    }
    self = event
  }

  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
