/// Something of a host that may run: a job of the language's runtime, or a call of ours.
///
/// Holds nothing: a job belongs to its task, a call lies among the engine's actions, and the engine holds
/// every host until its end.
struct ReadyWork {
  let host: Unmanaged<Incarnation>
  let work: Work

  enum Work {
    case serial(UnownedJob, UnownedSerialExecutor, UnownedTaskExecutor)
    case task(UnownedJob, UnownedTaskExecutor)
    case call(Int)
  }
}

extension Engine {
  /// Appends a job that the language's runtime wants to be run.
  func enqueue(_ job: UnownedJob, _ work: ReadyWork.Work, on host: Incarnation) {
    checkThread(describe(job, host))
    if let spawning { taskNames["\(job)"] = spawning }
    ready.append(ReadyWork(host: .passUnretained(host), work: work))
  }

  /// Appends a call, which runs behind what is ready already.
  func call(on host: Incarnation, _ body: @escaping () -> Void) {
    guard phase != .finished else { return }
    let index = actions.take(orAppend: nil)
    actions[index] = body
    ready.append(ReadyWork(host: .passUnretained(host), work: .call(index)))
  }

  func runReadyJobs() {
    while nextReady < ready.count {
      let next = ready[nextReady]
      nextReady += 1
      if stoppedHosts > 0, !next.host.takeUnretainedValue().mayRun {
        next.host.takeUnretainedValue().held.append(.work(next))
      } else {
        next.host._withUnsafeGuaranteedRef { current = $0 }
        run(next.work)
      }
    }
    current = nil
    nextReady = 0
    ready.removeAll(keepingCapacity: true)
  }

  private func run(_ work: ReadyWork.Work) {
    switch work {
    case .serial(let job, let serial, let task):
      job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    case .task(let job, let executor): job.runSynchronously(on: executor)
    case .call(let index): runAction(index)
    }
  }

  func runAction(_ index: Int) {
    let action = actions[index]
    actions[index] = nil
    actions.recycle(index)
    action?()
  }

  /// Runs a handler of a host, which may be inside of another's, as that host.
  func run(as host: Incarnation, _ body: () -> Void) {
    let outer = current
    current = host
    body()
    current = outer
  }

  /// Traps on a thread that does not drive the world, and says what came from there.
  func checkThread(_ thing: @autoclosure () -> String) {
    guard owner == .current else { trapForeign(thing()) }
  }

  private func describe(_ job: UnownedJob, _ host: Incarnation) -> String {
    let text = "\(job)"
    let name = taskNames[text].map { "task '\($0)', " } ?? ""
    return "\(name)\(text) of host '\(host.name)'"
  }

  private func trapForeign(_ thing: String) -> Never {
    let message =
      "\(thing) came from a thread that does not drive the world: "
      + "real time or a real thread has leaked into the simulation"
    // An optimised build would keep a trap's message to itself.
    StandardError.write(message + "\n")
    preconditionFailure(message)
  }
}
