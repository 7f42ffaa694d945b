package import EarshotSimulator

/// Something that befalls peers or the links between them, from when to when.
package struct Disturbance: Hashable, Sendable {
  package let kind: Fault.Kind
  package let start: Duration
  /// When it was over; `nil` while it goes on.
  package var end: Duration?

  /// A disturbance from a time on.
  package init(_ kind: Fault.Kind, from start: Duration, to end: Duration? = nil) {
    (self.kind, self.start, self.end) = (kind, start, end)
  }

  /// Whether it was going on at some time of a range.
  func overlaps(_ range: ClosedRange<Duration>) -> Bool {
    start <= range.upperBound && (end.map { $0 >= range.lowerBound } ?? true)
  }

  /// Whether it stands between two peers, or befalls one of them, so that a link between them may break.
  func touches(_ left: String, _ right: String) -> Bool {
    switch kind {
    case .partition(let groups):
      return groups.firstIndex { $0.contains(left) } != groups.firstIndex { $0.contains(right) }
    case .links(let ends, _):
      let directions = [Direction(left, right), Direction(right, left)]
      return directions.contains { ends.contains($0) }
    case .medium(let names, _): return names.contains(left) && names.contains(right)
    case .hosts(let names, let fault):
      return fault.mayBreakLinks && (names.contains(left) || names.contains(right))
    case .heal: return false
    }
  }

  /// Whose program it stops, and takes the memory of.
  var crashed: String? {
    switch kind {
    case .hosts(let names, .crash), .hosts(let names, .restart), .hosts(let names, .leave):
      names.first
    case .hosts, .partition, .links, .medium, .heal: nil
    }
  }

  /// Whether it befalls the disk of a peer.
  func befallsDisk(of name: String) -> Bool {
    switch kind {
    case .hosts(let names, .fullDisk), .hosts(let names, .slowDisk),
      .hosts(let names, .failingDisk):
      names.contains(name)
    case .hosts, .partition, .links, .medium, .heal: false
    }
  }

  /// Who has other addresses from then on.
  var readdressed: String? {
    if case .hosts(let names, .readdress) = kind { names.first } else { nil }
  }

  /// Whose program it stops for a time.
  var suspended: String? {
    switch kind {
    case .hosts(let names, .suspend), .hosts(let names, .freeze): names.first
    case .hosts, .partition, .links, .medium, .heal: nil
    }
  }
}

extension HostFault {
  /// Whether a link of the host may break because of it.
  ///
  /// What only discovery or the disk notices breaks none, nor does a clock that is a little fast or
  /// slow.
  fileprivate var mayBreakLinks: Bool {
    switch self {
    case .crash, .restart, .suspend, .freeze, .resume, .slow, .leave, .isolate, .clog, .readdress,
      .unplug, .exhaustPorts:
      true
    case .clock(let change): change.jump > .zero || change.drift.magnitude > 50_000
    case .hide, .stale, .reflect, .fullDisk, .slowDisk, .failingDisk: false
    }
  }
}

/// What befell a run, in the order of time.
package struct Disturbances: Hashable, Sendable {
  package private(set) var all: [Disturbance] = []
  private var open: [Int: Int] = [:]  // By the number of the effect.

  package init() {}

  /// Notes that an effect of a fault begins.
  package mutating func begin(_ kind: Fault.Kind, _ number: Int, at time: Duration) {
    open[number] = all.count
    all.append(Disturbance(kind, from: time))
  }

  /// Notes that an effect of a fault is over.
  package mutating func end(_ number: Int, at time: Duration) {
    guard let index = open.removeValue(forKey: number) else { return }
    all[index].end = time
  }

  /// Whether something stood between two peers, or befell one of them, in a range.
  func touch(_ left: String, _ right: String, in range: ClosedRange<Duration>) -> Bool {
    all.contains { $0.overlaps(range) && $0.touches(left, right) }
  }

  /// Whether something befell the disk of a peer in a range.
  func befallDisk(of name: String, in range: ClosedRange<Duration>) -> Bool {
    all.contains { $0.overlaps(range) && $0.befallsDisk(of: name) }
  }

  /// Whether a peer's memory was lost in a range, or may have been: a host that leaves loses its power later.
  func crash(_ name: String, in range: ClosedRange<Duration>) -> Bool {
    all.contains { disturbance in
      guard disturbance.crashed == name else { return false }
      if case .hosts(_, .leave) = disturbance.kind { return disturbance.overlaps(range) }
      return range.contains(disturbance.start)
    }
  }

  /// Whether a peer's memory was lost in a range, or its program stands still at the end of it.
  func stop(_ name: String, in range: ClosedRange<Duration>) -> Bool {
    crash(name, in: range)
      || all.contains { $0.suspended == name && $0.overlaps(range.upperBound...range.upperBound) }
  }

  /// The end of the standstill of a peer's program that was going on at a time, or that time.
  func standstill(of name: String, from time: Duration) -> Duration {
    all.reduce(time) { latest, disturbance in
      let isGoingOn = disturbance.suspended == name && disturbance.overlaps(latest...latest)
      return isGoingOn ? disturbance.end ?? latest : latest
    }
  }

  /// When a peer's memory was lost in a range for the last time; `nil` when it was not.
  func lastCrash(of name: String, in range: ClosedRange<Duration>) -> Duration? {
    all.last { $0.crashed == name && range.contains($0.start) }?.start
  }

  /// When a peer's memory was lost in a range for the last time, or its addresses were; `nil` when neither was.
  func lastMove(of name: String, in range: ClosedRange<Duration>) -> Duration? {
    all.last { ($0.crashed == name || $0.readdressed == name) && range.contains($0.start) }?.start
  }

  /// Whether one of two peers was told to hide at some time of a range.
  func hide(_ left: String, _ right: String, in range: ClosedRange<Duration>) -> Bool {
    all.contains { disturbance in
      guard case .hosts(let names, .hide) = disturbance.kind else { return false }
      return disturbance.overlaps(range) && (names.contains(left) || names.contains(right))
    }
  }

  /// How late packets between two peers may be because of what touched them in a range.
  func lag(between left: String, _ right: String, in range: ClosedRange<Duration>) -> Duration {
    all.filter { $0.overlaps(range) && $0.touches(left, right) }.map(\.kind.lag).max() ?? .zero
  }

  /// When a peer that was suspended ran again for the last time in a range; `nil` when it never did.
  func lastWake(of name: String, in range: ClosedRange<Duration>) -> Duration? {
    all.filter { $0.suspended == name }.compactMap(\.end).filter { range.contains($0) }.max()
  }

  /// How long a peer was suspended within a range.
  func suspension(of name: String, in range: ClosedRange<Duration>) -> Duration {
    total(in: range) { $0.suspended == name }
  }

  /// How long something touched two peers within a range.
  func time(touching left: String, _ right: String, in range: ClosedRange<Duration>) -> Duration {
    total(in: range) { $0.touches(left, right) }
  }

  /// How much more than the world's time has passed by the clock of a peer within a range, and a microsecond for
  /// what is rounded when a clock changes.
  func gain(of name: String, in range: ClosedRange<Duration>) -> Duration {
    all.filter { $0.overlaps(range) }.reduce(.zero) { gain, disturbance in
      guard case .hosts(let names, .clock(let change)) = disturbance.kind, names.contains(name)
      else {
        return gain
      }
      let jump = range.contains(disturbance.start) ? change.jump : .zero
      let time = time(of: disturbance, in: range)
      return gain + jump + time * change.drift / 1_000_000 + .microseconds(1)
    }
  }

  private func total(
    in range: ClosedRange<Duration>, _ isMeant: (Disturbance) -> Bool
  ) -> Duration {
    all.filter { $0.overlaps(range) && isMeant($0) }.reduce(.zero) { $0 + time(of: $1, in: range) }
  }

  /// How long a disturbance was going on within a range that it overlaps.
  private func time(of disturbance: Disturbance, in range: ClosedRange<Duration>) -> Duration {
    let end = min(disturbance.end ?? range.upperBound, range.upperBound)
    return end - max(disturbance.start, range.lowerBound)
  }

  /// The times in which no fault began or ended, up to the end of the run.
  func gaps(until end: Duration) -> [ClosedRange<Duration>] {
    let times = all.flatMap { [$0.start, $0.end].compactMap { $0 } }.filter { $0 < end }.sorted()
    return zip([.zero] + times, times + [end]).filter { $0 < $1 }.map { $0...$1 }
  }
}
