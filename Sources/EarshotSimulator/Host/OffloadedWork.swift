/// The work of a host that blocks: done as code of the host, and over when the time that it takes
/// has passed.
///
/// Sendable as its ``Scheduler`` is: used by the thread that drives the world alone.
final class OffloadedWork: @unchecked Sendable {
  private let kernel: HostKernel
  private let disk: SimulatedStorage
  private var random: RandomStream
  /// Nothing else keeps them.
  private var timers: [Int: SimulatedTimer] = [:]
  private var lastNumber = 0

  /// The work of a host.
  ///
  /// - Parameters:
  ///   - kernel: The kernel of the host.
  ///   - disk: Its disk.
  ///   - random: Decides how long work takes that makes no call of the storage.
  init(_ kernel: HostKernel, _ disk: SimulatedStorage, _ random: RandomStream) {
    (self.kernel, self.disk, self.random) = (kernel, disk, random)
  }

  private var scheduler: Scheduler { kernel.scheduler }

  /// Has work done soon, or when the host goes on; what it returns is called afterwards.
  func begin(_ work: @escaping @Sendable () -> @Sendable () -> Void) {
    scheduler.checkThread("offloaded work of host '\(kernel.process.name)'")
    guard !scheduler.isFinished else { return work()() }
    kernel.process.perform { [self] in run(work) }
  }

  private func run(_ work: () -> @Sendable () -> Void) {
    disk.schedule.beginBody(at: scheduler.now)
    let completion = work()
    let end = disk.schedule.endBody()
    if kernel.isDoomed { kernel.crash() }
    // No time passes any more when the world has come to its end.
    guard scheduler.isOpen else { return kernel.process.perform(completion) }
    call(completion, at: end ?? scheduler.now + 20_000 + Int64(random.below(180_001)))
  }

  private func call(_ completion: @escaping @Sendable () -> Void, at time: Int64) {
    lastNumber += 1
    let number = lastNumber
    let timer = SimulatedTimer(kernel, isOfHostClock: false) { [self] in
      timers[number] = nil
      completion()
    }
    timers[number] = timer
    timer.setDeadline(time)
  }
}
