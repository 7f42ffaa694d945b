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

  /// Hands every event from now on to a sink; `nil` ends that.
  func setSink(_ sink: ((TraceEvent) -> Void)?) { self.sink = sink }

  /// Takes an event of a packet into the trace.
  func record(
    _ kind: TraceEvent.Kind, _ packet: Packet.Kind, from: Int, to: Int, bytes: Int,
    hash: UInt64 = 0, _ detail: @autoclosure () -> String,
    _ payload: @autoclosure () -> [UInt8] = []
  ) {
    guard scheduler.isOpen else { return }
    trace.add(kind, scheduler.now, from, to, bytes, hash)
    guard let sink else { return }
    tell(
      sink, kind, hosts.name(of: from), hosts.name(of: to), packet.rawValue, detail(), payload())
  }

  /// Takes the loss of a packet into the trace.
  func recordLoss(
    _ loss: TraceEvent.Loss, _ packet: Packet.Kind, from: Int, to: Int, bytes: Int,
    _ detail: @autoclosure () -> String
  ) {
    guard scheduler.isOpen else { return }
    trace.add(.lost, scheduler.now, from, to, bytes, loss.number << 32)
    guard let sink else { return }
    tell(
      sink, .lost, hosts.name(of: from), hosts.name(of: to), packet.rawValue, detail(), loss: loss)
  }

  /// Takes in that a timer of a host fired.
  func recordTimer(_ host: Int) {
    guard scheduler.isOpen else { return }
    trace.add(.timer, scheduler.now, host, 0, 0, 0)
    if let sink { tell(sink, .timer, hosts.name(of: host), "", "", "") }
  }

  /// Takes in that the world did something to one host, or to the direction from it to another.
  func recordFault(
    _ fault: FaultEvent, _ host: Int? = nil, _ other: Int? = nil, _ detail: String = ""
  ) {
    guard scheduler.isOpen else { return }
    var hash = RollingHash()
    for byte in detail.utf8 { hash.combine(byte) }
    trace.add(
      .fault, scheduler.now, host.map { $0 + 1 } ?? 0, other.map { $0 + 1 } ?? 0, fault.number,
      hash.value)
    guard let sink else { return }
    let names = [host, other].map { $0.map(hosts.name(of:)) ?? "" }
    tell(sink, .fault, names[0], names[1], fault.rawValue, detail)
  }

  /// Takes in what the code above wants to be known.
  func recordNote(_ host: Int?, _ kind: String, _ text: String) {
    guard scheduler.isOpen else { return }
    var hash = RollingHash()
    for byte in kind.utf8 { hash.combine(byte) }
    hash.combine(kind.utf8.count)
    for byte in text.utf8 { hash.combine(byte) }
    trace.add(.note, scheduler.now, host.map { $0 + 1 } ?? 0, 0, text.utf8.count, hash.value)
    if let sink { tell(sink, .note, host.map(hosts.name(of:)) ?? "", "", kind, text) }
  }

  private func tell(
    _ sink: (TraceEvent) -> Void, _ kind: TraceEvent.Kind, _ from: String, _ to: String,
    _ label: String, _ detail: String, _ payload: [UInt8] = [], loss: TraceEvent.Loss? = nil
  ) {
    let event = TraceEvent(
      number: trace.eventCount - 1, time: scheduler.instant, kind: kind, from: from, to: to,
      label: label, detail: detail, loss: loss, payload: payload)
    EscapeHooks.ignoring { sink(event) }
  }
}

/// What a world does to its hosts and to the network between them, as the trace calls it.
enum FaultEvent: String, CaseIterable {
  case partition, cut, heal, crash, restart, suspend, freeze, resume

  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
