/// What could happen next at one instant under a policy that chooses: the work that is ready, then the events.
struct OpenChoices: ~Copyable {
  private var chooser: ScheduleChooser
  private var due = WorkQueue<DueEvent>()
  // Used again for every decision.
  private var candidates: [Candidate] = []
  private var threads: [ThreadKey] = []

  /// An event whose instant has come.
  struct DueEvent {
    let key: EventKey
    let thread: ThreadKey
  }

  /// What is next.
  enum Next {
    case work(ReadyWork)
    case event(EventKey)
  }

  private struct Candidate {
    let isEvent: Bool
    let offset: Int
  }

  init?(_ policy: SchedulePolicy, seed: UInt64, guidedBy guide: [UInt8] = []) {
    guard let chooser = ScheduleChooser(policy, seed: seed, guidedBy: guide) else { return nil }
    self.chooser = chooser
  }

  var record: ScheduleRecord { ScheduleRecord(chooser.choices) }

  /// The last choice of something else than what became ready first.
  var last: ScheduleRecord.Choice? { chooser.choices.last }

  var hasDueEvents: Bool { !due.isEmpty }

  mutating func add(_ event: DueEvent) { due.append(event) }

  mutating func removeEvents() { due.removeAll() }

  /// Takes what happens next.
  mutating func takeNext(of ready: inout WorkQueue<ReadyWork>) -> Next? {
    guard ready.count + due.count > 1 else {
      return ready.popFirst().map(Next.work) ?? due.popFirst().map { .event($0.key) }
    }
    listCandidates(ready)
    let candidate = candidates[threads.count > 1 ? chooser.choose(among: threads) : 0]
    return candidate.isEvent
      ? .event(due.take(candidate.offset).key) : .work(ready.take(candidate.offset))
  }

  /// Lists the oldest of each thread.
  private mutating func listCandidates(_ ready: borrowing WorkQueue<ReadyWork>) {
    candidates.removeAll(keepingCapacity: true)
    threads.removeAll(keepingCapacity: true)
    for offset in 0..<min(ready.count, Self.window) {
      list(Candidate(isEvent: false, offset: offset), ready[offset].thread)
    }
    for offset in 0..<min(due.count, Self.window - min(ready.count, Self.window)) {
      let thread = due[offset].thread
      if thread == .world {
        // After all that was planned before it, and before all that was planned later.
        if candidates.isEmpty { list(Candidate(isEvent: true, offset: offset), thread) }
        break
      }
      list(Candidate(isEvent: true, offset: offset), thread)
    }
  }

  private mutating func list(_ candidate: Candidate, _ thread: ThreadKey) {
    // A task is ready once at most.
    if case .task = thread {} else if threads.contains(thread) { return }
    candidates.append(candidate)
    threads.append(thread)
  }

  private static let window = 64
}

extension ReadyWork {
  var thread: ThreadKey {
    switch work {
    case .serial(let job, _, _), .task(let job, _): .task(job.taskNumber)
    case .call: .calls(host: host.takeUnretainedValue().index)
    }
  }
}
