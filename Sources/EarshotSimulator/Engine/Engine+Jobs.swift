/// Something of a host that may run: a job of the language's runtime, or a call of ours.
struct ReadyWork {
  let host: Incarnation
  let work: Work

  enum Work {
    case serial(UnownedJob, UnownedSerialExecutor)
    case task(UnownedJob, UnownedTaskExecutor)
    case call(() -> Void)
  }

  func run() {
    switch work {
    case .serial(let job, let executor): job.runSynchronously(on: executor)
    case .task(let job, let executor): job.runSynchronously(on: executor)
    case .call(let body): body()
    }
  }
}

extension Engine {
  /// Appends a job that the language's runtime wants to be run.
  func enqueue(_ job: UnownedJob, _ ready: ReadyWork) {
    checkThread(describe(job, ready.host))
    if let spawning { taskNames["\(job)"] = spawning }
    self.ready.append(ready)
  }

  /// Appends a call, which runs behind what is ready already.
  func call(on host: Incarnation, _ body: @escaping () -> Void) {
    guard phase != .finished else { return }
    ready.append(ReadyWork(host: host, work: .call(body)))
  }

  func runReadyJobs() {
    while nextReady < ready.count {
      let next = ready[nextReady]
      nextReady += 1
      if next.host.mayRun {
        current = next.host
        next.run()
      } else {
        next.host.held.append(.work(next))
      }
    }
    current = nil
    nextReady = 0
    ready.removeAll(keepingCapacity: true)
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
    preconditionFailure(
      "\(thing) came from a thread that does not drive the world: "
        + "real time or a real thread has leaked into the simulation")
  }
}
