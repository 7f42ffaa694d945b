import CEarshot
import EarshotNetwork
import Synchronization

/// The thread that real sockets live on: it waits for the system, for deadlines and for other threads, and
/// runs whatever becomes ready, one thing after the other.
///
/// Sendable because all of its state but the inbox is used on its own thread alone. The inbox has a lock; the calls
/// that other threads may make, which are marked, touch nothing but it, the poller's wake-up and the owner's number,
/// an atomic. The thread holds the loop, and ends when the last ``LoopLease`` is released.
final class EventLoop: @unchecked Sendable {
  /// What other threads hand over.
  private struct Inbox {
    var work: [LoopWork] = []
    /// The loop will look into the inbox before it sleeps: it need not be woken.
    var isAwake = true
    var isStopped = false
  }
  private let inbox = Mutex(Inbox())
  private let poller: Poller
  // Without the dynamic checks of exclusivity: all accesses are instantaneous.
  @exclusivity(unchecked) private var ready: [LoopWork] = []
  @exclusivity(unchecked) private var nextReady = 0
  /// Whether a task or an actor has the thread, and not a source, a timer or a signal.
  @exclusivity(unchecked) private var isInJob = false
  /// How often the system was asked.
  @exclusivity(unchecked) private var turn: UInt = 1
  /// The number of the loop's thread; 0 until it runs.
  private let owner = Atomic<UInt>(0)
  @exclusivity(unchecked) var timers = DeadlineQueue()
  /// Lent to whatever reads: one read's worth.
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 64)
  /// Given up for a moment when there are no descriptors left, to get rid of a connection that waits.
  var spare = System.openSpare()

  /// What one read takes at most: 64 KiB, which stays in the cache, beats 1 MiB (measured on loopback).
  static let bufferBytes = 65_536
  /// How many jobs run before the system is asked again.
  private static let jobsMax = 256

  /// A loop on a thread of its own, which runs until the lease is released.
  static func start(_ name: String) throws(NetworkError) -> (loop: EventLoop, lease: LoopLease) {
    try DescriptorLimit.secure()
    do throws(SystemFailure) {
      let loop = EventLoop(poller: try Poller())
      try System.startThread(name) { loop.run() }
      return (loop, LoopLease(loop))
    } catch {
      throw error.error("start an event loop")
    }
  }

  private init(poller: Poller) { self.poller = poller }

  deinit {
    buffer.deallocate()
    if spare >= 0 { System.close(spare) }
  }

  // MARK: From any thread

  /// Whether the caller runs on the loop's thread.
  var isCurrent: Bool { owner.load(ordering: .relaxed) == ThreadID.current.number }

  /// Has something run soon, behind what is ready already.
  func enqueue(_ work: LoopWork) {
    if isCurrent { return ready.append(work) }
    let sleeps = inbox.withLock { inbox in
      inbox.work.append(work)
      let sleeps = !inbox.isAwake
      inbox.isAwake = true
      return sleeps
    }
    if sleeps { poller.wake() }
  }

  /// Calls something soon.
  func call(_ body: @escaping @Sendable () -> Void) { enqueue(.call(body)) }

  /// Calls something on the loop: at once if the caller is on it.
  func perform(_ body: @escaping @Sendable () -> Void) {
    if isCurrent { body() } else { call(body) }
  }

  /// Has the thread end once nothing is ready any more.
  func stop() {
    let sleeps = inbox.withLock { inbox in
      inbox.isStopped = true
      let sleeps = !inbox.isAwake
      inbox.isAwake = true
      return sleeps
    }
    if sleeps { poller.wake() }
  }

  /// The turn at hand, if the caller is a job of the loop.
  var turnOfJob: UInt? { isCurrent && isInJob ? turn : nil }

  // MARK: On the loop

  func check(_ thing: @autoclosure () -> String) {
    precondition(isCurrent, "\(thing()) must be used on its host's executor")
  }

  /// How often sources were told that something is the matter.
  var toldCount: Int { poller.toldCount }

  func add(_ descriptor: Int32, _ interest: Interest, _ source: any EventSource)
    throws(SystemFailure)
  {
    try poller.add(descriptor, interest, source)
  }

  func change(_ descriptor: Int32, to interest: Interest) {
    poller.change(descriptor, to: interest)
  }

  func remove(_ descriptor: Int32) { poller.remove(descriptor) }

  private func run() {
    owner.store(ThreadID.current.number, ordering: .relaxed)
    System.keepFreedMemory()
    while true {
      turn &+= 1
      runReady()
      fireTimers()
      guard nextReady == ready.count else {
        poller.poll(until: nil)
        continue
      }
      forgetReady()
      switch ready.isEmpty ? takeInbox() : .work {
      case .work: poller.poll(until: nil)
      case .nothing: poller.poll(until: timers.next ?? .max)
      case .end: return end()
      }
    }
  }

  private enum Intake { case work, nothing, end }

  /// Takes over what came from other threads; if nothing did, they have to wake the loop.
  private func takeInbox() -> Intake {
    inbox.withLock { inbox in
      guard inbox.work.isEmpty else {
        swap(&ready, &inbox.work)
        return .work
      }
      if inbox.isStopped { return .end }
      inbox.isAwake = false
      return .nothing
    }
  }

  /// Forgets what has run, which may make more ready, but not the room that it took.
  private func forgetReady() {
    guard !ready.isEmpty else { return }
    var done: [LoopWork] = []
    swap(&done, &ready)
    nextReady = 0
    done.removeAll(keepingCapacity: done.capacity <= Self.jobsMax)
    if ready.isEmpty { swap(&done, &ready) }
  }

  private func runReady() {
    var count = 0
    while nextReady < ready.count, count < Self.jobsMax {
      let work = ready[nextReady]
      nextReady += 1
      count += 1
      isInJob = work.isJob
      work.run()
      isInJob = false
    }
  }

  private func fireTimers() {
    guard let next = timers.next else { return }
    let now = System.now
    guard next <= now else { return }
    let last = timers.lastSequence
    while let timer = timers.popDue(at: now, armedUpTo: last) { timer.fall() }
  }

  private func end() { poller.removeAll() }
}

/// Something that may run.
enum LoopWork {
  case serial(UnownedJob, UnownedSerialExecutor)
  case task(UnownedJob, UnownedTaskExecutor)
  case call(@Sendable () -> Void)
  case signal(LoopSignal)

  /// Whether it is what a program, or an actor for it, does.
  var isJob: Bool {
    switch self {
    case .serial, .task: true
    case .call, .signal: false
    }
  }

  func run() {
    switch self {
    case .serial(let job, let executor): job.runSynchronously(on: executor)
    case .task(let job, let executor): job.runSynchronously(on: executor)
    case .call(let body): body()
    case .signal(let signal): signal.fall()
    }
  }
}

/// Keeps a loop's thread running.
final class LoopLease: Sendable {
  private let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  deinit { loop.stop() }
}

/// The executor of a loop for actors.
final class LoopSerialExecutor: SerialExecutor {
  private let loop: EventLoop
  private let lease: LoopLease

  init(_ loop: EventLoop, _ lease: LoopLease) { (self.loop, self.lease) = (loop, lease) }

  func enqueue(_ job: consuming ExecutorJob) {
    loop.enqueue(.serial(UnownedJob(job), asUnownedSerialExecutor()))
  }

  func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }

  func checkIsolated() { loop.check("an actor") }
}

/// The executor of a loop for tasks.
final class LoopTaskExecutor: TaskExecutor {
  private let loop: EventLoop
  private let lease: LoopLease

  init(_ loop: EventLoop, _ lease: LoopLease) { (self.loop, self.lease) = (loop, lease) }

  func enqueue(_ job: consuming ExecutorJob) {
    loop.enqueue(.task(UnownedJob(job), asUnownedTaskExecutor()))
  }
}

/// A wake-up from any thread, which comes once for any number of raises before.
final class LoopSignal: NetworkSignal {
  private let loop: EventLoop
  private let fire: @Sendable () -> Void
  private let isRaised = Atomic(false)
  /// In which turn of the loop it fell for an urgent raise.
  private let urgentTurn = Atomic<UInt>(0)

  init(_ loop: EventLoop, _ fire: @escaping @Sendable () -> Void) {
    (self.loop, self.fire) = (loop, fire)
  }

  func raise() {
    guard !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
    loop.enqueue(.signal(self))
  }

  /// Fires at once, once a turn: what else is raised in the turn falls together at its end.
  func raiseUrgently() {
    guard let turn = loop.turnOfJob, urgentTurn.load(ordering: .relaxed) != turn,
      !isRaised.load(ordering: .relaxed)
    else { return raise() }
    urgentTurn.store(turn, ordering: .relaxed)
    fire()
  }

  fileprivate func fall() {
    isRaised.store(false, ordering: .releasing)
    fire()
  }
}
