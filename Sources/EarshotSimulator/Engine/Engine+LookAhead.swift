import CEarshot
import EarshotNetwork

extension Engine {
  /// How many hosts make a world large: more than fit the caches.
  static let largeWorld = 2_000

  /// Has the processor fetch what the next events will touch, each a step further than before.
  ///
  /// In a large world every event finds its host's memory cold, and one packet touches a chain of some
  /// twenty cache lines, each known from the one before. Several chains at once take hardly longer than one:
  /// 1.5 times as many packets a CPU-second at 10,000 hosts, measured with `SimulatedCrowd`.
  func lookAhead() {
    if let event = queue.event(after: 7) {
      switch event.slot.table {
      case .timer: timers.prefetch(event.slot.index)
      case .datagram: datagrams.prefetch(event.slot.index)
      case .segment, .action: break
      }
    }
    if let receiver = receiver(after: 5) { prefetch(receiver.toOpaque(), lines: 4) }
    receiver(after: 3)?._withUnsafeGuaranteedRef { $0.surroundings.prefetch() }
    receiver(after: 1)?._withUnsafeGuaranteedRef { $0.surroundings.prefetchWaiter() }
  }

  /// Who receives the datagram that arrives after so many other events, if that is known yet.
  private func receiver(after others: Int) -> Unmanaged<SimulatedDatagramSocket>? {
    guard let slot = queue.event(after: others)?.slot, slot.table == .datagram,
      datagrams[slot.index].bindings == bindings
    else { return nil }
    return datagrams[slot.index].receiver
  }
}

/// Where the things lie that a socket's datagrams touch, to be fetched without touching one of them.
struct Surroundings {
  private let handler: UnsafeRawPointer
  private let waiter: (any PrefetchableHandler)?
  private let life: UnsafeRawPointer
  private let door: UnsafeRawPointer
  private let host: UnsafeRawPointer
  /// The way that the last datagram took.
  var link: UnsafeRawPointer?

  init(_ host: SimulatedHost, _ handler: any DatagramHandler) {
    self.handler = address(of: handler)
    waiter = handler as? any PrefetchableHandler
    life = address(of: host.life)
    door = address(of: host.executor.task)
    self.host = address(of: host)
  }

  func prefetch() {
    EarshotSimulator.prefetch(handler, lines: 3)
    EarshotSimulator.prefetch(life, lines: 2)
    EarshotSimulator.prefetch(door, lines: 1)
    EarshotSimulator.prefetch(host, lines: 2)
    if let link { EarshotSimulator.prefetch(link, lines: 3) }
  }

  /// Fetches the task that waits for a datagram.
  func prefetchWaiter() { waiter?.prefetchWaiter() }
}

/// Has the processor fetch some cache lines of 64 bytes.
func prefetch(_ start: UnsafeRawPointer, lines: Int) {
  for line in 0..<lines { earshot_prefetch(start + 64 * line) }
}

func address(of object: AnyObject) -> UnsafeRawPointer {
  UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
}
